"""The check of a bot: what it is put through, what is noticed, and what is said of it."""

import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from msgspec.structs import replace

from calza.agents.check import ENOUGH, Check
from calza.agents.entry import Isolation, parse_entry
from calza.agents.findings import Findings, Problem, Settings, remarks, share, span, verdict
from calza.agents.trials import Trial, sizes, trials
from calza.agents.watched import Enough, Watched, contained, peak
from calza.matches.host import Clock, Turn
from calza.rules import CATALOG, Action, AgentFault, Bid, CalzaError, Event, Game, Rules, Setup, View
from calza.rules.events import BidMade, RoundBegan
from tests.strategies import any_rules

EVERY = list(CATALOG.values())
SNYD, PERUDO = CATALOG["snyd"], CATALOG["perudo"]
QUICK = Settings(rounds=1, move=30.0, budget=100.0)  # a busy machine says nothing about a bot

LOWEST = """
class Lowest:
    def act(self, view):
        bids = [f"{least}x{face}" for face, least in enumerate(view.legal().least) if least]
        return min(bids) if bids else view.legal().calls[0]
"""
HIGHER = """
class Higher:
    def act(self, view):
        return f"{view.quantity + 1}x1"
"""
LOSES_ITS_HEAD = """
class Odd:
    def act(self, view):
        if view.special:
            return {}["special"]
        return view.legal().calls[0] if view.bid else f"{view.least(6)}x6"
"""
CHANCY = """
import {source}
class Chancy:
    def act(self, view):
        actions = list(view.legal())[:-1]
        return actions[{choice}]
"""


def checked(
    folder: Path,
    text: str,
    rules: Sequence[Rules] = (SNYD,),
    isolation: Isolation = "inline",
    settings: Settings = QUICK,
    now: Callable[[], float] | None = None,
) -> Findings:
    """What a check finds of a bot with this text."""
    (folder / "mine.py").write_text(text)
    entry = parse_entry("mine.py", "", isolation, folder=str(folder))
    check = Check(entry, folder, rules, settings, now=now) if now else Check(entry, folder, rules, settings)
    return check.run()


# --- the trials


@pytest.fixture(scope="module")
def every() -> list[Trial]:
    return trials(EVERY, seed=3, rounds=1)


def test_every_trial_is_a_game_with_something_to_do(every: list[Trial]) -> None:
    for trial in every:
        game = trial.game(seed=3)
        legal = game.legal(game.turn)
        assert legal.bids or legal.calls, trial.where


@settings(max_examples=20)
@example(replace(PERUDO, name="low", cap=3))
@example(replace(CATALOG["joker"], name="short", end="round"))
@given(any_rules)
def test_any_rules_have_trials(rules: Rules) -> None:
    for trial in trials([rules], seed=1, rounds=1):
        game = trial.game(seed=1)
        assert game.legal(game.turn).bids or game.legal(game.turn).calls, trial.where


def test_every_table_of_every_variant_comes_first(every: list[Trial]) -> None:
    tables = [(rules, seats) for rules in EVERY for seats in sizes(rules)]
    assert [(trial.rules, trial.seats) for trial in every[: len(tables)]] == tables
    assert {trial.stage for trial in every[: len(tables)]} == {"table"}


def test_the_same_seed_gives_the_same_trials(every: list[Trial]) -> None:
    assert trials(EVERY, seed=3, rounds=1) == every
    assert trials(EVERY, seed=4, rounds=1) != every


def test_every_variant_has_what_is_rare_in_it(every: list[Trial]) -> None:
    for rules in EVERY:
        rare = [(one.about, one.game(3)) for one in every if one.stage == "rare" and one.rules == rules]
        seen = {about for about, _ in rare}
        most, least = sizes(rules)[-1], sizes(rules)[0]
        assert {game.state.total for about, game in rare if about == "one die each"} == {least, most}
        assert {game.state.total for about, game in rare if about == "15 dice each"} == {15 * least, 15 * most}
        assert {game.legal(game.turn).bids for about, game in rare if about == "only calls are legal"} == {0}
        assert {"a long row of bids", "15 dice against one", "late in a long match"} < seen
        assert ("a special round to open" in seen) == (rules.special is not None)
        assert ("all but two out" in seen) == (rules.end == "last" and most > 2)
        assert ("very many dice" in seen) == (rules.gain == "none")
        assert ("a bid of more dice than there are" in seen) == (rules.cap != "dice")


