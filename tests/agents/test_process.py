"""What a bot in a process of its own is told and when, how it is heard, and what is kept of it."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from calza.agents.entry import parse_entry, seat
from calza.agents.house import HouseAgent, parse_agent
from calza.agents.inline import InlinePlayer
from calza.agents.limits import Limits
from calza.agents.process import LOG, BotProcess
from calza.agents.protocol import Act, act_message, floors, lines, match_seed, view_of
from calza.matches.host import Clock, Host, Hosted, Policy, Turn
from calza.rules import CATALOG, AgentFault, Game, Rules
from calza.rules.table import lay
from tests.agents.tables import Plain, left_behind

LIARS_DICE = CATALOG["liars-dice"]
SLOW = Clock(move=20.0)

# Keeps all that it is told, in its folder; plays from a list of answers, then fairly.
RECORDER = """
import json, sys
answers = {answers}
with open("told", "a") as told:
    for line in sys.stdin:
        told.write(line)
        told.flush()
        message = json.loads(line)
        if message["type"] == "hello":
            print(json.dumps({{"protocol": 1, "name": "recorder"}}), flush=True)
        if message["type"] == "act":
            fair = "liar" if message["view"]["bids"] else "1x6"
            action = answers.pop(0) if answers else fair
            print(json.dumps({{"action": action, "sequence": message["sequence"]}}), flush=True)
