// Shows the printed rules while one types: the form is sent as it would be by its button, and the answer's preview takes
// the old one's place. Without this the button does it.
// @ts-check

const form = /** @type {HTMLFormElement} */ (document.querySelector("#rules-form"));
const preview = /** @type {HTMLElement} */ (document.querySelector("#preview"));
const PAUSE = 400; // milliseconds without a change after which the rules are asked for
let waiting = 0;
let asked = 0;

/** Ask for the rules that the form makes, and show them. */
async function show() {
  const mine = ++asked;
  preview.setAttribute("aria-busy", "true");
  const reply = await fetch(form.action, { method: "POST", body: new URLSearchParams(/** @type {any} */ (new FormData(form))) });
  const page = new DOMParser().parseFromString(await reply.text(), "text/html");
  if (mine !== asked) return; // a later one is on its way
  preview.removeAttribute("aria-busy");
  const fresh = page.querySelector("#preview");
  if (fresh) preview.replaceChildren(...fresh.childNodes);
  const wrong = new Set([...page.querySelectorAll("[aria-invalid]")].map((one) => one.getAttribute("name")));
  for (const field of /** @type {NodeListOf<HTMLElement>} */ (form.querySelectorAll("[name]"))) {
    if (wrong.has(field.getAttribute("name"))) field.setAttribute("aria-invalid", "true");
    else field.removeAttribute("aria-invalid");
  }
  if (reply.redirected) history.replaceState(null, "", reply.url);
}

form.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(show, PAUSE);
});
