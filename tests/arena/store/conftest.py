"""Every test of the store runs three times: in memory, on a file, and on PostgreSQL."""

from pathlib import Path

import pytest

from .desk import Opened


@pytest.fixture(params=["memory", "file", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a new, empty store may be."""
    match request.param:
        case "memory":
            return "sqlite://"
        case "file":
            return f"sqlite:///{tmp_path}/arena.sqlite"
    return str(request.getfixturevalue("postgres").database())


@pytest.fixture
def opened(url: str) -> Opened:
    """Does something with a new store."""
    return Opened(url)


@pytest.fixture(params=["file", "postgres"])
def on_disk(request: pytest.FixtureRequest, tmp_path: Path) -> Opened:
    """The same, with a store that outlives whoever opened it."""
    if request.param == "file":
        return Opened(f"sqlite:///{tmp_path}/arena.sqlite")
    return Opened(str(request.getfixturevalue("postgres").database()))