def test_special_rounds_are_special_and_have_their_bids(every: list[Trial]) -> None:
    games = [(trial.about, trial.game(3)) for trial in every if trial.about.startswith("a special round")]
    assert games
    for about, game in games:
        assert game.state.mode == 1
        assert bool(game.said) == ("to open" not in about)


def test_positions_have_any_dice_and_any_bids() -> None:
    games = [one.game(1) for one in trials([PERUDO], seed=1, rounds=8) if one.stage == "middle"]
    assert {len(game.said) for game in games} >= {0, 1, 2, 3}
    assert any(0 in game.state.dice for game in games)
    assert any(game.state.mode for game in games)


# --- the bot in its seat


class Scripted:
    """Says its lines, and remembers what it is told."""

    def __init__(self, *lines: Action | str) -> None:
        self.lines, self.told = list(lines), list[object]()

    def match(self, game: Game, seat: int, names: Sequence[str], clock: Clock) -> None:
        """A match begins."""

    def seen(self, events: Sequence[Event], game: Game) -> None:
        self.told += events

    def act(self, view: View, turn: Turn) -> Action | str:
        self.told.append(turn)
        return self.lines.pop(0)

    def refused(self, why: str) -> None:
        self.told.append(why)

    def over(self, places: Sequence[int]) -> None:
        """The match has ended."""


def standing() -> float:
    return 0.0


def to_act(game: Game) -> View:
    return game.view(game.turn)


def test_a_bot_is_told_the_bids_that_led_to_its_position() -> None:
    game = Game.at(PERUDO, Setup(dice=(2, 3, 2), bids=((1, "1x2"), (2, "2x3"))), seed=1)
    bot = Scripted()
    Watched(bot, 9, 9.0, standing).seen([RoundBegan(round=1, seat=0, dice=(2, 3, 2))], game)
    assert bot.told == [
        RoundBegan(round=1, seat=1, dice=(2, 3, 2)),
        BidMade(seat=1, quantity=1, face=2),
        BidMade(seat=2, quantity=2, face=3),
    ]


def test_a_legal_action_is_refused_once_and_asked_for_again_in_the_time_that_is_left() -> None:
    times = iter([0.0, 1.5, 2.0, 2.5])
    bot = Scripted("2x3", Bid(2, 4))
    watched = Watched(bot, 9, 9.0, lambda: next(times), refuses=True)
    assert watched.act(to_act(Game(PERUDO, 2, seed=1)), Turn(2.0, None, 0.0)) == Bid(2, 4)
    first, why, second = bot.told
    assert (first, second) == (Turn(2.0, None, 0.0), Turn(0.5, None, 0.0))
    assert str(why).startswith("2x3: it would be legal")
    assert [answer.said for answer in watched.answers] == ["2x3", "2x4"]
    assert (watched.refused_once, watched.stubborn) == (True, False)


@pytest.mark.parametrize("line", ["99x3", "banana", "liar"])
def test_what_is_illegal_anyway_is_left_to_the_host_to_refuse(line: str) -> None:
    watched = Watched(Scripted(line), 9, 9.0, standing, refuses=True)
    assert watched.act(to_act(Game(PERUDO, 2, seed=1)), Turn(None, None, 0.0)) == line
    assert not watched.refused_once


