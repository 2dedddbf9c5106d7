// Draws who had how many dice over the whole of a film: a band for each seat, as wide as the slider that lies on it.
(() => {
  "use strict";

  const { make, svg } = globalThis.calza;

  /**
   * Who had how many dice, over the whole match: a band for each seat, under the slider's thumb.
   * @param {any} film
   */
  function river(film) {
    const { moments, seats, rounds } = film;
    const width = Math.max(1, moments.length - 1);
    const most = Math.max(1, ...moments.map((/** @type {any} */ one) => one.left.reduce((/** @type {number} */ a, /** @type {number} */ b) => a + b, 0)));
    const picture = svg("svg", { viewBox: `0 0 ${width} ${most}`, preserveAspectRatio: "none" });
    const floor = moments.map(() => 0);
    const box = make("div", "calza-river", picture);
    box.setAttribute("aria-hidden", "true");
    for (const seat of seats.keys()) {
      const low = [...floor];
      for (const at of moments.keys()) floor[at] += moments[at].left[seat];
      picture.append(svg("path", { d: `${steps(floor)} ${steps(low, true)}Z`, class: `seat-${seat % 8}` }));
      const letter = make("span", "", seats[seat].letter);
      letter.style.top = `${((low[0] + floor[0]) / 2 / most) * 100}%`;
      box.append(letter);
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

  Object.assign(globalThis.calza, { river });
})();
