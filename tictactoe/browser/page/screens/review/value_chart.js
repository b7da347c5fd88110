/** How a player's chance to win the match went up and down in a round, as a line, with what each mistake cost. */

import { percent } from "../../match/numbers.js";
import { h, svg } from "../../parts/dom.js";

const WIDTH = 320;
const HEIGHT = 170;
const LEFT = 40;
const RIGHT = 308;
const TOP = 16;
const BOTTOM = 144;
/** The chart shows at least so many percent from bottom to top. */
const LEAST_RANGE = 0.1;
const STEPS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.25];
/** A letter's width, about: what is written beside the line must not leave the picture. */
const LETTER = 7;

/**
 * @typedef {object} ChartPoint
 * @property {string} label  Under the chart: at most three letters, so that no two ever touch.
 * @property {string} told  The same for those who hear it.
 * @property {number} chance  From 0 to 1.
 * @property {string} cost  What a mistake cost, which the line falls by up to here; empty without one.
 */

/** A line with a point for each moment, and a mark at one of them. */
export class ValueChart {
  /**
   * @param {ChartPoint[]} points  At least two.
   * @param {(index: number) => void} onChoose  Called for the point that is nearest to a tap.
   */
  constructor(points, onChoose) {
    this.points = points;
    const spoken = points.map(
      ({ told, chance, cost }) => `${told} ${percent(chance)}${cost === "" ? "" : ` (a mistake: ${cost})`}`,
    );
    this.range = rangeOf(points.map((point) => point.chance));
    this.marker = svg("line", { class: "marker", y1: TOP - 8, y2: BOTTOM });
    const label = `Your chance to win the match: ${spoken.join(", ")}.`;
    const choose = (/** @type {MouseEvent} */ event) => onChoose(this.#nearest(event));
    const picture = svg(
      "svg",
      { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label, onclick: choose },
      ...this.#grid(),
      this.marker,
      svg("polyline", { class: "line", points: points.map((_, index) => this.#at(index).join(",")).join(" ") }),
      ...points.map((point, index) => (point.cost === "" ? null : this.#fall(index))),
      ...points.map((point, index) => this.#dot(point, index)),
      ...points.map((point, index) => (point.cost === "" ? null : this.#price(point.cost, index))),
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
    return [Number(x.toFixed(1)), this.#height(this.points[index].chance)];
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
        svg("text", { x: LEFT - 6, y: y + 4, "text-anchor": "end" }, percent(chance, 0)),
      ];
    });
  }

  /** @param {ChartPoint} point @param {number} index */
  #dot(point, index) {
    const [x, y] = this.#at(index);
    const mistake = point.cost !== "";
    return svg(
      "g",
      {},
      svg("circle", { class: mistake ? "dot mistake" : "dot", cx: x, cy: y, r: mistake ? 5 : 3.5 }),
      svg("text", { class: "label", x, y: HEIGHT - 10, "text-anchor": "middle" }, point.label),
    );
  }

  /** The part of the line that falls by a mistake. @param {number} index */
  #fall(index) {
    const [[x1, y1], [x2, y2]] = [this.#at(index - 1), this.#at(index)];
    return svg("line", { class: "fall", x1, y1, x2, y2 });
  }

  /** What it cost, above the start of the fall, where the line is not. @param {string} cost @param {number} index */
  #price(cost, index) {
    const [x, y] = this.#at(index - 1);
    const half = (LETTER * cost.length) / 2;
    const middle = Math.min(x + 4, WIDTH - half);
    return svg("text", { class: "price", x: middle, y: Math.max(y - 7, 10), "text-anchor": "middle" }, cost);
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
