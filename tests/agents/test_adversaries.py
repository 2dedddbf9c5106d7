"""Bots that do what no bot should: each ends in one sentence about its own fault, and nothing of it is left."""

import subprocess
import sys
from pathlib import Path
from time import monotonic

import pytest

from calza.agents.entry import parse_entry, seat
from calza.agents.house import AgentError
from calza.agents.inline import InlinePlayer
from calza.agents.limits import Limits
from calza.agents.process import BotProcess
from calza.matches.host import Clock, Host, Policy, Turn
from calza.rules import CATALOG, AgentFault, Game
from tests.agents.tables import ADVERSARIES, Plain, adversary, left_behind, meet

SMALL = Limits(output_mb=2, memory_mb=128, cpu_seconds=1, start_seconds=1)
SLOW = Clock(move=20.0)  # for those that end by themselves


def ending(name: str, folder: Path, clock: Clock | None = None) -> tuple[str, str]:
    """The one thing that was wrong, at a table where it costs the game."""
    end = meet(adversary(name, folder), folder, limits=SMALL, **({"clock": clock} if clock else {}))
    assert end.hosted.finished
    assert end.game.places == (2, 1)
    (told,) = end.told
    return told


@pytest.mark.parametrize(
    ("name", "kind", "why"),
    [
        ("no_method", "crash", "no_method.py has no class with a method act(self, view)"),
        ("raises", "crash", "KeyError: 'lost' (raises.py, line 9)"),
        ("leaves_in_turn", "crash", "SystemExit: 7 (leaves_in_turn.py, line 8)"),
        ("sinks", "crash", "RecursionError: maximum recursion depth exceeded (sinks.py, line 6)"),
        ("fails_in_colour", "crash", "ValueError: �[31m� (fails_in_colour.py, line 6)"),
        ("eats_memory", "crash", "MemoryError: (eats_memory.py, line 8)"),
        ("floods_log", "crash", "it wrote more than 2 MB in one match"),
        ("computes", "crash", "its process was ended by SIGKILL, as when processor time or memory runs out"),
        ("wire_exits", "crash", "its process ended with status 3"),
        ("wire_silent", "crash", "it did not say hello in 1 s"),
        ("wire_other_protocol", "crash", "this host speaks protocol 1; it wrote '{\"protocol\":99}'"),
        ("wire_chats", "crash", "its first line must be {\"protocol\": 1}; it wrote 'Hello, I am a bot!'"),
        ("wire_gigabyte", "crash", "it wrote a line of more than 65,536 bytes"),
        ("wire_gives_up", "crash", "my opponent is �[31mtoo good"),
        ("wire_leaves_children", "crash", "its process ended with status 5"),
        ("wire_leaves_daemons", "crash", "its process ended with status 6"),
        ("wire_closes_output", "crash", "it closed its standard input or output"),
        ("wire_closes_input", "crash", "it closed its standard input or output"),
        ("wire_killed", "crash", "its process was ended by SIGSEGV"),
        ("wire_too_early", "malformed", 'it spoke without being asked; it wrote \'{"action":"liar"}\''),
        ("wire_twice", "malformed", 'it spoke without being asked; it wrote \'{"action":"liar"}\''),
        ("wire_no_json", "malformed", 'it must answer {"action": "4x3"}; it wrote \'four threes, please\''),
        ("wire_no_utf8", "malformed", 'it must answer {"action": "4x3"}; it wrote \'{"action":"\ufffd\ufffd4x3"}\''),
    ],
)
def test_it_is_said_what_the_bot_did(name: str, kind: str, why: str, folder: Path) -> None:
    assert ending(name, folder, SLOW) == (kind, why)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("wire_digits", 'asked for action 1, it answered for another; it wrote \'{"action":"liar","sequence":9999'),
        ("wire_deep", 'it must answer {"action": "4x3"}; it wrote \'{"action":[[[['),
        ("half_a_character", r"cannot read '\\ud83c': write a bid such as 4x3"),
        ("wire_many_dice", "cannot read '9999999999999999999999999999999999999999': write a bid such as 4x3"),
        ("wire_future", 'asked for action 1, it answered for another; it wrote \'{"action":"liar","sequence":12345}\''),
        ("wire_gigabyte_of_lines", 'asked for action 1, it answered for another; it wrote \'{"action":"liar","seq'),
    ],
)
def test_what_cannot_be_an_answer_is_shown(name: str, why: str, folder: Path) -> None:
    kind, said = ending(name, folder, SLOW)
    assert kind == "malformed"
    assert said.startswith(why)
    assert len(said) < 200


@pytest.mark.parametrize("name", ["sleeps", "computes", "wire_half_a_line", "wire_never_reads", "wire_stops"])
def test_who_does_not_answer_is_out_of_time(name: str, folder: Path) -> None:
    assert ending(name, folder) == ("timeout", "it did not answer in time")


@pytest.mark.parametrize("line", [r"\xff", "[" * 60_000, "9" * 400, '{"protocol":[]}', "null", "", " "])
def test_a_first_line_that_is_no_hello_is_shown(line: str, folder: Path) -> None:
    (folder / "bot.py").write_text(f"import os\nos.write(1, b'{line}\\n')\nos.read(0, 1)")
    ((kind, why),) = meet(f"cmd:python3 {folder}/bot.py", folder, clock=SLOW).told
    assert kind == "crash"
    assert why.startswith('its first line must be {"protocol": 1}; it wrote \'')
    assert len(why) < 200


def test_who_ends_after_its_first_match_has_crashed_in_the_second(folder: Path) -> None:
    end = meet(adversary("wire_plays_once", folder), folder, clock=SLOW, matches=2)
    assert end.told == [("crash", "its process ended with status 0")]


