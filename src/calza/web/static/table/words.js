// How the table speaks: its texts come from the catalogue of all pages, and here stands no sentence.

import { FACE, FACES, NUMBERS, TEXTS } from "./texts.js";

/** @import { Call, Rules } from "./frames" */

class Words {
  /** @param {Rules} rules of the match, which say how its calls are called */
  constructor(rules) {
    this.rules = rules;
  }

  /**
   * A text with its names in braces filled in; with `n`, its form for one or for many if it has two.
   * @param {string} key @param {Record<string, string | number>} [values] @returns {string}
   */
  say(key, values = {}) {
    const text = TEXTS[key] ?? TEXTS[`${key}.${values.n === 1 ? "one" : "many"}`];
    if (text === undefined) throw new Error(`there is no text ${key}`);
    return text.replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));
  }

  /**
   * `three`, or `threes`.
   * @param {number} face @param {number} [many]
   */
  face(face, many = 2) {
    return (many === 1 ? FACE : FACES)[face] ?? String(face);
  }

  /**
   * `four threes`.
   * @param {number} quantity @param {number} face
   */
  bid(quantity, face) {
    return `${NUMBERS[quantity] ?? quantity} ${this.face(face, quantity)}`;
  }

  /**
   * A call as it is said at the table.
   * @param {Call} call
   */
  call({ words, name }) {
    return words[0] ?? name;
  }

  /**
   * A sentence with a capital in front.
   * @param {string} text
   */
  sentence(text) {
    return text.charAt(0).toUpperCase() + text.slice(1);
  }
}

export { Words };
