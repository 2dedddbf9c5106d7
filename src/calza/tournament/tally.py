"""What the games of a tournament came to: whole numbers that add, in bins for honest intervals.

A group of rotations is one sample. Its number at its table puts it into one of `BINS` bins, and intervals are made by
drawing bins anew; so memory does not grow with the number of games.
"""

import zlib
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from calza.rules.play import place
from calza.rules.state import State

from .plan import Plan, Scoring
from .watch import Watched, unwatched

BINS = 256
SCALE = 3600  # points are kept as whole numbers of this, so that sums do not depend on their order
FAULTS = ("timeout", "crash", "malformed", "illegal", "benched")

Counts = NDArray[np.int64]


class Tally(Struct):
    """Counts by bin and entry."""

    ahead: Counts  # [bin, i, j]: twice how often i was placed ahead of j; once each when they shared a place
    games: Counts  # [bin, i]
    points: Counts  # [bin, i], in SCALE
    wins: Counts  # [i]: games in which it came first, alone or not
    seats: Counts  # [seat, (games, wins)]: by how many places the seat stands behind the opener; only of full tables
    faults: Counts  # [i, kind]
    times: Counts  # [i, 3]: moves timed, microseconds in all, the slowest
    totals: Counts  # games, rounds, actions, unfinished
    watched: Watched

    def add(self, other: "Tally") -> None:
        """Add another tally of the same tournament."""
        for name in ("ahead", "games", "points", "wins", "seats", "faults", "totals"):
            getattr(self, name).__iadd__(getattr(other, name))
        self.times[:, :2] += other.times[:, :2]
        np.maximum(self.times[:, 2], other.times[:, 2], out=self.times[:, 2])
        self.watched.add(other.watched)


def empty(plan: Plan) -> Tally:
    """The tally of no game."""
    entries, players = len(plan.entries), plan.players
    return Tally(
        ahead=np.zeros((BINS, entries, entries), np.int64),
        games=np.zeros((BINS, entries), np.int64),
        points=np.zeros((BINS, entries), np.int64),
        wins=np.zeros(entries, np.int64),
        seats=np.zeros((players, 2), np.int64),
        faults=np.zeros((entries, len(FAULTS)), np.int64),
        times=np.zeros((entries, 3), np.int64),
        totals=np.zeros(4, np.int64),
        watched=unwatched(entries, plan.rules),
    )


def widened(tally: Tally, plan: Plan) -> Tally:
    """A tally of when there were fewer entrants, as one of all of them."""
    have, want = len(tally.wins), len(plan.entries)
    if have == want:
        return tally
    wide = empty(plan)
    for whole, part in (*arrays(wide, tally), *arrays(wide.watched, tally.watched)):
        whole[tuple(slice(0, size) for size in part.shape)] = part
    return wide


def arrays(one: Struct, other: Struct) -> list[tuple[Counts, Counts]]:
    """The arrays of two values of one kind."""
    names = [name for name in one.__struct_fields__ if name != "watched"]
    return [(getattr(one, name), getattr(other, name)) for name in names]


# How a game ended: who of the table sat at each seat, who opened, the last state, how many actions it took.
End = tuple[Sequence[int], int, State, int]


class Group:
    """The games of one unit, counted in plain numbers when all are played.

    To add to arrays game by game would cost more than to play, and between two games even plain numbers cost thrice.
    """

    def __init__(self, table: tuple[int, ...], number: int, scoring: Scoring) -> None:
        """`number` says which of its table's groups it is."""
        players = len(table)
        self.table, self.bin, self.scoring = table, number % BINS, scoring
        self.ends: list[End] = []
        self.ahead = [[0] * players for _ in range(players)]
        self.points = [0] * players
        self.wins = [0] * players
        self.seats = [0] * players
        self.games = self.rounds = self.actions = self.unfinished = 0

    def count(self) -> None:
        """Count the games that have come to an end."""
        for order, opener, state, actions in self.ends:
            self.games += 1
            self.rounds += state.round
            self.actions += actions
            if state.over:
                places = [place(state, seat) for seat in range(state.seats)]
                self.finished(order, opener, places, state.dice)
            else:
                self.unfinished += 1

    def finished(self, order: Sequence[int], opener: int, places: Sequence[int], dice: Sequence[int]) -> None:
        """Count a finished game; `order` says which of the table sits at each seat."""
        points = score(self.scoring, places, dice)
        for seat, one in enumerate(order):
            place = places[seat]
            self.points[one] += points[seat]
            row = self.ahead[one]
            for at, other in enumerate(order):
                if at != seat and place <= places[at]:
                    row[other] += 2 if place < places[at] else 1
            if place == 1:
                self.wins[one] += 1
                self.seats[seat - opener] += 1  # a negative index counts from the end, as seats do


