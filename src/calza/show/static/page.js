// Starts the player of a page: finds the films in it, lets the reader choose one, and follows links such as
// #match-2 or #match-2-action-57.
(() => {
  "use strict";

  const { Player, make } = globalThis.calza;

  const LINK = /^#match-(\d+)(?:-action-(\d+))?$/;

  /** The films of a page, each a block of JSON that is read when it is asked for. */
  class Theatre {
    /** @param {HTMLElement} root */
    constructor(root) {
      this.blocks = [...root.querySelectorAll("script[type='application/json']")];
      this.view = Number(root.dataset.view ?? -1);
      this.stage = make("div");
      this.about = make("p", "calza-about");
      if (this.blocks.length > 1) root.append(this.chooser());
      root.append(this.about, this.stage);
      this.root = root;
      /** @type {any} */
      this.player = undefined;
      if (!this.follow(false)) this.play(0);
      addEventListener("hashchange", () => this.follow(true));
    }

    chooser() {
      this.list = /** @type {HTMLSelectElement} */ (make("select"));
      this.list.id = "calza-match";
      for (const [at, block] of this.blocks.entries()) {
        const option = /** @type {HTMLOptionElement} */ (make("option", "", /** @type {HTMLElement} */ (block).dataset.label ?? ""));
        option.value = String(at);
        this.list.append(option);
      }
      this.list.onchange = () => this.play(Number(this.list?.value));
      const label = /** @type {HTMLLabelElement} */ (make("label", "", "Match"));
      label.htmlFor = this.list.id;
      return make("p", "calza-chooser", label, this.list);
    }

    /**
     * Play the film with a number, from where an action was done.
     * @param {number} which @param {number} [action]
     */
    play(which, action) {
      this.player?.play(false);
      const film = JSON.parse(this.blocks[which].textContent ?? "");
      const found = film.moments.findIndex((/** @type {any} */ one) => one.action === action);
      if (this.list) this.list.value = String(which);
      this.about.replaceChildren(...this.told(film));
      this.player = new Player(this.stage, film, { view: this.view, at: Math.max(0, found) });
    }

    /**
     * What a film is.
     * @param {any} film
     */
    told(film) {
      const started = film.started?.replace(/^([\d-]+)T([\d:]+)(\.\d+)?Z$/, "$1 $2 UTC");
      const about = [film.id && `Match ${film.id}`, started].filter(Boolean).join(", ");
      const note = film.note ? [make("strong", "", film.note), " "] : [];
      const label = this.list ? [make("span", "calza-label", film.label), " "] : []; // a small list cuts it off
      return [...note, ...label, make("span", "", about)];
    }

    /**
     * Go where the page's address points; whether it points at a match.
     * @param {boolean} move
     */
    follow(move) {
      const [, match, action] = LINK.exec(location.hash) ?? [];
      if (!match || !this.blocks[Number(match) - 1]) return false;
      this.play(Number(match) - 1, action === undefined ? undefined : Number(action));
      if (move) this.root.scrollIntoView();
      if (move) this.player.slider.focus({ preventScroll: true });
      return true;
    }
  }

  for (const root of document.querySelectorAll("[data-calza-films]")) {
    const theatre = new Theatre(/** @type {HTMLElement} */ (root));
    // Keys work without a click first, as long as nothing else has the focus. Not where they move a longer page.
    if ("calzaKeys" in /** @type {HTMLElement} */ (root).dataset) {
      document.addEventListener("keydown", (event) => {
        if (event.target === document.body) theatre.player.key(event);
      });
    }
  }
})();
