"""Players of another programming game, unchanged: both shapes, their base class, and every way to answer."""

from pathlib import Path

import pytest

from calza.agents.entry import parse_entry, seat
from calza.agents.inline import InlinePlayer
from calza.agents.load import load_agent
from calza.agents.players import read_move
from calza.matches.host import Clock, Host, Hosted
from calza.rules import CATALOG, AgentFault, Bid, Call, Game
from tests.agents.tables import Plain

SPOT_ON = CATALOG["spot-on"]
FIRST = """
from player import Player

class First(Player):
    def move(self, bids, dice):
        bids.append((99, 9))  # it is a copy
        return "Liar" if len(bids) > 1 else (1, dice[0])
"""
SECOND = """
import numpy as np
from player import Player

class Second(Player):
    def __init__(self, index):
        self.index = index
        self.told = None

    def get_info(self, dice, bids, n_dice, player_order):
        self.told = (dice, bids, n_dice, player_order)
        dice.clear()

    def move(self, bids, player_dice, n_dice):
        print(self.index, self.told, player_dice, n_dice)
        if bids:
            return "Spot on, lose two"
        return (np.int64(1), np.int64(player_dice[0]))
"""
BAD = """from player import Player
class Bad(Player):
    def move(self, bids, dice):
        return {}
"""
OWN_BASE = """
class Player:
    kind = "mine"

    def move(self, bids, dice):
        raise NotImplementedError
"""


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)


def play(folder: Path, name: str, isolation: str, game: Game) -> tuple[Hosted, str]:
    """A match of a player against a plain opponent; its log."""
    log = folder / "log"
    player = seat(parse_entry(f"{folder}/{name}.py", "it", isolation), log, 1)  # type: ignore[arg-type]
    try:
        hosted = Host(game, [player, InlinePlayer(Plain())], ["it", "plain"], clock=Clock(move=20.0)).play(40)
    finally:
        player.close()
    return hosted, log.read_text() if log.exists() else ""


@pytest.mark.parametrize("isolation", ["inline", "process"])
@pytest.mark.parametrize("name", ["first", "second"])
def test_both_shapes_play_unchanged(folder: Path, name: str, isolation: str) -> None:
    write(folder, first=FIRST, second=SECOND)
    hosted, _ = play(folder, name, isolation, Game(SPOT_ON, 2, seed=4))
    assert not hosted.faults
    assert hosted.seconds[0]


def test_a_player_is_told_what_its_game_tells(folder: Path) -> None:
    write(folder, second=SECOND)
    game = Game(SPOT_ON, 2, seed=4)
    assert game.turn == 0
    first = list(game.view(0).cup)
    _, log = play(folder, "second", "process", game)
    told = log.splitlines()[1]
    # The index; dice, bids, dice of every seat and the order, lists of its own; then what it may move with.
    assert told == f"0 ([], [], [5, 5], [0, 1]) {first} [5, 5]"


def test_a_player_learns_its_seat_whatever_its_constructor_takes(tmp_path: Path) -> None:
    write(
        tmp_path,
        second=SECOND,
        first=FIRST,
        bare="class Bare:\n    def move(self, bids, dice):\n        return 'Liar'\n",
    )
    view = Game(SPOT_ON, 3, seed=1).view(2)
    for name in ("first", "second"):
        agent = load_agent(f"{tmp_path}/{name}.py")
        agent.act(view)
        assert agent.player.index == 2
    bare = load_agent(f"{tmp_path}/bare.py")
    assert bare.act(view) == Call("liar")
    assert bare.player.index == 2


def test_a_constructor_that_fails_is_not_called_another_way(tmp_path: Path) -> None:
    write(tmp_path, broken=SECOND.replace("self.told = None", "self.told = 1 + 'x'"))
    agent = load_agent(f"{tmp_path}/broken.py")
    with pytest.raises(TypeError, match="unsupported operand"):
        agent.act(Game(SPOT_ON, 2, seed=1).view(0))


def test_a_module_player_of_ones_own_is_used(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    write(tmp_path / "a", player=OWN_BASE, first=FIRST)
    write(tmp_path / "b", first=FIRST)
    assert load_agent(f"{tmp_path}/a/first.py").kind.kind == "mine"
    assert not hasattr(load_agent(f"{tmp_path}/b/first.py").kind, "kind")


@pytest.mark.parametrize(
    ("move", "action"),
    [
        ("Liar", Call("liar")),
        ("Spot on", Call("exact")),
        ("Spot on, lose two", Call("exact")),
        ("Spot on, gain one", Call("exact-gain")),
        ((3, 4), Bid(3, 4)),
        ((True, 4), Bid(1, 4)),
    ],
)
def test_what_a_player_returns_is_an_action(move: object, action: object) -> None:
    game = Game(SPOT_ON, 2, seed=1)
    assert read_move(move, game.view(0)) == action


@pytest.mark.parametrize("move", [[3, 4], (3, 4, 5), (3.0, 4), None, 7, ("3", "4")])
def test_a_bid_is_a_tuple_of_two_integers(move: object) -> None:
    with pytest.raises(AgentFault) as fault:
        read_move(move, Game(SPOT_ON, 2, seed=1).view(0))
    assert fault.value.kind == "malformed"
    assert str(fault.value) == f"a move is a string or a tuple (quantity, value), not {move!r}"


@pytest.mark.parametrize("isolation", ["inline", "process"])
@pytest.mark.parametrize(
    ("returned", "why"),
    [
        ("[1, 2]", "a move is a string or a tuple (quantity, value), not [1, 2]"),
        ("'what?'", "cannot read 'what?': write a bid such as 4x3 (four threes), or liar, exact, exact-gain or resign"),
    ],
)
def test_its_author_is_told_what_a_move_is_wherever_it_runs(
    folder: Path, returned: str, why: str, isolation: str
) -> None:
    write(folder, bad=BAD.format(returned))
    hosted, _ = play(folder, "bad", isolation, Game(SPOT_ON, 2, seed=4))
    assert [fault.why for fault in hosted.faults] == [why]


@pytest.mark.parametrize("isolation", ["inline", "process"])
@pytest.mark.parametrize(
    ("returned", "kind"), [("[1, 2]", "malformed"), ("'what?'", "malformed"), ("(1, 9)", "illegal"), ("1 / 0", "crash")]
)
def test_what_is_no_move_disqualifies_wherever_it_runs(folder: Path, returned: str, kind: str, isolation: str) -> None:
    write(folder, bad=BAD.format(returned))
    game = Game(SPOT_ON, 2, seed=4)
    hosted, _ = play(folder, "bad", isolation, game)
    assert [fault.kind for fault in hosted.faults] == [kind]
    assert str(game.plies[0][1]) == f"forfeit:{kind}"
    if kind == "crash":
        assert hosted.faults[0].why == "ZeroDivisionError: division by zero (bad.py, line 4)"
        assert "return 1 / 0" in hosted.faults[0].detail
    if (kind, isolation) == ("malformed", "process"):
        assert returned.strip("'") in hosted.faults[0].why
