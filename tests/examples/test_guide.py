"""The guide to writing a bot, done as it says: its files saved, its commands run, its output compared."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from .pages import ROOT, Block, blocks

PAGE = ROOT / "docs" / "guide" / "write-a-bot.md"
SAVED = re.compile(r"Save this as `([a-z.]+)`")
NUMBER = re.compile(r"\d[\d,.]*( (µs|ms|s|times?)\b)?")


def steps() -> list[Block]:
    """What the page asks its reader to do, and what it promises."""
    return [block for block in blocks(PAGE, "python", "js", "sh", "text") if ">>>" not in block.text]


def shape(text: str) -> list[str]:
    """The words of an output; numbers and widths differ from machine to machine."""
    return NUMBER.sub("N", re.sub(r'"/[^"]*/', '"', text)).split()


def follow(every: Sequence[Block], folder: Path) -> None:
    """Do what the blocks say, in a folder of their own."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    printed = ""
    for block in every:
        if saved := SAVED.search(block.before):
            (folder / saved[1]).write_text(block.text)
        elif block.language == "sh":
            # The page shows lines as long as they are.
            done = subprocess.run(
                ["sh", "-e", "-c", block.text],
                cwd=folder,
                env=os.environ | {"PATH": path, "COLUMNS": "200"},
                capture_output=True,
                text=True,
                timeout=110,
            )
            assert done.returncode == 0, f"{block.text}\n{done.stdout}\n{done.stderr}"
            printed = done.stdout
        else:
            assert block.language == "text", f"nobody says what to do with {block.text}"
            assert shape(block.text) == shape(printed)


def test_a_bot_in_python_is_written_checked_and_entered(tmp_path: Path) -> None:
    follow([block for block in steps() if block.language != "js" and "bot.js" not in block.text], tmp_path)
    assert (tmp_path / "results" / "report.html").is_file()


def test_a_bot_in_another_language_is_written_and_checked(tmp_path: Path) -> None:
    if not shutil.which("node"):
        pytest.skip("node is not installed, which only this language needs (apt-get install nodejs)")
    follow([block for block in steps() if "MyBot" in block.text or "node" in block.text], tmp_path)
