// What has happened, in sentences: once for the ear as it happens, and for the eye round by round.

import { make } from "./marks.js";

/** @import { Told } from "./seen.js" */
/** @import { Words } from "./words.js" */

const KEPT = 6; // sentences that stay where they were read out

/** The one place that speaks. A sentence is added when it is new, and is read once. */
class Voice {
  constructor() {
    this.root = make("div", "heard t-voice");
    this.root.setAttribute("role", "log");
    this.root.setAttribute("aria-live", "polite");
    this.root.setAttribute("aria-relevant", "additions");
  }

  /** @param {string[]} sentences */
  say(...sentences) {
    for (const one of sentences) if (one) this.root.append(make("p", "", one));
    while (this.root.childElementCount > Math.max(KEPT, sentences.length)) this.root.firstElementChild?.remove();
  }
}

/** The story; what one has opened or closed stays so. */
class Story {
  /** @param {Words} words @param {boolean} open whether rounds that have ended are open */
  constructor(words, open) {
    this.words = words;
    this.open = open;
    this.rounds = /** @type {Map<number, HTMLElement>} */ (new Map());
    const title = make("h2", "", words.say("story"));
    title.id = "t-story";
    this.root = make("section", "t-story", title);
    this.root.setAttribute("aria-labelledby", title.id);
    this.title = title;
  }

  /** @param {Told[]} rounds the last one first */
  show(rounds) {
    const newest = rounds[0]?.number ?? 0;
    for (const { number, says } of rounds.toReversed()) {
      const list = this.rounds.get(number) ?? this.round(number, this.open || number >= newest - 1);
      for (const one of says.slice(list.childElementCount)) list.append(make("li", "", one));
    }
  }

  /** @param {number} number @param {boolean} open */
  round(number, open) {
    const list = make("ol", "story");
    const box = /** @type {HTMLDetailsElement} */ (make("details", "", make("summary", "", this.words.say("round", { round: number })), list));
    box.open = open;
    this.title.after(box);
    this.rounds.set(number, list);
    return list;
  }
}

export { Story, Voice };
