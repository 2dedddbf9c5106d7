// Which keys there are, and whether they work on the whole page.

import { button, dialog } from "./buttons.js";
import { make } from "./marks.js";

/** @import { Words } from "./words.js" */

const KEPT = "calza-keys";
const KEYS = [["4x3", "bid"], ["Enter", "enter"], ["↑ ↓", "number"], ["← →", "face"], ["l", "liar"], ["e", "exact"], ["?", "help"]];

class Help {
  /** @param {Words} words */
  constructor(words) {
    const list = make("dl", "t-keys");
    const exact = words.rules.calls.length > 1;
    for (const [key, does] of KEYS) {
      if (does !== "exact" || exact) list.append(make("dt", "", make("kbd", "", key)), make("dd", "", words.say(`keys.${does}`)));
    }
    this.box = /** @type {HTMLInputElement} */ (make("input"));
    Object.assign(this.box, { type: "checkbox", id: "t-anywhere", checked: kept() !== "off" });
    this.box.onchange = () => keep(this.box.checked);
    const label = /** @type {HTMLLabelElement} */ (make("label", "", words.say("keys.anywhere")));
    label.htmlFor = this.box.id;
    this.root = dialog(words.say("keys.title"), words.say("close"), list, make("p", "t-check", this.box, label));
    this.button = button("t-small t-help", words.say("keys.title"), () => this.root.showModal());
  }

  /** Whether single keys work wherever the focus is: somebody who speaks to the browser may not want that. */
  get anywhere() {
    return this.box.checked;
  }
}

/** What was chosen here before. */
function kept() {
  try {
    return localStorage.getItem(KEPT);
  } catch {
    return null;
  }
}

/** @param {boolean} on */
function keep(on) {
  try {
    localStorage.setItem(KEPT, on ? "on" : "off");
  } catch {
    // It holds for this page.
  }
}

export { Help };
