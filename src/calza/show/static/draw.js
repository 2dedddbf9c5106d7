// Draws a film: the table at any of its moments. Knows nothing of pages, sliders or keys, and judges nothing.
(() => {
  "use strict";

  const { make, svg, spoken, silent, die, dice, percent } = globalThis.calza;

  /** @typedef {{letter: string, name: string, agent?: string, place?: number}} Seat */
  /** @typedef {{number: number, first: number, cups: number[][], wild?: number, special?: boolean}} Round */
  /** @typedef {{type: string, seat: number, [more: string]: any}} Happening */
  /**
   * @typedef {{event: Happening, says: string[], round: number, left: number[], action?: number, turn?: number,
   *   at?: number, bid?: string, there?: number, chance?: number}} Moment
   */
  /**
   * @typedef {{label: string, rules: string, seats: Seat[], faces: string[], rounds: Round[], moments: Moment[],
   *   proof?: any, id?: string, started?: string, note?: string, wrong?: string}} Film
   */

  /** @typedef {{one: Moment, standing: boolean, view: number, open: boolean}} Bid what is drawn of it, and how */

  const ALL = -1; // the view of all cups

  /** A film's table; `show` draws it at a moment. */
  class Table {
    /** @param {HTMLElement} root what it is drawn in @param {Film} film */
    constructor(root, film) {
      this.film = film;
      this.headline = make("p", "calza-round");
      this.seats = film.seats.map((seat, at) => new Place(seat, at, film));
      this.bids = make("ol", "calza-bids");
      this.written = /** @type {(Bid & {item: HTMLElement})[]} */ ([]); // what is in it now
      this.bids.setAttribute("aria-label", "Bids of this round, in order");
      const list = make("ul", "calza-seats", ...this.seats.map((seat) => seat.root));
      list.setAttribute("aria-label", "Seats");
      root.append(this.headline, list, this.bids);
    }

    /**
     * Draw the moment `at` as the seat `view` saw it; ALL opens all cups.
     * @param {number} at @param {number} view
     */
    show(at, view) {
      const { film } = this;
      const moment = film.moments[at];
      const round = film.rounds[moment.round];
      const past = film.moments.slice(round.first, at + 1);
      const call = past.find((one) => one.event.type === "call");
      const said = past.filter((one) => one.event.type === "bid");
      this.head(round, moment, call);
      for (const seat of this.seats) seat.show(moment, round, said, call, view);
      // A reveal of the matching dice alone tells of no bid but the one that was called.
      const all = view === ALL || (call && round.cups.every((cup, seat) => cup.length === call.event.shown[seat].length));
      const judged = (/** @type {Moment} */ one) => Boolean(all || (call && one === said.at(-1)));
      const bids = said.map((one) => ({ one, standing: one === said.at(-1), view, open: judged(one) }));
      this.written = bids.map((bid, at) => (alike(bid, this.written[at]) ? this.written[at] : { ...bid, item: this.bid(bid) }));
      this.bids.replaceChildren(...this.written.map((bid) => bid.item));
    }

    /**
     * The line above the table.
     * @param {Round} round @param {Moment} moment @param {Moment} [call]
     */
    head(round, moment, call) {
      const { film } = this;
      const before = dice(round.cups.reduce((sum, cup) => sum + cup.length, 0));
      const wild = round.wild ? `${film.faces[round.wild]} are wild` : "no face is wild";
      const special = round.special ? ", a special round" : "";
      this.headline.replaceChildren(make("b", "", `Round ${round.number}`), ` · ${before}, ${wild}${special}`);
      if (!call || moment.event.type === "over") return;
      const { quantity, face, count } = call.event;
      const tally = make("span", "calza-tally", `bid ${quantity} × `, die(face, film.faces.length - 1), ` · counted ${count}`);
      this.headline.append(silent(tally)); // for the eye: the story says it in words
    }

    /**
     * One bid of the round.
     * @param {Bid} bid
     */
    bid({ one: moment, standing, view, open }) {
      const { film } = this;
      const { seat, quantity, face } = moment.event;
      const { letter, name } = film.seats[seat];
      const item = make("li", standing ? "standing" : "");
      const knows = view === ALL || view === seat; // another's odds would tell what is in that cup
      const holds = (moment.there ?? 0) >= quantity;
      const faces = film.faces.length - 1;
      const drawn = [make("span", `calza-letter seat-${seat % 8}`, letter), make("b", "", `${quantity} ×`), die(face, faces)];
      if (knows && moment.chance !== undefined) drawn.push(odds(moment.chance));
      if (open) drawn.push(make("span", holds ? "calza-true" : "calza-false", holds ? "true" : "false"));
      const said = [`${name}: ${moment.bid}`];
      if (knows && moment.chance !== undefined) said.push(`${percent(moment.chance)} likely for what ${name} knew`);
      if (open) said.push(holds ? "true" : "false");
      item.append(spoken(said.join(", ")), ...drawn.map((one) => silent(/** @type {HTMLElement} */ (one))));
      return item;
    }
  }

  /**
   * Whether a bid that is drawn already looks as it should.
   * @param {Bid} bid @param {Bid} [drawn]
   */
  const alike = (bid, drawn) =>
    drawn?.one === bid.one && drawn.standing === bid.standing && drawn.view === bid.view && drawn.open === bid.open;

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
  class Place {
    /** @param {Seat} seat @param {number} at @param {Film} film */
    constructor(seat, at, film) {
      this.seat = seat;
      this.at = at;
      this.faces = film.faces;
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

    /** @param {Moment} moment @param {Round} round @param {Moment[]} said @param {Moment | undefined} call @param {number} view */
    show(moment, round, said, call, view) {
      const { at } = this;
      const left = moment.left[at];
      const held = round.cups[at]?.length ?? left;
      const own = said.findLast((one) => one.event.seat === at);
      const does = deed(moment, at);
      this.pill.textContent = does || (moment.turn === at ? "to act" : left ? "" : "out");
      this.root.classList.toggle("acting", does !== "");
      this.root.classList.toggle("turn", !does && moment.turn === at);
      this.root.classList.toggle("out", !left && !held);
      this.tell(left, held, moment.event.type === "over");
      this.last.textContent = own ? own.bid ?? "" : "";
      this.last.classList.toggle("standing", own !== undefined && own === said.at(-1));
      this.fill(open(round, at, call, view), held, round, call);
    }

    /**
     * How many dice there are, and how many came or went.
     * @param {number} left @param {number} held @param {boolean} over
     */
    tell(left, held, over) {
      const change = left - held;
      const { place } = this.seat;
      this.count.textContent = dice(left);
      if (change) this.count.append(make("b", "calza-change", ` ${change > 0 ? "+" : "−"}${Math.abs(change)}`));
      if (over && place) this.count.append(make("b", "calza-place", ` ${place === 1 ? "winner" : `place ${place}`}`));
    }

    /**
     * The dice. Those that are there already stay, so that they can move and need not be drawn again.
     * @param {number[]} seen @param {number} held @param {Round} round @param {Moment} [call]
     */
    fill(seen, held, round, call) {
      const counts = (/** @type {number} */ face) => call && (face === call.event.face || face === round.wild);
      const all = [...seen, ...Array(Math.max(0, held - seen.length)).fill(0)];
      const faces = this.faces.length - 1;
      if (all.join() !== this.drawn.join()) this.cup.replaceChildren(...all.map((face) => die(face, faces)));
      this.drawn = all;
      for (const [at, face] of all.entries()) {
        this.cup.children[at].classList.toggle("counts", Boolean(face && counts(face)));
        this.cup.children[at].classList.toggle("idle", Boolean(face && call && !counts(face)));
      }
      const covered = held - seen.length;
      const parts = [];
      if (seen.length) parts.push(`dice ${seen.join(", ")}`);
      if (covered) parts.push(`${dice(covered)} covered`);
      if (call && seen.length) parts.push(`counting ${seen.filter(counts).join(", ") || "none"}`);
      this.cup.setAttribute("aria-label", parts.join("; ") || "no dice");
    }
  }

  /**
   * The dice of a seat that somebody with such a view sees.
   * @param {Round} round @param {number} at @param {Moment | undefined} call @param {number} view @returns {number[]}
   */
  function open(round, at, call, view) {
    if (view === ALL || view === at) return round.cups[at] ?? [];
    return call ? call.event.shown[at] : [];
  }

  /**
   * What a seat does at a moment, in a word.
   * @param {Moment} moment @param {number} at
   */
  function deed(moment, at) {
    const { event } = moment;
    if (event.seat !== at) return "";
    return { round: "opens", bid: "bids", call: "calls", out: "out", forfeit: "leaves", penalty: "fined" }[event.type] ?? "";
  }

  Object.assign(globalThis.calza, { ALL, Table });
})();
