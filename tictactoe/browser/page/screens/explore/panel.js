/** A part of the screen behind a tap; where there is room for all parts, it begins open. */

import { h } from "../../parts/dom.js";

/** From this width on, in rem, as in style/explore.css. */
const WIDE = 60;

/** A card with a heading; `render` gives it its content. */
export class Panel {
  /** @param {string} id  Of the heading. @param {string} heading @param {boolean} opens  Whether it opens by itself. */
  constructor(id, heading, opens = true) {
    this.content = h("div", { class: "folded" });
    this.element = h(
      "details",
      { class: "card fold", open: opens && matchMedia(`(min-width: ${WIDE}rem)`).matches },
      h("summary", {}, h("h2", { id }, heading)),
      this.content,
    );
  }

  /** @param {readonly Node[]} content  With none the panel is not there. */
  render(content) {
    this.content.replaceChildren(...content);
    this.element.hidden = content.length === 0;
  }
}
