// How the match ended: the places, what it did to one's rating, and where to go from here.

import { make, silent } from "./marks.js";

/** @import { Over } from "./frames" */
/** @import { Seen } from "./seen.js" */
/** @import { Words } from "./words.js" */

class End {
  /** @param {Words} words */
  constructor(words) {
    this.words = words;
    this.title = make("h2", "");
    this.title.id = "t-over";
    this.title.tabIndex = -1;
    this.places = make("ol", "t-places");
    this.more = make("p", "t-rating");
    this.ways = make("p", "buttons");
    this.root = make("section", "t-over", this.title, this.places, this.more, this.ways);
    this.root.setAttribute("aria-labelledby", this.title.id);
    this.root.hidden = true;
    this.told = false;
  }

  /**
   * Say how it ended, once.
   * @param {Seen} seen
   */
  show(seen) {
    const { over } = seen.frame;
    if (!over || this.told) return;
    this.told = true;
    this.title.textContent = this.headline(over, seen);
    this.places.append(...over.results.map((one) => this.line(one, seen)));
    const { rating } = over;
    if (rating) this.more.textContent = this.words.say("rating", { before: rating.before.toFixed(1), after: rating.after.toFixed(1) });
    this.more.hidden = !rating;
    this.way("replay", location.pathname, "first"); // this page, once the match is over
    this.way("again", "/play", "");
    this.root.hidden = false;
  }

  /** @param {Over} over @param {Seen} seen */
  headline({ results, reason }, { view }) {
    const own = results.find((one) => one.agentId === view.you);
    const best = results.filter((one) => one.place === 1);
    if (reason === "aborted") return this.words.say("aborted");
    if (own && best.includes(own)) return this.words.say(best.length > 1 ? "drew" : "won");
    if (own) return this.words.say("lost");
    return best.length === 1 ? this.words.say("winner", { name: named(best[0].agentId, view.players) }) : this.words.say("drawn");
  }

  /** @param {Over["results"][number]} one @param {Seen} seen */
  line({ agentId, place, diceLeft }, { view, places }) {
    const at = places.find((one) => one.player.id === agentId);
    const letter = silent(make("span", `letter seat-${(at?.seat ?? 0) % 8}`, at?.letter ?? ""));
    const who = make("bdi", "", agentId === view.you ? this.words.say("you") : named(agentId, view.players));
    return make("li", place === 1 ? "best" : "", make("b", "", this.words.say("place", { place })), letter, who, make("span", "", this.words.say("left_over", { n: diceLeft })));
  }

  /** @param {string} word @param {string} link @param {string} kind */
  way(word, link, kind) {
    const way = /** @type {HTMLAnchorElement} */ (make("a", `button ${kind}`, this.words.say(word)));
    way.href = link;
    this.ways.append(way);
  }
}

/** @param {string} id @param {{id: string, name: string}[]} players */
const named = (id, players) => players.find((one) => one.id === id)?.name ?? "";

export { End };
