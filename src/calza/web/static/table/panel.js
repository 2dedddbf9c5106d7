// What somebody at the table can do: bid and call by buttons, by what they type, and by single keys. Whatever cannot be done
// says why. What is legal is judged in legal.js; what is sent goes to whoever made the panel.

import { button, dialog, enable } from "./buttons.js";
import { put } from "./chair.js";
import { Choice } from "./choice.js";
import { barred, judged, noted, parsed } from "./legal.js";
import { die, make, silent, spoken } from "./marks.js";

/** @import { Call, Payload } from "./frames" */
/** @import { Verdict } from "./legal.js" */
/** @import { Seen } from "./seen.js" */
/** @import { Words } from "./words.js" */

class Panel {
  /**
   * @param {Words} words @param {(payload: Payload, said: string, talk: string) => void} act @param {(sentence: string) => void} say
   * @param {HTMLElement[]} more what else stands among the small buttons @param {number} talk letters of table talk, 0 for none
   */
  constructor(words, act, say, more, talk) {
    this.words = words;
    this.act = act;
    this.say = say;
    this.seen = /** @type {Seen | undefined} */ (undefined);
    this.begun = -1; // the turn for which a bid was proposed
    this.blocked = ""; // why nothing at all can be done now
    this.fault = ""; // what went wrong last
    this.hint = make("p", "t-hint");
    this.hint.id = "t-hint";
    this.choice = new Choice(words, () => this.chosen());
    this.bid = button("t-bid first", "", () => this.place());
    this.fix = button("t-fix", "", () => this.mend());
    this.calls = words.rules.calls.map((call) => ({ call, root: this.caller(call) }));
    this.typed = /** @type {HTMLInputElement} */ (make("input", "t-typed"));
    this.talk = /** @type {HTMLInputElement} */ (make("input", "t-talking"));
    this.resign = this.asking();
    const leave = button("t-small t-resign", words.say("resign"), () => this.resign.showModal());
    const acts = make("div", "t-acts", this.bid, ...this.calls.map((one) => one.root));
    const title = make("h2", "heard", words.say("your_move"));
    title.id = "t-move";
    this.small = make("div", "t-more", ...more, leave);
    this.root = make("section", "t-panel", title, make("div", "t-why", this.hint, this.fix), this.choice.root, acts, this.form(), this.small, this.resign);
    if (talk) this.small.before(this.talking(talk));
    this.root.setAttribute("aria-labelledby", title.id);
    for (const one of [this.bid, this.typed]) one.setAttribute("aria-describedby", this.hint.id);
  }

  /** @param {Call} call */
  caller(call) {
    const said = this.words.say("call", { call: this.words.sentence(this.words.call(call)) });
    return button(`t-call ${call.payload.type}`, said, () => this.call(call));
  }

  form() {
    Object.assign(this.typed, { type: "text", id: "t-typed", autocomplete: "off", spellcheck: false, maxLength: 40, placeholder: this.words.say("example") });
    this.typed.setAttribute("autocapitalize", "off");
    this.typed.oninput = () => this.reading();
    const label = /** @type {HTMLLabelElement} */ (make("label", "", this.words.say("type")));
    label.htmlFor = this.typed.id;
    const form = /** @type {HTMLFormElement} */ (make("form", "t-form", label, this.typed));
    form.onsubmit = (event) => {
      event.preventDefault();
      this.enter();
    };
    return form;
  }

  /** @param {number} most letters */
  talking(most) {
    Object.assign(this.talk, { type: "text", id: "t-talking", autocomplete: "off", maxLength: most });
    const label = /** @type {HTMLLabelElement} */ (make("label", "", this.words.say("talking")));
    label.htmlFor = this.talk.id;
    return make("details", "t-saying", make("summary", "", this.words.say("saying")), label, this.talk);
  }

  asking() {
    const yes = button("t-leave", this.words.say("resign_yes"), () => {
      this.resign.close();
      this.act({ type: "resign" }, this.words.say("resigning"), "");
    });
    const asked = dialog(this.words.say("resign_title"), this.words.say("resign_no"), make("p", "", this.words.say("resign_text")));
    asked.lastElementChild?.append(yes);
    return asked;
  }

  // --- what it shows

  /**
   * Show what can be done.
   * @param {Seen} seen @param {string} blocked why nothing can, if so @param {string} fault what the arena refused
   */
  show(seen, blocked, fault) {
    this.seen = seen;
    this.blocked = blocked;
    this.fault = fault;
    const { legal, frame } = seen;
    if (legal && this.begun !== frame.sequence) {
      this.begun = frame.sequence;
      this.choice.begin(legal, seen.standing?.face ?? commonest(seen.view.myDice));
    } else this.choice.show(legal);
    this.draw();
  }

