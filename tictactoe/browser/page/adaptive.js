/** The script that is loaded for a match against the bot that adapts. */

import { provide } from "./loading/later.js";
import { Planner } from "./loading/planner.js";

provide(
  "adaptive",
  (/** @type {import("./loading/solution_loader.js").SolvedMatch} */ solution) => new Planner(solution),
);
