// Tells a film in words: everything that happened, round by round, with the moment that is shown marked in it.

import { make } from "./marks.js";

/** @import { Film } from "./film" */

const EDGE = 24; // pixels of the story that should be seen around the moment

class Story {
  /** @param {Film} film @param {(at: number) => void} go to a moment that somebody chose */
  constructor(film, go) {
    this.film = film;
    this.go = go;
    this.lines = /** @type {HTMLElement[]} */ ([]); // by moment
    this.at = 0;
    this.scroll = make("div", "calza-scroll");
    this.scroll.tabIndex = 0; // so that keys scroll it
    this.scroll.setAttribute("role", "region");
    this.scroll.setAttribute("aria-label", "Everything that happened");
    for (const index of film.rounds.keys()) this.scroll.append(...this.round(index));
    // For a pointer only: whoever uses keys has the slider, and need not pass a hundred links.
    this.scroll.onclick = (/** @type {Event} */ event) => {
      const line = /** @type {HTMLElement} */ (event.target).closest("li");
      if (line) go(Number(line.dataset.at));
    };
    this.root = make("details", "calza-story", make("summary", "", "Everything that happened"), this.scroll);
    /** @type {HTMLDetailsElement} */ (this.root).open = globalThis.matchMedia?.("(min-width: 62rem)").matches ?? false;
    this.root.ontoggle = () => this.follow();
  }

  /**
   * A round: its heading, which leads there, and what happened in it.
   * @param {number} index
   */
  round(index) {
    const { rounds, moments } = this.film;
    const head = /** @type {HTMLButtonElement} */ (make("button", "", `Round ${rounds[index].number}`));
    head.type = "button";
    head.onclick = () => this.go(rounds[index].first);
    const list = make("ol");
    const next = rounds[index + 1]?.first ?? moments.length;
    for (let at = rounds[index].first; at < next; at++) {
      const line = make("li", "", moments[at].says.join(" "));
      line.dataset.at = String(at);
      this.lines.push(line);
      list.append(line);
    }
    return [make("h3", "", head), list];
  }

  /**
   * Mark a moment.
   * @param {number} at
   */
  show(at) {
    this.lines[this.at].removeAttribute("aria-current");
    this.lines[at].setAttribute("aria-current", "step");
    this.at = at;
    this.follow();
  }

  /** Keep the moment in sight, without moving the page. */
  follow() {
    const { scroll } = this;
    const { offsetTop: top, offsetHeight: height } = this.lines[this.at];
    if (!scroll.clientHeight) return;
    if (top < scroll.scrollTop + EDGE || top + height > scroll.scrollTop + scroll.clientHeight - EDGE) {
      scroll.scrollTop = top - scroll.clientHeight / 2;
    }
  }
}

export { Story };
