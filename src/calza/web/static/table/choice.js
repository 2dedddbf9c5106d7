// The bid that somebody is about to make: a number with two buttons, and the faces with the least number that each needs.

import { button } from "./buttons.js";
import { put } from "./chair.js";
import { least, lowest } from "./legal.js";
import { die, make, silent } from "./marks.js";

/** @import { Legal } from "./frames" */
/** @import { Bid } from "./legal.js" */
/** @import { Words } from "./words.js" */

const MOST = 255; // no bid that travels may name more

class Choice {
  /** @param {Words} words @param {() => void} changed */
  constructor(words, changed) {
    this.words = words;
    this.changed = changed;
    /** @type {Bid} */
    this.bid = { quantity: 1, face: words.rules.faces };
    this.legal = /** @type {Legal | null} */ (null);
    this.own = false; // whether the number was chosen, and is not just the least
    this.number = /** @type {HTMLInputElement} */ (make("input", "t-number"));
    Object.assign(this.number, { type: "number", min: "1", max: String(MOST), inputMode: "numeric", id: "t-number" });
    this.number.oninput = () => this.count(Number(this.number.value));
    this.number.onblur = () => this.draw();
    const label = /** @type {HTMLLabelElement} */ (make("label", "heard", words.say("quantity")));
    label.htmlFor = this.number.id;
    const fewer = button("t-step", "−", () => this.step(-1), words.say("fewer"));
    const more = button("t-step", "+", () => this.step(1), words.say("more"));
    this.faces = Array.from({ length: words.rules.faces }, (_, at) => this.face(at + 1));
    const faces = make("div", "t-faces", ...this.faces.map((one) => one.root));
    faces.setAttribute("role", "group");
    faces.setAttribute("aria-label", words.say("face"));
    this.root = make("div", "t-choice", make("div", "t-stepper", fewer, label, this.number, more), faces);
  }

  /** @param {number} face */
  face(face) {
    const from = make("span", "t-from");
    const root = button("t-face", "", () => this.turn(face), "");
    root.append(die(face, this.words.rules.faces), silent(from));
    return { root, from };
  }

  /**
   * Take the numbers that are legal now.
   * @param {Legal | null} legal
   */
  show(legal) {
    this.legal = legal;
    this.draw();
  }

  /**
   * Begin with the lowest bid on a face, or the lowest of all where there is none on that face.
   * @param {Legal} legal @param {number} face
   */
  begin(legal, face) {
    this.legal = legal;
    this.own = false;
    const from = least(legal, face);
    this.bid = from ? { quantity: from, face } : lowest(legal) ?? this.bid;
    this.draw();
  }

  /** @param {Bid} bid */
  set(bid) {
    this.bid = bid;
    this.own = true;
    this.draw();
    this.changed();
  }

  /** @param {number} quantity */
  count(quantity) {
    this.set({ ...this.bid, quantity: Math.max(1, Math.min(MOST, Math.trunc(quantity) || 1)) });
  }

  /** @param {number} by */
  step(by) {
    this.count(this.bid.quantity + by);
  }

  /**
   * Take a face, with the number that it needs at least.
   * @param {number} face
   */
  turn(face) {
    const from = this.legal ? least(this.legal, face) : 0;
    const quantity = this.own ? Math.max(this.bid.quantity, from) : from || this.bid.quantity;
    const { own } = this;
    this.set({ quantity, face });
    this.own = own;
  }

  /**
   * Take the next face, or the one before.
   * @param {number} by
   */
  next(by) {
    const { faces } = this.words.rules;
    this.turn(((this.bid.face - 1 + by + faces) % faces) + 1);
  }

  draw() {
    const { quantity, face } = this.bid;
    if (document.activeElement !== this.number || Number(this.number.value) !== quantity) this.number.value = String(quantity);
    for (const [at, one] of this.faces.entries()) {
      const from = this.legal ? least(this.legal, at + 1) : 0;
      const said = !this.legal ? "face_of" : from ? "face_from" : "face_barred";
      one.root.setAttribute("aria-label", this.words.say(said, { faces: this.words.face(at + 1), least: from }));
      one.root.setAttribute("aria-pressed", String(at + 1 === face));
      one.root.setAttribute("aria-disabled", String(this.legal !== null && !from));
      put(one.from, this.legal ? (from ? this.words.say("from", { least: from }) : "–") : "");
    }
  }
}

export { Choice };
