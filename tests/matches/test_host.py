"""Hosting: late, wrong and broken agents by every policy; clocks are turned by hand."""

from collections.abc import Sequence

import pytest

from calza.matches.host import Clock, Fault, Host, Hosted, Policy, Turn
from calza.rules import CATALOG, Action, AgentFault, Bid, CalzaError, Event, Forfeit, Game, Penalty, View
from calza.rules.events import GameOver, RoundBegan

LIARS_DICE = CATALOG["liars-dice"]


class HandClock:
    """Time passes when somebody says so."""

    def __init__(self) -> None:
        self.time = 0.0

    def __call__(self) -> float:
        return self.time


class Scripted:
    """Plays the lines of a script, then "liar" or a lowest bid; a number is time that passes, a fault is raised."""

    def __init__(self, clock: HandClock, *script: str | float | AgentFault) -> None:
        self.clock, self.script = clock, list(script)
        self.heard: list[Event] = []
        self.turns: list[Turn] = []
        self.words: list[object] = []

    def match(self, game: Game, seat: int, names: Sequence[str], clock: Clock) -> None:
        self.words.append((seat, tuple(names)))

    def seen(self, events: Sequence[Event], game: Game) -> None:
        self.heard += events

    def act(self, view: View, turn: Turn) -> Action | str:
        self.turns.append(turn)
        while self.script:
            line = self.script.pop(0)
            if isinstance(line, float):
                self.clock.time += line
            elif isinstance(line, AgentFault):
                raise line
            else:
                return line
        return "liar" if view.quantity else Bid(view.least(6), 6)

    def refused(self, why: str) -> None:
        self.words.append(why)

    def over(self, places: Sequence[int]) -> None:
        self.words.append(tuple(places))


def hosted(
    *scripts: tuple[str | float | AgentFault, ...],
    policy: Policy | None = None,
    clock: Clock | None = None,
    limit: int = 99,
) -> tuple[Hosted, Game, list[Scripted]]:
    """A match between scripts, in the order in which the seats first act."""
    game = Game(LIARS_DICE, len(scripts), seed=4)
    hand = HandClock()
    players: list[Scripted] = [Scripted(hand)] * len(scripts)
    for turn, script in enumerate(scripts):
        players[(game.turn + turn) % len(scripts)] = Scripted(hand, *script)
    host = Host(game, players, [f"p{seat}" for seat in range(len(scripts))], policy or Policy(), clock or Clock(), hand)
    return host.play(limit), game, players


def faults(one: Hosted) -> list[tuple[str, str]]:
    return [(fault.kind, fault.why) for fault in one.faults]


def test_everybody_is_told_everything() -> None:
    result, game, players = hosted((), ())
    assert result.finished
    assert not result.faults
    for seat, player in enumerate(players):
        assert player.words == [(seat, ("p0", "p1")), game.places]
        assert isinstance(player.heard[0], RoundBegan)
        assert player.heard[-1] == GameOver(places=game.places)
        assert len(result.seconds[seat]) == len(player.turns)


@pytest.mark.parametrize("line", ["1x9", "banana", "exact"])
def test_an_illegal_action_is_out_of_the_game_by_default(line: str) -> None:
    result, game, _ = hosted((line,), ())
    assert game.over
    assert isinstance(game.plies[0][1], Forfeit)
    assert [fault.sequence for fault in result.faults] == [0]
    assert result.faults[0].kind in ("illegal", "malformed")
    assert str(game.plies[0][1]) == f"forfeit:{result.faults[0].kind}"


def test_an_illegal_action_may_cost_a_die() -> None:
    _, game, _ = hosted(("1x9",), (), policy=Policy(illegal="lose-die"))
    assert game.plies[0][1] == Penalty("illegal")
    assert game.sequence > 1


def test_an_illegal_action_may_be_tried_again() -> None:
    result, game, players = hosted(("1x9", "banana", "2x3"), (), policy=Policy(illegal="retry:2"))
    assert str(game.plies[0][1]) == "2x3"
    told = [word for word in players[game.plies[0][0]].words if isinstance(word, str)]
    assert told == ["dice have faces 1 to 6; 1x1 is legal", result.faults[1].why]


def test_tries_come_to_an_end() -> None:
    result, game, _ = hosted(("1x9", "1x9", "1x9", "2x3"), (), policy=Policy(illegal="retry:2"))
    assert str(game.plies[0][1]) == "forfeit:illegal"
    assert len(result.faults) == 3


