/** The switch for sound, and the dialog behind the gear: theme, and how squares are numbered. Each counts at once. */

import { h, svg } from "../../parts/dom.js";
import { CHOICES, applyTheme, prefer, prefers } from "../../parts/preferences.js";
import { play } from "../../parts/sound.js";

/** @typedef {import("../../parts/preferences.js").Preference} Preference */

/** @typedef {Exclude<Preference, "sound">} Chosen */

/** @type {Record<Chosen, { title: string, labels: readonly string[] }>} */
const WORDS = {
  theme: { title: "Colours", labels: ["As the system", "Light", "Dark"] },
  keypad: {
    title: "Digits on the board",
    labels: ["1 2 3 at the top, as on a phone", "7 8 9 at the top, as on a numpad"],
  },
};

/** The switch in the header: pressed, marks and points are heard. */
export function soundButton() {
  const speaker = svg("path", { d: "M4 9.5v5h3.5L12 18.5v-13L7.5 9.5z" });
  const picture = svg(
    "svg",
    { viewBox: "0 0 24 24", "aria-hidden": "true" },
    speaker,
    svg("path", { class: "when-on", d: "M15.5 9a4 4 0 0 1 0 6M18 6.5a8 8 0 0 1 0 11" }),
    svg("path", { class: "when-off", d: "M15.5 9.5l5 5m0-5l-5 5" }),
  );
  const button = h("button", { class: "gear", type: "button", "aria-label": "Sound", title: "Sound" }, picture);
  const show = () => button.setAttribute("aria-pressed", String(prefers("sound") === "on"));
  button.addEventListener("click", () => {
    prefer("sound", prefers("sound") === "on" ? "off" : "on");
    show();
    play("mark");
  });
  show();
  return button;
}

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
  const names = /** @type {Chosen[]} */ (Object.keys(WORDS));
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

/** @param {Chosen} name */
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

/** By what a person is doing, the keys and what they do. */
const KEYS = {
  Everywhere: [
    ["?", "these keys"],
    ["Tab, Enter", "go to a button, press it"],
    ["Esc", "close what has opened"],
  ],
  "On a board": [
    ["1 to 9", "mark that square"],
    ["arrows", "move around the board; Enter marks"],
  ],
  Play: [
    ["h", "a hint, then what the other squares cost"],
    ["g", "say your goal"],
    ["u", "take a move back, where that is allowed"],
    ["Enter", "the next round"],
  ],
  Explore: [["Backspace", "take a move back"]],
  Review: [["\u2190 \u2192 Home End", "step through a round"]],
};

/** All keys, in a dialog. */
export function showKeys() {
  const rows = Object.entries(KEYS).flatMap(([where, keys]) => [
    h("tr", {}, h("th", { colspan: 2, scope: "rowgroup" }, where)),
    ...keys.map(([key, what]) => h("tr", {}, h("td", {}, h("kbd", {}, key)), h("td", {}, what))),
  ]);
  const dialog = h(
    "dialog",
    { class: "preferences", "aria-labelledby": "keys-title" },
    h("h2", { id: "keys-title" }, "Keys"),
    h("table", { class: "keys" }, h("tbody", {}, ...rows)),
    h("button", { class: "button main", type: "button", onclick: () => dialog.close() }, "Done"),
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

/** Whether a click was beside the dialog. @param {HTMLElement} dialog @param {MouseEvent} event */
function outside(dialog, event) {
  const box = dialog.getBoundingClientRect();
  const within = event.clientX >= box.left && event.clientX <= box.right;
  return !(within && event.clientY >= box.top && event.clientY <= box.bottom);
}
