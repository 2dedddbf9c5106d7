// The line to the arena. When it is lost it comes back by itself, after growing pauses, and says honestly how it stands.

/** @import { Fault, Frame, Payload } from "./frames" */

const PAUSES = [300, 1000, 2000, 4000, 8000, 15000]; // milliseconds before each further attempt
const HOPELESS = new Set([4401, 4403, 4404]); // no key, not a player, no such match: the same again would be refused again
const LATE = 6000; // milliseconds after a turn's end in which the arena has always said something

/** @typedef {"open" | "lost" | "closed"} Standing */
/**
 * @typedef {{table: (frame: Frame) => void, fault: (fault: Fault) => void, line: (standing: Standing, why: string) => void}} Ears
 * who is told: of frames, of refusals, and of how the line stands
 */

class Feed {
  /** @param {string} path @param {() => number} known the number of the last action that is known @param {Ears} ears */
  constructor(path, known, ears) {
    this.path = path;
    this.known = known;
    this.ears = ears;
    this.socket = /** @type {WebSocket | undefined} */ (undefined);
    this.failed = 0; // attempts since it was open
    this.opened = 0; // sockets so far
    this.ended = false; // it is not to come back
    this.waiting = 0;
    this.watching = 0;
    addEventListener("online", () => this.again());
    addEventListener("offline", () => this.drop());
    addEventListener("pageshow", (event) => event.persisted && this.again());
    document.addEventListener("visibilitychange", () => !document.hidden && this.again());
    this.open();
  }

  /** Open a socket; one that was open before tells us nothing any more. */
  open() {
    clearTimeout(this.waiting);
    const address = new URL(`${this.path}?after=${this.known()}`, location.href);
    address.protocol = address.protocol.replace("http", "ws");
    const socket = new WebSocket(address);
    this.socket = socket;
    this.opened++;
    socket.onmessage = (event) => socket === this.socket && this.hear(JSON.parse(event.data));
    socket.onclose = (event) => socket === this.socket && this.gone(event);
  }

  /** Try at once, if the line is lost. */
  again() {
    if (this.ended || this.socket?.readyState === WebSocket.OPEN || this.socket?.readyState === WebSocket.CONNECTING) return;
    this.open();
  }

  /** @param {Frame | Fault} said */
  hear(said) {
    this.failed = 0;
    this.ears.line("open", "");
    if (said.type === "error") {
      this.ears.fault(said);
      return;
    }
    if (said.type !== "table") return;
    this.watch(said);
    this.ears.table(said);
    if (said.over) this.end();
  }

  /**
   * When a turn has long been over and nothing was heard, the line is dead without knowing it.
   * @param {Frame} frame
   */
  watch({ turnEndsAt, now }) {
    clearTimeout(this.watching);
    if (!turnEndsAt) return;
    const left = Date.parse(turnEndsAt) - new Date(now).getTime();
    const patience = Math.max(0, left) + LATE;
    if (patience < 2 ** 31) this.watching = setTimeout(() => this.drop(), patience);
  }

  /** Give up a line that is dead: to close it properly would take as long as nobody answers. */
  drop() {
    const { socket } = this;
    if (!socket || socket.readyState >= WebSocket.CLOSING) return;
    this.socket = undefined;
    socket.close();
    this.gone({ code: 0, reason: "" });
  }

  /** @param {{code: number, reason: string}} event */
  gone({ code, reason }) {
    clearTimeout(this.watching);
    if (this.ended) return;
    if (HOPELESS.has(code)) {
      this.ended = true;
      this.ears.line("closed", reason);
      return;
    }
    this.ears.line("lost", "");
    const pause = PAUSES[Math.min(this.failed++, PAUSES.length - 1)];
    // Some before and some after: all tables come back when an arena does.
    this.waiting = setTimeout(() => this.again(), pause * (0.75 + Math.random() / 2));
  }

  /**
   * Send an action; false if there is no line.
   * @param {number} sequence @param {Payload} payload @param {string} say what is said with it
   */
  act(sequence, payload, say) {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify({ type: "action", sequence, payload, ...(say && { say }) }));
    return true;
  }

  /** Nothing more will happen. */
  end() {
    this.ended = true;
    clearTimeout(this.waiting);
    clearTimeout(this.watching);
    this.socket?.close(1000);
  }
}

export { Feed };
