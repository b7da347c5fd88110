/** What a person chooses with. */

import { h } from "../../parts/dom.js";

/**
 * One of a few.
 *
 * @param {string} name  Its own one on the page.
 * @param {string} legend
 * @param {string} chosen
 * @param {{ value: string, label: string }[]} options
 * @param {(value: string) => void} onChange
 */
export function choice(name, legend, chosen, options, onChange) {
  const labels = options.map(({ value, label }) => {
    const id = `${name}-${value}`;
    const input = h("input", { type: "radio", id, name, value, onchange: () => onChange(value) });
    input.checked = value === chosen;
    return h("label", { for: id }, input, h("b", {}, label));
  });
  return h("fieldset", { class: "choice" }, h("legend", {}, legend), ...labels);
}

/**
 * One of many short ones.
 *
 * @param {string} id
 * @param {string} label
 * @param {string} chosen
 * @param {string[]} values
 * @param {(value: string) => void} onChange
 */
export function selection(id, label, chosen, values, onChange) {
  const select = h("select", { id }, ...values.map((value) => h("option", { value }, value)));
  select.value = chosen;
  select.addEventListener("change", () => onChange(select.value));
  return h("label", { for: id }, label, select);
}

/**
 * Yes or no.
 *
 * @param {string} id
 * @param {string} label
 * @param {boolean} on
 * @param {(on: boolean) => void} onChange
 */
export function switchBox(id, label, on, onChange) {
  const input = h("input", { type: "checkbox", id, onchange: () => onChange(input.checked) });
  input.checked = on;
  return h("label", { for: id, class: "switch" }, input, h("span", {}, label));
}

/**
 * A button that a key presses, too.
 *
 * @param {string} text
 * @param {string} key  That does the same.
 * @param {() => void} onclick
 * @param {{ main?: boolean, pressed?: boolean, disabled?: boolean }} [state]
 */
export function keyButton(text, key, onclick, state = {}) {
  return h(
    "button",
    {
      class: state.main ? "button main" : "button",
      type: "button",
      "aria-keyshortcuts": key,
      "aria-pressed": state.pressed === undefined ? null : String(state.pressed),
      disabled: state.disabled,
      onclick,
    },
    text,
    h("kbd", { "aria-hidden": "true" }, key === "Enter" ? "\u21b5" : key),
  );
}
