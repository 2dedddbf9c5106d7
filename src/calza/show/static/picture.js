// A picture of a moment, to be kept or sent: the table as a view sees it, as SVG or as PNG. It is laid out once, as
// plain shapes, and written down in two ways, since a strict page may load no image to turn one into the other.

import { about, signed } from "./draw.js";
import { PIPS, dice, percent } from "./marks.js";
import { ALL, counts, sight } from "./sight.js";

/** @import { Film } from "./film" */
/** @import { Bid, Place, Sight } from "./sight.js" */

/** @typedef {Record<string, string>} Paint the page's colours by name */
/**
 * @typedef {{kind: "box", x: number, y: number, w: number, h: number, round: number, fill: string, line: string, dash?: boolean}} Box
 * @typedef {{kind: "dot", x: number, y: number, r: number, fill: string}} Dot
 * @typedef {{kind: "text", x: number, y: number, text: string, size: number, bold: boolean, serif: boolean, fill: string, end: "start" | "middle" | "end"}} Words
 * @typedef {Box | Dot | Words} Shape
 */

const WIDTH = 1200, EDGE = 48, GAP = 20, DIE = 40;
const COLOURS = ["paper", "sheet", "ink", "soft", "line", "wash", "accent", "warn", "die", "pip", "die-edge", "marked", "marked-edge"];
const SEATS = 8; // colours of seats
const SANS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";
const SERIF = "'Iowan Old Style', 'Palatino Linotype', Palatino, Georgia, serif";

/** Lays out a picture from top to bottom. */
class Sheet {
  /** @param {Paint} paint */
  constructor(paint) {
    this.paint = paint;
    this.shapes = /** @type {Shape[]} */ ([]);
    this.y = EDGE;
    this.pen = /** @type {CanvasRenderingContext2D} */ (document.createElement("canvas").getContext("2d")); // measures
  }

  /**
   * @param {number} x @param {number} y @param {number} w @param {number} h @param {number} round
   * @param {string} fill @param {string} line @param {boolean} [dash]
   */
  box(x, y, w, h, round, fill, line, dash = false) {
    this.shapes.push({ kind: "box", x, y, w, h, round, fill: this.paint[fill], line: this.paint[line], dash });
  }

  /** @param {number} x @param {number} y @param {number} r @param {string} fill */
  dot(x, y, r, fill) {
    this.shapes.push({ kind: "dot", x, y, r, fill: this.paint[fill] });
  }

  /**
   * Text on one line, cut off where there is no room for more; how wide it is.
   * @param {number} x @param {number} y @param {string} text @param {number} size @param {string} fill
   * @param {{bold?: boolean, serif?: boolean, end?: "start" | "middle" | "end", room?: number}} [how]
   */
  text(x, y, text, size, fill, { bold = false, serif = false, end = "start", room = Infinity } = {}) {
    const words = { kind: /** @type {"text"} */ ("text"), x, y, text, size, bold, serif, fill: this.paint[fill] ?? fill, end };
    while (this.wide(words) > room && words.text.length > 1) words.text = `${[...words.text].slice(0, -2).join("")}…`;
    this.shapes.push(words);
    return this.wide(words);
  }

  /** @param {Words} words */
  wide(words) {
    this.pen.font = font(words);
    return this.pen.measureText(words.text).width;
  }

  /**
   * Text over several lines, from the place where the sheet is.
   * @param {string} text @param {number} size @param {string} fill @param {{bold?: boolean, serif?: boolean}} how
   */
  lines(text, size, fill, how) {
    let line = "";
    const room = WIDTH - 2 * EDGE;
    const flush = () => {
      this.y += size;
      this.text(EDGE, this.y, line, size, fill, { ...how, room });
      this.y += size * 0.35;
    };
    for (const word of text.split(" ")) {
      const longer = line ? `${line} ${word}` : word;
      this.pen.font = font({ size, bold: false, serif: false, ...how });
      if (line && this.pen.measureText(longer).width > room) {
        flush();
        line = word;
      } else line = longer;
    }
    flush();
  }

  /**
   * A die; face 0 is covered.
   * @param {number} x @param {number} y @param {number} size @param {number} face @param {number} faces @param {boolean} marked
   */
  die(x, y, size, face, faces, marked) {
    const scale = size / 20;
    const fill = face ? (marked ? "marked" : "die") : "wash";
    this.box(x + scale, y + scale, size - 2 * scale, size - 2 * scale, 4 * scale, fill, marked ? "marked-edge" : "die-edge", !face);
    if (face && faces <= 6) {
      for (const [cx, cy] of PIPS[face]) this.dot(x + cx * scale, y + cy * scale, 1.9 * scale, "pip");
    } else if (face) {
      this.text(x + size / 2, y + 14 * scale, String(face), 11 * scale, "pip", { bold: true, end: "middle" });
    }
  }

