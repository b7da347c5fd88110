/** The dialog behind the gear: theme, sound, and how squares are numbered. Each choice counts at once. */

import { h, svg } from "../../parts/dom.js";
import { CHOICES, applyTheme, prefer, prefers } from "../../parts/preferences.js";

/** @typedef {import("../../parts/preferences.js").Preference} Preference */

/** @type {Record<Preference, { title: string, labels: readonly string[] }>} */
const WORDS = {
  theme: { title: "Colours", labels: ["As the system", "Light", "Dark"] },
  sound: { title: "Sound", labels: ["Off", "On"] },
  keypad: {
    title: "Digits on the board",
    labels: ["1 2 3 at the top, as on a phone", "7 8 9 at the top, as on a numpad"],
  },
};

/**
 * The button that opens the dialog.
 *
 * @param {() => void} onNewDigits  The squares have other digits now.
 */
export function preferencesButton(onNewDigits) {
  const gear = svg(
    "svg",
    { viewBox: "0 0 24 24", "aria-hidden": "true" },
    svg("path", { d: "M4 7h9m5 0h2M4 17h2m5 0h9" }),
    svg("circle", { cx: 15.5, cy: 7, r: 2.5 }),
    svg("circle", { cx: 8.5, cy: 17, r: 2.5 }),
  );
  const open = () => preferencesDialog(onNewDigits).showModal();
  return h(
    "button",
    { class: "gear", type: "button", "aria-label": "Settings", title: "Settings", onclick: open },
    gear,
  );
}

/** @param {() => void} onNewDigits */
function preferencesDialog(onNewDigits) {
  const names = /** @type {Preference[]} */ (Object.keys(CHOICES));
  const before = prefers("keypad");
  const dialog = h(
    "dialog",
    { class: "preferences", "aria-labelledby": "preferences-title" },
    h("h2", { id: "preferences-title" }, "Settings"),
    ...names.map(chooser),
    h("button", { class: "button main", type: "button", onclick: () => dialog.close() }, "Done"),
  );
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog && outside(dialog, event)) dialog.close();
  });
  dialog.addEventListener("close", () => {
    dialog.remove();
    if (prefers("keypad") !== before) onNewDigits();
  });
  document.body.append(dialog);
  return dialog;
}

/** @param {Preference} name */
function chooser(name) {
  const { title, labels } = WORDS[name];
  const options = CHOICES[name].map((choice, index) => {
    const input = h("input", {
      type: "radio",
      name: `prefer-${name}`,
      value: choice,
      checked: choice === prefers(name),
      onchange: () => {
        prefer(name, choice);
        applyTheme();
      },
    });
    return h("label", {}, input, labels[index]);
  });
  return h("fieldset", {}, h("legend", {}, title), ...options);
}

/** Whether a click was beside the dialog. @param {HTMLElement} dialog @param {MouseEvent} event */
function outside(dialog, event) {
  const box = dialog.getBoundingClientRect();
  const within = event.clientX >= box.left && event.clientX <= box.right;
  return !(within && event.clientY >= box.top && event.clientY <= box.bottom);
}
