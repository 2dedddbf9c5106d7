// What somebody sees of a film at one of its moments: the one answer that the table and its picture are drawn from.
// Draws nothing. A view is a seat, whose cup is open, or ALL, for which every cup is.

/** @import { Called, Film, Moment, Round } from "./film" */

/**
 * @typedef {{moment: Moment, seat: number, quantity: number, face: number, standing: boolean, chance?: number, holds?: boolean}} Bid
 * one bid of the round: its odds where the view may know them, and whether it holds where the view sees that
 */
/**
 * @typedef {{faces: number[], covered: number, held: number, left: number, does: string, acting: boolean, turn: boolean,
 *   own?: Bid, place: number}} Place
 * a seat: the dice that are open, how many are not, how many there were and are, and what it does
 */
/** @typedef {{round: Round, moment: Moment, call?: Called, bids: Bid[], places: Place[], over: boolean}} Sight */

const ALL = -1;
const DEEDS = { round: "opens", bid: "bids", call: "calls", out: "out", forfeit: "leaves", penalty: "fined" };

/**
 * What the seat `view`, or everybody with ALL cups open, sees at the moment `at`.
 * @param {Film} film @param {number} at @param {number} view @returns {Sight}
 */
function sight(film, at, view) {
  const moment = film.moments[at];
  const round = film.rounds[moment.round];
  const past = film.moments.slice(round.first, at + 1);
  const call = /** @type {Called | undefined} */ (past.map((one) => one.event).find((one) => one.type === "call"));
  const bids = heard(past, view);
  // A reveal of the matching dice alone tells of no bid but the one that was called.
  const all = view === ALL || (call && round.cups.every((cup, seat) => cup.length === call.shown[seat].length));
  for (const bid of bids) if (all || (call && bid.standing)) bid.holds = (bid.moment.there ?? 0) >= bid.quantity;
  const places = film.seats.map((seat, which) => placed(which, round, moment, bids, call, view, seat.place ?? 0));
  return { round, moment, call, bids, places, over: moment.event.type === "over" };
}

/**
 * The bids of a round so far. With all cups open their odds are those that the bidder knew; one seat knows its own
 * odds of everybody's bids, and no other's, which would tell what is in that cup.
 * @param {Moment[]} past @param {number} view @returns {Bid[]}
 */
function heard(past, view) {
  const said = past.filter((one) => one.event.type === "bid");
  return said.map((moment) => {
    const { seat, quantity, face } = /** @type {import("./film").BidMade} */ (moment.event);
    const chance = moment.odds?.[view === ALL ? seat : view] ?? undefined;
    return { moment, seat, quantity, face, standing: moment === said.at(-1), chance };
  });
}

/**
 * A seat as a view sees it.
 * @param {number} at @param {Round} round @param {Moment} moment @param {Bid[]} bids @param {Called | undefined} call
 * @param {number} view @param {number} place @returns {Place}
 */
function placed(at, round, moment, bids, call, view, place) {
  const left = moment.left[at];
  const held = round.cups[at]?.length ?? left;
  const faces = view === ALL || view === at ? round.cups[at] ?? [] : call?.shown[at] ?? [];
  const { event } = moment;
  const deed = "seat" in event && event.seat === at ? DEEDS[event.type] : "";
  const turn = !deed && moment.turn === at;
  const own = bids.findLast((bid) => bid.seat === at);
  const does = deed || (turn ? "to act" : left ? "" : "out");
  return { faces, covered: Math.max(0, held - faces.length), held, left, does, acting: deed !== "", turn, own, place };
}

/**
 * Whether a die counts for the bid that was called.
 * @param {number} face @param {Sight} seen
 */
const counts = (face, { call, round }) => call !== undefined && (face === call.face || face === round.wild);

export { ALL, counts, sight };