  /** @param {number} x @param {number} y @param {number} r @param {number} seat @param {string} letter */
  letter(x, y, r, seat, letter) {
    this.dot(x + r, y + r, r, `seat-${seat % SEATS}`);
    this.text(x + r, y + r * 1.36, letter, r, "#ffffff", { bold: true, end: "middle" });
  }
}

/**
 * The shapes of a moment, and how high they are together.
 * @param {Film} film @param {number} at @param {number} view @param {Paint} paint
 */
function layout(film, at, view, paint) {
  const sheet = new Sheet(paint);
  const seen = sight(film, at, view);
  sheet.lines(film.label, 26, "soft", {});
  sheet.y += 14;
  for (const says of seen.moment.says) sheet.lines(says, 40, "ink", { serif: true });
  sheet.y += 16;
  headline(sheet, film, seen);
  table(sheet, film, seen);
  bids(sheet, film, seen.bids);
  const open = view === ALL ? "" : `, as ${film.seats[view].name} saw it`;
  sheet.y += 30;
  const foot = `Moment ${at + 1} of ${film.moments.length}${open}${film.id ? ` · match ${film.id}` : ""}`;
  sheet.text(EDGE, sheet.y, foot, 20, "soft", { room: WIDTH - 2 * EDGE - 100 });
  sheet.text(WIDTH - EDGE, sheet.y, "Calza", 20, "accent", { bold: true, end: "end" });
  return { shapes: sheet.shapes, height: Math.ceil(sheet.y + EDGE * 0.75) };
}

/** @param {Sheet} sheet @param {Film} film @param {Sight} seen */
function headline(sheet, film, { round, call, over }) {
  sheet.y += 24;
  const number = `Round ${round.number}`;
  const wide = sheet.text(EDGE, sheet.y, number, 24, "ink", { bold: true });
  sheet.text(EDGE + wide, sheet.y, ` · ${about(round, film)}`, 24, "ink");
  if (call && !over) {
    const tally = `bid ${call.quantity} × ${film.faces[call.face]}, counted ${call.count}`;
    sheet.text(WIDTH - EDGE, sheet.y, tally, 24, "accent", { bold: true, end: "end" });
  }
  sheet.y += 20;
}

/** @param {Sheet} sheet @param {Film} film @param {Sight} seen */
function table(sheet, film, seen) {
  const across = seen.places.length <= 4 ? 2 : 3;
  const wide = (WIDTH - 2 * EDGE - GAP * (across - 1)) / across;
  const row = Math.floor((wide - 32 + 6) / (DIE + 6)); // dice in a line
  for (let first = 0; first < seen.places.length; first += across) {
    const line = seen.places.slice(first, first + across);
    const most = Math.max(1, ...line.map((place) => Math.ceil(place.faces.length / row + place.covered / row)));
    const high = 98 + most * (DIE + 6);
    for (const [at, place] of line.entries()) {
      seat(sheet, film, seen, first + at, place, EDGE + at * (wide + GAP), wide, high, row);
    }
    sheet.y += high + GAP;
  }
}

/**
 * @param {Sheet} sheet @param {Film} film @param {Sight} seen @param {number} which @param {Place} place
 * @param {number} x @param {number} wide @param {number} high @param {number} row
 */
function seat(sheet, film, seen, which, place, x, wide, high, row) {
  const { letter, name } = film.seats[which];
  const y = sheet.y;
  sheet.box(x, y, wide, high, 14, "sheet", place.acting ? "accent" : "line", place.turn);
  sheet.letter(x + 16, y + 14, 16, which, letter);
  const does = sheet.text(x + wide - 16, y + 38, place.does, 20, place.acting ? "accent" : "soft", { bold: true, end: "end" });
  sheet.text(x + 58, y + 38, name, 23, "ink", { bold: true, room: wide - 90 - does });
  const all = [...place.faces, ...Array(place.covered).fill(0)];
  for (const [at, face] of all.entries()) {
    const left = x + 16 + (at % row) * (DIE + 6);
    const top = y + 56 + Math.floor(at / row) * (DIE + 6);
    sheet.die(left, top, DIE, face, film.faces.length - 1, Boolean(face) && counts(face, seen));
  }
  const change = place.left - place.held;
  const foot = y + high - 16;
  const said = `${dice(place.left)}${change ? ` (${signed(change)})` : ""}${seen.over && place.place === 1 ? ", winner" : ""}`;
  sheet.text(x + 16, foot, said, 20, change < 0 ? "warn" : "soft");
  if (place.own) sheet.text(x + wide - 16, foot, place.own.moment.bid ?? "", 20, place.own.standing ? "ink" : "soft", { end: "end" });
}

/**
 * The bids of the round, the last of them that have room on a few lines.
 * @param {Sheet} sheet @param {Film} film @param {Bid[]} said
 */
