// Plays a film: slider, buttons, keys and views. Draws with draw.js, tells with story.js, proves with proof.js, and knows
// nothing of the page around it.

import { Table } from "./draw.js";
import { make, svg } from "./marks.js";
import { prove } from "./proof.js";
import { Review } from "./review.js";
import { river } from "./river.js";
import { Share } from "./share.js";
import { ALL } from "./sight.js";
import { Story } from "./story.js";

/** @import { Film } from "./film" */
/** @import { Address } from "./share.js" */

const PACE = 1400; // milliseconds a moment stays at speed 1
const LONG = 2.2; // times as long for a call, which is more to read
const SPEEDS = [0.5, 1, 2, 4, 8];
const ICONS = {
  first: "M4 4h3v16H4zM20 4v16L8 12z",
  back: "M17 4v16L6 12z",
  play: "M6 3.5v17L20 12z",
  pause: "M6 4h4v16H6zM14 4h4v16h-4z",
  on: "M7 4v16l11-8z",
  last: "M17 4h3v16h-3zM4 4v16l12-8z",
};

const MARKS = { verified: "✓", wrong: "✗", unknown: "?" };
const KEYS = "Keys: ← → moment by moment, Page Up and Page Down round by round, Home and End, Space plays, + and − change the speed.";

const OWN = /** @type {[string, RegExp][]} */ ([
  // keys that are needed by what has the focus itself
  ["select", /^(?![+−-]$)/],
  [".calza-scroll", /^(Arrow(Up|Down)|Page|Home|End| )/],
  ["button, summary, a", /^ $/],
]);

let made = 0; // players on this page, for ids

class Player {
  /**
   * A player in `root`, which it empties.
   * @param {HTMLElement} root @param {Film} film @param {{view?: number, at?: number, address?: Address}} [start]
   */
  constructor(root, film, start = {}) {
    this.root = root;
    this.film = film;
    this.id = `calza-${++made}`;
    this.at = -1;
    this.view = start.view ?? ALL;
    this.speed = 1;
    this.playing = /** @type {ReturnType<typeof setTimeout> | 0} */ (0); // the timer, while it plays
    this.slider = /** @type {HTMLInputElement} */ (make("input"));
    this.toggle = this.button("play", "Play", () => this.play(!this.playing));
    this.pace = this.choice("Speed", SPEEDS.map(String), (speed) => `${speed}×`, (speed) => (this.speed = speed), 1);
    this.caption = make("p", "calza-caption");
    this.where = make("p", "calza-where");
    this.proof = make("details", "calza-proof", make("summary", "", "Checking the dice …"));
    this.story = new Story(film, (at) => this.jump(at));
    this.share = new Share(film, start.address);
    this.review = film.review?.length ? new Review(film, (at) => this.jump(at)) : undefined;
    this.open = this.views();
    const table = make("div", "calza-table");
    this.table = new Table(table, film);
    const stage = make("div", "calza-stage", this.controls(), this.speaking(), this.where, table, this.share.root);
    if (film.wrong) stage.append(make("p", "calza-wrong", `The record goes on, but cannot be played: ${film.wrong}.`));
    root.classList.add("calza-player");
    root.replaceChildren(stage, make("div", "calza-side", this.proof, ...(this.review ? [this.review.root] : []), this.story.root));
    root.onkeydown = (event) => this.key(event);
    this.show(start.at ?? 0);
    this.prove();
  }

  // --- what it is made of

  /** The one place that speaks: the slider says only where it is, so that every moment is heard once. */
  speaking() {
    this.caption.setAttribute("role", "status");
    this.caption.setAttribute("aria-live", "polite");
    this.caption.setAttribute("aria-atomic", "true");
    return this.caption;
  }

  controls() {
    Object.assign(this.slider, { type: "range", min: "0", max: String(this.end), step: "1", value: "0" });
    this.slider.setAttribute("aria-label", "Moment of the match");
    this.slider.oninput = () => this.go(Number(this.slider.value));
    const buttons = make(
      "div",
      "calza-buttons",
      this.button("first", "To the start", () => this.go(0)),
      this.button("back", "One moment back", () => this.go(this.at - 1)),
      this.toggle,
      this.button("on", "One moment on", () => this.go(this.at + 1)),
      this.button("last", "To the end", () => this.go(this.end)),
    );
    const bar = make("div", "calza-bar-of-controls", buttons, this.pace.box, this.open.box);
    const group = make("div", "calza-controls", bar, make("div", "calza-time", river(this.film), this.slider), make("p", "calza-keys", KEYS));
    group.setAttribute("role", "group");
    group.setAttribute("aria-label", "Replay controls");
    return group;
  }

  /** @param {keyof typeof ICONS} icon @param {string} name @param {() => void} press */
  button(icon, name, press) {
    const button = /** @type {HTMLButtonElement} */ (make("button"));
    button.type = "button";
    button.onclick = press;
    face(button, icon, name);
    return button;
  }

  /**
   * A list of numbers to choose from, with its label.
   * @param {string} label @param {string[]} values @param {(value: number) => string} shown
   * @param {(value: number) => void} choose @param {number} chosen
   */
  choice(label, values, shown, choose, chosen) {
    const list = /** @type {HTMLSelectElement} */ (make("select"));
    list.id = `${this.id}-${label.toLowerCase()}`;
    for (const value of values) {
      const option = /** @type {HTMLOptionElement} */ (make("option", "", shown(Number(value))));
      option.value = value;
      list.append(option);
    }
    list.value = String(chosen);
    list.onchange = () => choose(Number(list.value));
    const name = /** @type {HTMLLabelElement} */ (make("label", "", label));
    name.htmlFor = list.id;
    return { list, box: make("span", "calza-choice", name, list) };
  }

