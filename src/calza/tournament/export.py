"""Results as files for other programs: one JSON document, and a CSV for each table of the report."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from .results import Interval, Results
from .tally import FAULTS

Row = Sequence[object]


def results_json(results: Results) -> bytes:
    """Everything, as one JSON document; the matches in it are records as `calza verify` reads them."""
    document = msgspec.to_builtins(results)
    for match, kept in zip(document["shown"], results.shown, strict=True):
        match["record"] = msgspec.json.decode(kept.record)
    return msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"


def tables(results: Results) -> dict[str, str]:
    """The CSV files by their names."""
    return {
        "standings.csv": written(standings(results)),
        "pairs.csv": written(pairs(results)),
        "seats.csv": written(seats(results)),
        "faults.csv": written(faults(results)),
        "soft-play.csv": written(soft_play(results)),
        "lengths.csv": written(lengths(results)),
    }


def written(rows: Iterable[Row]) -> str:
    """Rows as CSV, with the line ends that every program reads."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([safe(cell) for cell in row] for row in rows)
    return out.getvalue()


def safe(cell: object) -> object:
    """A cell that no spreadsheet takes for a formula: names are somebody's words."""
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in ("=", "+", "-", "@", "\t", "\r") else cell


def three(name: str) -> tuple[str, str, str]:
    """The headings of an interval."""
    return name, f"{name}_low", f"{name}_high"


def cells(interval: Interval | None) -> tuple[Any, Any, Any]:
    """The cells of an interval; empty where nothing is known."""
    return ("", "", "") if interval is None else (interval.value, interval.low, interval.high)


def standings(results: Results) -> Iterator[Row]:
    """A row for each bot."""
    habits = ("bids", "bluffs", "unsupported", "calls", "calls_right", "exacts", "exacts_right")
    times = ("moves", "mean_ms", "slowest_ms")
    yield (
        "rank", "name", "bot", "isolation", "games", "wins", *three("points"), *three("rating"), *three("skill"),
        "stage", "benched", *FAULTS, *habits, *times,
    )  # fmt: skip
    for one in results.standings:
        yield (
            one.rank, one.name, one.bot, one.isolation, one.games, one.wins, *cells(one.points), *cells(one.rating),
            *cells(one.skill), one.stage, int(one.benched), *(one.faults.get(kind, 0) for kind in FAULTS),
            *(getattr(one.habits, field, "") for field in habits), *(getattr(one.time, field, "") for field in times),
        )  # fmt: skip


def pairs(results: Results) -> Iterator[Row]:
    """A row for each ordered pair that met."""
    yield "bot", "against", "games", *three("ahead"), "better"
    for one, row in zip(results.standings, results.pairs, strict=True):
        for other, pair in zip(results.standings, row, strict=True):
            if pair:
                yield one.name, other.name, pair.games, *cells(pair.ahead), pair.better


def seats(results: Results) -> Iterator[Row]:
    """A row for each place behind the opener."""
    yield "behind_opener", *three("won")
    for seat in results.seats:
        yield seat.behind, *cells(seat.share)


def faults(results: Results) -> Iterator[Row]:
    """A row for each fault of the matches that were kept."""
    yield "match", "bot", "kind", "why", "action", "detail"
    for match in results.shown:
        for fault in match.faults:
            yield match.label, fault.bot, fault.kind, fault.why, fault.action, fault.detail


def soft_play(results: Results) -> Iterator[Row]:
    """A row for each pair that could be compared, and for each way to give."""
    yield "giver", "taker", "way", "decisions", "often", "usual", *three("dice"), "flagged", "evidence"
    for one in results.soft_play:
        counts = one.way, one.decisions, one.often, one.usual
        yield one.giver, one.taker, *counts, *cells(one.dice), int(one.flagged), one.evidence


def lengths(results: Results) -> Iterator[Row]:
    """How many watched games had so many rounds, and how many winners so many dice left."""
    yield "number", "games_of_so_many_rounds", "winners_with_so_many_dice"
    for number in range(max(len(results.round_counts), len(results.winner_dice))):
        yield number, at(results.round_counts, number), at(results.winner_dice, number)


def at(counts: Sequence[int], number: int) -> object:
    """A count, or nothing beyond the last."""
    return counts[number] if number < len(counts) else ""
