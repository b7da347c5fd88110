/** Whether the page may move: what a timer of its own does asks here, what a style sheet does is switched off there. */

export function prefersStillness() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}
