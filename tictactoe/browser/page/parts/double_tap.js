/**
 * The second press of a double tap or double click, wherever another control has come under the finger since the first,
 * or the one there means something else: it was meant for what stood there before.
 */

/** Milliseconds: longer than there are between two taps of one. */
export const DEAF = 700;
/** CSS pixels between two taps of one, at most. */
const SAME_PLACE = 32;
const CONTROLS = "button, a, summary, label";

/** From now on such presses press nothing on this page. */
export function ignoreDoubleTaps() {
  /**
   * The press before, as long as another one may belong to it, and the controls that were there then.
   *
   * @type {{ name: string, x: number, y: number, there: Map<Element, string> } | null}
   */
  let last = null;
  let timer = 0;
  /** @param {MouseEvent} event */
  function guard(event) {
    const control = event.target instanceof Element ? event.target.closest(CONTROLS) : null;
    if (event.detail === 0 || control === null) return; // a key, or a program that reads the page aloud
    const [name, x, y] = [nameOf(control), event.clientX, event.clientY];
    const again = last !== null && name !== last.name && Math.hypot(x - last.x, y - last.y) < SAME_PLACE;
    if (again && last?.there.get(control) !== meaningOf(control)) {
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    const there = new Map([...document.querySelectorAll(CONTROLS)].map((one) => [one, meaningOf(one)]));
    last = { name, x, y, there };
    clearTimeout(timer);
    timer = setTimeout(() => {
      last = null;
    }, DEAF);
  }
  addEventListener("click", guard, true);
}

/** What stays the same when a button takes its next step. @param {Element} control */
function nameOf(control) {
  return (
    ["aria-keyshortcuts", "aria-label"].map((one) => control.getAttribute(one)).find(Boolean) ?? control.textContent
  );
}

/** @param {Element} control */
function meaningOf(control) {
  return `${nameOf(control)} ${control.getAttribute("aria-disabled")}`;
}