"""


def recorder(folder: Path, *answers: str) -> BotProcess:
    """A bot that writes down what it is told."""
    (folder / "recorder.py").write_text(RECORDER.format(answers=list(answers)))
    bot = seat(parse_entry(f"cmd:python3 {folder}/recorder.py"), folder / "log", 5)
    assert isinstance(bot, BotProcess)
    return bot


def told(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "told").read_text().splitlines()]


def play(bot: BotProcess, rules: Rules = LIARS_DICE, clock: Clock = SLOW, policy: Policy = Policy()) -> Hosted:  # noqa: B008
    """A match of the bot in seat 0 and a plain opponent."""
    return Host(Game(rules, 2, seed=4), [bot, InlinePlayer(Plain())], ["it", "plain"], policy, clock).play()


def test_a_bot_is_told_all_it_needs_in_order(folder: Path) -> None:
    bot = recorder(folder)
    play(bot)
    play(bot)
    bot.close()
    messages = told(folder)
    kinds = [message["type"] for message in messages]
    assert kinds[:4] == ["hello", "match", "round", "act"]
    assert kinds[-2:] == ["over", "bye"]
    assert kinds.count("match") == kinds.count("over") == 2
    assert set(kinds) == {"hello", "match", "round", "act", "bid", "call", "dice", "out", "over", "bye"}
    hello, match, opening, act = messages[:4]
    assert hello == {"type": "hello", "protocol": 1, "calza": hello["calza"]}
    assert match["rules"]["name"] == "liars-dice"
    assert match["rules_id"] == LIARS_DICE.rules_id
    assert (match["seat"], match["players"], match["dice"]) == (0, ["it", "plain"], [5, 5])
    assert match["clock"] == {"move": 20.0, "bank": None, "increment": 0.0}
    assert opening["hand"] == act["view"]["hand"] == list(Game(LIARS_DICE, 2, seed=4).view(0).cup)
    assert act["legal"] == {"least": [0, 1, 1, 1, 1, 1, 1], "most": 30, "calls": []}
    assert bot.name == "recorder"


def test_a_bot_is_told_its_time(folder: Path) -> None:
    bot = recorder(folder)
    hosted = play(bot, clock=Clock(move=20.0, bank=100.0, increment=2.0))
    bot.close()
    times = [message["time"] for message in told(folder) if message["type"] == "act"]
    assert times[0] == {"left": 20.0, "bank": 100.0, "last": 0.0}
    assert [time["last"] for time in times[1:]] == hosted.seconds[0][:-1]
    assert times[1]["bank"] == 100.0 - hosted.seconds[0][0] + 2.0


def test_a_bot_is_told_why_it_was_refused(folder: Path) -> None:
    bot = recorder(folder, "1x9", "nonsense")
    hosted = play(bot, policy=Policy(illegal="retry:2"))
    bot.close()
    refused = [message["why"] for message in told(folder) if message["type"] == "refused"]
    assert refused == [fault.why for fault in hosted.faults if fault.seat == 0]
    assert refused[0] == "dice have faces 1 to 6; 1x1 is legal"
    assert refused[1].startswith("cannot read 'nonsense': write a bid such as 4x3")


def test_rulings_on_others_are_told_too(folder: Path) -> None:
    class Wrong:
        def act(self, view: object) -> str:
            return "99x9"

    for policy in ("lose-die", "forfeit"):
        bot = recorder(folder)
        Host(
            Game(LIARS_DICE, 2, seed=4), [bot, InlinePlayer(Wrong())], ["it", "wrong"], Policy(illegal=policy), SLOW
        ).play()
        bot.close()
    rulings = [message for message in told(folder) if message["type"] in ("penalty", "forfeit")]
    assert rulings[0] == {"type": "penalty", "seat": 1, "reason": "illegal"}
    assert rulings[-1] == {"type": "forfeit", "seat": 1, "reason": "illegal"}


def test_the_seed_of_a_match_is_its_own_and_the_seats() -> None:
    def seed(dice: int, seat: int, bot: int = 1) -> int:
        return match_seed(bot, Game(LIARS_DICE, 3, seed=dice), seat)

    assert seed(1, 0) == seed(1, 0)
    assert len({seed(1, 0), seed(1, 1), seed(2, 0), seed(1, 0, bot=2)}) == 4
    assert all(0 <= seed(dice, 0) < 2**32 for dice in range(50))


@pytest.mark.parametrize("rules", CATALOG.values(), ids=CATALOG)
def test_what_travels_is_the_view_and_the_floors_hold(rules: Rules) -> None:
    for number in range(6):
        players = min(rules.max_players, 2 + number % 4)
        game = Game(rules, players, seed=number)
        bot = HouseAgent(parse_agent("random"), number)
        known = floors(rules, sum(game.state.dice))
        assert len(known) == (2 if rules.special else 1)
        while not game.over and game.sequence < 300:
            view = game.view(game.turn)
            text = lines([act_message(view, Turn(None, None, 0.0))])
            assert text.endswith(b"\n")
            request = msgspec.json.decode(text, type=Act)
            assert view_of(request, lay(rules)) == view
            if view.quantity < len(known[view.mode]):
                row = known[view.mode][view.quantity][view.face]
                assert tuple(least if least <= view.most else 0 for least in row) == request.legal.least
            game.play(game.turn, bot.act(view))


# --- what is kept


def test_a_log_that_grows_too_long_is_begun_anew(folder: Path) -> None:
    (folder / "bot.py").write_text(
        "class Bot:\n    def act(self, view):\n        print('hm')\n        return 'resign'\n"
    )
    log = folder / "log"
    with log.open("wb") as file:
        file.truncate(LOG + 1)
    bot = seat(parse_entry(f"{folder}/bot.py"), log, 1)
    Host(Game(LIARS_DICE, 2, seed=4), [bot, InlinePlayer(Plain())], ["it", "plain"], clock=SLOW).play()
    bot.close()
    assert (folder / "log.1").stat().st_size == LOG + 1
    assert log.read_text().endswith("\nhm\n\n")
    assert log.stat().st_size < 100


def test_a_bot_that_says_nothing_has_no_log(folder: Path) -> None:
    bot = recorder(folder)
    play(bot)
    bot.close()
    assert not (folder / "log").exists()


# --- beginnings and ends


def test_a_bot_is_started_anew_before_its_processor_time_is_used_up(folder: Path) -> None:
    burn = "        until = time.process_time() + 0.2\n        while time.process_time() < until:\n            pass\n"
    (folder / "bot.py").write_text(
        f"import time\nclass Bot:\n    def act(self, view):\n{burn}        return 'resign'\n"
    )
    bot = seat(parse_entry(f"{folder}/bot.py", limits=Limits(cpu_seconds=2)), folder / "log", 1)
    assert isinstance(bot, BotProcess)
    processes = set()
    for _ in range(8):
        hosted = Host(Game(LIARS_DICE, 2, seed=4), [bot, InlinePlayer(Plain())], ["it", "plain"], clock=SLOW).play()
        assert not hosted.faults
        processes.add(bot.process.pid)
    bot.close()
    assert 1 < len(processes) < 8


def test_a_bot_that_cannot_start_anew_crashes_when_it_is_asked(folder: Path) -> None:
    text = "import time\nclass Bot:\n    def act(self, view):\n        time.sleep(0.6)\n        return 'resign'\n"
    (folder / "bot.py").write_text(text)
    bot = seat(parse_entry(f"{folder}/bot.py", limits=Limits(cpu_seconds=1)), folder / "log", 1)
    assert (
        not Host(Game(LIARS_DICE, 2, seed=4), [bot, InlinePlayer(Plain())], ["it", "plain"], clock=SLOW).play().faults
    )
    (folder / "bot.py").write_text("1 / 0")
    hosted = Host(Game(LIARS_DICE, 2, seed=4), [bot, InlinePlayer(Plain())], ["it", "plain"], clock=SLOW).play()
    assert [fault.kind for fault in hosted.faults] == ["crash"]
    assert hosted.faults[0].why == "bot.py cannot be loaded: ZeroDivisionError: division by zero (bot.py, line 1)"
    bot.close()
    assert not left_behind(folder)


def test_what_is_no_program_cannot_be_started(folder: Path) -> None:
    program = folder / "speaker"
    program.write_bytes(b"\x7fELF but not really")
    program.chmod(0o755)
    with pytest.raises(AgentFault, match="it cannot be started: Exec format error"):
        seat(parse_entry(f"cmd:{program}"), folder / "log", 1)


def test_a_bot_may_be_closed_twice(folder: Path) -> None:
    bot = recorder(folder)
    assert bot.alive
    bot.close()
    bot.close()
    assert not bot.alive
    with pytest.raises(AgentFault, match="its process was ended"):
        bot.act(Game(LIARS_DICE, 2, seed=4).view(0), Turn(None, None, 0.0))