def add_groups(tally: Tally, groups: Sequence[Group]) -> None:
    """Count groups, and add them to a tally all at once."""
    for one in groups:
        one.count()
    for players in {len(one.table) for one in groups}:
        some = [one for one in groups if len(one.table) == players]
        bins, tables = np.array([one.bin for one in some]), np.array([one.table for one in some])
        np.add.at(tally.games, (bins[:, None], tables), np.array([one.games for one in some])[:, None])
        np.add.at(tally.points, (bins[:, None], tables), [one.points for one in some])
        np.add.at(tally.wins, tables, [one.wins for one in some])
        pairs = bins[:, None, None], tables[:, :, None], tables[:, None, :]
        np.add.at(tally.ahead, pairs, [one.ahead for one in some])
        if players == len(tally.seats):
            tally.seats[:, 0] += sum(one.games for one in some)
            tally.seats[:, 1] += np.sum([one.seats for one in some], axis=0)
        tally.totals += np.sum([(one.games, one.rounds, one.actions, one.unfinished) for one in some], axis=0)


def score(scoring: Scoring, places: Sequence[int], dice: Sequence[int]) -> Sequence[int]:
    """The points of every seat, in SCALE; they add up to one game."""
    return by_dice(tuple(dice)) if scoring == "dice" else by_places(scoring, tuple(places))


@lru_cache(maxsize=4096)
def by_dice(dice: tuple[int, ...]) -> tuple[int, ...]:
    """Everybody's share of the dice that are left."""
    return tuple(int(Fraction(one, sum(dice)) * SCALE) for one in dice)


@lru_cache(maxsize=4096)
def by_places(scoring: Scoring, places: tuple[int, ...]) -> tuple[int, ...]:
    """All for the winner, or for each place its worth."""
    if scoring == "wins":
        return tuple(SCALE // places.count(1) if place == 1 else 0 for place in places)
    # Who shares a place shares the worth of the places that it takes up.
    worth = [sum(len(places) - place - step for step in range(places.count(place))) for place in places]
    every = sum(range(len(places)))
    return tuple(
        int(Fraction(one, places.count(place) * every) * SCALE) for one, place in zip(worth, places, strict=True)
    )


# --- as bytes


def pack(tally: Tally) -> bytes:
    """A tally as bytes."""
    parts = {name: packed(getattr(tally, name)) for name in tally.__struct_fields__ if name != "watched"}
    watched = {name: packed(getattr(tally.watched, name)) for name in tally.watched.__struct_fields__}
    return zlib.compress(msgspec.msgpack.encode((parts, watched)), 1)


def packed(array: Counts) -> tuple[tuple[int, ...], bytes]:
    """An array's shape and content."""
    return array.shape, array.tobytes()


def unpack(data: bytes) -> Tally:
    """A tally from its bytes."""
    kind = tuple[dict[str, tuple[tuple[int, ...], bytes]], dict[str, tuple[tuple[int, ...], bytes]]]
    parts, watched = msgspec.msgpack.decode(zlib.decompress(data), type=kind)
    return Tally(**unpacked(parts), watched=Watched(**unpacked(watched)))


def unpacked(parts: dict[str, tuple[tuple[int, ...], bytes]]) -> dict[str, Counts]:
    """Arrays by their names."""
    return {name: np.frombuffer(raw, np.int64).reshape(shape).copy() for name, (shape, raw) in parts.items()}
