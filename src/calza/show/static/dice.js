// The dice of a match, rolled from its seed as docs/reference/dice.md has it. Draws nothing and knows no page.
// tests/vectors/dice.json holds this file and Python to the same numbers.

const utf8 = new TextEncoder();

// --- bytes

/** @param {string} hex @returns {Uint8Array<ArrayBuffer>} */
const unhex = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));

/** @param {ArrayBuffer} buffer @returns {string} */
const hex = (buffer) => [...new Uint8Array(buffer)].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/**
 * A number as four bytes.
 * @param {number} number @returns {Uint8Array<ArrayBuffer>}
 */
function four(number) {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, number);
  return bytes;
}

/** @param {...Uint8Array} parts @returns {Uint8Array<ArrayBuffer>} */
function joined(...parts) {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/**
 * Text with its length in front.
 * @param {string} text @returns {Uint8Array<ArrayBuffer>}
 */
function measured(text) {
  const bytes = utf8.encode(text);
  return joined(four(bytes.length), bytes);
}

/**
 * Fisher and Yates' shuffle.
 * @param {number} players @param {(n: number) => Promise<number>} below
 */
async function shuffled(players, below) {
  const order = [...Array(players).keys()];
  for (let last = players - 1; last > 0; last--) {
    const other = await below(last + 1);
    [order[last], order[other]] = [order[other], order[last]];
  }
  return order;
}

/**
 * The seating with everybody so many seats further on.
 * @param {number[]} order @param {bigint} rotation
 */
function turned(order, rotation) {
  const many = order.length;
  const on = Number(rotation % BigInt(many));
  return order.map((_, seat) => order[(seat - on + many) % many]);
}

// --- hmac-1

class HmacDice {
  /**
   * @param {string} seed hexadecimal @param {string} match @param {string[]} salts in the order of joining
   * @param {string} rotation decimal, as it may be too large for a number
   */
  constructor(seed, match, salts, rotation = "0") {
    this.seed = unhex(seed);
    this.rotation = BigInt(rotation);
    this.message = joined(utf8.encode("calza match 1"), ...[match, ...salts].map(measured));
    /** @type {Promise<CryptoKey> | undefined} */
    this.signing = undefined;
  }

  /**
   * What was published of the seed.
   * @returns {Promise<string>}
   */
  async commitment() {
    return hex(await crypto.subtle.digest("SHA-256", joined(utf8.encode("calza seed 1"), this.seed)));
  }

  /** The match's key, ready to sign. */
  key() {
    const load = (/** @type {BufferSource} */ raw) =>
      crypto.subtle.importKey("raw", raw, { name: "HMAC", hash: "SHA-256" }, true, ["sign"]);
    this.signing ??= load(this.seed)
      .then((key) => crypto.subtle.sign("HMAC", key, this.message))
      .then(load);
    return this.signing;
  }

  /** The key as text. */
  async shownKey() {
    return hex(await crypto.subtle.exportKey("raw", await this.key()));
  }

  /**
   * Even numbers below `below`.
   * @param {Uint8Array} label @param {number} below @param {number} wanted @returns {Promise<number[]>}
   */
  async values(label, below, wanted) {
    const key = await this.key();
    const limit = 256 - (256 % below);
    /** @type {number[]} */
    const values = [];
    for (let block = 0; values.length < wanted; block++) {
      const bytes = new Uint8Array(await crypto.subtle.sign("HMAC", key, joined(label, four(block))));
      values.push(...[...bytes].filter((byte) => byte < limit).map((byte) => byte % below));
    }
    return values.slice(0, wanted);
  }

  /**
   * The dice of a seat, lowest first.
   * @param {number} round @param {number} seat @param {number} dice @param {number} faces
   */
  async cup(round, seat, dice, faces) {
    const values = await this.values(joined(four(round), four(seat)), faces, dice);
    return values.map((value) => value + 1).sort((a, b) => a - b);
  }

  /**
   * Which player sits at each seat.
   * @param {number} players
   */
  async seating(players) {
    const seating = utf8.encode("seating");
    const order = await shuffled(players, async (n) => (await this.values(joined(seating, four(n)), n, 1))[0]);
    return turned(order, this.rotation);
  }

  /**
   * The seat that opens the first round.
   * @param {number} seats
   */
  async starter(seats) {
    return (await this.values(utf8.encode("starter"), seats, 1))[0];
  }
}

// --- mix-1

const u64 = (/** @type {bigint} */ x) => BigInt.asUintN(64, x);

/** @param {bigint} x */
function mix(x) {
  x = u64(x + 0x9e3779b97f4a7c15n);
  x = u64((x ^ (x >> 30n)) * 0xbf58476d1ce4e5b9n);
  x = u64((x ^ (x >> 27n)) * 0x94d049bb133111ebn);
  return x ^ (x >> 31n);
}

/** @param {bigint} x @param {number} n */
const below = (x, n) => Number(((u64(x) >> 32n) * BigInt(n)) >> 32n);

class MixDice {
  /** @param {string} seed @param {string} game @param {string} rotation decimal, as they may be too large for a number */
  constructor(seed, game, rotation = "0") {
    this.seed = mix(mix(u64(BigInt(seed))) + u64(BigInt(game)));
    this.rotation = BigInt(rotation);
  }

  /** The key as text. */
  async shownKey() {
    return this.seed.toString(16).padStart(16, "0");
  }

  /**
   * The dice of a seat, lowest first.
   * @param {number} round @param {number} seat @param {number} dice @param {number} faces
   */
  async cup(round, seat, dice, faces) {
    let most = 1; // dice in a block
    while (faces ** (most + 1) <= 7776) most++;
    /** @type {number[]} */
    const cup = [];
    for (let block = 0; cup.length < dice; block++) {
      const wanted = Math.min(most, dice - cup.length);
      const x = mix(this.seed + BigInt(4096 * round + 256 * (seat >> 1) + block));
      let number = below(seat & 1 ? x << 32n : x, faces ** wanted);
      for (let die = 0; die < wanted; die++) {
        cup.push(1 + (number % faces));
        number = Math.floor(number / faces);
      }
    }
    return cup.sort((a, b) => a - b);
  }

  /**
   * Which player sits at each seat.
   * @param {number} players
   */
  async seating(players) {
    return turned(await shuffled(players, async (n) => below(mix(this.seed + BigInt(n - 1)), n)), this.rotation);
  }

  /**
   * The seat that opens the first round.
   * @param {number} seats
   */
  async starter(seats) {
    return below(mix(this.seed + 256n), seats);
  }
}

export { HmacDice, MixDice };
