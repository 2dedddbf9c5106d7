// What a reader of the table sees: the arena's frames folded into one picture. Draws nothing and knows no page.

import { parsed } from "./legal.js";

/** @import { Frame, Happened, Legal, Player, Position, Reveal, RoundBegan, View } from "./frames" */
/** @import { Bid } from "./legal.js" */

/** @typedef {Bid & {seat: number}} Said a bid, and whose it is */
/**
 * @typedef {{seat: number, letter: string, player: Player, dice: number, start: number, faces: number[], own: boolean, turn: boolean,
 *   absent: boolean, said?: Said, standing: boolean}} Place a seat: how many dice it has and had at the start, and which of them the reader sees
 */
/** @typedef {{number: number, says: string[]}} Told a round in sentences */
/**
 * @typedef {{frame: Frame, view: View, you: number, places: Place[], bids: Said[], standing?: Said, legal: Legal | null, calls: string[],
 *   turn: number, started: boolean, over: boolean, reveal: Reveal | null, rounds: Told[]}} Seen
 */

/** All frames so far: what happened in the match, in its order, whichever frame told of it. */
class Memory {
  constructor() {
    this.happened = /** @type {(Happened & {says: string[]})[]} */ ([]);
    this.opening = ""; // who opened the first round, in a sentence
  }

  /**
   * Take a frame in; what is new in it comes out.
   * @param {Frame} frame
   */
  take(frame) {
    const known = this.happened.length;
    this.opening ||= frame.opening;
    for (const [at, one] of frame.events.entries()) {
      if (one.sequence === this.happened.length) this.happened.push({ ...one, says: frame.says[at] });
    }
    return this.happened.slice(known);
  }

  /**
   * The picture that a frame makes with everything before it.
   * @param {Frame} frame @returns {Seen}
   */
  seen(frame) {
    const { view, you, calls } = frame;
    const { table } = view;
    const over = frame.status === "game_over" || table.dice.filter(Boolean).length < 2;
    const started = frame.status !== "not_started";
    const turn = started && !over ? table.turn : -1;
    const bids = over ? [] : said(table);
    const standing = bids.at(-1);
    const places = clockwise(table.dice.length, you).map((seat) => placed(seat, frame, turn, bids));
    const rounds = this.rounds(view);
    return { frame, view, you, places, bids, standing, legal: view.legalActions, calls, turn, started, over, reveal: view.lastReveal, rounds };
  }

  /**
   * Every round in sentences, the last one first.
   * @param {View} view @returns {Told[]}
   */
  rounds(view) {
    const rounds = /** @type {Told[]} */ ([{ number: 1, says: this.opening ? [this.opening] : [] }]);
    for (const { says, events } of this.happened) {
      const next = events.find((event) => event.type === "round");
      rounds[0].says.push(...(next ? says.slice(0, -1) : says));
      if (next) rounds.unshift({ number: /** @type {RoundBegan} */ (next).round, says: says.slice(-1) }); // who opens it
    }
    return rounds.filter((round) => round.says.length || round.number === view.round);
  }
}

/**
 * The bids of the round.
 * @param {Position} table @returns {Said[]}
 */
const said = (table) => table.bids.map(([seat, text]) => ({ seat, .../** @type {Bid} */ (parsed(text)) }));

/**
 * The seats in the order in which they are drawn: clockwise, the reader's own last.
 * @param {number} seats @param {number} you
 */
const clockwise = (seats, you) => [...Array(seats).keys()].map((step) => (you + 1 + step) % seats);

/**
 * A seat.
 * @param {number} seat @param {Frame} frame @param {number} turn @param {Said[]} bids @returns {Place}
 */
function placed(seat, { view, you, absent }, turn, bids) {
  const { dice, start } = view.table;
  const last = bids.findLast((bid) => bid.seat === seat);
  return {
    seat, letter: String.fromCharCode(65 + seat), player: view.players[seat], dice: dice[seat], start: start[seat],
    faces: seat === you ? view.myDice : [], own: seat === you, turn: seat === turn, absent: absent.includes(seat), said: last, standing: last !== undefined && last === bids.at(-1),
  };
}

/**
 * Whether a shown die counts for the bid that was called. The reveal does not say whether one face was wild; its count does.
 * @param {Reveal} reveal @param {number | null} wild @returns {(face: number) => boolean}
 */
function counting({ bid, count, shown }, wild) {
  if (!bid) return () => false;
  const plain = Object.values(shown).flat().filter((face) => face === bid.faceValue).length;
  return (face) => face === bid.faceValue || (face === wild && plain !== count);
}

export { Memory, counting };
