// Decisions seen from afterwards: the costliest first, each leading to its moment. A view of one seat has that seat's own.

import { make } from "./marks.js";
import { ALL } from "./sight.js";

/** @import { Decision, Film } from "./film" */

const WORST = 3;
const HOW =
  "In dice of the round: what a seat could expect to win or lose, less what the others could, from what it knew then, " +
  "if everybody played on with caution.";

class Review {
  /** @param {Film} film @param {(at: number) => void} go to a moment that somebody chose */
  constructor(film, go) {
    this.film = film;
    this.go = go;
    this.items = /** @type {{at: number, item: HTMLElement}[]} */ ([]);
    this.of = /** @type {Decision[] | undefined} */ (undefined); // those that are listed now
    this.lists = make("div");
    this.root = make("details", "calza-review", make("summary", "", "After the game: what decisions cost"), this.lists, make("p", "calza-how", HOW));
    /** @type {HTMLDetailsElement} */ (this.root).open = true;
  }

  /**
   * Mark the decision of a moment, in the list of a view.
   * @param {number} shown @param {number} view
   */
  show(shown, view) {
    this.choose(view);
    for (const { at, item } of this.items) {
      if (at === shown) item.setAttribute("aria-current", "step");
      else item.removeAttribute("aria-current");
    }
  }

  /**
   * List the decisions of a view.
   * @param {number} view
   */
  choose(view) {
    const every = this.film.review ?? [];
    const own = every.filter((one) => view === ALL || one.seat === view);
    const all = own.length ? own : every;
    if (all.length === this.of?.length && all.every((one, at) => one === this.of?.[at])) return;
    this.of = all;
    this.items = [];
    const worst = all.filter((one) => one.costly).sort((a, b) => b.cost - a.cost).slice(0, WORST);
    const first = worst.length ? this.list(worst, true) : make("p", "", "No decision cost more than chance explains.");
    const many = all.length === 1 ? "The decision" : `All ${all.length} decisions`;
    this.lists.replaceChildren(first, make("details", "", make("summary", "", many), this.list(all, false)));
  }

  /**
   * Decisions as a list.
   * @param {Decision[]} decisions @param {boolean} full whether with what was better
   */
  list(decisions, full) {
    const items = decisions.map((one) => {
      const at = this.film.moments.findIndex((moment) => moment.action === one.action);
      const button = /** @type {HTMLButtonElement} */ (make("button", "", `Round ${one.round}, moment ${at + 1}`));
      button.type = "button";
      button.onclick = () => this.go(at);
      const cost = one.costly ? make("span", "calza-cost", `−${one.cost.toFixed(2)}`) : make("span", "calza-free", "fine");
      const says = full ? one.says : this.film.moments[at].says[0];
      const item = make("li", "", make("div", "", button, cost), make("span", "", says));
      this.items.push({ at, item });
      return item;
    });
    return make("ol", "", ...items);
  }
}

export { Review };