  /** Whose cups are open. */
  views() {
    const { seats } = this.film;
    const shown = (/** @type {number} */ view) => (view === ALL ? "All open" : `Only ${seats[view].letter}: ${seats[view].name}`);
    return this.choice("Cups", [String(ALL), ...Object.keys(seats)], shown, (view) => this.look(view), this.view);
  }

  // --- what it does

  get end() {
    return this.film.moments.length - 1;
  }

  /**
   * Go to a moment by hand, which stops the playing.
   * @param {number} at
   */
  go(at) {
    this.play(false);
    this.show(at);
  }

  /**
   * Go to a moment from a list, which may be far below the table.
   * @param {number} at
   */
  jump(at) {
    this.go(at);
    this.caption.scrollIntoView({ block: "nearest" });
  }

  /**
   * Open the cup of one seat only, or all.
   * @param {number} view
   */
  look(view) {
    this.view = view;
    this.open.list.value = String(view);
    this.draw();
  }

  /**
   * Show a moment.
   * @param {number} wanted
   */
  show(wanted) {
    const at = Math.max(0, Math.min(this.end, wanted));
    if (at === this.at) return;
    this.at = at;
    const moment = this.film.moments[at];
    const round = this.film.rounds[moment.round];
    this.caption.replaceChildren(...moment.says.map((says) => make("span", "", `${says} `)));
    const time = moment.at === undefined ? "" : `, ${clock(moment.at)}`;
    this.where.textContent = `${at + 1} of ${this.end + 1}, round ${round.number}${time}`;
    this.slider.value = String(at);
    this.slider.setAttribute("aria-valuetext", `${at + 1} of ${this.end + 1}`);
    this.draw();
    this.story.show(at);
  }

  /** Draw the table as the chosen view sees it. */
  draw() {
    this.table.show(this.at, this.view);
    this.share.show(this.at, this.view);
    this.review?.show(this.at, this.view);
  }

  /**
   * Play or pause.
   * @param {boolean} on
   */
  play(on) {
    clearTimeout(this.playing);
    this.playing = 0;
    if (on && this.at === this.end) this.show(0);
    if (on && this.end) this.wait();
    face(this.toggle, this.playing ? "pause" : "play", this.playing ? "Pause" : "Play");
  }

  wait() {
    const long = this.film.moments[this.at].event.type === "call" ? LONG : 1;
    this.playing = setTimeout(() => {
      if (!this.root.isConnected) return; // another match has taken its place
      this.show(this.at + 1);
      if (this.at < this.end) this.wait();
      else this.play(false);
    }, (PACE * long) / this.speed);
  }

  /**
   * Change the speed by some steps.
   * @param {number} steps
   */
  hurry(steps) {
    const at = SPEEDS.indexOf(this.speed) + steps;
    this.speed = SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, at))];
    this.pace.list.value = String(this.speed);
  }

  /**
   * Go some rounds on or back.
   * @param {number} steps
   */
  leap(steps) {
    const { rounds, moments } = this.film;
    const now = moments[this.at].round;
    const inside = steps < 0 && this.at > rounds[now].first; // back means first to the start of this one
    this.go(rounds[now + (inside ? 0 : steps)]?.first ?? (steps < 0 ? 0 : this.end));
  }

  /**
   * Do what a key asks for; a page may pass on keys that nothing else took.
   * @param {KeyboardEvent} event
   */
  key(event) {
    if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
    const target = /** @type {HTMLElement} */ (event.target);
    if (OWN.some(([where, keys]) => keys.test(event.key) && target.closest(where))) return;
    const act = {
      ArrowLeft: () => this.go(this.at - 1),
      ArrowRight: () => this.go(this.at + 1),
      ArrowDown: () => target === this.slider && this.go(this.at - 1),
      ArrowUp: () => target === this.slider && this.go(this.at + 1),
      PageUp: () => this.leap(-1),
      PageDown: () => this.leap(1),
      Home: () => this.go(0),
      End: () => this.go(this.end),
      " ": () => this.play(!this.playing),
      "+": () => this.hurry(1),
      "-": () => this.hurry(-1),
      "−": () => this.hurry(-1),
    }[event.key];
    if (act && act() !== false) event.preventDefault();
  }

  /** Check the dice and say what came out. */
  async prove() {
    const { verdict, says, facts } = await prove(this.film);
    const list = make("dl");
    for (const [name, value] of facts) list.append(make("dt", "", name), make("dd", "", value));
    const sign = make("span", "calza-mark", MARKS[/** @type {keyof typeof MARKS} */ (verdict)]);
    sign.setAttribute("aria-hidden", "true");
    this.proof.classList.add(verdict);
    this.proof.replaceChildren(make("summary", "", sign, ` ${says}`), list);
  }
}

/**
 * Give a button its picture and its name.
 * @param {HTMLElement} button @param {keyof typeof ICONS} icon @param {string} name
 */
function face(button, icon, name) {
  button.replaceChildren(svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d: ICONS[icon] })));
  button.setAttribute("aria-label", name);
  button.title = name;
}

/**
 * Milliseconds as minutes and seconds.
 * @param {number} at
 */
const clock = (at) => `${Math.floor(at / 60000)}:${String(Math.floor(at / 1000) % 60).padStart(2, "0")}`;

export { Player };
