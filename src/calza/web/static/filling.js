// Keeps a table that fills up to date, and goes on to its match when it has begun.
// @ts-check

const PAUSE = 1500; // milliseconds between looks

/** Look, and show what has changed; a form that somebody is busy with is left alone. */
async function look() {
  const reply = await fetch(location.href).catch(() => null);
  if (reply?.redirected) {
    location.replace(reply.url);
    return;
  }
  const shown = document.querySelector("#filling");
  if (reply?.ok && shown && !shown.contains(document.activeElement)) {
    const page = new DOMParser().parseFromString(await reply.text(), "text/html");
    const fresh = page.querySelector("#filling");
    if (fresh && seats(fresh) !== seats(shown)) shown.replaceChildren(...fresh.childNodes);
  }
  setTimeout(look, PAUSE);
}

/** @param {Element} table */
function seats(table) {
  return table.querySelector(".seats")?.textContent;
}

setTimeout(look, PAUSE);
