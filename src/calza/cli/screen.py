"""Where a match is drawn: a terminal, or a stream of plain lines without any code for one.

Colours are the terminal's own few, which its owner has made readable on their background.
"""

from collections.abc import Iterator, Sequence
from errno import EPIPE
from typing import TextIO

from rich.console import Console, RenderableType
from rich.rule import Rule
from rich.text import Text

DRAWN = "┌─●■□›·"  # what drawings need beyond ASCII


class Lines(Console):
    """A console whose reader may go away: Rich would then end the program by itself."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError(EPIPE, "nobody reads this any more")


class Screen:
    """A console, and whether it can show more than ASCII."""

    def __init__(self, file: TextIO | None = None, width: int | None = None) -> None:
        self.console = Lines(file=file, width=width, highlight=False, markup=False, emoji=False)
        self.fancy = encodes(DRAWN, self.console.encoding)

    @property
    def width(self) -> int:
        """Columns."""
        return self.console.width

    def say(self, text: str, style: str = "") -> None:
        """Print a sentence, broken between words."""
        self.show(Text(text, style))

    def copyable(self, text: str) -> None:
        """Print a line that somebody may want to copy: never broken."""
        self.console.print(Text(text), soft_wrap=True)

    def gap(self) -> None:
        """Print an empty line."""
        self.console.print()

    def rule(self, title: str) -> None:
        """Print a line across, with a title in it."""
        line = "─" if self.fancy else "-"
        self.show(Rule(Text(title, "bold"), characters=line, align="left", style="dim"))

    def show(self, drawing: RenderableType) -> None:
        """Print a drawing."""
        if self.console.is_terminal:
            self.console.print(drawing)
            return
        with self.console.capture() as captured:
            self.console.print(drawing)
        # Tables fill their cells with spaces, which is noise in a file.
        for line in captured.get().splitlines():
            self.copyable(line.rstrip())


def aligned(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """The lines of a table whose cells are never broken or cut: somebody copies them."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def encodes(text: str, encoding: str) -> bool:
    """Whether `text` can be written in an encoding."""
    try:
        text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True
