// Compares the dice of a film with those that follow from its seed. Draws nothing and knows no page.
(() => {
  "use strict";

  const { HmacDice, MixDice } = globalThis.calza;

  /** @typedef {{verdict: "verified" | "wrong" | "unknown", says: string, facts: [string, string][]}} Finding */

  const same = (/** @type {readonly number[]} */ a, /** @type {readonly number[]} */ b) =>
    a.length === b.length && a.every((one, at) => one === b[at]);
  const shown = (/** @type {readonly number[]} */ cup) => cup.join(" ") || "none";

  /** The first thing that is not as the dice have it, as the end of a sentence; empty when all is. */
  async function mistake(/** @type {any} */ film, /** @type {any} */ dice) {
    const { proof, seats, rounds, moments } = film;
    const faces = film.faces.length - 1;
    if (dice instanceof HmacDice && (await dice.commitment()) !== proof.commitment) {
      return "the seed is not the one that was committed to";
    }
    if (proof.seats?.length && !same(await dice.seating(seats.length), proof.seats)) {
      return "the dice seat the players in another order";
    }
    const opener = await dice.starter(seats.length);
    if (!proof.setup && moments[0].event.seat !== opener) {
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
   * @returns {HmacDice | MixDice}
   */
  function diceOf(/** @type {any} */ proof) {
    return proof.stream === "hmac-1"
      ? new HmacDice(proof.seed, proof.match, proof.salts, proof.rotation)
      : new MixDice(proof.seed, proof.game, proof.rotation);
  }

  /**
   * What was checked, for whoever wants to check it elsewhere.
   * @returns {[string, string][]}
   */
  function facts(/** @type {any} */ proof) {
    if (proof.stream !== "hmac-1") {
      return [["Stream", "mix-1"], ["Seed", proof.seed], ["Game", proof.game], ["Rotation", proof.rotation ?? "0"]];
    }
    return [
      ["Stream", "hmac-1"],
      ["Commitment", proof.commitment],
      ["Seed", proof.seed],
      ["Match", proof.match],
      ["Salts", proof.salts.map((/** @type {string} */ salt) => JSON.stringify(salt)).join(", ")],
      ["Rotation", proof.rotation ?? "0"],
      ["What this shows", "The dice are those of the seed. That nobody chose it late, only they can tell who kept the commitment from before the match."],
    ];
  }

  const dice = (/** @type {number} */ n) => (n === 1 ? "1 die" : `${n} dice`);

  /**
   * What can be said of a film's dice.
   * @param {any} film @returns {Promise<Finding>}
   */
  async function prove(film) {
    const { proof, rounds } = film;
    if (!proof) return { verdict: "unknown", says: "The seed of these dice is not known yet.", facts: [] };
    if (proof.stream === "hmac-1" && !globalThis.crypto?.subtle) {
      return { verdict: "unknown", says: "This browser checks no dice on a page like this one.", facts: facts(proof) };
    }
    const wrong = await mistake(film, diceOf(proof));
    if (wrong) return { verdict: "wrong", says: `Dice NOT verified: ${wrong}.`, facts: facts(proof) };
    const given = (proof.given ?? []).reduce((/** @type {number} */ sum, /** @type {number} */ seat) => sum + rounds[0].cups[seat].length, 0);
    const all = rounds.reduce((/** @type {number} */ sum, /** @type {any} */ round) => sum + round.cups.flat().length, 0);
    const rolled = `${dice(all - given)} in ${rounds.length === 1 ? "one round" : `${rounds.length} rounds`}`;
    const set = given ? `, ${dice(given)} of the first round apart, which the position gave` : "";
    const why =
      proof.stream === "hmac-1"
        ? "from the seed, which is the one in the commitment"
        : `from seed ${proof.seed}, game ${proof.game}, to which nobody was committed`;
    return { verdict: "verified", says: `Dice verified: this page rolled ${rolled} again ${why}${set}.`, facts: facts(proof) };
  }

  Object.assign(globalThis.calza, { prove });
})();
