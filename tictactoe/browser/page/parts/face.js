/** The faces of the opponents. */

import { svg } from "./dom.js";

const HEAD = "M21 13a9 9 0 1 1-18 0a9 9 0 1 1 18 0z";
const EYES = "M8.5 11.5h.01M15.5 11.5h.01";
/** By name, what is drawn. */
const FACES = {
  uniform: "M4 5h16v16h-16zM8 9h.01M16 9h.01M12 13h.01M8 17h.01M16 17h.01",
  dreamer: `${HEAD}M6.5 11.5q1.7 2 3.4 0m4.2 0q1.7 2 3.4 0M11 17h2M20 4h.01M22.5 1.5h.01`,
  rookie: `${HEAD}${EYES}M3.5 8h19.5M8 15.5q4 3.5 8 0`,
  dabbler: `${HEAD}${EYES}M13.5 9l4-1.5M9 17.5q4 0 6-2.5`,
  "sore-loser": `${HEAD}${EYES}M6.5 8l4 2m7-2l-4 2M8 18q4-4 8 0`,
  "learner-10": `${HEAD}M11 12a2.6 2.6 0 1 1-5.2 0a2.6 2.6 0 1 1 5.2 0zM18.2 12a2.6 2.6 0 1 1-5.2 0a2.6 2.6 0 1 1 5.2 0zM11 12h2M9 18h6`,
  careless: `${HEAD}M7 10l3 3m0-3l-3 3M15.5 11.5h.01M8 16q4 3 8 0M12 17.3v2`,
  "learner-1": `${HEAD}${EYES}M12 4q0-3 4-3M14 17a2 2 0 1 1-4 0a2 2 0 1 1 4 0z`,
  "learner-100": `${HEAD}M8.5 11.5h.01M18.4 11.5a2.9 2.9 0 1 1-5.8 0a2.9 2.9 0 1 1 5.8 0zM15.5 11.5h.01M8.5 17q4 1.5 7 0`,
  adaptive: `${HEAD}M7 11.5q1.5-2 3 0m4 0q1.5-2 3 0M9 17q3 1.5 6 0M12 4v-2.5M9.5 4l-1.5-2M14.5 4l1.5-2`,
  perfect: `${HEAD}${EYES}M6 5.5v-4.5l3.5 2.5l2.5-3l2.5 3l3.5-2.5v4.5M8 16q4 2 8 0`,
};

/** Of the opponent of that name, beside its title. @param {string} name */
export function face(name) {
  const d = FACES[/** @type {keyof typeof FACES} */ (name)] ?? `${HEAD}${EYES}`;
  return svg("svg", { class: "face", viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d }));
}
