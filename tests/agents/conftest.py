"""What tests of foreign bots need."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that any user can reach: a jail made by root is a stranger's."""
    with tempfile.TemporaryDirectory(prefix="calza-bot-") as name:
        place = Path(name).resolve() / "bot"
        for made in (place.parent, place):
            made.mkdir(exist_ok=True)
            made.chmod(0o755)
        yield place
