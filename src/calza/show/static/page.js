// Starts the player of a page: finds the films in it, lets the reader choose one, and follows links to a moment: `#12`
// is the twelfth of the only film, `#12-B` the same as seat B saw it. Where there are several films, a link names one:
// `#match-2`, `#match-2-moment-12-B`, or `#match-2-action-57` for an action by its number in the record.

import { make } from "./marks.js";
import { Player } from "./player.js";
import { ALL } from "./sight.js";

/** @import { Film } from "./film" */

const MOMENT = /^#()()(\d{1,6})(?:-([A-O]))?$/;
const MATCH = /^#match-(\d{1,6})(?:-(action|moment)-(\d{1,6})(?:-([A-O]))?)?$/;

/** The films of a page, each a block of JSON that is read when it is asked for. */
class Theatre {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.blocks = /** @type {HTMLElement[]} */ ([...root.querySelectorAll("script[type='application/json']")]);
    this.view = Number(root.dataset.view ?? ALL);
    this.stage = make("div");
    this.about = make("p", "calza-about");
    if (this.blocks.length > 1) root.append(this.chooser());
    root.append(this.about, this.stage);
    this.root = root;
    this.which = -1; // the film that plays
    const linked = this.follow();
    /** @type {Player} */
    this.player = linked ?? this.play(0);
    this.own = "calzaKeys" in root.dataset; // the page has nothing else in it
    if (linked && !this.own) root.scrollIntoView();
    addEventListener("hashchange", () => {
      if (!this.follow()) return;
      this.root.scrollIntoView();
      this.player.slider.focus({ preventScroll: true });
    });
  }

  chooser() {
    this.list = /** @type {HTMLSelectElement} */ (make("select"));
    this.list.id = "calza-match";
    for (const [at, block] of this.blocks.entries()) {
      const option = /** @type {HTMLOptionElement} */ (make("option", "", block.dataset.label ?? ""));
      option.value = String(at);
      this.list.append(option);
    }
    this.list.onchange = () => this.play(Number(this.list?.value));
    const label = /** @type {HTMLLabelElement} */ (make("label", "", "Match"));
    label.htmlFor = this.list.id;
    return make("p", "calza-chooser", label, this.list);
  }

  /**
   * Play the film with a number.
   * @param {number} which @returns {Player}
   */
  play(which) {
    this.player?.play(false);
    /** @type {Film} */
    const film = JSON.parse(this.blocks[which].textContent ?? "");
    const letter = (/** @type {number} */ view) => (view === ALL ? "" : `-${film.seats[view].letter}`);
    const match = this.blocks.length > 1 ? `match-${which + 1}-moment-` : "";
    if (this.list) this.list.value = String(which);
    this.about.replaceChildren(...this.told(film));
    this.which = which;
    this.player = new Player(this.stage, film, {
      view: this.view,
      address: (at, view) => `#${match}${at + 1}${letter(view)}`,
    });
    return this.player;
  }

  /**
   * What a film is.
   * @param {Film} film
   */
  told(film) {
    const started = film.started?.replace(/^([\d-]+)T([\d:]+)(\.\d+)?Z$/, "$1 $2 UTC");
    const about = [film.id && `Match ${film.id}`, started].filter(Boolean).join(", ");
    const note = film.note ? [make("strong", "", film.note), " "] : [];
    const label = this.list ? [make("span", "calza-label", film.label), " "] : []; // a small list cuts it off
    return [...note, ...label, make("span", "", about)];
  }

  /**
   * Go where the page's address points; the player, if it points at a match.
   * @returns {Player | undefined}
   */
  follow() {
    const [found, match, unit, number, letter] = MATCH.exec(location.hash) ?? MOMENT.exec(location.hash) ?? [];
    const which = match ? Number(match) - 1 : 0;
    if (!found || !this.blocks[which]) return undefined;
    const player = which === this.which ? this.player : this.play(which);
    const { film } = player;
    const view = film.seats.findIndex((seat) => seat.letter === letter);
    if (view >= 0) player.look(view);
    else if (unit !== "action") player.look(this.view);
    if (unit === "action") player.go(film.moments.findIndex((one) => one.action === Number(number)));
    else player.go(number ? Number(number) - 1 : 0);
    return player;
  }
}

for (const root of document.querySelectorAll("[data-calza-films]")) {
  const theatre = new Theatre(/** @type {HTMLElement} */ (root));
  // Keys work without a click first, as long as nothing else has the focus. Not where they move a longer page.
  if (theatre.own) {
    document.addEventListener("keydown", (event) => {
      if (event.target === document.body) theatre.player.key(event);
    });
  }
}
