"""The example agents at a running arena, and the guide to connecting one, done as it says."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from calza.client import Client
from calza.matches import verify
from tests.arena.server import Server, running

from .pages import ROOT, Block, blocks

AGENTS = ROOT / "examples" / "agents"
GUIDE = ROOT / "docs" / "guide" / "connect-an-agent.md"
USUAL = "http://127.0.0.1:8000"
PROGRAMS = ["over_http.py", "over_http.js", "over_sockets.py", "over_sockets.js"]
SAVED = re.compile(r"Save this as `([a-z.]+)`")
LINE = re.compile(r"(win|loss) http://\S+/matches/(\w+)")
PATIENCE = 100


def command(program: str, server: Server, matches: int, game: str = "liars-dice") -> list[str]:
    """A command line that lets an agent play; its key is kept in the working folder."""
    name = f"{program.replace('.', ' ')} {game}"
    if program.endswith(".js"):
        node = shutil.which("node")
        if not node:
            pytest.skip("node is not installed, which only this language needs (apt-get install nodejs)")
        return [node, str(AGENTS / program), server.url, name, str(matches), game]
    return [sys.executable, str(AGENTS / program), server.url, name, "--matches", str(matches), "--game", game]


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """An arena."""
    with running(tmp_path_factory.mktemp("arena")) as server:
        yield server


def check(server: Server, lines: list[str], many: int) -> None:
    """The matches of these lines were played to their ends by moves."""
    found = [LINE.fullmatch(line) for line in lines]
    assert len(found) == many
    with Client(server.url) as client:
        for one in found:
            assert one, lines
            record = client.record(one[2])
            verify(record)
            assert not [entry for entry in record.actions if entry.action == "resign" or ":" in entry.action]


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("game", ["liars-dice", "spot-on"])
def test_an_agent_written_from_the_guide_plays_whole_matches(
    arena: Server, tmp_path: Path, program: str, game: str
) -> None:
    for _ in range(2):  # the second time with the key that it has kept
        done = subprocess.run(
            command(program, arena, 2, game), capture_output=True, text=True, cwd=tmp_path, timeout=PATIENCE
        )
        assert (done.returncode, done.stderr) == (0, "")
        check(arena, done.stdout.splitlines(), 2)
    [kept] = tmp_path.iterdir()
    assert kept.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("program", PROGRAMS)
def test_an_agent_goes_on_when_the_arena_was_killed(tmp_path: Path, program: str) -> None:
    folder = tmp_path / "arena"
    folder.mkdir()
    with running(folder) as server:
        with subprocess.Popen(
            command(program, server, 20), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path
        ) as process:
            assert process.stdout
            first = process.stdout.readline()
            server.kill()
            server.start()
            out, err = process.communicate(timeout=PATIENCE)
        assert (process.returncode, err) == (0, "")
        check(server, [first.strip(), *out.splitlines()], 20)


# --- the guide


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """An arena where one waits a while, as in the guide."""
    with running(tmp_path_factory.mktemp("slow"), fill_after="1") as server:
        yield server


def environment(folder: Path) -> Mapping[str, str]:
    """Where nothing of the user's is touched, and `calza` and `python3` are the ones of these tests."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return os.environ | {"PATH": path, "COLUMNS": "200", "HOME": str(folder), "XDG_CONFIG_HOME": str(folder / "config")}


def shape(text: str) -> list[str]:
    """The first word of every line, addresses without what differs; whoever wins may also lose."""
    words = [line.split()[0].rstrip(",") for line in text.splitlines()]
    return [{"won": "ended", "lost": "ended"}.get(word, word.partition("://")[0]) for word in words]


def steps(page: Path) -> list[Block]:
    """What the page asks its reader to do, and what it promises; the arena itself is running."""
    return [block for block in blocks(page, "python", "sh", "text") if block.text != "calza serve\n"]


def test_the_guide_to_connecting_an_agent_holds(slow: Server, tmp_path: Path) -> None:
    if not shutil.which("curl"):
        pytest.skip("curl is not installed, with which the guide fetches a page (apt-get install curl)")
    env, printed, ran = environment(tmp_path), "", 0
    for block in steps(GUIDE):
        text = block.text.replace(USUAL, slow.url)
        if saved := SAVED.search(block.before):
            (tmp_path / saved[1]).write_text(text)
        elif block.language == "sh":
            done = subprocess.run(
                ["sh", "-e", "-c", text], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=PATIENCE
            )
            assert done.returncode == 0, f"{text}\n{done.stdout}\n{done.stderr}"
            printed, ran = done.stdout, ran + 1
        else:
            assert block.language == "text", f"nobody says what to do with {text}"
            assert shape(text) == shape(printed)
    assert ran == 6  # commands
    assert "Nothing in this record is wrong." in printed
    [kept] = (tmp_path / "config").rglob("keys.json")
    assert [len(one) for one in json.loads(kept.read_text()).values()] == [2]


def test_the_examples_page_names_every_agent_and_its_commands_work(arena: Server, tmp_path: Path) -> None:
    page = ROOT / "examples" / "README.md"
    assert all(f"(agents/{one.name})" in page.read_text() for one in AGENTS.iterdir() if one.is_file())
    [block] = [one for one in blocks(page, "sh") if USUAL in one.text]
    if not shutil.which("node"):
        pytest.skip("node is not installed, which only this language needs (apt-get install nodejs)")
    shutil.copytree(AGENTS, tmp_path / "agents")
    done = subprocess.run(
        ["sh", "-e", "-c", block.text.replace(USUAL, arena.url)],
        cwd=tmp_path, env=environment(tmp_path), capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == 4
