// A bot in JavaScript, without any package: it looks one bid ahead, at what its bid leaves to the next player.
//
// The floors of the `match` message say which bids may follow which, so the bot need not know the variant.

const lines = require('node:readline').createInterface({ input: process.stdin });
let match = null;

lines.on('line', (line) => {
  const message = JSON.parse(line);
  if (message.type === 'hello') say({ protocol: 1, name: 'floors' });
  if (message.type === 'match') match = message;
  if (message.type === 'act') say({ action: act(message), sequence: message.sequence });
  if (message.type === 'bye') process.exit();
});

function say(message) {
  process.stdout.write(JSON.stringify(message) + '\n');
}

// The bid that is likely to hold and hard to raise, or a call when the standing one is likelier to fail.
function act({ view, legal }) {
  const bids = legal.least.flatMap((least, face) => (least ? [[least, face], [least + 1, face]] : []));
  const possible = bids.filter(([quantity]) => quantity <= legal.most);
  const worth = (bid) => chance(view, bid) - 0.3 * easiest(view, bid, legal.most);
  const best = possible.sort((one, other) => worth(other) - worth(one))[0];
  const standing = view.bids.at(-1)?.slice(1);
  if (standing && (!best || 1 - chance(view, standing) > chance(view, best))) return legal.calls[0];
  return `${best[0]}x${best[1]}`;
}

// The chance of the likeliest raise over a bid. The floors go as far as there are dice; nobody believes in more.
function easiest(view, [quantity, face], most) {
  const row = match.floors[view.special ? 1 : 0][quantity]?.[face] ?? [];
  const raises = row.map((least, next) => [least, next]).filter(([least]) => least && least <= most);
  return Math.max(0, ...raises.map((raise) => chance(view, raise)));
}

// The chance that a bid holds, as far as this seat can tell.
function chance(view, [quantity, face]) {
  const { rules } = match;
  const wild = view.special && !rules.special.wild ? null : rules.wild;
  const own = view.hand.filter((die) => die === face || die === wild).length;
  const unknown = view.dice.reduce((sum, dice) => sum + dice) - view.hand.length;
  return atLeast(quantity - own, unknown, (wild && wild !== face ? 2 : 1) / rules.faces);
}

// The chance that `need` of `dice` unknown dice count, each with chance `p`.
function atLeast(need, dice, p) {
  if (need <= 0 || need > dice || p === 1) return need <= dice ? 1 : 0;
  let exactly = dice * Math.log(1 - p); // in logarithms, because cups can be large
  let below = 0;
  for (let k = 0; k < need; k++) {
    below += Math.exp(exactly);
    exactly += Math.log(((dice - k) / (k + 1)) * (p / (1 - p)));
  }
  return Math.max(0, 1 - below);
}