function bids(sheet, film, said) {
  let x = EDGE;
  for (const bid of said.slice(-18)) {
    const judged = bid.holds === undefined ? "" : bid.holds ? " true" : " false";
    const text = `${bid.quantity} × ${film.faces[bid.face]}${bid.chance === undefined ? "" : ` · ${percent(bid.chance)}`}${judged}`;
    sheet.pen.font = font({ size: 20, bold: bid.standing, serif: false });
    const wide = sheet.pen.measureText(text).width + 52;
    if (x + wide > WIDTH - EDGE && x > EDGE) {
      x = EDGE;
      sheet.y += 46;
    }
    sheet.box(x, sheet.y, wide, 38, 19, "sheet", bid.standing ? "ink" : "line");
    sheet.letter(x + 5, sheet.y + 5, 14, bid.seat, film.seats[bid.seat].letter);
    sheet.text(x + 40, sheet.y + 26, text, 20, "ink", { bold: bid.standing });
    x += wide + 10;
  }
  if (said.length) sheet.y += 46;
}

// --- written down

/** @param {{size: number, bold: boolean, serif: boolean}} how */
const font = ({ size, bold, serif }) => `${bold ? "600 " : ""}${size}px ${serif ? SERIF : SANS}`;

/** @param {string} text */
const escaped = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/**
 * An element as markup.
 * @param {string} name @param {Record<string, string | number>} marks @param {string} [inside]
 */
const element = (name, marks, inside = "") =>
  `<${name}${Object.entries(marks).map(([mark, value]) => ` ${mark}="${escaped(String(value))}"`).join("")}>${inside}</${name}>`;

/**
 * A shape as markup.
 * @param {Shape} one
 */
function written(one) {
  const { x, y, fill } = one;
  if (one.kind === "dot") return element("circle", { cx: x, cy: y, r: one.r, fill });
  if (one.kind === "box") {
    const line = { stroke: one.line, "stroke-width": 2, "stroke-dasharray": one.dash ? "5 4" : "none" };
    return element("rect", { x, y, width: one.w, height: one.h, rx: one.round, fill, ...line });
  }
  const weight = one.bold ? 600 : 400;
  const family = one.serif ? SERIF : SANS;
  const marks = { x, y, fill, "font-family": family, "font-size": one.size, "font-weight": weight, "text-anchor": one.end };
  return element("text", marks, escaped(one.text));
}

/**
 * Put a shape on a canvas.
 * @param {CanvasRenderingContext2D} pen @param {Shape} one
 */
function painted(pen, one) {
  pen.fillStyle = one.fill;
  pen.beginPath();
  if (one.kind === "text") {
    pen.font = font(one);
    pen.textAlign = one.end === "middle" ? "center" : one.end;
    pen.fillText(one.text, one.x, one.y);
  } else if (one.kind === "dot") {
    pen.arc(one.x, one.y, one.r, 0, 2 * Math.PI);
    pen.fill();
  } else {
    pen.roundRect(one.x, one.y, one.w, one.h, one.round);
    pen.fill();
    pen.strokeStyle = one.line;
    pen.lineWidth = 2;
    pen.setLineDash(one.dash ? [5, 4] : []);
    pen.stroke();
  }
}

/**
 * The colours that the page has where an element stands: those of the day or of the night.
 * @param {Element} element @returns {Paint}
 */
function paintAt(element) {
  const style = getComputedStyle(element);
  const names = [...COLOURS, ...Array.from({ length: SEATS }, (_, seat) => `seat-${seat}`)];
  return Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
}

/**
 * A moment as an SVG document.
 * @param {Film} film @param {number} at @param {number} view @param {Paint} paint
 */
function asSvg(film, at, view, paint) {
  const { shapes, height } = layout(film, at, view, paint);
  const size = { width: WIDTH, height };
  const title = element("title", {}, escaped(film.moments[at].says.join(" ")));
  const drawn = [title, element("rect", { ...size, fill: paint.paper }), ...shapes.map(written)].join("");
  const marks = { xmlns: "http://www.w3.org/2000/svg", ...size, viewBox: `0 0 ${WIDTH} ${height}`, role: "img" };
  return new Blob([element("svg", marks, drawn)], { type: "image/svg+xml" });
}

/**
 * A moment as a PNG.
 * @param {Film} film @param {number} at @param {number} view @param {Paint} paint @returns {Promise<Blob>}
 */
function asPng(film, at, view, paint) {
  const { shapes, height } = layout(film, at, view, paint);
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width: WIDTH, height });
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  pen.fillStyle = paint.paper;
  pen.fillRect(0, 0, WIDTH, height);
  for (const one of shapes) painted(pen, one);
  return new Promise((done, failed) =>
    canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error("this browser makes no PNG"))), "image/png"),
  );
}

export { asPng, asSvg, paintAt };
