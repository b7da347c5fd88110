/** A part of the screen behind a tap. */

import { h } from "../../parts/dom.js";

/** A card with a heading; `render` gives it its content. */
export class Panel {
  /** @param {string} id  Of the heading. @param {string} heading */
  constructor(id, heading) {
    this.content = h("div", { class: "folded" });
    this.element = h("details", { class: "card fold" }, h("summary", {}, h("h2", { id }, heading)), this.content);
  }

  /** @param {readonly Node[]} content  With none the panel is not there. */
  render(content) {
    this.content.replaceChildren(...content);
    this.element.hidden = content.length === 0;
  }
}
