"""The script of the live table: its modules, the player's dice and figures, and its texts, as one file."""

from importlib.resources import files

import msgspec

from calza.rules.actions import FACES, NUMBERS
from calza.show import bundle

from .texts import Texts, english

# Each after those that it imports; the last one makes the element.
MODULES = (
    "words.js", "legal.js", "seen.js", "buttons.js", "chair.js", "clock.js", "board.js", "choice.js", "feed.js",
    "help.js", "odds.js", "over.js", "panel.js", "sound.js", "story.js", "talk.js", "scene.js", "table.js",
)  # fmt: skip
TEXTS = "table."  # what the keys of its texts begin with


def script() -> str:
    """The file. It needs no other, and runs once the page is read."""
    folder = files(__package__) / "static" / "table"
    own = [(name, (folder / name).read_text(encoding="utf-8")) for name in MODULES]
    return bundle.joined([("marks.js", bundle.read(("marks.js",))), ("texts.js", texts(english())), *own])


def texts(catalogue: Texts) -> str:
    """The texts of the table as a module."""
    said = {key.removeprefix(TEXTS): text for key, text in catalogue.lines.items() if key.startswith(TEXTS)}
    values = {"TEXTS": said, "NUMBERS": NUMBERS, "FACE": NUMBERS, "FACES": FACES}
    lines = [f"const {name} = {msgspec.json.encode(value).decode()};\n" for name, value in values.items()]
    return "".join(lines) + "export { FACE, FACES, NUMBERS, TEXTS };\n"
