// Draws a film: the table at any of its moments. Knows nothing of pages, sliders or keys, and judges nothing.

import { die, dice, make, percent, silent, spoken, svg } from "./marks.js";
import { ALL, counts, sight } from "./sight.js";

/** @import { Film, Seat } from "./film" */
/** @import { Bid, Place, Sight } from "./sight.js" */

/** A film's table; `show` draws it at a moment. */
class Table {
  /** @param {HTMLElement} root what it is drawn in @param {Film} film */
  constructor(root, film) {
    this.film = film;
    this.headline = make("p", "calza-round");
    this.seats = film.seats.map((seat, at) => new Chair(seat, at, film));
    this.bids = make("ol", "calza-bids");
    this.written = /** @type {{bid: Bid, view: number, item: HTMLElement}[]} */ ([]); // what is in it now
    this.legend = make("p", "calza-legend");
    this.bids.setAttribute("aria-label", "Bids of this round, in order");
    const list = make("ul", "calza-seats", ...this.seats.map((seat) => seat.root));
    list.setAttribute("aria-label", "Seats");
    root.append(this.headline, list, this.bids);
    if (film.moments.some((one) => one.odds)) root.append(this.legend);
  }

  /**
   * Draw the moment `at` as the seat `view` saw it; ALL opens all cups.
   * @param {number} at @param {number} view
   */
  show(at, view) {
    const seen = sight(this.film, at, view);
    this.head(seen);
    for (const [which, seat] of this.seats.entries()) seat.show(seen.places[which], seen);
    this.written = seen.bids.map((bid, which) => {
      const drawn = this.written[which];
      return drawn?.view === view && alike(bid, drawn.bid) ? drawn : { bid, view, item: this.bid(bid, view) };
    });
    this.bids.replaceChildren(...this.written.map((bid) => bid.item));
    const known = seen.bids.some((bid) => bid.chance !== undefined);
    this.legend.textContent = !known ? "" : `In percent: how likely a bid was to hold, for what ${this.knower(view)} knew when it was made.`;
  }

  /**
   * Whose knowledge odds are of.
   * @param {number} view
   */
  knower(view) {
    return view === ALL ? "its bidder" : this.film.seats[view].name;
  }

  /**
   * The line above the table.
   * @param {Sight} seen
   */
  head({ round, call, over }) {
    this.headline.replaceChildren(make("b", "", `Round ${round.number}`), ` · ${about(round, this.film)}`);
    if (!call || over) return;
    const { quantity, face, count } = call;
    const tally = make("span", "calza-tally", `bid ${quantity} × `, die(face, this.film.faces.length - 1), ` · counted ${count}`);
    this.headline.append(silent(tally)); // for the eye: the story says it in words
  }

  /**
   * One bid of the round.
   * @param {Bid} bid @param {number} view
   */
  bid({ moment, seat, quantity, face, standing, chance, holds }, view) {
    const { letter, name } = this.film.seats[seat];
    const faces = this.film.faces.length - 1;
    /** @type {Element[]} */
    const drawn = [make("span", `calza-letter seat-${seat % 8}`, letter), make("b", "", `${quantity} ×`), die(face, faces)];
    const said = [`${name}: ${moment.bid}`];
    if (chance !== undefined) {
      drawn.push(odds(chance));
      said.push(`${percent(chance)} likely for what ${view === ALL ? name : this.knower(view)} knew`);
    }
    if (holds !== undefined) {
      drawn.push(make("span", holds ? "calza-true" : "calza-false", holds ? "true" : "false"));
      said.push(holds ? "true" : "false");
    }
    return make("li", standing ? "standing" : "", spoken(said.join(", ")), ...drawn.map(silent));
  }
}

/**
 * A round in a few words.
 * @param {import("./film").Round} round @param {Film} film
 */
