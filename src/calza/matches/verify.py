"""Proving a record: every die re-derived, every action played again, every claim compared."""

from msgspec import Struct

from calza.rules import Record, RecordError
from calza.rules.dice import commitment
from calza.rules.events import RoundBegan
from calza.rules.record import HmacSource

from .replay import dice_of, replay


class Verdict(Struct, frozen=True):
    """What was proved of a record in which nothing is wrong."""

    rules: str
    stream: str
    committed: bool  # whether the dice were committed to before the match
    seated: bool  # whether the seats were drawn from the same dice
    finished: bool
    actions: int
    rounds: int
    dice: int  # rolled and re-derived


def verify(record: Record) -> Verdict:
    """What is proved; RecordError at the first thing that is wrong."""
    check_rules(record)
    check_dice(record)
    check_seats(record)
    check_times(record)
    rounds = dice = 0
    places: tuple[int, ...] = ()
    for game, step in replay(record):
        began = [event for event in step.events if isinstance(event, RoundBegan)]
        rounds, dice = rounds + len(began), dice + sum(sum(event.dice) for event in began)
        places = game.places
    check_places(record, places)
    committed = isinstance(record.dice, HmacSource)
    return Verdict(
        rules=record.rules.name,
        stream="hmac-1" if committed else "mix-1",
        committed=committed,
        seated=bool(record.seats),
        finished=bool(places),
        actions=len(record.actions),
        rounds=rounds,
        dice=dice,
    )


def check_rules(record: Record) -> None:
    """The rules are the ones that the record names."""
    if record.rules.rules_id != record.rules_id:
        raise RecordError(f"rulesId does not belong to these rules, whose id is {record.rules.rules_id}")


def check_dice(record: Record) -> None:
    """The seed is the one that was committed to."""
    dice_of(record)  # which says so when the seed is not known
    if isinstance(record.dice, HmacSource) and record.dice.seed:
        made = commitment(bytes.fromhex(record.dice.seed))
        if made != record.dice.commitment:
            raise RecordError(f"the seed is not the one committed to: its commitment would be {made}")


def check_seats(record: Record) -> None:
    """Everybody sits once, and where the dice put them."""
    players = len(record.players)
    if record.setup and len(record.setup.dice) != players:
        raise RecordError(f"seats: {players} players for a setup of {len(record.setup.dice)} seats")
    if record.seats and sorted(record.seats) != list(range(players)):
        raise RecordError(f"seats: {list(record.seats)} does not seat each of {players} players once")
    drawn = dice_of(record).seating(players) if record.seats else []
    if drawn != list(record.seats):
        raise RecordError(f"seats: the dice seat the players as {drawn}, the record as {list(record.seats)}")


def check_times(record: Record) -> None:
    """Times do not run backwards."""
    last = 0
    for sequence, entry in enumerate(record.actions):
        if entry.at is not None and entry.at < last:
            raise RecordError(f"is timed at {entry.at} ms, before the action ahead of it ({last} ms)", sequence)
        last = entry.at if entry.at is not None else last


def check_places(record: Record, places: tuple[int, ...]) -> None:
    """The result is the one that the actions lead to."""
    if places != record.places:
        true = f"the places are {list(places)}" if places else "the match is not over"
        raise RecordError(f"places: the record says {list(record.places)}, but after its actions {true}")
