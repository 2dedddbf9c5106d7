// Plays the actions of a film again by its rules, as calza.rules.play does, and says where the film tells otherwise.
// It is a second reading of the rules on purpose: what a page verifies, it must not take from whom it checks.

/** @import { Called, Film, Happening, Moment, Outcome, Raise, Rules } from "./film" */

const MOST = 255; // the greatest quantity of a bid where the rules set none

/** @type {Record<Raise, (quantity: number) => number>} */
const LEAST = {
  barred: () => Infinity,
  any: () => 1,
  same: (quantity) => quantity,
  more: (quantity) => quantity + 1,
  half: (quantity) => Math.ceil(quantity / 2),
  "over-half": (quantity) => Math.floor(quantity / 2) + 1,
  "double-plus-one": (quantity) => 2 * quantity + 1,
};

/** A match as far as it has been played again. */
class Referee {
  /** @param {Film} film */
  constructor(film) {
    const { proof, rounds, moments } = film;
    if (!proof) throw new Error("a film without its rules cannot be played again");
    this.film = film;
    this.rules = proof.rules;
    this.start = proof.start;
    this.dice = rounds[0].cups.map((cup) => cup.length);
    this.used = new Set(proof.used);
    this.out = this.dice.map((left) => Number(!left)); // [seat]: when it went out
    this.wave = Math.max(...this.out); // calls and leavings so far
    this.turn = moments[0].turn ?? -1;
    this.round = rounds[0].number;
    this.special = Boolean(rounds[0].special);
    this.over = false;
    this.quantity = 0; // of the standing bid
    this.face = 0;
    this.bidder = -1;
  }

  get playing() {
    return this.dice.filter((left) => left > 0).length;
  }

  /** The face that is wild in this round; 0 for none. */
  get wild() {
    return this.special && !this.rules.special?.wild ? 0 : this.rules.wild ?? 0;
  }

  // --- what a moment should be

  /**
   * What is wrong with a moment that comes next, or nothing.
   * @param {Moment} moment
   */
  follow(moment) {
    const wrong = this.judge(moment);
    if (wrong) return wrong;
    if (moment.left.join() !== this.dice.join()) return `the seats should have ${this.dice.join(", ")} dice`;
    if (moment.event.type === "bid" && moment.turn !== this.turn) return `it should be the turn of ${this.name(this.turn)}`;
    return "";
  }

  /** @param {Moment} moment @returns {string} */
  judge(moment) {
    const { event } = moment;
    if (event.type === "round") return this.opens(event, this.film.rounds[moment.round]);
    if (event.type === "out") return this.dice[event.seat] ? `${this.name(event.seat)} has dice left` : "";
    if (event.type === "over") return this.ends(event.places);
    if (this.over) return "the match was over";
    if (event.type === "bid") return this.bids(event, moment);
    if (event.type === "call") return this.calls(event, this.film.rounds[moment.round].cups);
    return this.rules_on(event);
  }

  /** @param {import("./film").RoundBegan} event @param {import("./film").Round} round */
  opens(event, round) {
    if (this.over) return "the match was over";
    if (event.round !== this.round || round.number !== this.round) return `it should be round ${this.round}`;
    if (event.seat !== this.turn) return `${this.name(this.turn)} should open the round`;
    if (event.special !== this.special) return `it ${this.special ? "is" : "is not"} a special round`;
    if ((round.wild ?? 0) !== this.wild) return "another face is wild";
    return round.cups.some((cup, seat) => cup.length !== this.dice[seat]) ? "the cups hold another number of dice" : "";
  }

  /** @param {import("./film").BidMade} event @param {Moment} moment */
  bids({ seat, quantity, face }, moment) {
    const given = (moment.action ?? -1) < 0; // bids of a position came in any order
    if (given) this.turn = seat;
    if (seat !== this.turn) return `it was the turn of ${this.name(this.turn)}`;
    if (!(this.least(face) <= quantity && quantity <= this.most())) return "the bid is not legal";
    Object.assign(this, { quantity, face, bidder: seat });
    this.turn = given ? moment.turn ?? -1 : this.after(seat);
    return "";
  }

  /** @param {Called} event @param {number[][]} cups */
  calls(event, cups) {
    const rule = this.rules.calls.find((call) => call.name === event.call);
    if (event.seat !== this.turn) return `it was the turn of ${this.name(this.turn)}`;
    if (!rule || !this.quantity || this.playing < rule.min_players || (this.special && !rule.in_special)) {
      return "the call is not legal";
    }
    if (rule.needs_lost_die && this.dice[event.seat] >= this.start[event.seat]) return "the call is not legal";
    if (event.bidder !== this.bidder || event.quantity !== this.quantity || event.face !== this.face) {
      return "another bid was standing";
    }
    const counting = (/** @type {number} */ die) => die === this.face || die === this.wild;
    const count = cups.flat().filter(counting).length;
    if (event.count !== count) return `the cups hold ${count} that count, not ${event.count}`;
    const shown = cups.map((cup) => (this.rules.reveal === "all" ? cup : cup.filter(counting)));
    if (shown.join("|") !== event.shown.join("|")) return "the reveal shows other dice";
    const off = count - this.quantity;
    this.settle(off < 0 ? rule.short : off ? rule.over : rule.exact, Math.abs(off) || 1, event);
    return "";
  }

