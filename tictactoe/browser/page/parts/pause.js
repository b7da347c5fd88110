/** A time in which a screen waits before it goes on. */

export class Pause {
  /** @type {ReturnType<typeof setTimeout> | null} */
  #timer = null;

  /** Whether it runs. */
  get runs() {
    return this.#timer !== null;
  }

  /** Begin anew: what was to come is left out. @param {number} milliseconds @param {() => void} then */
  start(milliseconds, then) {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = null;
      then();
    }, milliseconds);
  }
}
