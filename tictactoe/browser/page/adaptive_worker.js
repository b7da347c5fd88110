/** The script of the worker in which the bot that adapts makes its plans. */

import { Rules } from "./games/rules.js";
import { GameTree } from "./games/tree.js";
import { KnownPlayers } from "./play/adaptive_model.js";
import { planRound } from "./play/adaptive_plan.js";

/** By the name of a game. @type {Map<string, KnownPlayers>} */
const games = new Map();

addEventListener("message", ({ data }) => {
  const { game, told, rounds, asked } = data;
  if (told !== undefined) {
    const tree = new GameTree(told.square, told.numChildren, told.leafClass, new Rules(told.rules, told.outcomes));
    games.set(game, new KnownPlayers(tree, told.known, told.learners));
  }
  postMessage(planRound(/** @type {KnownPlayers} */ (games.get(game)), rounds, asked));
});
