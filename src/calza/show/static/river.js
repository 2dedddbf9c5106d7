// Draws who had how many dice over the whole of a film: a band for each seat, as wide as the slider that lies on it.

import { make, svg } from "./marks.js";

/** @import { Film } from "./film" */

/**
 * Who had how many dice, over the whole match: a band for each seat, under the slider's thumb.
 * @param {Film} film
 */
function river({ moments, seats, rounds }) {
  const width = Math.max(1, moments.length - 1);
  const most = Math.max(1, ...moments.map((one) => one.left.reduce((a, b) => a + b, 0)));
  const picture = svg("svg", { viewBox: `0 0 ${width} ${most}`, preserveAspectRatio: "none" });
  const floor = moments.map(() => 0);
  const box = make("div", "calza-river", picture);
  box.setAttribute("aria-hidden", "true");
  for (const [seat, { letter }] of seats.entries()) {
    const low = [...floor];
    for (const [at, moment] of moments.entries()) floor[at] += moment.left[seat];
    picture.append(svg("path", { d: `${steps(floor)} ${steps(low, true)}Z`, class: `seat-${seat % 8}` }));
    const mark = make("span", "", letter);
    mark.style.top = `${((low[0] + floor[0]) / 2 / most) * 100}%`;
    box.append(mark);
  }
  for (const round of rounds.slice(1)) picture.append(svg("path", { d: `M${round.first} 0V${most}`, class: "calza-cut" }));
  return box;
}

/**
 * Heights as a line of steps; back to front to close an outline.
 * @param {number[]} heights
 */
function steps(heights, back = false) {
  const last = heights.length - 1;
  const points = heights.flatMap((height, at) => {
    const corner = at && height !== heights[at - 1] ? [[at, heights[at - 1]], [at, height]] : [];
    return at === 0 || at === last ? [...corner, [at, height]] : corner;
  });
  if (back) points.reverse();
  return points.map(([x, y], at) => `${at || back ? "L" : "M"}${x} ${y}`).join("");
}

export { river };