def test_a_bot_is_asked_at_least_once_and_then_until_it_is_enough() -> None:
    view, turn = to_act(Game(PERUDO, 2, seed=1)), Turn(None, None, 0.0)
    by_moves, by_time = Watched(Scripted(*"abc"), 2, 9.0, standing), Watched(Scripted(*"abc"), 9, -1.0, standing)
    assert [by_moves.act(view, turn), by_moves.act(view, turn), by_time.act(view, turn)] == ["a", "b", "a"]
    for watched in (by_moves, by_time):
        with pytest.raises(Enough):
            watched.act(view, turn)
        watched.refused("try again")  # within the same turn it is asked whatever the time
        assert watched.act(view, turn) in ("b", "c")


def hang(catches: int) -> None:
    """Never return, and catch so many interruptions."""
    while True:
        try:
            while True:
                pass
        except BaseException:
            catches -= 1
            if catches < 0:
                raise


def test_what_hangs_in_this_process_is_interrupted_until_it_ends() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with pytest.raises(AgentFault, match=r"did not answer in 0\.05 s"), contained(0.05):
        hang(catches=1)
    assert signal.getsignal(signal.SIGALRM) == before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_what_exits_in_this_process_has_crashed() -> None:
    with pytest.raises(AgentFault, match=r"it called exit\(3\)"), contained(None):
        sys.exit(3)


def test_the_memory_of_nobody_is_nothing() -> None:
    assert peak(2**22 + 1) == 0


# --- what a check finds


@pytest.mark.parametrize("isolation", ["inline", "process"])
def test_a_legal_bot_is_fit(tmp_path: Path, isolation: Isolation) -> None:
    found = checked(tmp_path, LOWEST, EVERY, isolation)
    assert found.fit
    assert found.deterministic
    assert not found.stopped
    assert found.matches == found.planned
    assert [row.rules for row in found.rows if row.ended] == EVERY
    assert found.refused == len(EVERY)
    assert (found.memory or 0) > 1_000_000 or isolation == "inline"
    assert verdict(found) == f"mine is fit to enter: all of its {len(found.seconds):,} moves were legal and in time."


def test_a_bot_that_starts_others_is_told_that_a_jail_refuses_it(tmp_path: Path) -> None:
    starts = LOWEST.replace("class ", "import subprocess\nHELD = subprocess.Popen(['sleep', '60'])\nclass ", 1)
    found = checked(tmp_path, starts, [CATALOG["liars-dice"]], "process")
    assert (found.fit, found.others) == (True, 1)
    assert "It had started 1 other process, which a jail refuses: try it with --isolation jail." in list(remarks(found))


def test_an_illegal_bot_is_shown_what_it_was_asked(tmp_path: Path) -> None:
    found = checked(tmp_path, HIGHER, [CATALOG["liars-dice"]])
    assert not found.fit
    problem = found.problems[0]
    why = "31x1 is too many: a bid names at most 30 dice, the rules allow no more; liar is legal"
    assert (problem.kind, problem.why) == ("illegal", why)
    assert problem.request
    assert problem.request.legal.least == (0,) * 7
    assert problem.answer
    assert problem.answer.said == "31x1"
    assert sum(problem.times for problem in found.problems) == found.faults["illegal"]
    assert verdict(found) == f"mine is not fit to enter: {found.faults['illegal']:,} illegal actions."
    assert any("that gains nothing" in remark for remark in remarks(found))


@pytest.mark.parametrize("isolation", ["inline", "process"])
def test_a_bot_that_crashes_goes_on_until_that_is_enough(tmp_path: Path, isolation: Isolation) -> None:
    found = checked(tmp_path, LOSES_ITS_HEAD, [PERUDO], isolation)
    assert len(found.problems) == 1
    problem = found.problems[0]
    assert (problem.kind, problem.times) == ("crash", ENOUGH["crash"])
    assert problem.trial
    assert problem.trial.rules == PERUDO
    assert "KeyError: 'special'" in problem.why
    assert 'mine.py", line 5, in act' in problem.detail
    assert problem.answer
    assert problem.answer.view.special
    assert found.matches > ENOUGH["crash"] + 5  # it is started again, and plays until the next special round
    assert found.stopped == "10 crashes were enough"
    assert not found.twice


