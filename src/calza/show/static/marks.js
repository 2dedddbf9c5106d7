// Elements, dice and figures: what everything that is drawn is made of.
// Every text goes up as text, never as markup: names are whatever players chose.

// --- elements

/**
 * An element; what is text stays text.
 * @param {string} tag @param {string} kind its classes @param {...(string | Node)} inside @returns {HTMLElement}
 */
function make(tag, kind = "", ...inside) {
  const element = document.createElement(tag);
  if (kind) element.className = kind;
  element.append(...inside);
  return element;
}

/** @param {string} tag @param {Record<string, string | number>} marks @param {...(string | Node)} inside */
function svg(tag, marks = {}, ...inside) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(marks)) element.setAttribute(name, String(value));
  element.append(...inside);
  return element;
}

/**
 * Text for those who listen.
 * @param {string} text
 */
const spoken = (text) => make("span", "calza-spoken", text);

/**
 * What only those who look get.
 * @template {Element} E
 * @param {E} element
 */
function silent(element) {
  element.setAttribute("aria-hidden", "true");
  return element;
}

// --- dice

// Of a die that is 20 wide.
const LEFT = 5.4, MIDDLE = 10, RIGHT = 14.6;
const PIPS = /** @type {[number, number][][]} */ ([
  [],
  [[MIDDLE, MIDDLE]],
  [[LEFT, LEFT], [RIGHT, RIGHT]],
  [[LEFT, LEFT], [MIDDLE, MIDDLE], [RIGHT, RIGHT]],
  [[LEFT, LEFT], [RIGHT, LEFT], [LEFT, RIGHT], [RIGHT, RIGHT]],
  [[LEFT, LEFT], [RIGHT, LEFT], [MIDDLE, MIDDLE], [LEFT, RIGHT], [RIGHT, RIGHT]],
  [[LEFT, LEFT], [RIGHT, LEFT], [LEFT, MIDDLE], [RIGHT, MIDDLE], [LEFT, RIGHT], [RIGHT, RIGHT]],
]);

/**
 * A die that shows a face, 0 for one that is covered. Dice of more than six faces have figures.
 * @param {number} face @param {number} faces of such a die
 */
function die(face, faces) {
  const picture = svg("svg", { viewBox: "0 0 20 20", class: `calza-die${face ? "" : " covered"}`, "aria-hidden": "true" });
  picture.append(svg("rect", { x: 1, y: 1, width: 18, height: 18, rx: 4 }));
  if (face && faces <= 6) {
    picture.append(...PIPS[face].map(([cx, cy]) => svg("circle", { cx, cy, r: 1.9 })));
  } else if (face) {
    picture.append(svg("text", { x: 10, y: 14, "text-anchor": "middle" }, String(face)));
  }
  return picture;
}

/** @param {number} n */
const dice = (n) => (n === 1 ? "1 die" : `${n} dice`);

/**
 * A chance as people read it; 0 % and 100 % are said only of what is certain.
 * @param {number} chance
 */
function percent(chance) {
  if (chance > 0 && chance < 0.01) return "<1\u00a0%";
  if (chance < 1 && chance > 0.99) return ">99\u00a0%";
  return `${Math.round(chance * 100)}\u00a0%`;
}

export { PIPS, die, dice, make, percent, silent, spoken, svg };
