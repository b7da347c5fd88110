/**
 * Making elements.
 *
 * @typedef {string | Node | null | false} Child
 * @typedef {Record<string, string | number | boolean | null | undefined | ((event: any) => void)>} Attributes
 */

/**
 * An element. Attributes whose value is a function listen to the event behind "on"; those that are false, null or
 * undefined are left out, true ones are empty.
 *
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} attributes
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  setAttributes(element, attributes);
  element.append(...present(children));
  return element;
}

/**
 * The same for pictures.
 *
 * @param {keyof SVGElementTagNameMap} tag
 * @param {Attributes} attributes
 * @param {...Child} children
 */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  setAttributes(element, attributes);
  element.append(...present(children));
  return element;
}

/** @param {Element} element @param {Attributes} attributes */
function setAttributes(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.replace(/^on/, ""), value);
    else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
}

/** @param {Child[]} children */
function present(children) {
  return /** @type {(string | Node)[]} */ (children.filter((child) => child !== null && child !== false));
}
