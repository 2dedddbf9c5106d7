"""`calza connect`: as a process of its own, at a real arena on this machine."""

import json
import os
import re
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from calza.client import Client
from calza.client.replies import MatchLine
from calza.matches import verify
from calza.rules import Record
from tests.arena.server import Server, running
from tests.cli.terminal import CALZA, PATIENCE

ROOT = Path(__file__).parents[2]
MATCH = r"match \w{8} against House \w+"
RESULT = r"(won|lost), rating -?\d+\.\d -> -?\d+\.\d"


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """An arena where the house plays at once."""
    with running(tmp_path_factory.mktemp("arena")) as server:
        yield server


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """An arena where nobody comes."""
    with running(tmp_path_factory.mktemp("quiet"), fill_after="3600") as server:
        yield server


@pytest.fixture
def name(request: pytest.FixtureRequest) -> str:
    """A name that nobody else has."""
    return f"{request.node.name[5:40]}".translate(str.maketrans("[]", "  ")).strip()


def made(folder: Path) -> Path:
    """A new folder."""
    folder.mkdir()
    return folder


def environment(folder: Path) -> Mapping[str, str]:
    """Where nothing of the user's is touched."""
    return os.environ | {"XDG_CONFIG_HOME": str(folder / "config"), "XDG_STATE_HOME": str(folder / "state")}


def command(url: str, name: str, *args: str) -> list[str]:
    """A command line; the bot is a cautious one unless `args` say otherwise."""
    return [*CALZA, "connect", "--server", url, "--name", name, "--agent", "cautious", *args]


