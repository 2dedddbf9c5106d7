"""The guide to hosting an arena: its commands are run, its files are read, its promises compared with the code."""

import configparser
import re
import shlex
from pathlib import Path

import httpx
import pytest

from calza.arena import connections
from calza.arena.api.asked import LONGEST
from calza.arena.sources import gather
from calza.cli import main
from tests.arena.server import running

from .pages import ROOT, blocks

PAGE = ROOT / "docs" / "guide" / "host-an-arena.md"
OTHERS = ("createdb", "pg_dump")  # programs of PostgreSQL


def commands() -> list[str]:
    """The commands that the page tells its reader to run."""
    lines = [line for block in blocks(PAGE, "sh") for line in block.text.splitlines()]
    return [line for line in lines if not line.startswith(OTHERS)]


def test_its_commands_do_what_they_should_while_an_arena_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with running(tmp_path, data=str(tmp_path / "calza-data")):
        for command in commands():
            calza, *words = shlex.split(command)
            assert calza == "calza"
            if words[0] == "serve":
                words.append("--show-settings")  # one runs already
            status = main(words)
            assert (status, capsys.readouterr().err) == (0, ""), command


def test_what_it_prints_is_what_is_printed(tmp_path: Path) -> None:
    with running(tmp_path) as server:
        [shown] = [block.text for block in blocks(PAGE, "text") if block.text.startswith("The arena is open")]
        assert shape(shown) == shape("\n".join(server.said))


def shape(text: str) -> list[str]:
    """The lines without what differs from machine to machine."""
    lines = [re.sub(r":\d+\b|/tmp/[^ ]*/|calza-data/", "", line) for line in text.splitlines()]
    return [re.sub(r"[^ ]+( -m)? ?calza connect", "calza connect", line).replace("data/", "") for line in lines]


def test_its_settings_are_settings(tmp_path: Path) -> None:
    [toml] = [block.text for block in blocks(PAGE, "toml")]
    (tmp_path / "calza.toml").write_text(toml)
    found = gather({}, {}, str(tmp_path / "calza.toml")).settings
    assert (found.base, found.proxies, found.data) == ("https://arena.example", ("127.0.0.1",), "/var/lib/calza")


def test_its_service_starts_an_arena() -> None:
    [text] = [block.text for block in blocks(PAGE, "ini")]
    unit = configparser.ConfigParser(strict=False)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read_string(text)
    assert shlex.split(unit["Service"]["ExecStart"])[1:] == ["serve", "--config", "/etc/calza.toml"]


def test_every_option_that_it_names_is_one(capsys: pytest.CaptureFixture[str]) -> None:
    words = set(re.findall(r"--[a-z-]+", " ".join(re.findall(r"`(calza [^`]+|--[^`]+)`", PAGE.read_text()))))
    for verb in (["serve"], ["admin", "new-key"]):
        assert main([*verb, "--help"]) == 0
    assert words
    assert words <= set(re.findall(r"--[a-z-]+", capsys.readouterr().out))


def test_its_figures_are_figures(tmp_path: Path) -> None:
    named = set(re.findall(r"`(calza_[a-z_]+)`", PAGE.read_text()))
    with running(tmp_path) as server:
        httpx.get(f"{server.url}/api/stats")
        told = set(re.findall(r"^# TYPE ([a-z_]+)", httpx.get(f"{server.url}/metrics").text, re.MULTILINE))
    assert named
    assert named <= told


def test_its_limits_are_the_limits() -> None:
    text = " ".join(PAGE.read_text().split())
    assert f"A body and a frame have {LONGEST:,} bytes at most, a head {connections.HEAD:,}" in text
    assert connections.FRAME == LONGEST
    assert f"does not come within {connections.REQUEST:g} seconds" in text
    assert f"what it is sent for {connections.STUCK:g}." in text
    assert f"closed after {connections.IDLE} seconds" in text
