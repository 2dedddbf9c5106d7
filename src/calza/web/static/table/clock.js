// How long the turn lasts, by the arena's clock: the reader's own may be wrong by hours.

import { put } from "./chair.js";
import { make, silent } from "./marks.js";

/** @import { Frame } from "./frames" */
/** @import { Words } from "./words.js" */

const TICK = 250;
const HURRY = 10; // seconds at which it is said

class Clock {
  /** @param {Words} words @param {() => void} hurry called once when few seconds of a turn are left */
  constructor(words, hurry) {
    this.hurry = hurry;
    this.time = make("span", "t-time");
    this.bar = make("span", "t-left");
    this.root = make("p", "t-clock", make("span", "heard", words.say("left")), this.time, silent(make("span", "t-rail", this.bar)));
    this.root.hidden = true;
    this.ends = 0; // by the reader's clock
    this.whole = 0; // how long the turn was when it was first heard of
    this.turn = ""; // which turn that was
    this.ticking = 0;
  }

  /**
   * Show the turn of a frame, if it has one.
   * @param {Frame} frame
   */
  show({ turnEndsAt, now, sequence }) {
    clearInterval(this.ticking);
    this.root.hidden = !turnEndsAt;
    if (!turnEndsAt) return;
    const left = Date.parse(turnEndsAt) - new Date(now).getTime();
    this.ends = Date.now() + left;
    const turn = `${sequence} ${turnEndsAt}`;
    if (turn !== this.turn) this.whole = left;
    if (turn !== this.turn) this.root.classList.remove("hurry");
    this.turn = turn;
    this.tick();
    this.ticking = setInterval(() => this.tick(), TICK);
  }

  tick() {
    const left = Math.max(0, this.ends - Date.now());
    const seconds = Math.ceil(left / 1000);
    put(this.time, written(seconds));
    this.bar.style.setProperty("transform", `scaleX(${this.whole > 0 ? Math.min(1, left / this.whole).toFixed(3) : 0})`);
    if (seconds <= HURRY && !this.root.classList.contains("hurry")) {
      this.root.classList.add("hurry");
      if (left) this.hurry();
    }
  }
}

/**
 * Seconds as minutes and seconds.
 * @param {number} seconds
 */
const written = (seconds) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;

export { Clock };
