// Compares the dice of a film with those that follow from its seed, and its moments with those that follow from its
// rules. Draws nothing and knows no page.

import { HmacDice, MixDice } from "./dice.js";
import { misplayed } from "./referee.js";

/** @import { Committed, Film, Mixed } from "./film" */

/** @typedef {{verdict: "verified" | "wrong" | "unknown", says: string, facts: [string, string][]}} Finding */

const same = (/** @type {readonly number[]} */ a, /** @type {readonly number[]} */ b) =>
  a.length === b.length && a.every((one, at) => one === b[at]);
const shown = (/** @type {readonly number[]} */ cup) => cup.join(" ") || "none";
const many = (/** @type {number} */ n, /** @type {string} */ one, /** @type {string} */ several) =>
  n === 1 ? `1 ${one}` : `${n} ${several}`;

/**
 * The first thing that is not as the dice have it, as the end of a sentence; empty when all is.
 * @param {Film} film @param {Committed | Mixed} proof
 */
async function misrolled(film, proof) {
  const { seats, rounds, moments } = film;
  const dice = diceOf(proof);
  const faces = film.faces.length - 1;
  if (proof.stream === "hmac-1" && dice instanceof HmacDice && (await dice.commitment()) !== proof.commitment) {
    return "the seed is not the one that was committed to";
  }
  if (proof.seats?.length && !same(await dice.seating(seats.length), proof.seats)) {
    return "the dice seat the players in another order";
  }
  const opener = await dice.starter(seats.length);
  const first = moments[0].event;
  if (!proof.setup && (first.type !== "round" || first.seat !== opener)) {
    return `the dice let seat ${seats[opener].letter} open the match`;
  }
  for (const [at, round] of rounds.entries()) {
    for (const [seat, cup] of round.cups.entries()) {
      if (at === 0 && proof.given?.includes(seat)) continue;
      const rolled = await dice.cup(round.number, seat, cup.length, faces);
      if (!same(rolled, cup)) {
        const where = `in round ${round.number} the cup of seat ${seats[seat].letter}`;
        return `${where} shows ${shown(cup)}, but the seed rolls ${shown(rolled)}`;
      }
    }
  }
  return "";
}

/**
 * Where the dice of a film come from.
 * @param {Committed | Mixed} proof @returns {HmacDice | MixDice}
 */
function diceOf(proof) {
  return proof.stream === "hmac-1"
    ? new HmacDice(proof.seed, proof.match, proof.salts, proof.rotation)
    : new MixDice(proof.seed, proof.game, proof.rotation);
}

/**
 * What was checked, for whoever wants to check it elsewhere.
 * @param {Committed | Mixed} proof @returns {[string, string][]}
 */
function facts(proof) {
  if (proof.stream !== "hmac-1") {
    return [["Stream", "mix-1"], ["Seed", proof.seed], ["Game", proof.game], ["Rotation", proof.rotation ?? "0"]];
  }
  return [
    ["Stream", "hmac-1"],
    ["Commitment", proof.commitment],
    ["Seed", proof.seed],
    ["Match", proof.match],
    ["Salts", proof.salts.map((salt) => JSON.stringify(salt)).join(", ")],
    ["Rotation", proof.rotation ?? "0"],
    ["What this shows", "The dice are those of the seed. That nobody chose it late, only they can tell who kept the commitment from before the match."],
  ];
}

/**
 * What was rolled and played again.
 * @param {Film} film @param {Committed | Mixed} proof
 */
function verified({ rounds, moments }, proof) {
  const given = (proof.given ?? []).reduce((sum, seat) => sum + rounds[0].cups[seat].length, 0);
  const all = rounds.reduce((sum, round) => sum + round.cups.flat().length, 0);
  const rolled = `${many(all - given, "die", "dice")} in ${rounds.length === 1 ? "one round" : `${rounds.length} rounds`}`;
  const set = given ? `, ${many(given, "die", "dice")} of the first round apart, which the position gave` : "";
  const why =
    proof.stream === "hmac-1"
      ? "from the seed, which is the one in the commitment"
      : `from seed ${proof.seed}, game ${proof.game}, to which nobody was committed`;
  const actions = new Set(moments.map((one) => one.action ?? -1).filter((action) => action >= 0)).size;
  const played = actions ? ` It played ${many(actions, "action", "actions")} again by the rules.` : "";
  return `Dice verified: this page rolled ${rolled} again ${why}${set}.${played}`;
}

/**
 * What can be said of a film's dice and its play.
 * @param {Film} film @returns {Promise<Finding>}
 */
async function prove(film) {
  const { proof } = film;
  if (!proof) return { verdict: "unknown", says: "The seed of these dice is not known yet.", facts: [] };
  if (proof.stream === "hmac-1" && !globalThis.crypto?.subtle) {
    return { verdict: "unknown", says: "This browser checks no dice on a page like this one.", facts: facts(proof) };
  }
  const rolled = await misrolled(film, proof);
  if (rolled) return { verdict: "wrong", says: `Dice NOT verified: ${rolled}.`, facts: facts(proof) };
  const played = misplayed(film);
  if (played) return { verdict: "wrong", says: `Play NOT verified: ${played}.`, facts: facts(proof) };
  return { verdict: "verified", says: verified(film, proof), facts: facts(proof) };
}

export { prove };