function about(round, film) {
  const all = dice(round.cups.reduce((sum, cup) => sum + cup.length, 0));
  const wild = round.wild ? `${film.faces[round.wild]} are wild` : "no face is wild";
  return `${all}, ${wild}${round.special ? ", a special round" : ""}`;
}

/**
 * Whether a bid that is drawn already looks as it should.
 * @param {Bid} bid @param {Bid} drawn
 */
const alike = (bid, drawn) => drawn.moment === bid.moment && drawn.standing === bid.standing && drawn.holds === bid.holds;

/**
 * A chance as a bar with its figure.
 * @param {number} chance
 */
function odds(chance) {
  const bar = svg("svg", { class: "calza-bar", "aria-hidden": "true" });
  bar.append(svg("rect", { class: "rail", width: "100%", height: "100%" }));
  bar.append(svg("rect", { class: "fill", width: `${(chance * 100).toFixed(1)}%`, height: "100%" }));
  return make("span", "calza-odds", bar, percent(chance));
}

/** One seat of the table. */
class Chair {
  /** @param {Seat} seat @param {number} at @param {Film} film */
  constructor(seat, at, film) {
    this.faces = film.faces.length - 1;
    this.root = make("li", "calza-seat");
    this.pill = make("span", "calza-pill");
    this.count = make("span", "calza-count");
    this.cup = make("span", "calza-cup");
    this.drawn = /** @type {number[]} */ ([]); // the faces in it now
    this.cup.setAttribute("role", "img");
    this.last = make("span", "calza-said");
    const letter = make("span", `calza-letter seat-${at % 8}`, seat.letter);
    const who = make("span", "calza-who", make("bdi", "calza-name", seat.name));
    if (seat.agent && seat.agent !== seat.name) who.append(make("span", "calza-agent", seat.agent));
    this.root.append(make("div", "calza-head", letter, who, this.pill), this.cup, make("div", "calza-foot", this.count, this.last));
  }

  /** @param {Place} place @param {Sight} seen */
  show(place, seen) {
    this.pill.textContent = place.does;
    this.root.classList.toggle("acting", place.acting);
    this.root.classList.toggle("turn", place.turn);
    this.root.classList.toggle("out", !place.left && !place.held);
    this.tell(place, seen.over);
    this.last.textContent = place.own?.moment.bid ?? "";
    this.last.classList.toggle("standing", place.own?.standing ?? false);
    this.fill(place, seen);
  }

  /**
   * How many dice there are, and how many came or went.
   * @param {Place} place @param {boolean} over
   */
  tell({ left, held, place }, over) {
    const change = left - held;
    this.count.textContent = dice(left);
    if (change) this.count.append(make("b", "calza-change", ` ${signed(change)}`));
    if (over && place) this.count.append(make("b", "calza-place", ` ${place === 1 ? "winner" : `place ${place}`}`));
  }

  /**
   * The dice. Those that are there already stay, so that they can move and need not be drawn again.
   * @param {Place} place @param {Sight} seen
   */
  fill({ faces, covered }, seen) {
    const all = [...faces, ...Array(covered).fill(0)];
    if (all.join() !== this.drawn.join()) this.cup.replaceChildren(...all.map((face) => die(face, this.faces)));
    this.drawn = all;
    for (const [at, face] of all.entries()) {
      this.cup.children[at].classList.toggle("counts", Boolean(face && counts(face, seen)));
      this.cup.children[at].classList.toggle("idle", Boolean(face && seen.call && !counts(face, seen)));
    }
    const parts = [];
    if (faces.length) parts.push(`dice ${faces.join(", ")}`);
    if (covered) parts.push(`${dice(covered)} covered`);
    if (seen.call && faces.length) parts.push(`counting ${faces.filter((face) => counts(face, seen)).join(", ") || "none"}`);
    this.cup.setAttribute("aria-label", parts.join("; ") || "no dice");
  }
}

/** @param {number} change */
const signed = (change) => `${change > 0 ? "+" : "−"}${Math.abs(change)}`;

export { Table, about, signed };
