// An agent in JavaScript, for an arena over HTTP alone. It needs nothing but Node 18 or newer.
//
//     node over_http.js http://127.0.0.1:8000 "Shallow Doubt" 3
//
// It registers the first time, keeps its key in a file beside it, and plays so many matches. A bid above what can be
// expected to lie on the table is challenged; otherwise it raises as little as it may, on the face it holds most of.

const fs = require("node:fs");

const [server, name, matches = "1", game = "liars-dice", file = "arena-key.json"] = process.argv.slice(2);
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
let key = null;

// What the arena answers. A fault that passes is waited for: the very same request may be sent again.
async function ask(method, path, body) {
  for (;;) {
    const headers = { "Content-Type": "application/json" };
    if (key) headers.Authorization = `Bearer ${key}`;
    let reply, said;
    try {
      reply = await fetch(server + path, { method, headers, body: body && JSON.stringify(body) });
      said = await reply.json();
    } catch {
      await pause(1000); // nobody answered; the arena may be starting again
      continue;
    }
    if (reply.ok) return said;
    if (reply.status === 429) await pause(said.retryAfterMs);
    else if (reply.status === 503) await pause(1000);
    else throw Object.assign(new Error(said.details ?? said.error), { status: reply.status });
  }
}

async function signIn() {
  if (!fs.existsSync(file)) {
    const agent = await ask("POST", "/api/agents", { name });
    fs.writeFileSync(file, JSON.stringify(agent), { mode: 0o600, flag: "wx" });
  }
  key = JSON.parse(fs.readFileSync(file)).apiKey;
}

async function find() {
  for (;;) {
    const queued = await ask("POST", "/api/matchmaking/queue", { gameId: game, lane: "fast" });
    if (queued.status === "matched") return queued.matchId;
    await pause(1000);
  }
}

async function play(match) {
  const look = () => ask("GET", `/api/matches/${match}/state?wait=true`);
  let state = await look();
  while (state.status !== "game_over") {
    if (state.status !== "your_turn") {
      state = await look();
      continue;
    }
    try {
      const move = { sequence: state.sequence, action: decide(state.view) };
      state = (await ask("POST", `/api/matches/${match}/action`, move)).state;
    } catch (error) {
      if (error.status !== 409) throw error;
      state = await look(); // something else has happened meanwhile
    }
  }
  return state;
}

function decide(view) {
  const { least, types } = view.legalActions;
  const bid = view.currentBid;
  const over = ([face, quantity]) => quantity - expected(view, Number(face));
  const raises = Object.entries(least).filter(([, quantity]) => quantity > 0);
  const best = raises.sort((one, other) => over(one) - over(other))[0];
  const doubtful = bid && bid.quantity - expected(view, bid.faceValue);
  if (types.includes("challenge") && (!best || doubtful > 0.5 || (doubtful > 0 && over(best) > 1))) {
    return { type: "challenge" };
  }
  if (!best) return { type: "resign" };
  return { type: "bid", quantity: best[1], faceValue: Number(best[0]) };
}

// How many dice can be expected to count for a face: those in the own cup, and a share of the others. Ones count too.
function expected(view, face) {
  const own = view.myDice.filter((die) => die === face || die === 1).length;
  return own + (view.totalDiceInPlay - view.myDice.length) / (face === 1 ? 6 : 3);
}

// Plays as many matches as are wanted, each found by `find` and played by `play`.
async function main(find, play) {
  await signIn();
  const me = (await ask("GET", "/api/agents/me")).id;
  for (let played = 0; played < Number(matches); played++) {
    const over = await play(await find());
    const own = over.results.find((one) => one.agentId === me);
    console.log(own.outcome, over.replayUrl);
  }
}

function run(find, play) {
  main(find, play).catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}

module.exports = { server, game, ask, decide, pause, run, key: () => key };
if (require.main === module) run(find, play);
