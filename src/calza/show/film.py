"""A record as a film: every moment of a match with its sentences and the table after it, ready to be drawn.

Sentences are made here, by `words.py`, so that whatever draws a film only draws. Names of players are not trusted: they
are made printable, and those that are written from right to left cannot turn the sentence around them.
"""

import unicodedata
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import asdict, replace

from calza.matches import Step, replay
from calza.rules import Event, Game, Record, RecordError, Rules
from calza.rules.actions import Bid, bid_name, face_name, seat_name
from calza.rules.dice import Hand
from calza.rules.events import BidMade, RoundBegan, round_began
from calza.rules.read import printable
from calza.rules.record import MixSource

from .hindsight import Decision
from .words import Cast, cast_of, told

Odds = tuple[float | None, ...]  # [seat]: that a bid holds, for what its cup told; None for a seat without dice

RIGHT_TO_LEFT = ("R", "AL", "AN")
ISOLATE, ISOLATED = "\N{FIRST STRONG ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}"


class Seat(Struct, frozen=True, omit_defaults=True):
    """Who sat there."""

    letter: str
    name: str
    agent: str = ""
    place: int = 0  # in the end; 0 while the match has none


class Round(Struct, frozen=True, omit_defaults=True):
    """A round, and what is under the cups while it lasts."""

    number: int
    first: int  # the moment that opens it
    cups: tuple[tuple[int, ...], ...]  # of every seat, lowest face first
    wild: int = 0  # the wild face; 0 for none
    special: bool = False


class Moment(Struct, frozen=True, omit_defaults=True):
    """One thing that happened, with its sentences, and the table after it."""

    event: Event  # a call stands for the dice that it cost or won as well
    says: list[str]
    round: int  # index of its round
    left: tuple[int, ...]  # dice of every seat, what was lost taken off
    action: int = -1  # of the record; -1 for what stood at the start
    turn: int = -1  # the seat to act
    at: int | None = None  # milliseconds after the start
    bid: str = ""  # a bid in words
    there: int = 0  # dice under all cups that count for a bid
    odds: Odds = ()  # that a bid holds, for what each seat knew when it was made

    @property
    def chance(self) -> float | None:
        """That a bid holds, for what its bidder knew."""
        return self.odds[self.event.seat] if self.odds and isinstance(self.event, BidMade) else None


class Proof(Struct, frozen=True, omit_defaults=True, kw_only=True, tag_field="stream"):
    """What the dice are derived from, and what the actions are judged by."""

    rules: Rules
    start: tuple[int, ...]  # dice of every seat at the start
    used: tuple[int, ...] = ()  # seats that had had their special round before
    seats: tuple[int, ...] = ()  # which player sits where, if the dice drew it
    setup: bool = False  # whether it started from a position, so that nobody drew who opens
    given: tuple[int, ...] = ()  # seats whose first cup stands in the setup
    rotation: str = "0"  # of the seats; a number as text, since those of a page are exact only up to 2^53


class Committed(Proof, frozen=True, kw_only=True, tag="hmac-1"):
    """Dice that were committed to."""

    commitment: str
    seed: str
    match: str
    salts: tuple[str, ...]


class Mixed(Proof, frozen=True, kw_only=True, tag="mix-1"):
    """Dice of a simulation, say; its numbers as text too."""

    seed: str
    game: str


class Film(Struct, frozen=True, omit_defaults=True):
    """A match, ready to be drawn."""

    label: str  # what was played, and who played it
    rules: str
    seats: tuple[Seat, ...]
    faces: tuple[str, ...]  # what dice of a face are called; index 0 is unused
    rounds: list[Round]
    moments: list[Moment]
    proof: Committed | Mixed
    id: str = ""
    started: str = ""
    note: str = ""  # why somebody should look at it
    wrong: str = ""  # why it ends before the last action of its record
    review: list[Decision] = []  # decisions seen from afterwards


class Takes(Struct):
    """What there is of a film while its match is played again."""

    rounds: list[Round] = []
    moments: list[Moment] = []
    start: tuple[int, ...] = ()
    used: tuple[int, ...] = ()
    places: tuple[int, ...] = ()
    wrong: str = ""


def film_of(record: Record, chances: Sequence[Odds | None] = (), review: Sequence[Decision] = ()) -> Film:
    """What happened in `record`, moment by moment, up to its end or to what is wrong with it.

    RecordError if not even its first round can be dealt. `chances` are for the bids, by action, None for what is no
    bid; `review` are decisions of any players.
    """
    cast, rules = isolated(cast_of(record)), printable(record.rules.shown)
    takes = taken(record, cast, chances)
    return Film(
        label=f"{rules}: {', '.join(cast.names)}",
        rules=rules,
        seats=seated(record, takes.places),
        faces=("", *(face_name(face) for face in range(1, record.rules.faces + 1))),
        rounds=takes.rounds,
        moments=takes.moments,
        proof=proof(record, takes),
        id=printable(record.id),
        started=printable(record.started),
        wrong=takes.wrong,
        review=[one for one in review if one.action <= takes.moments[-1].action],
    )


