"""From what the arena shows to the view that a bot plays from, and from a bot's action to what travels.

The same engine that the arena runs is set up in the same position, with our own cup in it. The other cups are anything:
a view shows nothing of them.
"""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from calza.rules import CATALOG, Action, Bid, Call, Game, MixDice, Rules, RulesError, Setup, View
from calza.rules.table import lay

from .errors import ClientError
from .replies import GamePage, Numbers, Sight


class Position(Struct, frozen=True):
    """A match at one moment, as one of its players knows it."""

    game: Game
    seat: int
    sequence: int
    names: tuple[str, ...]  # by seat

    @property
    def view(self) -> View:
        """What a bot at `seat` plays from."""
        return replace(self.game.view(self.seat), sequence=self.sequence)


def position_of(sight: Sight, rules: Rules, sequence: int) -> Position:
    """The position that the arena shows of a match; a CalzaError when it makes no sense."""
    table = sight.table or numbers_of(sight)
    cups = tuple(sight.my_dice if seat == table.seat else () for seat in range(len(table.dice)))
    setup = Setup(
        dice=table.dice,
        start=table.start,
        turn=table.turn,
        cups=cups,
        bids=table.bids,
        round=table.round,
        special=table.special,
        used=table.used,
    )
    return Position(Game.at(rules, setup, seed=MixDice(0)), table.seat, sequence, names_of(sight))


def rules_of(page: GamePage) -> Rules:
    """The rules of a game as the arena tells them, or as they are known here when it does not."""
    try:
        rules = msgspec.convert(page.rules_data, Rules) if page.rules_data else CATALOG[page.id]
        lay(rules)
    except (msgspec.ValidationError, KeyError, RulesError):
        raise ClientError(
            f"the rules of {page.id} are none that this version of calza can play; it may be too old"
        ) from None
    return rules


def against(sight: Sight) -> list[str]:
    """The names of the others, clockwise."""
    names, seat = names_of(sight), (sight.table or numbers_of(sight)).seat
    return [*names[seat + 1 :], *names[:seat]]


def names_of(sight: Sight) -> tuple[str, ...]:
    """The name of every seat."""
    if sight.players:
        return tuple(one.name for one in sight.players)
    return (sight.you, *(one.id for one in sight.opponents))


def numbers_of(sight: Sight) -> Numbers:
    """The position from what any arena of this kind shows: who is out has no seat, and one bid is known at most."""
    seats = [sight.you, *(one.id for one in sight.opponents)]
    bid = sight.current_bid
    return Numbers(
        seat=0,
        dice=(len(sight.my_dice), *(one.dice_count for one in sight.opponents)),
        bids=((seats.index(bid.player_id), f"{bid.quantity}x{bid.face_value}"),) if bid else (),
        turn=seats.index(sight.current_player) if sight.current_player in seats else 0,
        round=sight.round,
    )


# --- actions

RESIGN: Mapping[str, Any] = {"type": "resign"}


def travelling(action: Action, rules: Rules) -> Mapping[str, Any]:
    """An action as it travels: the first call of any rules is the liar call, the others are exact ones."""
    match action:
        case Bid(quantity, face):
            return {"type": "bid", "quantity": quantity, "faceValue": face}
        case Call(name):
            which = [call.name for call in rules.calls].index(name)
            return ({"type": "challenge"}, {"type": "exact"}, {"type": "exact", "reward": "gain_one"})[which]
    return RESIGN
