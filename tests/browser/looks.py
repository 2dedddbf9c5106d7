"""How a page looks, measured in the browser."""

from playwright.sync_api import Page

CONTRAST = """() => {
  const paint = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (color) => {
    paint.clearRect(0, 0, 1, 1);
    paint.fillStyle = color;
    paint.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = paint.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = rgba(getComputedStyle(at).backgroundColor);
      if (color[3] > 0.99) return color;
    }
    return [255, 255, 255, 1];
  };
  const found = [];
  for (const element of document.body.querySelectorAll("*")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    const box = element.getBoundingClientRect();
    if (!own || !box.width || box.width < 2 || element.closest(".calza-river, noscript, script")) continue;
    const style = getComputedStyle(element);
    const drawn = element instanceof SVGElement;
    const a = light(rgba(drawn ? style.fill : style.color));
    const b = light(behind(element));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const where = `${element.tagName}.${element.getAttribute("class")}`;
    found.push([ratio, large, `${where}: ${element.textContent.trim().slice(0, 30)}`]);
  }
  return found;
}"""


def faint(page: Page) -> list[str]:
    """Texts that stand out from what is behind them by less than WCAG 2 wants: 4.5 to 1, or 3 to 1 for large ones."""
    found = page.evaluate(CONTRAST)
    assert len(found) > 10, "a page has texts"
    return [f"{ratio:.2f} {where}" for ratio, large, where in found if ratio < (3 if large else 4.5)]


def width(page: Page) -> int:
    """How wide the whole page is, in pixels."""
    return int(page.evaluate("document.documentElement.scrollWidth"))