def taken(record: Record, cast: Cast, chances: Sequence[Odds | None]) -> Takes:
    """The rounds and moments of a match, as far as it can be played."""
    takes = Takes()
    try:
        for game, step in replay(record):
            add(takes, game, step, cast)
            if 0 <= step.sequence < len(chances) and (known := chances[step.sequence]):
                takes.moments[-1] = replace(takes.moments[-1], odds=tuple(map(rounded, known)))
    except RecordError as error:
        if not takes.moments:
            raise
        takes.wrong = str(error)
    return takes


def rounded(chance: float | None) -> float | None:
    """A chance in few digits; what is not certain does not become so."""
    return chance if chance in (None, 0.0, 1.0) else min(0.9999, max(0.0001, round(chance, 4)))


def add(takes: Takes, game: Game, step: Step, cast: Cast) -> None:
    """Add a step, with the game after it."""
    start = step.sequence < 0
    first = len(takes.moments)
    for event, says in told(opening(game) if start else step.events, cast, game.table.rules):
        if isinstance(event, RoundBegan):
            takes.rounds.append(dealt(game, event, len(takes.moments)))
        now = moment(game, event, says, len(takes.rounds) - 1)
        takes.moments.append(replace(now, action=step.sequence, at=step.at))
    if start:
        takes.moments[first:] = chained(takes.moments[first:])
        takes.start = tuple(game.state.start)
        takes.used = tuple(seat for seat, used in enumerate(game.state.used) if used)
    takes.places = game.places


def isolated(cast: Cast) -> Cast:
    """The cast with names from right to left marked as such, so that a sentence stays in order around them."""
    return replace(cast, names=tuple(f"{ISOLATE}{one}{ISOLATED}" if turns(one) else one for one in cast.names))


def turns(text: str) -> bool:
    """Whether a text would turn what stands beside it."""
    return any(unicodedata.bidirectional(sign) in RIGHT_TO_LEFT for sign in text)


def opening(game: Game) -> list[Event]:
    """How a match starts: a round, and the bids that have been made in it if it starts from a position."""
    began = round_began(game.state)
    if not game.said:
        return [began]
    bids = [BidMade(seat=seat, quantity=bid.quantity, face=bid.face) for seat, bid in game.said]
    return [replace(began, seat=bids[0].seat), *bids]


def chained(moments: list[Moment]) -> list[Moment]:
    """The opening with the seat to act after each of its bids: whoever bid next."""
    later = [one.event.seat for one in moments[1:] if isinstance(one.event, BidMade)]
    return [
        *(replace(one, turn=seat) for one, seat in zip(moments[:-1], later, strict=True)),
        moments[-1],
    ]


def dealt(game: Game, event: RoundBegan, first: int) -> Round:
    """The round that has just begun."""
    wild = game.charts.wild[game.state.mode]
    return Round(event.round, first, tuple(cup(hand) for hand in game.hands), wild, event.special)


def cup(hand: Hand) -> tuple[int, ...]:
    """The dice of a hand by their faces, lowest first."""
    return tuple(face for face, dice in enumerate(hand) for _ in range(dice))


def moment(game: Game, event: Event, says: list[str], round: int) -> Moment:
    """What happened, and the table after it."""
    now = Moment(event, says, round, tuple(game.state.dice))
    if isinstance(event, RoundBegan):
        return replace(now, turn=event.seat)
    if isinstance(event, BidMade):
        there = sum(worth[event.face] for worth in game.cups)
        return replace(now, turn=game.turn, bid=bid_name(Bid(event.quantity, event.face)), there=there)
    return now


def seated(record: Record, places: Sequence[int]) -> tuple[Seat, ...]:
    """Who sat where, and where they ended."""
    names = [printable(name) for name in cast_of(record).names]
    order = record.seats if len(record.seats) == len(names) else range(len(names))
    agents = [record.players[player].agent if player < len(record.players) else "" for player in order]
    ends = places or (0,) * len(names)
    return tuple(
        Seat(seat_name(seat), name, printable(agent), place)
        for seat, (name, agent, place) in enumerate(zip(names, agents, ends, strict=True))
    )


def proof(record: Record, takes: Takes) -> Committed | Mixed:
    """What the dice of a record are derived from, its seed known, and what its actions are judged by."""
    source, setup = record.dice, record.setup
    given = tuple(seat for seat, one in enumerate(setup.cups) if one) if setup else ()
    how = Proof(
        rules=record.rules,
        start=takes.start,
        used=takes.used,
        seats=record.seats,
        setup=setup is not None,
        given=given,
        rotation=str(source.rotation),
    )
    if isinstance(source, MixSource):
        return Mixed(**asdict(how), seed=str(source.seed), game=str(source.game))
    salts = tuple(player.salt for player in record.players)
    return Committed(**asdict(how), commitment=source.commitment, seed=source.seed or "", match=record.id, salts=salts)
