// What one can take away of a moment: a link that opens there, and a picture, made in the page and by nobody else.

import { make } from "./marks.js";
import { asPng, asSvg, paintAt } from "./picture.js";

/** @import { Film } from "./film" */
/** @typedef {(at: number, view: number) => string} Address the end of a link to a moment, `#12` say */

class Share {
  /** @param {Film} film @param {Address | undefined} address */
  constructor(film, address) {
    this.film = film;
    this.address = address;
    this.at = 0;
    this.view = 0;
    this.link = /** @type {HTMLAnchorElement} */ (make("a", "", "Link to this moment"));
    this.told = make("span", "calza-told");
    this.told.setAttribute("role", "status");
    const buttons = [
      ...(address && navigator.clipboard ? [button("Copy the link", () => this.copy())] : []),
      button("Picture as SVG", () => this.picture("svg")),
      button("Picture as PNG", () => this.picture("png")),
    ];
    const link = address ? [make("p", "", this.link)] : [];
    this.root = make("details", "calza-share", make("summary", "", "Share this moment"), ...link, make("p", "calza-take", ...buttons), this.told);
  }

  /**
   * Share another moment.
   * @param {number} at @param {number} view
   */
  show(at, view) {
    this.at = at;
    this.view = view;
    this.told.textContent = "";
    if (this.address) this.link.href = this.address(at, view);
  }

  async copy() {
    try {
      await navigator.clipboard.writeText(this.link.href);
      this.told.textContent = "The link is copied.";
    } catch {
      this.told.textContent = "This browser copies nothing here; take the link itself.";
    }
  }

  /**
   * Save a picture of the moment.
   * @param {"svg" | "png"} kind
   */
  async picture(kind) {
    const paint = paintAt(this.root);
    const make = kind === "svg" ? asSvg : asPng;
    const blob = await make(this.film, this.at, this.view, paint);
    const name = `${(this.film.id || "match").replace(/[^\w-]+/g, "-")}-${this.at + 1}.${kind}`;
    save(blob, name);
    this.told.textContent = `Saved as ${name}.`;
  }
}

/** @param {string} says @param {() => void} press */
function button(says, press) {
  const one = /** @type {HTMLButtonElement} */ (make("button", "", says));
  one.type = "button";
  one.onclick = press;
  return one;
}

/**
 * Hand a file to whoever reads the page.
 * @param {Blob} blob @param {string} name
 */
function save(blob, name) {
  const link = /** @type {HTMLAnchorElement} */ (make("a"));
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000); // the browser reads it after the click
}

export { Share };