def test_who_does_not_read_is_out_of_time_when_nothing_more_can_be_written(folder: Path) -> None:
    bot = seat(parse_entry(adversary("wire_never_reads", folder)), folder / "bot.log", 1)
    assert isinstance(bot, BotProcess)
    game = Game(CATALOG["liars-dice"], 2, seed=1)
    bot.match(game, 0, ["bot", "plain"], Clock())
    bot.refused("x" * 200_000)  # more than a pipe holds
    with pytest.raises(AgentFault, match="it did not read what it was told"):
        bot.act(game.view(game.turn), Turn(0.1, None, 0.0))
    bot.over(())
    bot.close()
    assert not left_behind(folder)


def test_an_author_gets_the_traceback_and_none_of_our_own(folder: Path) -> None:
    (fault,) = meet(adversary("raises", folder), folder).faults
    assert fault.detail.startswith(f'  File "{folder}/raises.py", line 6, in act\n    return self.think(view)')
    assert fault.detail.rstrip().endswith("KeyError: 'lost'")
    assert "calza" not in fault.detail.replace(str(folder), "")


def test_a_file_that_is_no_python_is_told_by_line(folder: Path) -> None:
    (folder / "bot.py").write_text((ADVERSARIES / "syntax_error.txt").read_text())
    (fault,) = meet(f"{folder}/bot.py", folder).faults
    assert fault.why == "bot.py cannot be loaded: SyntaxError: expected ':' (bot.py, line 5)"
    assert "def act(self, view)" in fault.detail


def test_a_missing_file_is_missed_before_anything_is_played(folder: Path) -> None:
    adversary("sleeps", folder)
    with pytest.raises(AgentError, match=f"there is no file {folder}/sleep.py; did you mean {folder}/sleeps.py"):
        parse_entry(f"{folder}/sleep.py")


def test_a_missing_program_is_the_bots_fault(folder: Path) -> None:
    assert meet("cmd:nodee bot.js", folder).told == [("crash", "there is no program nodee to start")]


# --- those that do nothing wrong


@pytest.mark.parametrize("name", ["prints", "talks", "forks", "wire_deaf"])
def test_what_harms_nobody_is_no_fault(name: str, folder: Path) -> None:
    end = meet(adversary(name, folder), folder, clock=SLOW)
    assert end.hosted.finished
    assert not end.faults


def test_what_a_bot_prints_is_its_log(folder: Path) -> None:
    end = meet(adversary("prints", folder), folder, clock=SLOW, matches=2)
    first, second = end.log.split("--- match of bot, plain; seat 0, seed ")[1:]
    for match in (first, second):
        assert '{"action":"99x9"}\n' in match
        assert "from below\n" in match
    assert first.split("\n")[0] != second.split("\n")[0]  # their seeds


def test_of_a_long_log_the_first_and_the_last_are_kept(folder: Path) -> None:
    end = meet(adversary("talks", folder), folder, clock=SLOW)
    assert "thought 0\n" in end.log
    assert end.log.rstrip().endswith("thought 19999")
    assert "bytes are left out here]" in end.log
    assert len(end.log) < 70_000


# --- by other policies


def test_a_late_answer_is_nobodys_answer(folder: Path) -> None:
    policy, clock = Policy(timeout="lose-die"), Clock(move=0.7)
    end = meet(adversary("wire_too_late", folder), folder, policy=policy, clock=clock)
    assert [(fault.kind, fault.why) for fault in end.faults] == [("timeout", "it did not answer in time")]
    assert [str(ply) for seat, ply in end.game.plies if seat == 0].count("penalty:timeout") == 1
    assert end.hosted.finished


def test_a_time_out_may_be_tried_again(folder: Path) -> None:
    end = meet(adversary("wire_too_late", folder), folder, policy=Policy(timeout="retry:1"), clock=Clock(move=0.7))
    assert [fault.kind for fault in end.faults] == ["timeout"]
    assert not any("penalty" in str(ply) or "forfeit" in str(ply) for _, ply in end.game.plies)


def test_what_cannot_be_read_may_cost_dice_until_there_are_none(folder: Path) -> None:
    end = meet(adversary("wire_twice", folder), folder, policy=Policy(illegal="lose-die"), clock=SLOW)
    assert {fault.kind for fault in end.faults} == {"malformed"}
    assert end.hosted.finished


def test_who_crashed_plays_its_next_match_when_it_is_seated_again(folder: Path) -> None:
    text = adversary("raises", folder)
    entry = parse_entry(text)
    for _ in range(2):
        bot = seat(entry, folder / "bot.log", 1)
        assert isinstance(bot, BotProcess)
        game = Game(CATALOG["liars-dice"], 2, seed=1)
        for _ in range(2):  # and stays so as long as it is not
            Host(game.copy(), [bot, InlinePlayer(Plain())], ["bot", "plain"]).play()
            assert not bot.alive
        bot.close()
    assert not left_behind(folder)


HOST = """
import sys, time
from pathlib import Path
from calza.agents.entry import parse_entry, seat
bots = [seat(parse_entry(text), Path(sys.argv[1], "log"), 1) for text in sys.argv[2:]]
print("seated", flush=True)
time.sleep(60)
"""


def test_no_bot_outlives_a_host_that_is_killed(folder: Path) -> None:
    bots = [adversary("prints", folder), adversary("wire_deaf", folder)]
    with subprocess.Popen([sys.executable, "-c", HOST, str(folder), *bots], stdout=subprocess.PIPE) as host:
        assert host.stdout
        assert host.stdout.readline() == b"seated\n"
        assert len(left_behind(folder)) == 2
        host.kill()
    until = monotonic() + 10
    while left_behind(folder) and monotonic() < until:
        pass
    assert not left_behind(folder)
