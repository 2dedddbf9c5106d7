"""The player's files: as they are, and its ES modules as one classic script, for pages that can load no modules.

A page from disk may load nothing, and a module that stands in a page has no name that another could import. So each
module becomes a function that returns what it exports. That needs no parser, since our modules keep to one form: an
import is a line `import { a, b } from "./other.js";`, the exports are one line `export { a, b };` at the end.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from importlib.resources import files

# Each after those that it imports; the last one starts the player.
MODULES = (
    "marks.js", "sight.js", "draw.js", "river.js", "story.js", "dice.js", "referee.js", "proof.js", "picture.js",
    "share.js", "review.js", "player.js", "page.js",
)  # fmt: skip
STYLES = ("paper.css", "marks.css", "player.css")
IMPORT = re.compile(r'^import (\{ .* \}) from "\./(\w+)\.js";$', re.MULTILINE)
EXPORT = re.compile(r"^export (\{ .* \});$", re.MULTILINE)


@lru_cache(maxsize=32)
def read(names: tuple[str, ...]) -> str:
    """Files of `static/`, one after the other."""
    folder = files(__package__) / "static"
    return "".join((folder / name).read_text(encoding="utf-8") for name in names)


@lru_cache(maxsize=8)
def script(names: tuple[str, ...] = MODULES) -> str:
    """Modules as one classic script; what they export is in `globalThis.calza` for the scripts after it."""
    return joined((name, read((name,))) for name in names)


def joined(modules: Iterable[tuple[str, str]]) -> str:
    """The same of any modules, each with its name."""
    named = [(name.removesuffix(".js"), text) for name, text in modules]
    parts = "".join(wrapped(name, text) for name, text in named)
    exports = ", ".join(f"...${name}" for name, _ in named)
    return f'(() => {{\n"use strict";\n{parts}globalThis.calza = {{ {exports} }};\n}})();\n'


def wrapped(name: str, text: str) -> str:
    """A module as a function that is called at once; `$` keeps its name from those inside of others."""
    body = EXPORT.sub(r"return \1;", IMPORT.sub(r"const \1 = $\2;", text))
    return f"const ${name} = (() => {{\n{body}}})();\n"
