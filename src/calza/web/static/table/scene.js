// One table on a page: what the arena says is drawn, and what somebody does is sent and shown as pending until the arena has
// said what came of it. The parts know nothing of each other; they meet here.

import { Board } from "./board.js";
import { button } from "./buttons.js";
import { put } from "./chair.js";
import { Clock } from "./clock.js";
import { Feed } from "./feed.js";
import { Help } from "./help.js";
import { make } from "./marks.js";
import { Odds } from "./odds.js";
import { End } from "./over.js";
import { Panel } from "./panel.js";
import { Memory } from "./seen.js";
import { Sound } from "./sound.js";
import { Story, Voice } from "./story.js";
import { Talk } from "./talk.js";
import { Words } from "./words.js";

/** @import { Fault, Frame, Payload, Start } from "./frames" */
/** @import { Standing } from "./feed.js" */
/** @import { Seen } from "./seen.js" */

/** @typedef {ReturnType<Memory["take"]>} Fresh what is new */

const STILL = matchMedia("(prefers-reduced-motion: reduce)");

class Scene {
  /** @param {HTMLElement} root @param {Start} start */
  constructor(root, { table, rules, feed, odds, talk }) {
    const say = (/** @type {string} */ sentence) => this.voice.say(sentence);
    const words = new Words(rules);
    this.words = words;
    this.memory = new Memory();
    this.memory.take(table);
    /** @type {Seen} */
    this.seen = this.memory.seen(table);
    this.pending = /** @type {{sequence: number, said: string, opened: number} | undefined} */ (undefined);
    this.fault = "";
    this.standing = /** @type {Standing} */ ("open");
    this.name = document.title;
    this.voice = new Voice();
    this.sound = new Sound();
    this.clock = new Clock(words, () => this.seen.legal && say(words.say("hurry")));
    this.board = new Board(words, this.clock.root, () => this.sound.play("count"));
    this.odds = new Odds(words, odds ?? "", say);
    this.help = new Help(words);
    this.loud = button("t-small t-sound", words.say("sound"), () => this.listen());
    this.loud.setAttribute("aria-pressed", String(this.sound.on));
    const own = [this.odds.root, this.loud, this.help.button];
    const act = (/** @type {[Payload, string, string]} */ ...move) => this.act(...move);
    this.panel = table.you < 0 ? undefined : new Panel(words, act, say, own, talk);
    this.end = new End(words);
    this.story = new Story(words, table.you < 0);
    this.talk = new Talk(words);
    this.notice = make("p", "t-notice");
    this.build(root);
    this.draw();
    this.feed = new Feed(feed, () => this.memory.happened.length - 1, {
      table: (said) => this.table(said),
      fault: (fault) => this.refused(fault),
      line: (standing, why) => this.line(standing, why),
    });
  }

  /** @param {HTMLElement} root */
  build(root) {
    const bar = this.panel?.root ?? make("div", "t-more", this.loud);
    root.classList.add("t-table");
    root.replaceChildren(this.notice, this.board.root, this.end.root, bar, this.story.root, this.talk.root, this.help.root, this.voice.root);
    root.addEventListener("click", () => this.board.settle(), { capture: true }); // whoever does something has seen enough
    document.addEventListener("keydown", (event) => this.key(event));
  }

  draw() {
    const { seen } = this;
    this.clock.show(seen.frame);
    this.board.show(seen);
    this.odds.show(seen.frame.sequence, seen.standing !== undefined && !seen.over);
    this.panel?.show(seen, this.blocked(), this.fault);
    this.story.show(seen.rounds);
    this.talk.show(seen);
    put(this.notice, this.problem());
    this.notice.hidden = !this.notice.textContent;
    document.title = seen.legal ? `${this.words.say("your_turn")} · ${this.name}` : this.name;
    if (!this.board.lifting) this.ending();
  }

  /** Show how the match ended, when the last cups have come down. */
  ending() {
    const { seen, panel } = this;
    const gone = seen.over || (seen.you >= 0 && !seen.view.table.dice[seen.you]);
    if (panel && gone && !panel.root.hidden) {
      const held = panel.root.contains(document.activeElement);
      panel.resign.close();
      panel.root.hidden = true;
      if (held) this.board.turn.focus({ preventScroll: true }); // or the focus would be nowhere
    }
    this.end.show(seen);
  }

  // --- what the arena says