  /** @param {import("./film").Ruled} event */
  rules_on({ type, seat }) {
    if (!this.dice[seat]) return `${this.name(seat)} was out`;
    this.wave++;
    const fell = this.change(seat, type === "forfeit" ? -this.dice[seat] : -1) && type === "penalty";
    const left = this.rules.calls[0].over.starts === "left-of-caller";
    this.next(seat, type === "forfeit" || left, fell, type === "penalty" && this.rules.end === "round");
    return "";
  }

  /** @param {number[]} places */
  ends(places) {
    if (!this.over) return "the match was not over";
    const standing = this.dice.map((left, seat) => (left ? MOST + 1 + left - this.start[seat] : this.out[seat]));
    const own = standing.map((one) => 1 + standing.filter((other) => other > one).length);
    return own.join() === places.join() ? "" : `the places should be ${own.join(", ")}`;
  }

  // --- how the rules move

  most() {
    const total = this.dice.reduce((sum, left) => sum + left, 0);
    return this.rules.cap === "dice" ? Math.min(MOST, total) : this.rules.cap;
  }

  /**
   * The least quantity that is legal on a face.
   * @param {number} face
   */
  least(face) {
    const { rules, special, wild } = this;
    const { raising, open_on_wild: open } = special && rules.special ? rules.special : rules;
    if (face < 1 || face >= this.film.faces.length) return Infinity;
    if (!this.quantity) return face === rules.wild && !open ? Infinity : rules.opening;
    const to = face === wild && this.face !== wild ? raising.to_wild : null;
    const from = this.face === wild && face !== wild ? raising.from_wild : null;
    const plain = face === this.face ? raising.same : face > this.face ? raising.higher : raising.lower;
    return LEAST[to ?? from ?? plain](this.quantity);
  }

  /**
   * What a call costs and wins; then the next round.
   * @param {Outcome} outcome @param {number} off @param {Called} event
   */
  settle(outcome, off, { seat, bidder }) {
    const times = outcome.per_die ? off : 1;
    const others = [...this.dice.keys()].filter((one) => this.dice[one] && one !== seat && one !== bidder);
    this.wave++;
    let fell = false;
    for (const [amount, whom] of /** @type {[number, number[]][]} */ ([
      [outcome.caller, [seat]], [outcome.bidder, [bidder]], [outcome.others, others],
    ])) {
      for (const one of amount ? whom : []) fell = this.change(one, amount < 0 ? amount * times : amount) || fell;
    }
    const opener = outcome.starts.endsWith("bidder") ? bidder : seat;
    this.next(opener, outcome.starts.startsWith("left"), fell, this.rules.end === "round");
  }

  /**
   * Give or take dice; whether the seat has fallen to one for the first time.
   * @param {number} seat @param {number} amount
   */
  change(seat, amount) {
    const before = this.dice[seat];
    const limit = this.rules.gain === "start" && amount > 0 ? Math.max(before, this.start[seat]) : Infinity;
    const left = Math.max(0, Math.min(before + amount, limit));
    if (!left) this.out[seat] = this.wave;
    this.dice[seat] = left;
    const fell = left === 1 && before > 1 && !this.used.has(seat);
    if (fell) this.used.add(seat);
    return fell;
  }

  /**
   * The next round, or the end.
   * @param {number} opener @param {boolean} left @param {boolean} fell @param {boolean} ended
   */
  next(opener, left, fell, ended) {
    const { rules, playing } = this;
    this.special = fell && rules.special != null && playing >= rules.special.min_players;
    this.over = ended || playing <= 1 || (rules.end === "first-out" && playing < this.dice.length);
    if (!this.over) this.round++;
    this.turn = playing && (left || !this.dice[opener]) ? this.after(opener) : opener;
    this.quantity = 0;
  }

  /** @param {number} seat */
  after(seat) {
    do seat = (seat + 1) % this.dice.length;
    while (!this.dice[seat]);
    return seat;
  }

  /** @param {number} seat */
  name(seat) {
    return `seat ${this.film.seats[seat]?.letter ?? "?"}`;
  }
}

/**
 * The first moment of a film that does not follow from the rules, as the end of a sentence; empty when all do.
 * @param {Film} film
 */
function misplayed(film) {
  const referee = new Referee(film);
  for (const [at, moment] of film.moments.entries()) {
    const wrong = referee.follow(moment);
    if (wrong) return `at moment ${at + 1} ${wrong}`;
  }
  const told = film.moments.at(-1)?.event.type === "over";
  return referee.over && !told ? "the match was over, which the film does not tell" : "";
}

export { misplayed };
