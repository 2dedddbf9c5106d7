// The chance that the standing bid holds, for what the reader knows: asked for by a button, and old with the next bid.

import { button } from "./buttons.js";
import { make, percent, silent } from "./marks.js";

/** @import { Words } from "./words.js" */

class Odds {
  /** @param {Words} words @param {string} path where they are @param {(sentence: string) => void} say */
  constructor(words, path, say) {
    this.words = words;
    this.path = path;
    this.say = say;
    this.sequence = -1; // of the frame that they are for
    this.ask = button("t-small", words.say("odds"), () => this.fetch());
    this.fill = make("span", "t-fill");
    this.figure = make("b", "");
    this.told = make("span", "t-odds", silent(make("span", "t-rail", this.fill)), this.figure, ` ${words.say("odds_of")}`);
    this.root = make("p", "t-asked", this.ask, this.told);
    this.root.hidden = this.told.hidden = true;
  }

  /**
   * Offer the odds of a standing bid; those of another one are old.
   * @param {number} sequence @param {boolean} standing
   */
  show(sequence, standing) {
    if (sequence !== this.sequence) this.told.hidden = true;
    this.sequence = sequence;
    this.root.hidden = !standing || !this.path;
  }

  async fetch() {
    const { sequence } = this;
    try {
      const reply = await fetch(this.path, { headers: { accept: "application/json" } });
      const { standing, sequence: now } = await reply.json();
      if (sequence !== this.sequence) return; // there is another bid now
      if (!reply.ok || now !== sequence || !standing) throw new Error("they are of another bid");
      const chance = standing.holds;
      this.fill.style.setProperty("width", `${(chance * 100).toFixed(1)}%`);
      this.figure.textContent = percent(chance);
      this.told.hidden = false;
      this.say(`${percent(chance)} ${this.words.say("odds_of")}`);
    } catch {
      if (sequence === this.sequence) this.say(this.words.say("no_odds"));
    }
  }
}

export { Odds };
