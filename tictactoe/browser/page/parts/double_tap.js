/**
 * The second press of a double tap or double click, wherever another control has come to stand under the finger since
 * the first: it was meant for what stood there before.
 */

/** Milliseconds: longer than there are between two taps of one. */
export const DEAF = 700;
/** CSS pixels between two taps of one, at most. */
const SAME_PLACE = 32;
const CONTROLS = "button, a, summary, label";

/** From now on such presses press nothing on this page. */
export function ignoreDoubleTaps() {
  /** The press before, as long as another one may belong to it. @type {{ name: string, x: number, y: number } | null} */
  let last = null;
  let timer = 0;
  /** @param {MouseEvent} event */
  function guard(event) {
    const control = event.target instanceof Element ? event.target.closest(CONTROLS) : null;
    if (event.detail === 0 || control === null) return; // a key, or a program that reads the page aloud
    const name = control.getAttribute("aria-label") ?? control.textContent ?? "";
    const { clientX: x, clientY: y } = event;
    if (last !== null && name !== last.name && Math.hypot(x - last.x, y - last.y) < SAME_PLACE) {
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    last = { name, x, y };
    clearTimeout(timer);
    timer = setTimeout(() => {
      last = null;
    }, DEAF);
  }
  addEventListener("click", guard, true);
}
