"""What a check of a bot found, and what that means in plain words."""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct, field

from calza.rules import Rules

from .entry import Entry
from .protocol import Act, act_message
from .trials import Trial
from .watched import Answer

KINDS = ("illegal", "malformed", "timeout", "crash")
WORDS = {"illegal": "illegal action", "malformed": "malformed answer", "timeout": "time-out", "crash": "crash"}
SLOW = 0.5  # seconds to start that are worth telling
PLURALS = {"timeout": "time-outs", "crash": "crashes"}


class Settings(Struct, frozen=True):
    """How thorough a check is."""

    seed: int = 0
    move: float = 2.0  # seconds that one may take
    budget: float = 40.0  # seconds for the whole check
    rounds: int = 4  # of trials


class Problem(Struct):
    """Something that a bot did wrong: where it happened first, and how often."""

    kind: str
    why: str
    detail: str
    trial: Trial | None  # None when it did not start
    answer: Answer | None  # the move at which it happened, if it was to move
    times: int = 1

    @property
    def where(self) -> str:
        """Which match it was in, for people."""
        return self.trial.where if self.trial else "at its start"

    @property
    def request(self) -> Act | None:
        """What the bot was asked, as it travels."""
        return act_message(self.answer.view, self.answer.turn) if self.answer else None

    @property
    def shape(self) -> tuple[str, ...]:
        """What this has in common with others that are told as one."""
        why = re.sub(r"\d+", "#", re.split(r" after |[:;,]", self.why)[0])
        last = self.detail.strip().rpartition("\n")[2] if self.kind == "crash" else ""
        return self.kind, why, re.sub(r"\d+", "#", last)


class Row(Struct):
    """What was seen under one set of rules."""

    rules: Rules
    matches: int = 0
    ended: int = 0  # of them, played to their end
    faults: dict[str, int] = field(default_factory=lambda: dict.fromkeys(KINDS, 0))
    seconds: list[float] = field(default_factory=list)  # of each move


class Difference(Struct, frozen=True):
    """Where a bot answered differently when it was asked the same again."""

    trial: Trial
    first: str
    second: str


class Findings(Struct):
    """What a check found."""

    entry: Entry
    settings: Settings
    rows: list[Row]
    planned: int = 0  # matches
    started: float | None = None  # seconds; None when it did not start
    problems: list[Problem] = field(default_factory=list)
    refused: int = 0  # legal actions that were refused for a trial
    stubborn: int = 0  # of them, answered with the same again
    memory: int | None = None  # bytes at most, where it has a process of its own
    others: int = 0  # processes that it had started, at most at once
    twice: int = 0  # moves that were asked for twice
    difference: Difference | None = None
    stopped: str = ""  # why it was not put through all

    @property
    def matches(self) -> int:
        """Matches that were begun."""
        return sum(row.matches for row in self.rows)

    @property
    def seconds(self) -> list[float]:
        """What each move took."""
        return [one for row in self.rows for one in row.seconds]

    @property
    def faults(self) -> dict[str, int]:
        """How often it failed, by kind."""
        return {kind: sum(row.faults[kind] for row in self.rows) for kind in KINDS}

    @property
    def fit(self) -> bool:
        """Whether it may enter."""
        return not self.problems and bool(self.seconds)

    @property
    def deterministic(self) -> bool | None:
        """Whether it plays the same again with the same seed; None when that was not tried."""
        return self.difference is None if self.twice else None

    def add(self, problem: Problem) -> None:
        """Note a problem, with others of its shape."""
        same = next((one for one in self.problems if one.shape == problem.shape), None)
        if same:
            same.times += 1
        else:
            self.problems.append(problem)


def share(seconds: Sequence[float], part: float) -> float:
    """The time that so large a part of the moves kept within; 0 when there are none."""
    ordered = sorted(seconds)
    return ordered[max(0, -int(-part * len(ordered) // 1) - 1)] if ordered else 0.0


# --- in plain words


def verdict(found: Findings) -> str:
    """Whether it may enter, and why not."""
    name = found.entry.name
    if found.fit:
        so_far = ", as far as it was tried" if found.stopped else ""
        return f"{name} is fit to enter{so_far}: all of its {many(len(found.seconds), 'move')} were legal and in time."
    if found.started is None:
        return f"{name} is not fit to enter: it does not start."
    counts = [counted(kind, often) for kind, often in found.faults.items() if often]
    return f"{name} is not fit to enter: {', '.join(counts) or 'it was never asked for a move'}."


def counted(kind: str, often: int) -> str:
    """`1 crash`, `3 illegal actions`."""
    return many(often, WORDS[kind], PLURALS.get(kind))


def many(number: int, what: str, plural: str | None = None) -> str:
    """`1 move`, `2 moves`."""
    return f"{number:,} {what if number == 1 else plural or what + 's'}"


def remarks(found: Findings) -> Iterator[str]:
    """What its author should know besides."""
    if found.stopped and found.started is not None:
        yield f"Not all was tried, only {found.matches} of {found.planned} matches: {found.stopped}."
    if found.seconds:
        yield times(found)
    if found.memory:
        all_of_them = " with all that it started" if found.others else ""
        yield f"Its process held {found.memory / 2**20:,.0f} MB of memory at most{all_of_them}."
    if found.others:
        others = many(found.others, "other process", "other processes")
        yield f"It had started {others}, which a jail refuses: try it with --isolation jail."
    if found.refused:
        yield after_refusals(found)
    if found.difference:
        yield unlike(found, found.difference)
    elif found.twice:
        yield f"Asked again with the same seed, it answered the same {many(found.twice, 'time')} of {found.twice:,}."


def times(found: Findings) -> str:
    """How long its moves took."""
    median, late, most = (span(share(found.seconds, part)) for part in (0.5, 0.99, 1.0))
    start = f"It starts in {span(found.started)}. " if found.started and found.started > SLOW else ""
    allowed = span(found.settings.move)
    return f"{start}A move took {median} (median), {late} (99th percentile), {most} at most; {allowed} were allowed."


def span(seconds: float) -> str:
    """A time in a unit that suits it."""
    if seconds >= 1:
        return f"{seconds:.3g} s"
    return f"{seconds * 1e3:.3g} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.3g} µs"


def after_refusals(found: Findings) -> str:
    """How it took a refusal."""
    moves = many(found.refused, "legal move was", "legal moves were")
    said = f"For a trial {moves} refused; it was ready with another answer"
    if found.stubborn and found.faults["illegal"]:
        return said + ", but gave the same one again: that gains nothing where a host lets a bot try again."
    return said + "."


def unlike(found: Findings, difference: Difference) -> str:
    """Where it did not play the same twice."""
    return (
        f"It does not play the same again with the same seed: in {difference.trial.where} it answered "
        f"{difference.first} and then {difference.second}. Results with it cannot be repeated; "
        "let all of its chance come from the seed that `match` brings (Python's `random` has it already)."
    )
