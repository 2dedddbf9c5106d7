// The table itself: seats, the bid that stands, the bids before it, and the lifting of the cups.

import { Chair, bid, put } from "./chair.js";
import { make, silent, spoken } from "./marks.js";
import { counting } from "./seen.js";

/** @import { Reveal } from "./frames" */
/** @import { Said, Seen } from "./seen.js" */
/** @import { Words } from "./words.js" */

const STEP = 380; // milliseconds between two dice that are counted
const COUNTING = 3800; // and at most for all of them
const READING = 3600; // milliseconds in which the result stays

class Board {
  /** @param {Words} words @param {HTMLElement} clock @param {(count: number) => void} counted each die that counts */
  constructor(words, clock, counted) {
    this.words = words;
    this.counted = counted;
    this.chairs = /** @type {Map<number, Chair>} */ (new Map());
    this.seen = /** @type {Seen | undefined} */ (undefined);
    this.lifting = 0; // the timer of cups that are lifted
    this.after = () => {}; // what is to be done when they have come down
    this.turn = make("p", "t-turn");
    this.turn.tabIndex = -1; // where the focus goes when its place is gone
    this.facts = make("p", "t-facts");
    this.list = make("ul", "t-seats");
    this.list.setAttribute("aria-label", words.say("seats"));
    this.standing = make("p", "t-standing");
    this.tally = make("p", "t-tally");
    this.verdict = make("p", "t-verdict");
    this.bids = make("ol", "t-bids");
    this.bids.setAttribute("aria-label", words.say("bids"));
    this.written = /** @type {string[]} */ ([]);
    this.go = /** @type {HTMLButtonElement} */ (make("button", "t-button t-go", words.say("go_on")));
    this.go.type = "button";
    this.go.onclick = () => this.settle();
    this.middle = make("div", "t-middle", this.standing, this.tally, this.verdict, this.bids, this.go);
    this.list.append(make("li", "t-between", this.middle));
    this.root = make("section", "t-board", make("div", "t-head", this.turn, clock, this.facts), this.list);
    this.root.setAttribute("aria-label", words.say("title"));
    this.closed();
  }

  /**
   * Draw what is seen now; while cups are lifted it waits for them.
   * @param {Seen} seen
   */
  show(seen) {
    this.seen = seen;
    if (!this.chairs.size) this.seat(seen);
    put(this.turn, this.headline(seen));
    put(this.facts, this.about(seen));
    this.root.classList.toggle("mine", seen.turn >= 0 && seen.turn === seen.you);
    if (this.lifting) return;
    for (const place of seen.places) this.chairs.get(place.seat)?.show(place);
    this.stands(seen);
    this.told(seen.bids);
  }

  /** @param {Seen} seen */
  seat(seen) {
    for (const place of seen.places) {
      const chair = new Chair(place, this.words);
      this.chairs.set(place.seat, chair);
      if (place.own) this.list.append(chair.root);
      else this.list.lastElementChild?.before(chair.root);
    }
    this.list.dataset.others = String(seen.places.filter((place) => !place.own).length);
  }

  /** @param {Seen} seen */
  headline({ over, started, turn, you, view, places }) {
    const kept = places.filter((place) => place.absent && !place.own).map((place) => place.player.name);
    if (over) return this.words.say("over");
    if (!started) return kept.length ? this.words.say("kept", { names: kept.join(", ") }) : this.words.say("gathering");
    return turn === you ? this.words.say("your_turn") : this.words.say("turn_of", { name: view.players[turn]?.name ?? "" });
  }

  /** @param {Seen} seen */
  about({ view }) {
    const { rules } = this.words;
    const wild = rules.wild && !view.table.special ? this.words.say("wild", { faces: this.words.face(rules.wild) }) : this.words.say("no_wild");
    const parts = [this.words.say("round", { round: view.round }), this.words.say("dice", { n: view.totalDiceInPlay }), wild];
    return [...parts, ...(view.table.special ? [this.words.say("special")] : [])].join(" · ");
  }

