/** How a player's chance to win the match went up and down in a round, as a line. */

import { percent } from "../../match/numbers.js";
import { h, svg } from "../../parts/dom.js";

const WIDTH = 320;
const HEIGHT = 170;
const LEFT = 40;
const RIGHT = 312;
const TOP = 10;
const BOTTOM = 144;
/** The chart shows at least so many percent from bottom to top. */
const LEAST_RANGE = 0.1;
const STEPS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.25];

/**
 * @typedef {object} ChartPoint
 * @property {string} label  Under the chart; short.
 * @property {string} told  The same for those who hear it.
 * @property {number} chance  From 0 to 1.
 * @property {boolean} mistake
 */

/** A line with a point for each moment, and a mark at one of them. */
export class ValueChart {
  /**
   * @param {ChartPoint[]} points  At least two.
   * @param {(index: number) => void} onChoose  Called for the point that is nearest to a tap.
   */
  constructor(points, onChoose) {
    this.points = points;
    const spoken = points.map((point) => `${point.told} ${percent(point.chance)}`).join(", ");
    this.range = rangeOf(points.map((point) => point.chance));
    this.marker = svg("line", { class: "marker", y1: TOP, y2: BOTTOM });
    const label = `Your chance to win the match: ${spoken}.`;
    const choose = (/** @type {MouseEvent} */ event) => onChoose(this.#nearest(event));
    const picture = svg(
      "svg",
      { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label, onclick: choose },
      ...this.#grid(),
      this.marker,
      svg("polyline", { class: "line", points: points.map((_, index) => this.#at(index).join(",")).join(" ") }),
      ...points.map((point, index) => this.#dot(point, index)),
    );
    this.element = h("div", { class: "value-chart" }, picture);
    this.mark(0);
  }

  /** Show which point is meant. @param {number} index */
  mark(index) {
    const [x] = this.#at(index);
    this.marker.setAttribute("x1", String(x));
    this.marker.setAttribute("x2", String(x));
  }

  /** The point that is nearest to a click on the picture. @param {MouseEvent} event */
  #nearest(event) {
    const { left, width } = /** @type {Element} */ (event.currentTarget).getBoundingClientRect();
    const x = ((event.clientX - left) / width) * WIDTH;
    const nearest = Math.round(((x - LEFT) / (RIGHT - LEFT)) * (this.points.length - 1));
    return Math.min(Math.max(nearest, 0), this.points.length - 1);
  }

  /** @param {number} index @returns {[number, number]} */
  #at(index) {
    const x = LEFT + ((RIGHT - LEFT) * index) / (this.points.length - 1);
    return [Number(x.toFixed(1)), this.#height(Number(this.points[index]?.chance))];
  }

  /** @param {number} chance */
  #height(chance) {
    const { least, most } = this.range;
    return Number((BOTTOM - ((BOTTOM - TOP) * (chance - least)) / (most - least)).toFixed(1));
  }

  #grid() {
    const { least, most, step } = this.range;
    const count = Math.round((most - least) / step);
    return Array.from({ length: count + 1 }, (_, index) => least + index * step).flatMap((chance) => {
      const y = this.#height(chance);
      return [
        svg("line", { class: "grid", x1: LEFT, x2: RIGHT, y1: y, y2: y }),
        svg("text", { x: LEFT - 4, y: y + 4, "text-anchor": "end" }, percent(chance, 0)),
      ];
    });
  }

  /** @param {ChartPoint} point @param {number} index */
  #dot(point, index) {
    const [x, y] = this.#at(index);
    return svg(
      "g",
      {},
      svg("circle", { class: point.mistake ? "dot mistake" : "dot", cx: x, cy: y, r: point.mistake ? 5 : 3.5 }),
      svg("text", { x, y: HEIGHT - 10, "text-anchor": "middle" }, point.label),
    );
  }
}

/**
 * Round numbers around all chances.
 *
 * @param {number[]} chances
 * @returns {{ least: number, most: number, step: number }}
 */
function rangeOf(chances) {
  const middle = (Math.min(...chances) + Math.max(...chances)) / 2;
  const half = Math.max(LEAST_RANGE, Math.max(...chances) - Math.min(...chances)) / 2;
  const step = STEPS.find((one) => (2 * half) / one <= 5) ?? 0.25;
  const least = Math.max(0, Math.floor((middle - half) / step + 1e-9) * step);
  const most = Math.min(1, Math.ceil((middle + half) / step - 1e-9) * step);
  return { least, most, step };
}