def test_a_crash_is_out_of_the_game_whatever_the_policy() -> None:
    crash = AgentFault("crash", "KeyError: 3", "Traceback ...")
    result, game, _ = hosted((crash,), (), (), policy=Policy(illegal="retry:9", timeout="lose-die"))
    assert str(game.plies[0][1]) == "forfeit:crash"
    assert result.faults == [Fault(game.plies[0][0], 0, "crash", "KeyError: 3", "Traceback ...")]
    assert result.finished


def test_a_move_that_takes_too_long_is_a_time_out() -> None:
    result, game, _ = hosted((0.3, "2x3"), (), clock=Clock(move=0.25))
    assert str(game.plies[0][1]) == "forfeit:timeout"
    assert faults(result) == [("timeout", "it took 0.300 s for a move of 0.250 s")]


def test_a_time_out_may_cost_a_die_or_be_tried_in_the_time_that_is_left() -> None:
    late = AgentFault("timeout", "it did not answer in time")
    _, game, _ = hosted((late,), (), policy=Policy(timeout="lose-die"), clock=Clock(move=1.0))
    assert game.plies[0][1] == Penalty("timeout")
    _, game, players = hosted((0.75, "1x9", "2x3"), (), policy=Policy(illegal="retry:1"), clock=Clock(move=1.0))
    assert [turn.left for turn in players[game.plies[0][0]].turns[:2]] == [1.0, 0.25]


def test_another_try_after_a_time_out_has_its_own_time() -> None:
    result, game, players = hosted(
        (1.5, "2x3", 0.5, "2x3"), (), policy=Policy(timeout="retry:1"), clock=Clock(move=1.0)
    )
    seat = game.plies[0][0]
    assert [turn.left for turn in players[seat].turns[:2]] == [1.0, 1.0]
    assert str(game.plies[0][1]) == "2x3"
    assert [word for word in players[seat].words if isinstance(word, str)] == [result.faults[0].why]


def test_a_bank_is_charged_once_for_every_try_and_filled_once_a_move() -> None:
    clock = Clock(bank=5.0, increment=0.5)
    _, game, players = hosted((1.0, "1x9", 2.0, "1x2", "3x2"), ("2x2",), policy=Policy(illegal="retry:1"), clock=clock)
    turns = players[game.plies[0][0]].turns
    assert [(turn.left, turn.bank, turn.last) for turn in turns[:3]] == [
        (5.0, 5.0, 0.0),
        (4.0, 4.0, 1.0),
        (2.5, 2.5, 2.0),
    ]


def test_an_empty_bank_is_a_time_out_however_often_it_is_tried() -> None:
    clock, policy = Clock(bank=1.0), Policy(timeout="retry:2")
    result, game, _ = hosted((2.0, "1x2", 0.5, "1x2", 0.5, "1x2"), (), policy=policy, clock=clock)
    assert [fault.kind for fault in result.faults] == ["timeout"] * 3
    assert str(game.plies[0][1]) == "forfeit:timeout"


def test_a_bank_is_spent_and_filled_by_the_increment() -> None:
    result, game, players = hosted(
        (1.0, "1x2", 2.0, "3x2", 4.0, "5x2"), ("2x2", "4x2"), clock=Clock(bank=5.0, increment=0.5)
    )
    turns = players[game.plies[0][0]].turns
    assert [turn.bank for turn in turns[:3]] == [5.0, 4.5, 3.0]
    assert [turn.last for turn in turns[:3]] == [0.0, 1.0, 2.0]
    assert faults(result) == [("timeout", "it took 4.000 s for a move of 3.000 s")]


def test_the_shorter_of_move_and_bank_counts() -> None:
    _, game, players = hosted((), (), clock=Clock(move=1.0, bank=0.5))
    assert players[game.plies[0][0]].turns[0].left == 0.5


def test_a_player_that_fails_at_listening_is_noted() -> None:
    class Deaf(Scripted):
        def seen(self, events: Sequence[Event], game: Game) -> None:
            raise AgentFault("timeout", "it does not read what it is told")

    game = Game(LIARS_DICE, 2, seed=4)
    clock = HandClock()
    result = Host(game, [Deaf(clock), Scripted(clock)], ["a", "b"], now=clock).play()
    assert result.finished
    assert {fault.why for fault in result.faults} == {"it does not read what it is told"}


def test_what_is_our_own_fault_is_nobodys() -> None:
    class Ours(Scripted):
        def act(self, view: View, turn: Turn) -> Action | str:
            raise CalzaError("the disk is full")

    game, clock = Game(LIARS_DICE, 2, seed=4), HandClock()
    with pytest.raises(CalzaError, match="the disk is full"):
        Host(game, [Ours(clock), Ours(clock)], ["a", "b"], now=clock).play()


def test_a_match_without_end_is_ended() -> None:
    result, game, _ = hosted((), (), limit=3)
    assert (result.finished, game.sequence) == (False, 3)