def connect(url: str, name: str, folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    """A command that ran to its end."""
    return subprocess.run(
        command(url, name, *args), capture_output=True, text=True, env=environment(folder), cwd=folder, timeout=60
    )


@contextmanager
def connected(url: str, name: str, folder: Path, *args: str) -> Iterator["subprocess.Popen[str]"]:
    """A command that runs."""
    with subprocess.Popen(
        command(url, name, *args),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(folder),
        cwd=folder,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def until(process: "subprocess.Popen[str]", words: str) -> str:
    """Read on to a line with these words."""
    assert process.stdout
    for line in process.stdout:
        if words in line:
            return line
    raise AssertionError(f"{words!r} did not come")


class Gate:
    """A bot that thinks until it is let go, once; then it plays fast."""

    def __init__(self, folder: Path) -> None:
        self.fifo, self.bot = folder / "gate", folder / "waits.py"
        os.mkfifo(self.fifo)
        self.bot.write_text(
            "class Waits:\n"
            "    waited = False\n"
            "    def act(self, view):\n"
            "        if not self.waited:\n"
            f"            open({str(self.fifo)!r}).read()\n"
            "            self.waited = True\n"
            "        return 'liar' if view.bid else '1x2'\n"
        )

    @contextmanager
    def thinking(self) -> Iterator[None]:
        """While the bot thinks: it has its turn, and lets it go at the end."""
        with self.fifo.open("w"):
            yield


def matches(server: Server, folder: Path) -> tuple[MatchLine, ...]:
    """The matches of the one agent whose key is in a folder."""
    [[kept]] = json.loads((folder / "config" / "calza" / "keys.json").read_text()).values()
    with Client(server.url, kept["key"]) as client:
        return tuple(client.matches(kept["id"]))


def records(server: Server, folder: Path) -> list[Record]:
    """The records of its matches, proved."""
    with Client(server.url) as client:
        found = [client.record(one.id) for one in matches(server, folder)]
    for record in found:
        verify(record)
    return found


# --- playing


def test_a_bot_registers_plays_and_is_known_the_next_time(arena: Server, tmp_path: Path, name: str) -> None:
    first = connect(arena.url, name, tmp_path, "--matches", "2")
    assert (first.returncode, first.stderr) == (0, "")
    kept = tmp_path / "config" / "calza" / "keys.json"
    lines = first.stdout.splitlines()
    assert lines[0] == f"registered as {name} at {arena.url}, key in {kept}"
    claim = rf"to claim it as yours: {arena.url}/claim\?agent=\w+ \(code sc-verify-[0-9a-f]{{16}}\)"
    for line, words in zip(lines[1:], (claim, MATCH, RESULT, MATCH, RESULT), strict=True):
        assert re.fullmatch(words, line), line
    [[agent]] = json.loads(kept.read_text()).values()
    assert agent["key"] not in first.stdout
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    again = connect(arena.url, name, tmp_path, "--matches", "1", "--http", "--players", "4")
    lines = again.stdout.splitlines()
    assert lines[0] == f"connected as {name} to {arena.url}"
    assert re.fullmatch(rf"{MATCH}, House \w+, House \w+", lines[1])
    assert re.fullmatch(r"(won|lost), place \d of 4, rating .*", lines[2])
    assert len(records(arena, tmp_path)) == 3


def test_every_line_may_be_json(arena: Server, tmp_path: Path, name: str) -> None:
    done = connect(arena.url, name, tmp_path, "--matches", "1", "--json")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert [event["event"] for event in events] == ["registered", "matched", "ended"]
    [line] = matches(arena, tmp_path)
    assert (events[1]["match"], events[1]["game"]) == (line.id, "liars-dice")
    assert events[2]["replay"] == f"{arena.url}/matches/{line.id}"


@pytest.mark.parametrize(("game", "more"), [("joker", []), ("spot-on", ["--http"])], ids=["sockets", "http"])
@pytest.mark.parametrize("bot", ["mine.py", f"cmd:{sys.executable} {ROOT}/examples/bots/odds.py", "bluffer"])
def test_any_bot_plays_to_the_end(arena: Server, tmp_path: Path, bot: str, game: str, more: list[str]) -> None:
    name = f"{game} {bot[-4:]}".replace(".", "")
    (tmp_path / "mine.py").write_text(
        "class Mine:\n"
        "    def act(self, view):\n"
        "        print('hm')\n"
        "        return view.legal().calls[0] if view.bid else '1x2'\n"
    )
    done = connect(arena.url, name, tmp_path, "--agent", bot, "--matches", "1", "--game", game, *more)
    assert (done.returncode, done.stderr) == (0, "")
    [record] = records(arena, tmp_path)
    assert record.rules.name == game
    assert not [entry for entry in record.actions if ":" in entry.action], "nobody is late, and nobody resigns"
    assert max(record.places) == 2
    if bot == "mine.py":
        [log] = (tmp_path / "state" / "calza" / "logs").iterdir()
        assert "hm" in log.read_text()


def test_what_a_bot_did_wrong_is_on_standard_error(arena: Server, tmp_path: Path, name: str) -> None:
    (tmp_path / "breaks.py").write_text("class Breaks:\n    def act(self, view):\n        return {}['dice']\n")
    done = connect(arena.url, name, tmp_path, "--agent", "breaks.py", "--matches", "1")
    assert done.returncode == 0
    assert done.stderr.startswith("crash: KeyError: 'dice'")
    assert "; it resigns the match\n  | " in done.stderr
    assert "lost, by resignation, rating" in done.stdout


@pytest.mark.parametrize(
    ("end", "more"), [(Server.kill, []), (Server.kill, ["--http"]), (Server.stop, [])], ids=["kill", "http", "stop"]
)
def test_a_restart_costs_no_turn(tmp_path: Path, name: str, end: Callable[[Server], object], more: list[str]) -> None:
    gate = Gate(tmp_path)
    with (
        running(made(tmp_path / "arena")) as server,
        connected(server.url, name, tmp_path, "--agent", str(gate.bot), "--matches", "1", *more) as process,
    ):
        until(process, "match ")
        with gate.thinking():
            end(server)
            server.start()
        out, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, err
        assert re.search(RESULT, out)
        [record] = records(server, tmp_path)
        assert not [entry for entry in record.actions if ":" in entry.action]
        assert len(record.actions) > 3


def test_only_one_command_of_an_agent_waits(quiet: Server, tmp_path: Path, name: str) -> None:
    with connected(quiet.url, name, tmp_path) as first:
        until(first, "queued for liars-dice")
        with connected(quiet.url, name, tmp_path) as second:
            until(second, "queued for liars-dice")
            _, err = first.communicate(timeout=PATIENCE)
            assert first.returncode == 2
            assert err == f"calza: another connection of {name} has taken over; only one can wait for matches\n"
            second.send_signal(signal.SIGTERM)
            assert second.wait(PATIENCE) == 128 + signal.SIGTERM


# --- stopping


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_in_the_queue_leaves_it(quiet: Server, tmp_path: Path, name: str, number: signal.Signals) -> None:
    with connected(quiet.url, name, tmp_path) as process, Client(quiet.url) as client:
        until(process, "queued for liars-dice (position 1)")
        assert client.stats().queue["liars-dice"] == 1
        process.send_signal(number)
        out, err = process.communicate(timeout=PATIENCE)
        assert (process.returncode, out, err) == (128 + number, "", "")
        assert not client.stats().queue.get("liars-dice")


def test_control_c_in_a_match_finishes_it(arena: Server, tmp_path: Path, name: str) -> None:
    gate = Gate(tmp_path)
    with connected(arena.url, name, tmp_path, "--agent", str(gate.bot)) as process:
        until(process, "match ")
        with gate.thinking():
            process.send_signal(signal.SIGINT)
            until(process, "then stopping; Ctrl-C again to go at once")
        out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (130, "")
    assert re.fullmatch(f"{RESULT}\n", out)
    assert len(records(arena, tmp_path)) == 1


def test_control_c_again_goes_at_once_and_the_match_can_be_gone_on_with(
    arena: Server, tmp_path: Path, name: str
) -> None:
    gate = Gate(tmp_path)
    with connected(arena.url, name, tmp_path, "--agent", str(gate.bot)) as process:
        until(process, "match ")
        with gate.thinking():
            process.send_signal(signal.SIGINT)
            until(process, "finishing match")
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out, err) == (130, "", "")
    [line] = matches(arena, tmp_path)
    assert line.finished_at is None
    again = connect(arena.url, name, tmp_path, "--matches", "1")
    assert f"match {line.id[:8]} against House" in again.stdout
    assert len(records(arena, tmp_path)) == 1


def test_nobody_who_reads_it_is_no_reason_for_a_traceback(arena: Server, tmp_path: Path, name: str) -> None:
    with connected(arena.url, name, tmp_path) as process:
        until(process, "match ")
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        assert process.wait(PATIENCE) == 141
        assert process.stderr.read() == ""


# --- what is wrong


def test_what_is_wrong_is_said_in_one_sentence(arena: Server, tmp_path: Path, name: str) -> None:
    def says(why: str, *args: str, url: str = arena.url) -> None:
        done = connect(url, name, tmp_path, *args)
        assert (done.returncode, done.stdout) == (2, "")
        assert re.fullmatch(f"calza: .*{why}.*\n", done.stderr), done.stderr

    says(r"there is no file none\.py", "--agent", "none.py")
    says("there is no such game; there are liars-dice, ", "--game", "poker")
    says("no address of an arena", url="ftp://127.0.0.1")
    says("cannot reach http://127.0.0.1:1: ", url="http://127.0.0.1:1")
    with Client(arena.url) as client:
        client.register(name)
    says("somebody is called .* at .*, and .* has no key for it; choose another --name")


def test_a_key_that_opens_nothing_any_more_is_kept(tmp_path: Path, name: str) -> None:
    with running(made(tmp_path / "first")) as server:
        assert connect(server.url, name, tmp_path, "--matches", "1").returncode == 0
        port = str(server.port)
    kept = (tmp_path / "config" / "calza" / "keys.json").read_text()
    with running(made(tmp_path / "second"), port=port) as server:  # at the same address, and knows nobody
        done = connect(server.url, name, tmp_path, "--matches", "1")
    assert done.returncode == 2
    assert re.fullmatch(
        r"calza: .* does not know the key of .* in .*keys\.json; .*remove the entry there and connect again\n",
        done.stderr,
    )
    assert (tmp_path / "config" / "calza" / "keys.json").read_text() == kept


def test_help_does_not_wait_for_httpx() -> None:
    code = "import sys; from calza.cli import main; main(['connect', '--help']); print('httpx' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.endswith("False\n")
