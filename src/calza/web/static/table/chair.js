// One seat of the table: who sits there, a cup with its dice, and the last bid. All of it is drawn in place.

import { die, make, silent, spoken, svg } from "./marks.js";

/** @import { Place } from "./seen.js" */
/** @import { Words } from "./words.js" */

const MANY = 12; // dice that are drawn one by one; of more there is only a number
const CUP = "M14.5 3h19c2 0 3.3 1.2 3.6 3.1L43 42.5c.3 3-7.5 5.5-19 5.5S4.7 45.5 5 42.5L10.9 6.1C11.2 4.2 12.5 3 14.5 3z";
const BAND = "M9.2 16.5h29.6l.9 5.5H8.3z";

class Chair {
  /** @param {Place} place @param {Words} words */
  constructor(place, words) {
    this.words = words;
    this.own = place.own;
    this.root = make("li", "t-seat");
    this.root.classList.toggle("own", place.own);
    this.name = make("bdi", "t-name");
    this.mark = make("span", "t-mark");
    this.count = svg("text", { x: 24, y: 37, "text-anchor": "middle" });
    this.cup = svg("svg", { class: "t-cup", viewBox: "0 0 48 50", "aria-hidden": "true" });
    this.cup.append(svg("path", { class: "leather", d: CUP }), svg("path", { class: "band", d: BAND }), this.count);
    this.dice = make("span", "t-dice");
    this.dice.setAttribute("role", "img");
    this.drawn = /** @type {number[] | undefined} */ (undefined); // the faces in it now
    this.said = make("p", "t-said");
    this.last = ""; // what stands there
    const letter = silent(make("span", `letter seat-${place.seat % 8}`, place.letter));
    const head = make("p", "t-who", letter, make("span", "t-names", this.name, this.mark));
    this.root.append(head, make("div", "t-hand", this.cup, this.dice), this.said);
  }

  /**
   * Draw the seat as it is, its cup closed.
   * @param {Place} place
   */
  show(place) {
    const out = !place.dice;
    this.who(place, out);
    this.root.classList.toggle("turn", place.turn);
    this.root.classList.toggle("out", out);
    this.root.classList.toggle("open", place.own);
    this.root.classList.remove("counted");
    this.count.textContent = String(place.dice);
    this.fill(place.own ? place.faces : Array(place.dice > MANY ? 0 : place.dice).fill(0), place.own ? 0 : place.start - place.dice);
    this.dice.setAttribute("aria-label", this.hand(place));
    this.bid(place);
  }

  /**
   * Who sits there, and what is to be known of them besides.
   * @param {Place} place @param {boolean} out
   */
  who({ player, turn, own, absent }, out) {
    put(this.name, own ? this.words.say("you") : player.name.trim() || this.words.say("nobody"));
    const marks = [];
    if (absent) marks.push(this.words.say("absent"));
    if (player.house) marks.push(this.words.say("house"));
    if (out) marks.push(this.words.say("out"));
    else if (turn) marks.push(this.words.say("to_act"));
    put(this.mark, marks.join(" · "));
  }

  /** @param {Place} place */
  hand({ dice, faces, own }) {
    if (!dice) return this.words.say("no_dice");
    return own ? this.words.say("own_dice", { dice: faces.join(", ") }) : this.words.say("covered", { n: dice });
  }

  /**
   * The dice; those that are there already stay, so that they can move.
   * @param {number[]} faces @param {number} lost dice that there were at the start
   */
  fill(faces, lost) {
    const all = [...faces, ...Array(Math.max(0, Math.min(lost, MANY - faces.length))).fill(-1)];
    if (all.join() !== this.drawn?.join()) {
      this.dice.replaceChildren(...all.map((face) => this.one(face)));
      this.drawn = all;
    }
    for (const one of this.dice.children) one.classList.remove("counts", "idle");
  }

  /** @param {number} face 0 for one that is covered, -1 for one that is lost */
  one(face) {
    const drawn = die(Math.max(0, face), this.words.rules.faces);
    if (face < 0) drawn.classList.add("lost");
    return drawn;
  }

  /** @param {Place} place */
  bid({ said, standing }) {
    this.said.classList.toggle("standing", standing);
    const now = said ? `${said.quantity}x${said.face}` : "";
    if (now === this.last) return;
    this.last = now;
    this.said.replaceChildren(...(said ? bid(said.quantity, said.face, this.words) : []));
  }

  // --- the cup is lifted

  /**
   * Show what was under the cup; the dice that will be counted come back.
   * @param {number[]} faces @param {(face: number) => boolean} counts
   */
  lift(faces, counts) {
    this.root.classList.add("open", "counted");
    this.fill(faces, 0);
    const many = faces.filter(counts).length;
    this.dice.setAttribute("aria-label", this.words.say("shown", { dice: faces.join(", "), count: many }));
    const dice = [...this.dice.children];
    for (const [at, one] of dice.entries()) one.classList.toggle("idle", !counts(faces[at]));
    return dice.filter((_, at) => counts(faces[at]));
  }
}

/**
 * A bid for the eye, and in words for the ear.
 * @param {number} quantity @param {number} face @param {Words} words
 */
function bid(quantity, face, words) {
  return [spoken(words.bid(quantity, face)), silent(make("b", "", `${quantity} ×`)), die(face, words.rules.faces)];
}

/**
 * Put a text where it does not stand yet.
 * @param {Element} element @param {string} text
 */
function put(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export { Chair, bid, put };
