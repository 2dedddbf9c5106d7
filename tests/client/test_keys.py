"""Keys of agents are kept: readable to their owner only, whole at any moment, one for each server and name."""

import os
import stat
from multiprocessing import get_context
from pathlib import Path

import pytest

from calza.client.errors import ClientError
from calza.client.keys import Key, Keys, usual_path

HERE, THERE = "http://127.0.0.1:8000", "https://arena.example"


@pytest.fixture
def keys(tmp_path: Path) -> Keys:
    """A file that is not there yet."""
    return Keys(tmp_path / "calza" / "keys.json")


def test_a_key_is_found_by_server_and_name_in_any_case(keys: Keys) -> None:
    keys.keep(HERE, Key("Crab", "1", "a"))
    keys.keep(HERE, Key("clam", "2", "b"))
    keys.keep(THERE, Key("Crab", "3", "c"))
    assert keys.find(HERE, "CRAB") == Key("Crab", "1", "a")
    assert keys.find(THERE, "crab") == Key("Crab", "3", "c")
    assert keys.find(THERE, "clam") is None


def test_a_new_key_takes_the_place_of_the_old_one(keys: Keys) -> None:
    keys.keep(HERE, Key("crab", "1", "a"))
    keys.keep(HERE, Key("Crab", "1", "b"))
    assert keys.find(HERE, "crab") == Key("Crab", "1", "b")


@pytest.mark.parametrize("mask", [0o000, 0o022])
def test_nobody_else_may_read_the_file_whatever_the_umask(keys: Keys, mask: int) -> None:
    before = os.umask(mask)
    try:
        keys.keep(HERE, Key("crab", "1", "a"))
    finally:
        os.umask(before)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in keys.path.parent.iterdir()}
    assert modes == {"keys.json": 0o600, "keys.json.lock": 0o600}
    assert stat.S_IMODE(keys.path.parent.stat().st_mode) == 0o700


def test_a_file_that_was_open_to_others_is_closed_to_them(keys: Keys) -> None:
    keys.keep(HERE, Key("crab", "1", "a"))
    keys.path.chmod(0o644)
    keys.keep(HERE, Key("clam", "2", "b"))
    assert stat.S_IMODE(keys.path.stat().st_mode) == 0o600


def test_a_file_that_cannot_be_read_is_left_as_it_is(keys: Keys) -> None:
    keys.path.parent.mkdir()
    keys.path.write_text("{ oops")
    with pytest.raises(ClientError, match="mend it or move it away"):
        keys.keep(HERE, Key("crab", "1", "a"))
    assert keys.path.read_text() == "{ oops"


def test_a_link_stays_a_link(keys: Keys, tmp_path: Path) -> None:
    keys.path.parent.mkdir()
    keys.path.symlink_to(tmp_path / "dotfiles.json")
    keys.keep(HERE, Key("crab", "1", "a"))
    assert keys.path.is_symlink()
    assert keys.find(HERE, "crab")


def keep_some(path: Path, who: int) -> None:
    """Keep ten keys."""
    for number in range(10):
        Keys(path).keep(HERE, Key(f"crab {who} {number}", "", ""))


def test_two_processes_that_keep_keys_lose_none(keys: Keys) -> None:
    context = get_context("spawn")
    processes = [context.Process(target=keep_some, args=(keys.path, who)) for who in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert all(keys.find(HERE, f"crab {who} {number}") for who in range(2) for number in range(10))


def test_they_are_where_the_desktop_keeps_such_things(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert usual_path() == tmp_path / "calza" / "keys.json"
    monkeypatch.setenv("XDG_CONFIG_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert usual_path() == tmp_path / ".config" / "calza" / "keys.json"
