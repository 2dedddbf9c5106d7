// An agent in JavaScript on sockets, which are faster than asking. It needs nothing but Node 18 or newer.
//
//     node over_sockets.js http://127.0.0.1:8000 "Swift Doubt" 3
//
// The arena says on one socket that a match is found, and on another that it is our turn. All that is decided, and every
// request, is as in `over_http.js`, which must lie beside this file. The WebSocket that Node brings sends no header of
// ours, so the few frames that are needed (RFC 6455) are read and written here.

const { randomBytes } = require("node:crypto");
const { ask, decide, game, key, pause, run, server } = require("./over_http.js");

const [TEXT, CLOSE, PING, PONG] = [1, 8, 9, 10];
const OVER = 1000; // the close code of a socket that need not be opened again
const LOST = 1006; // that of one which was never closed

class Wire {
  constructor(stream, head) {
    this.stream = stream;
    this.bytes = head;
    this.heard = [];
    this.code = null; // with which it was closed
    this.wake = () => {};
    stream.on("data", (bytes) => this.read(bytes));
    stream.on("error", () => stream.destroy());
    stream.on("close", () => this.end(LOST));
    this.read(Buffer.alloc(0));
  }

  // The next that the arena says; null when the socket has closed.
  async hear() {
    while (!this.heard.length && this.code === null) await new Promise((done) => (this.wake = done));
    return this.heard.shift() ?? null;
  }

  say(what) {
    this.write(TEXT, Buffer.from(JSON.stringify(what)));
  }

  close() {
    this.stream.destroy();
  }

  end(code) {
    this.code ??= code;
    this.wake();
  }

  // Whole frames of what has come. The arena sends none in parts.
  read(more) {
    this.bytes = Buffer.concat([this.bytes, more]);
    for (;;) {
      const bytes = this.bytes;
      const short = bytes.length > 1 ? bytes[1] & 127 : 0;
      const start = short === 127 ? 10 : short === 126 ? 4 : 2;
      if (bytes.length < start) return;
      const size = short === 127 ? Number(bytes.readBigUInt64BE(2)) : short === 126 ? bytes.readUInt16BE(2) : short;
      if (bytes.length < start + size) return;
      this.bytes = bytes.subarray(start + size);
      this.frame(bytes[0] & 15, bytes.subarray(start, start + size));
    }
  }

  frame(kind, said) {
    if (kind === TEXT) this.heard.push(JSON.parse(said));
    else if (kind === PING) this.write(PONG, said);
    else if (kind === CLOSE) {
      this.write(CLOSE, said.subarray(0, 2));
      this.end(said.length > 1 ? said.readUInt16BE() : LOST);
      this.stream.end();
    }
    this.wake();
  }

  // Whatever a client sends is masked.
  write(kind, said) {
    const mask = randomBytes(4);
    const head = said.length < 126 ? [said.length] : [126, said.length >> 8, said.length & 255];
    head[0] |= 128;
    const masked = said.map((byte, at) => byte ^ mask[at % 4]);
    this.stream.write(Buffer.concat([Buffer.from([128 | kind, ...head]), mask, masked]));
  }
}

function dial(path) {
  const { request } = require(server.startsWith("https:") ? "node:https" : "node:http");
  const headers = {
    Authorization: `Bearer ${key()}`,
    Connection: "Upgrade",
    Upgrade: "websocket",
    "Sec-WebSocket-Key": randomBytes(16).toString("base64"),
    "Sec-WebSocket-Version": "13",
  };
  return new Promise((done, fail) => {
    const asked = request(server + path, { headers });
    asked.on("upgrade", (_, stream, head) => done(new Wire(stream, head)));
    asked.on("response", ({ statusCode: status }) => fail(Object.assign(new Error("no socket opens"), { status })));
    asked.on("error", fail);
    asked.end();
  });
}

// A socket to the arena; one that cannot be opened just now is tried again.
async function opened(path) {
  for (;;) {
    try {
      return await dial(path);
    } catch (error) {
      if (error.status === 401 || error.status === 403) throw error;
      await pause(1000);
    }
  }
}

async function find() {
  for (;;) {
    const wire = await opened("/ws/agent");
    try {
      const queued = await ask("POST", "/api/matchmaking/queue", { gameId: game, lane: "fast" });
      if (queued.status === "matched") return queued.matchId;
      for (let said; (said = await wire.hear()); ) {
        if (said.type === "match_found" && said.gameId === game) return said.matchId;
      }
    } finally {
      wire.close();
    }
    await pause(1000);
  }
}

async function play(match) {
  for (;;) {
    const wire = await opened(`/ws/game/${match}`);
    try {
      for (let said; (said = await wire.hear()); ) {
        if (said.type === "game_over") return said;
        if (said.type === "your_turn") {
          wire.say({ type: "action", sequence: said.sequence, payload: decide(said.view) });
        } else if (said.type === "error") {
          if (said.error === "invalid_action" || said.error === "invalid_input") throw new Error(said.details);
          break; // on a new socket we are told our turn again
        }
      }
    } finally {
      wire.close();
    }
    if (wire.code === OVER) return ask("GET", `/api/matches/${match}/state`);
    await pause(1000);
  }
}

run(find, play);
