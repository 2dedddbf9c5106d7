"""What the tests read from pages of documentation: blocks by their language, with the sentence before each."""

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"(?P<before>[^\n]*)\n+```(?P<language>[a-z]+)\n(?P<text>.*?)```", re.DOTALL)


class Block(NamedTuple):
    """A fenced block of a page."""

    before: str
    language: str
    text: str


def blocks(page: Path, *languages: str) -> list[Block]:
    """The blocks of a page in some languages, in their order."""
    found = [Block(**match.groupdict()) for match in BLOCK.finditer(page.read_text())]
    return [block for block in found if block.language in languages]
