"""What may play, from its text: read, found, refused with what would be right, and seated."""

import pickle
from pathlib import Path

import msgspec
import pytest

from calza.agents.entry import Entry, check_entry, files_of, launch_of, parse_entry, seat
from calza.agents.house import AgentError
from calza.agents.limits import Limits
from calza.agents.load import LoadError
from calza.agents.needs import NoProgram
from calza.agents.process import BotProcess
from calza.matches.host import Clock, Host
from calza.rules import CATALOG, AgentFault, Game

AGENT = """
class Bot:
    def act(self, view):
        return "liar" if view.bid else "1x6"
"""
PLAYER = """
from player import Player
class Old(Player):
    def move(self, bids, dice):
        return "Liar" if bids else (1, 6)
"""
SPEAKER = """
import sys
for line in sys.stdin:
    if '"hello"' in line:
        print('{"protocol": 1}', flush=True)
    elif '"act"' in line:
        print('{"action": "%s"}' % ("1x6" if '"bids":[]' in line else "liar"), flush=True)
"""


@pytest.fixture
def bots(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a bot of every kind, where we are."""
    (folder / "mybot.py").write_text(AGENT)
    (folder / "old.py").write_text(PLAYER)
    (folder / "speaker.py").write_text(SPEAKER)
    (folder / "mybots").mkdir()
    (folder / "mybots" / "careful.py").write_text(AGENT)
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize(
    ("text", "name", "kind", "isolation"),
    [
        ("cautious", "cautious", "house", "inline"),
        (" cautious:call=0.3 ", "cautious:call=0.3", "house", "inline"),
        ("mybots.careful:Bot", "Bot", "module", "inline"),
        ("mybots.careful", "careful", "module", "inline"),
        ("mybot:Bot", "Bot", "module", "inline"),
        ("mybot.py", "mybot", "file", "process"),
        ("mybot.py:Bot", "Bot", "file", "process"),
        ("cmd:python3 speaker.py", "speaker.py", "command", "process"),
        ("cmd:./speaker --fast", "speaker", "command", "process"),
    ],
)
def test_an_entrant_is_known_by_its_text(text: str, name: str, kind: str, isolation: str, bots: Path) -> None:
    entry = parse_entry(text)
    assert (entry.name, entry.text, entry.kind, entry.isolation) == (name, text.strip(), kind, isolation)


def test_an_entrant_may_be_called_and_confined_otherwise(bots: Path) -> None:
    entry = parse_entry("mybot.py", "Ada", "jail", bots, Limits(memory_mb=64))
    assert (entry.name, entry.isolation, entry.limits.memory_mb, entry.folder) == ("Ada", "jail", 64, str(bots))
    assert parse_entry("cautious", "", "jail").inline  # it is ours


def test_an_entrant_is_a_value(bots: Path) -> None:
    entry = parse_entry("mybot.py", limits=Limits(cpu_seconds=5))
    assert pickle.loads(pickle.dumps(entry)) == entry
    assert msgspec.json.decode(msgspec.json.encode(entry), type=Entry) == entry
    assert {entry: 1}[parse_entry("mybot.py", limits=Limits(cpu_seconds=5))] == 1


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "there is no house bot ''; there are random, skeptic"),
        ("cautios", "there is no house bot 'cautios'; did you mean cautious?"),
        ("cautious:call=2", "cautious:call is a number from 0 to 1, not '2'"),
        ("cautious:bluff=0.2", "cautious has no setting 'bluff'; it has call"),
        ("mybt.py", "there is no file mybt.py; did you mean mybot.py?"),
        ("nowhere/mybot.py", "there is no file nowhere/mybot.py"),
        ("mybots.py", "there is no file mybots.py"),
        ("./speaker", "./speaker is no bot: a Python file ends in .py, and a program is written cmd:./speaker"),
        ("cmd:", "cmd: needs a command, such as cmd:node bot.js"),
        ("cmd:''", "cmd: needs a command, such as cmd:node bot.js"),
        ("cmd:node 'bot.js", "cmd:node 'bot.js cannot be split into words: no closing quotation"),
    ],
)
def test_a_text_that_names_nothing_says_what_would_be_right(text: str, why: str, bots: Path) -> None:
    with pytest.raises(AgentError) as error:
        parse_entry(text)
    assert str(error.value).startswith(why)


def test_a_program_without_what_runs_it_is_no_module(tmp_path: Path) -> None:
    (tmp_path / "bot.js").write_text("process.exit();")
    with pytest.raises(
        AgentError, match=r"bot\.js is no bot: a program is written with what runs it, such as cmd:node"
    ):
        parse_entry("bot.js", folder=tmp_path)
    assert parse_entry("other.js", folder=tmp_path).kind == "module"


def test_a_command_has_no_inline(bots: Path) -> None:
    with pytest.raises(AgentError, match="no command plays inline"):
        parse_entry("cmd:python3 speaker.py", isolation="inline")


def test_files_are_looked_for_from_the_folder_that_is_given(bots: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")
    with pytest.raises(AgentError, match="there is no file mybot"):
        parse_entry("mybot.py")
    assert files_of(parse_entry("mybot.py:Bot", folder=bots)) == [bots / "mybot.py"]
    assert files_of(parse_entry("cmd:python3 speaker.py", folder=bots)) == [bots / "speaker.py"]
    assert files_of(parse_entry("cautious")) == files_of(parse_entry("mybots.careful:Bot")) == []


def test_what_would_fail_in_every_match_is_told_before_the_first(bots: Path) -> None:
    for text in ("cautious", "mybot.py", "mybots.careful", "cmd:python3 speaker.py"):
        check_entry(parse_entry(text))
    with pytest.raises(NoProgram, match="there is no program nodee to start"):
        check_entry(parse_entry("cmd:nodee bot.js"))
    with pytest.raises(LoadError, match=r"there is no module mybots\.bold here or installed"):
        check_entry(parse_entry("mybots.bold:Bot"))


@pytest.mark.parametrize(
    ("text", "argv", "where"),
    [
        ("cmd:python3 speaker.py", ["speaker.py"], "."),
        ("cmd:python3 mybots/careful.py mybots -v", ["{bots}/mybots/careful.py", "mybots", "-v"], "mybots"),
        ("cmd:python3 -c 1", ["-c", "1"], "."),
    ],
)
def test_a_command_runs_where_its_own_file_is(text: str, argv: list[str], where: str, bots: Path) -> None:
    launch = launch_of(parse_entry(text))
    assert launch.folder == (bots / where).resolve()
    assert list(launch.argv[1:]) == [word.format(bots=bots) for word in argv]
    assert launch.env["HOME"] == str(launch.folder)


def test_a_program_of_ones_own_runs_where_it_is(bots: Path) -> None:
    program = bots / "mybots" / "speaker"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    launch = launch_of(parse_entry("cmd:mybots/speaker --fast"))
    assert (launch.argv, launch.folder) == ((str(program), "--fast"), program.parent)


def test_a_bot_knows_nothing_of_the_hosts_environment(bots: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "xyz")
    assert "SECRET_TOKEN" not in launch_of(parse_entry("mybot.py")).env


def test_every_kind_sits_at_one_table(bots: Path) -> None:
    texts = ["cautious", "mybots.careful:Bot", "mybot.py", "old.py:Old", "cmd:python3 speaker.py"]
    entries = [parse_entry(text) for text in texts] + [parse_entry("old.py", "older", "inline")]
    players = [seat(entry, bots / f"{entry.name}.log", 1) for entry in entries]
    try:
        game = Game(CATALOG["liars-dice"], 6, seed=3)
        hosted = Host(game, players, [entry.name for entry in entries], clock=Clock(move=20.0)).play()
    finally:
        for player in players:
            player.close()
    assert hosted.finished
    assert not hosted.faults
    assert [isinstance(player, BotProcess) for player in players] == [False, False, True, True, True, False]
    assert {seat for seat, _ in game.plies} == set(range(6))


def test_a_class_that_cannot_be_made_is_a_fault_wherever_it_runs(bots: Path) -> None:
    (bots / "bad.py").write_text(AGENT + "    def __init__(self):\n        self.deck = open('cards')\n")
    for isolation in ("inline", "process"):
        with pytest.raises(AgentFault) as fault:
            seat(parse_entry("bad.py", "", isolation), bots / "log", 1)  # type: ignore[arg-type]
        assert fault.value.kind == "crash"
        assert "Bot() failed with FileNotFoundError" in fault.value.why
        assert "(bad.py, line 6)" in fault.value.why
        assert "self.deck = open('cards')" in fault.value.detail
