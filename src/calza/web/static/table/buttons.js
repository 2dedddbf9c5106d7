// Buttons and dialogs. A button that cannot be used now stays where it is and keeps the focus; it says why when pressed.

import { make } from "./marks.js";

/**
 * A button.
 * @param {string} kind its classes @param {string} text @param {() => void} press @param {string} [name] if it is not its text
 */
function button(kind, text, press, name) {
  const made = /** @type {HTMLButtonElement} */ (make("button", `t-button ${kind}`, text));
  made.type = "button";
  made.onclick = press;
  if (name) made.setAttribute("aria-label", name);
  return made;
}

/**
 * Whether a button can be used now.
 * @param {HTMLElement} one @param {boolean} can
 */
const enable = (one, can) => one.setAttribute("aria-disabled", String(!can));

/**
 * A dialog with a title, and a button that closes it.
 * @param {string} title @param {string} close @param {...Node} inside
 */
function dialog(title, close, ...inside) {
  const head = make("h2", "", title);
  head.id = `t-dialog-${title.length}-${inside.length}`;
  const made = /** @type {HTMLDialogElement} */ (make("dialog", "t-dialog", head, ...inside));
  made.setAttribute("aria-labelledby", head.id);
  made.append(make("div", "t-answers", button("", close, () => made.close())));
  return made;
}

export { button, dialog, enable };