  draw() {
    if (!this.seen) return;
    const { legal, calls, standing } = this.seen;
    const { why, instead } = this.judge();
    const { quantity, face } = this.choice.bid;
    const can = legal !== null && !this.blocked;
    enable(this.bid, can && !why);
    const said = this.words.say("bid", { bid: this.words.bid(quantity, face) });
    if (this.bid.firstElementChild?.textContent !== said) {
      this.bid.replaceChildren(spoken(said), silent(make("span", "", this.words.say("bid", { bid: `${quantity} ×` }))), die(face, this.words.rules.faces));
    }
    for (const { call, root } of this.calls) enable(root, can && !barred(call, calls, standing, this.words));
    this.fix.hidden = !can || !instead;
    if (instead) put(this.fix, this.words.say("instead", { bid: noted(instead) }));
    this.hints(why);
  }

  /** What is to be said of the chosen bid. @returns {Verdict} */
  judge() {
    const { legal, standing } = /** @type {Seen} */ (this.seen);
    return legal ? judged(this.choice.bid, legal, standing, this.words) : { why: "" };
  }

  /** @param {string} why */
  hints(why) {
    const call = this.named(this.typed.value);
    const ready = call ? this.words.say("enter_call", { call: this.words.call(call) }) : this.words.say("enter_bid", { bid: noted(this.choice.bid) });
    const { calls, standing } = /** @type {Seen} */ (this.seen);
    const wrong = this.fault || this.blocked || (call ? barred(call, calls, standing, this.words) : why);
    put(this.hint, this.words.sentence(wrong || ready));
    this.hint.classList.toggle("wrong", Boolean(this.fault || (!this.blocked && wrong)));
  }

  /** Something else was chosen: what went wrong before is over. */
  chosen() {
    this.fault = "";
    if (document.activeElement !== this.typed) this.typed.value = "";
    this.draw();
  }

  // --- what it does

  /** Make the chosen bid. */
  place() {
    const { quantity, face } = this.choice.bid;
    this.send(this.judge().why, { type: "bid", quantity, faceValue: face }, noted(this.choice.bid));
  }

  /** Take the legal bid that is nearest. */
  mend() {
    const { instead } = this.judge();
    if (!instead) return;
    this.choice.set(instead);
    this.say(this.words.bid(instead.quantity, instead.face));
    this.bid.focus({ preventScroll: true });
  }

  /** @param {Call} call */
  call(call) {
    const { calls, standing } = /** @type {Seen} */ (this.seen);
    this.send(barred(call, calls, standing, this.words), call.payload, this.words.call(call));
  }

  /**
   * Send it, or say why not.
   * @param {string} why @param {Payload} payload @param {string} said
   */
  send(why, payload, said) {
    if (this.refused(this.blocked || why)) return;
    this.act(payload, said, this.talk.value);
    this.typed.value = this.talk.value = "";
  }

  /**
   * Say why something cannot be done, if there is a reason.
   * @param {string} why
   */
  refused(why) {
    if (!why) return false;
    this.fault = why === this.blocked ? "" : why;
    this.draw();
    this.say(this.words.sentence(why));
    return true;
  }

  // --- typing

  /**
   * The call that somebody typed: its word, its name in notation, or `l` and `e`.
   * @param {string} text
   */
  named(text) {
    const word = text.trim().toLowerCase().replace(/!$/, "");
    const [liar, exact] = this.words.rules.calls;
    if (word === "l") return liar;
    if (word === "e" || word === "exactly") return exact;
    return this.words.rules.calls.find((call) => [call.name, ...call.words].includes(word));
  }

  /** Follow what is typed. */
  reading() {
    this.fault = "";
    const bid = parsed(this.typed.value);
    if (bid) this.choice.set(bid);
    else this.draw();
  }

  /** Do what was typed; with nothing typed, make the chosen bid. */
  enter() {
    const text = this.typed.value;
    const call = this.named(text);
    if (call) this.call(call);
    else if (text.trim().toLowerCase() === "resign") this.resign.showModal();
    else if (!text.trim() || parsed(text)) this.place();
    else this.refused(this.blocked || this.words.say("unread", { text: text.trim() }));
  }

  /**
   * A key that was pressed in the panel, or where nothing else wanted it; whether it meant something.
   * @param {KeyboardEvent} event @param {boolean} anywhere whether single keys work outside of the panel
   */
  key(event, anywhere) {
    const inside = this.root.contains(/** @type {Node} */ (event.target));
    const step = { ArrowUp: [1, 0], ArrowDown: [-1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (step && inside && event.target !== this.talk) {
      if (step[0]) this.choice.step(step[0]);
      else this.choice.next(step[1]);
      if (event.target === this.typed) this.typed.value = noted(this.choice.bid);
      return true;
    }
    const typing = event.target instanceof HTMLInputElement;
    if (/^[\dleLE]$/.test(event.key) && !typing && (inside || anywhere)) {
      this.typed.value = "";
      this.typed.focus(); // the key itself is then typed there
    }
    return false;
  }
}

/**
 * The face that there is most of.
 * @param {number[]} dice
 */
function commonest(dice) {
  const many = (/** @type {number} */ face) => dice.filter((one) => one === face).length;
  return dice.reduce((best, face) => (many(face) >= many(best) ? face : best), dice[0] ?? 1);
}

export { Panel };
