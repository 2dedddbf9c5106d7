// Gives every command on the page a button that copies it.
// @ts-check

for (const figure of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("figure.command"))) {
  const code = figure.querySelector("code");
  const caption = figure.querySelector("figcaption");
  if (!code || !caption || !navigator.clipboard) continue;
  const { copy = "", copied = "" } = figure.dataset;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = copy;
  button.setAttribute("aria-label", `${copy}: ${caption.textContent}`);
  button.onclick = async () => {
    await navigator.clipboard.writeText(code.textContent ?? "");
    button.textContent = copied;
    setTimeout(() => (button.textContent = copy), 2000);
  };
  caption.append(button);
}