  // --- the middle

  /** @param {Seen} seen */
  stands({ standing, view, you, over, started }) {
    if (!standing) {
      this.standing.replaceChildren(over || !started ? "" : this.words.say("no_bid"));
      return;
    }
    const { seat, quantity, face } = standing;
    const who = seat === you ? this.words.say("you") : view.players[seat].name;
    this.standing.replaceChildren(make("bdi", "", who), make("span", "t-big", ...bid(quantity, face, this.words)));
  }

  /**
   * The bids of the round, each written once.
   * @param {Said[]} bids
   */
  told(bids) {
    const lines = bids.map(({ seat, quantity, face }) => `${seat} ${quantity}x${face}`);
    if (!this.written.every((line, at) => line === lines[at])) {
      this.bids.replaceChildren();
      this.written = [];
    }
    for (const one of bids.slice(this.written.length)) this.bids.append(this.item(one));
    this.written = lines;
    this.bids.hidden = !bids.length; // an empty list is nothing to stop at
  }

  /** @param {Said} said */
  item({ seat, quantity, face }) {
    const { player, letter, own } = /** @type {import("./seen.js").Place} */ (this.seen?.places.find((place) => place.seat === seat));
    const who = own ? this.words.say("you") : player.name;
    return make("li", "", spoken(`${who}: `), silent(make("span", `letter seat-${seat % 8}`, letter)), ...bid(quantity, face, this.words));
  }

  // --- the cups are lifted

  /**
   * Lift the cups and count; `after` is called when they have come down again.
   * @param {Reveal} reveal @param {string} text how the round ended @param {boolean} still without any motion @param {() => void} after
   */
  lift(reveal, text, still, after) {
    this.settle();
    this.after = after;
    const { bid: called, count } = reveal;
    if (!this.seen || !called) return after();
    const counts = counting(reveal, this.words.rules.wild);
    const dice = this.seen.places.flatMap((place) => this.chairs.get(place.seat)?.lift(reveal.shown[place.player.id] ?? [], counts) ?? []);
    this.root.classList.add("lifted");
    this.standing.replaceChildren(this.words.say("called"), make("span", "t-big", ...bid(called.quantity, called.faceValue, this.words)));
    this.bids.hidden = true;
    this.go.hidden = this.tally.hidden = this.verdict.hidden = false;
    put(this.verdict, "");
    this.count(dice, 0, still, () => this.judge(text, count ?? dice.length, called.quantity));
  }

  /**
   * Count the next die.
   * @param {Element[]} dice @param {number} at @param {boolean} still @param {() => void} done
   */
  count(dice, at, still, done) {
    const now = still ? dice.length : at;
    for (const one of dice.slice(0, now)) one.classList.add("counts");
    put(this.tally, this.words.say("counted", { count: now }));
    if (at && !still) this.counted(at);
    if (now === dice.length) done();
    else this.lifting = setTimeout(() => this.count(dice, at + 1, still, done), Math.min(STEP, COUNTING / dice.length));
  }

  /** @param {string} text @param {number} count @param {number} quantity */
  judge(text, count, quantity) {
    put(this.tally, this.words.say("counted_of", { count, quantity }));
    put(this.verdict, text);
    this.lifting = setTimeout(() => this.settle(), READING);
  }

  /** Put the cups down and draw what has happened meanwhile. */
  settle() {
    if (!this.lifting) return;
    clearTimeout(this.lifting);
    this.lifting = 0;
    const held = this.go === document.activeElement;
    this.closed();
    if (this.seen) this.show(this.seen);
    if (held) this.turn.focus({ preventScroll: true });
    this.after();
  }

  /** The middle as it is with closed cups. */
  closed() {
    this.root.classList.remove("lifted");
    this.go.hidden = this.tally.hidden = this.verdict.hidden = true;
  }
}

export { Board };
