// Table talk: the players' own words, marked as such. They go up as text, whatever they look like.

import { make } from "./marks.js";

/** @import { Seen } from "./seen.js" */
/** @import { Words } from "./words.js" */

class Talk {
  /** @param {Words} words */
  constructor(words) {
    const title = make("h2", "", words.say("talk"));
    title.id = "t-talk";
    this.list = make("div", "");
    this.root = make("section", "t-talk", title, make("p", "how", words.say("talk_note")), this.list);
    this.root.setAttribute("aria-labelledby", title.id);
    this.root.hidden = true;
    this.drawn = ""; // what stands in it
  }

  /** @param {Seen} seen */
  show({ view }) {
    const lines = JSON.stringify(view.talk);
    if (lines === this.drawn) return;
    this.drawn = lines;
    this.root.hidden = !view.talk.length;
    this.list.replaceChildren(
      ...view.talk.map(({ from, text }) => {
        const who = view.players.find((one) => one.id === from)?.name ?? "";
        return make("figure", "talk", make("blockquote", "", make("p", "", text)), make("figcaption", "", make("bdi", "", who)));
      }),
    );
  }
}

export { Talk };