  /** @param {Frame} frame */
  table(frame) {
    const before = this.seen;
    if (frame.sequence < before.frame.sequence) return; // an older one that was under way
    const fresh = this.memory.take(frame);
    this.seen = this.memory.seen(frame);
    this.resolve(frame);
    const call = fresh.findLast((one) => one.events[0]?.type === "call");
    if (call && this.seen.reveal) {
      this.board.lift(this.seen.reveal, call.says.slice(0, 2).join(" "), STILL.matches, () => this.ending());
    }
    this.draw();
    this.tell(fresh, before);
    this.ring(fresh, before);
  }

  /**
   * What was sent has been played; or the line was lost, and the arena knows nothing of it.
   * @param {Frame} frame
   */
  resolve({ sequence, status }) {
    const { pending } = this;
    const same = pending?.sequence === sequence && status === "your_turn";
    if (!pending || (same && pending.opened === this.feed.opened)) return;
    this.pending = undefined;
    this.fault = same ? this.words.say("not_arrived", { said: pending.said }) : "";
    if (same) this.voice.say(this.fault);
  }

  /**
   * Read out what is new.
   * @param {Fresh} fresh @param {Seen} before
   */
  tell(fresh, before) {
    const { seen, words } = this;
    const lines = fresh.flatMap((one) => one.says);
    const rolled = seen.view.myDice.length > 0 && (seen.view.round !== before.view.round || !before.started);
    if (!seen.over && seen.started && (rolled && (fresh.length || !before.started))) lines.push(words.say("own_dice", { dice: seen.view.myDice.join(", ") }));
    if (seen.legal && (!before.legal || fresh.length)) lines.push(words.say("your_turn_now"));
    if (seen.over && !before.over && !fresh.length) lines.push(words.say("over"));
    this.voice.say(...lines);
  }

  /** @param {Fresh} fresh @param {Seen} before */
  ring(fresh, before) {
    const own = this.seen.frame.over?.results.find((one) => one.agentId === this.seen.view.you);
    if (own && !before.frame.over) this.sound.play(own.place === 1 ? "won" : "lost");
    else if (fresh.some((one) => one.events[0]?.type === "call")) this.sound.play("call");
    else if (this.seen.legal && !before.legal) this.sound.play("turn");
    else if (fresh.length) this.sound.play("bid");
  }

  /** @param {Fault} fault */
  refused({ details, error }) {
    this.pending = undefined;
    this.fault = details || error;
    this.voice.say(this.words.sentence(this.fault));
    this.draw();
  }

  /** @param {Standing} standing @param {string} why */
  line(standing, why) {
    if (standing === this.standing) return;
    this.standing = standing;
    this.why = why;
    this.voice.say(this.problem() || this.words.say("back"));
    this.draw();
  }

  /** What is wrong with the line, if something is. */
  problem() {
    if (this.standing === "lost") return this.words.say("connection_lost");
    return this.standing === "closed" ? this.words.say("connection_closed", { why: this.why ?? "" }) : "";
  }

  // --- what somebody does

  /** Why nothing can be done just now. */
  blocked() {
    const { seen, words, pending } = this;
    if (this.standing !== "open") return words.say("no_line");
    if (pending) return words.say("pending", { said: pending.said });
    if (!seen.started) return words.say("gathering");
    return seen.legal ? "" : words.say("turn_of", { name: seen.view.players[seen.turn]?.name ?? "" });
  }

  /** @param {Payload} payload @param {string} said in notation @param {string} talk what is said with it */
  act(payload, said, talk) {
    const { sequence } = this.seen.frame;
    this.fault = "";
    if (this.feed.act(sequence, payload, talk)) this.pending = { sequence, said, opened: this.feed.opened };
    else this.fault = this.words.say("no_line");
    this.draw();
  }

  listen() {
    this.sound.set(!this.sound.on);
    this.loud.setAttribute("aria-pressed", String(this.sound.on));
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || event.isComposing) return;
    const target = /** @type {HTMLElement} */ (event.target);
    const ours = target === document.body || target.closest("calza-table, main") !== null;
    if (!this.panel || this.panel.root.hidden || !ours || target.closest("dialog, textarea, select")) return;
    if (event.key === "?" && (this.help.anywhere || target.closest(".t-panel"))) this.help.root.showModal();
    else if (!this.panel.key(event, this.help.anywhere)) return;
    event.preventDefault();
    this.board.settle();
  }
}

export { Scene };
