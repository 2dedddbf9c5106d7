"""The matches that a report plays, and the failures that they show."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from msgspec import Struct
from msgspec.structs import replace

from calza.agents.chances import chances
from calza.matches import read_record
from calza.rules import Record, RecordError
from calza.rules.read import printable
from calza.show.film import Film, film_of

from .results import Failure, Results, Shown

MATCHES = 60  # in a report: about two megabytes
EACH = 3  # matches that show one failure
ACTIONS = 2000  # of a match: some go on to their limit, and nobody watches that
KINDS = {
    "crash": "crashed",
    "timeout": "ran out of time",
    "malformed": "gave an answer that nobody can read",
    "illegal": "played an illegal action",
    "benched": "sat out",
}


class Scene(Struct, frozen=True):
    """Where a report shows something: a match in it, and an action of that match."""

    match: int
    action: int

    @property
    def link(self) -> str:
        """Where it is on the page."""
        return f"#match-{self.match}-action-{self.action}"


class Case(Struct, frozen=True):
    """A failure, with the matches that show it; those of one cause are one case."""

    failure: Failure
    times: int  # in matches that were kept
    scenes: tuple[Scene, ...]

    @property
    def deed(self) -> str:
        """What the bot did."""
        return KINDS.get(self.failure.kind, self.failure.kind)


class Reels(Struct, frozen=True):
    """What a report plays."""

    films: tuple[Film, ...]
    cases: tuple[Case, ...]


def reels(results: Results) -> Reels:
    """The films of a report, and the failures by bot and cause."""
    wanted = sorted(chosen(results.shown))
    played = [(at, film) for at in wanted if (film := reel(results.shown[at]))]
    numbers = {at: number for number, (at, _) in enumerate(played, 1)}
    return Reels(tuple(film for _, film in played), tuple(cases(results.shown, numbers)))


def chosen(shown: Sequence[Shown]) -> set[int]:
    """Which matches are played: some for each failure first, then samples."""
    wanted: list[int] = []
    for _, several in causes(shown):
        wanted += [at for at, _ in several[:EACH]]
    wanted += [at for at, match in enumerate(shown) if not match.faults]
    return set(list(dict.fromkeys(wanted))[:MATCHES])


def causes(shown: Sequence[Shown]) -> list[tuple[tuple[str, ...], list[tuple[int, Failure]]]]:
    """The failures with the matches they are in, by bot and cause."""

    def cause(one: tuple[int, Failure]) -> tuple[str, ...]:
        failure = one[1]
        order = list(KINDS).index(failure.kind) if failure.kind in KINDS else len(KINDS)
        return failure.bot, str(order), failure.why, failure.detail

    every = [(at, failure) for at, match in enumerate(shown) for failure in match.faults]
    return [(key, list(several)) for key, several in groupby(sorted(every, key=cause), cause)]


def cases(shown: Sequence[Shown], numbers: dict[int, int]) -> Iterator[Case]:
    """The failures, and where they are shown."""
    for _, several in causes(shown):
        scenes = [Scene(numbers[at], failure.action) for at, failure in several if at in numbers]
        yield Case(several[0][1], len(several), tuple(scenes[:EACH]))


def reel(shown: Shown) -> Film | None:
    """A match as a film; None for what cannot be played at all."""
    try:
        record = read_record(shown.record)
        short = replace(record, actions=record.actions[:ACTIONS])
        film = film_of(short, chances(short))
    except RecordError:
        return None
    return replace(film, label=printable_label(shown.label), note=note(shown, record))


def printable_label(label: str) -> str:
    """A label with the names in it made harmless; they may be long together."""
    return "".join(printable(sign) for sign in label)


def note(shown: Shown, record: Record) -> str:
    """Why one should look at it, and what is missing."""
    parts = dict.fromkeys(f"{printable(fault.bot)} {KINDS.get(fault.kind, fault.kind)}" for fault in shown.faults)
    cut = [f"only the first {ACTIONS:,} of {len(record.actions):,} actions are here"]
    return "; ".join([*parts, *(cut if len(record.actions) > ACTIONS else [])])
