// What may be done now, and why something may not: judged by what the arena says is legal, never by rules of its own.

/** @import { Call, Legal } from "./frames" */
/** @import { Words } from "./words.js" */
/** @import { Said } from "./seen.js" */

/** @typedef {{quantity: number, face: number}} Bid */
/** @typedef {{why: string, instead?: Bid}} Verdict an empty `why` for what is legal, else a sentence and the legal bid nearest to it */

const BID = /^(\d{1,4})\s*[x×*]\s*(\d{1,3})$/i;

/**
 * What the least bid on a face is; 0 where none is legal.
 * @param {Legal} legal @param {number} face
 */
const least = (legal, face) => (legal.least[face] <= legal.most ? legal.least[face] : 0);

/**
 * What is to be said of a bid.
 * @param {Bid} bid @param {Legal} legal @param {Said | undefined} standing @param {Words} words @returns {Verdict}
 */
function judged({ quantity, face }, legal, standing, words) {
  const after = standing ? words.say("after", { bid: noted(standing) }) : words.say("opening");
  const faces = words.face(face);
  const [bid, from] = [noted({ quantity, face }), least(legal, face)];
  if (!(face >= 1 && face <= words.rules.faces)) return { why: words.say("no_face", { faces: words.rules.faces }), instead: lowest(legal) };
  if (!from) return { why: words.say("barred", { after, faces }), instead: lowest(legal) };
  if (quantity < from) return { why: words.say("low", { bid, after, faces, least: from }), instead: { quantity: from, face } };
  if (quantity > legal.most) return { why: words.say("high", { bid, most: legal.most }), instead: { quantity: legal.most, face } };
  return { why: "" };
}

/**
 * The lowest of all legal bids; undefined where nothing can be bid any more.
 * @param {Legal} legal @returns {Bid | undefined}
 */
function lowest(legal) {
  const bids = Object.keys(legal.least).map((face) => ({ quantity: least(legal, Number(face)), face: Number(face) }));
  return bids.filter((bid) => bid.quantity).sort((a, b) => a.quantity - b.quantity || a.face - b.face)[0];
}

/**
 * Why a call may not be made; an empty text if it may.
 * @param {Call} call @param {string[]} calls that are legal, by name @param {Said | undefined} standing @param {Words} words
 */
function barred(call, calls, standing, words) {
  if (calls.includes(call.name)) return "";
  return words.say(standing ? "no_call" : "nothing", { call: words.call(call) });
}

/**
 * A bid in notation.
 * @param {Bid} bid
 */
const noted = ({ quantity, face }) => `${quantity}x${face}`;

/**
 * A bid that somebody typed; undefined for anything else.
 * @param {string} text @returns {Bid | undefined}
 */
function parsed(text) {
  const found = BID.exec(text.trim());
  return found ? { quantity: Number(found[1]), face: Number(found[2]) } : undefined;
}

export { barred, judged, least, lowest, noted, parsed };
