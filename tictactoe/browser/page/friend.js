/** The script that is loaded for a match with a friend on another device. */

import { provide } from "./loading/later.js";
import { friendScreen } from "./screens/friend/friend_screen.js";
import { friendTable } from "./screens/play/friend_table.js";
import { roundReview } from "./screens/review/round_review.js";

provide("friend", (/** @type {import("./screens/screen.js").App} */ app) =>
  friendScreen(app, (...rest) => friendTable(roundReview, ...rest)),
);
