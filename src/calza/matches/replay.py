"""A record played again: the game before every action, and what each action did."""

from collections.abc import Iterator

from msgspec import Struct

from calza.rules import CalzaError, Event, Game, HmacDice, MixDice, Record, RecordError
from calza.rules.actions import parse_ply
from calza.rules.dice import Dice
from calza.rules.events import round_began
from calza.rules.record import HmacSource


class Step(Struct, frozen=True):
    """One action of a match: its number, who, what, when, and what happened; number -1 opens the match."""

    sequence: int
    seat: int
    action: str
    at: int | None
    events: list[Event]


def dice_of(record: Record) -> Dice:
    """The dice of a match; RecordError while the seed is not known."""
    source = record.dice
    if not isinstance(source, HmacSource):
        return MixDice(source.seed, source.game, source.rotation)
    if source.seed is None:
        raise RecordError("the seed of the dice is not in the record: it is given out when the match has ended")
    salts = [player.salt for player in record.players]
    return HmacDice(bytes.fromhex(source.seed), record.id, salts, source.rotation)


def game_of(record: Record) -> Game:
    """The game of `record` before its first action."""
    if record.setup and record.start:
        raise RecordError("start: a setup says itself how many dice there were at the start")
    try:
        if record.setup:
            return Game.at(record.rules, record.setup, seed=dice_of(record))
        return Game(record.rules, len(record.players), seed=dice_of(record), dice=record.start or None)
    except RecordError:
        raise
    except CalzaError as error:
        raise RecordError(str(error)) from None


def replay(record: Record) -> Iterator[tuple[Game, Step]]:
    """Every step with the game after it, first the opening; RecordError at the first action that cannot be played."""
    game = game_of(record)
    yield game, Step(-1, -1, "", None, [round_began(game.state)])
    for sequence, entry in enumerate(record.actions):
        try:
            events = game.carry_out(entry.seat, parse_ply(entry.action, record.rules), entry.at)
        except CalzaError as error:
            raise RecordError(f"{entry.action!r} of seat {entry.seat}: {error}", sequence) from None
        yield game, Step(sequence, entry.seat, entry.action, entry.at, events)