@pytest.mark.parametrize("isolation", ["inline", "process"])
def test_a_bot_that_hangs_is_soon_given_up(tmp_path: Path, isolation: Isolation) -> None:
    hangs = "class Hangs:\n    def act(self, view):\n        while True: pass\n"
    found = checked(tmp_path, hangs, EVERY, isolation, Settings(rounds=1, move=0.05))
    assert found.faults["timeout"] == found.matches == 3
    assert found.stopped == "3 time-outs were enough"
    assert "3 time-outs" in verdict(found)


@pytest.mark.parametrize("isolation", ["inline", "process"])
def test_a_bot_that_does_not_start_is_told_why(tmp_path: Path, isolation: Isolation) -> None:
    found = checked(tmp_path, "class Broken:\n    def act(self, view)\n", EVERY, isolation)
    assert (found.fit, found.started, found.matches) == (False, None, 0)
    assert "line 2" in found.problems[0].why + found.problems[0].detail
    assert found.problems[0].where == "at its start"
    assert verdict(found) == "mine is not fit to enter: it does not start."


@pytest.mark.parametrize("isolation", ["inline", "process"])
def test_chance_that_comes_from_the_seed_is_played_again(tmp_path: Path, isolation: Isolation) -> None:
    text = CHANCY.format(source="random", choice="random.randrange(len(actions))")
    found = checked(tmp_path, text, [PERUDO], isolation)
    assert found.deterministic
    assert found.twice > 20


@pytest.mark.parametrize("isolation", ["inline", "process"])
def test_other_chance_is_noticed_and_no_reason_not_to_enter(tmp_path: Path, isolation: Isolation) -> None:
    text = CHANCY.format(source="os", choice="os.urandom(1)[0] % len(actions)")
    found = checked(tmp_path, text, [PERUDO], isolation)
    assert found.fit
    assert found.deterministic is False
    assert found.difference
    assert found.difference.first != found.difference.second
    assert any("cannot be repeated" in remark for remark in remarks(found))


def test_a_slow_bot_sees_every_table_before_the_time_is_over(tmp_path: Path) -> None:
    ticks = iter(range(10**9))
    found = checked(tmp_path, LOWEST, EVERY, "inline", Settings(budget=60.0, move=9.0), lambda: next(ticks) / 200)
    assert found.fit
    assert found.stopped == "the 60 seconds of a check were over"
    assert all(row.matches >= len(sizes(row.rules)) for row in found.rows)
    assert found.matches < found.planned
    assert "fit to enter, as far as it was tried" in verdict(found)


def test_rules_that_nobody_can_be_checked_with_are_refused(tmp_path: Path) -> None:
    crowd = replace(SNYD, name="crowd", min_players=7, max_players=9)
    with pytest.raises(CalzaError, match="crowd is no game for 2 to 6 players"):
        checked(tmp_path, LOWEST, [crowd])


# --- in plain words


def test_a_share_of_the_moves_kept_within_a_time() -> None:
    hundred = [float(one) for one in range(100, 0, -1)]
    assert [share(hundred, part) for part in (0.5, 0.99, 1.0)] == [50.0, 99.0, 100.0]
    assert [share([7.0], part) for part in (0.5, 1.0)] == [7.0, 7.0]
    assert share([], 0.5) == 0.0


def test_times_have_a_unit_that_suits_them() -> None:
    assert [span(one) for one in (2.0, 0.25, 0.00012345, 65.4321)] == ["2 s", "250 ms", "123 µs", "65.4 s"]


def test_like_problems_are_told_as_one() -> None:
    found = Findings(parse_entry("cautious"), Settings(), [])
    for why in ("4x3 is too low after four fours; 5x3 is legal", "2x1 is too low after five sixes; 3x1 is legal"):
        found.add(Problem("illegal", why, "", None, None))
    for detail in ('line 3\nKeyError: "a"', 'line 9\nKeyError: "a"', "line 9\nValueError: 7"):
        found.add(Problem("crash", "its process ended with status 1", detail, None, None))
    assert [(problem.kind, problem.times) for problem in found.problems] == [("illegal", 2), ("crash", 2), ("crash", 1)]
