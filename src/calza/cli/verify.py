"""`calza verify`: every die and action of a record checked, and in plain words what that proves."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click
import msgspec
from rich.table import Table
from rich.text import Text

from calza.matches import Verdict
from calza.matches import verify as verdict_of
from calza.rules import Record, RecordError
from calza.rules.describe import join
from calza.rules.events import GameOver
from calza.rules.read import printable
from calza.rules.record import HmacSource
from calza.show import cast_of, tell

from .errors import sentence
from .records import named, record_in
from .screen import Screen

if TYPE_CHECKING:
    from calza.client.proof import Published

FALSE = 1  # exit status of a record that is wrong


@click.command()
@click.argument("file", metavar="FILE|URL")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def verify(file: str, as_json: bool) -> None:
    """Check every die and every action of the match recorded in FILE; - is standard input.

    URL is a finished match of an arena, as http://127.0.0.1:8000/matches/<id>: its seed is compared with the one that
    the arena committed to, and its signature with the arena's key. The exit status is 1 when something is wrong, and 2
    when FILE holds no record that could be checked.
    """
    arena = arena_of(file)
    try:
        record = arena.record if arena else record_in(file)
        verdict = verdict_of(record)
        if arena:
            arena.check(record)
    except RecordError as error:
        if as_json:
            print_json({"verified": False, "why": error.why, "sequence": error.sequence})
        click.echo(f"calza: {named(file)}: {sentence(error)}", err=True)
        raise click.exceptions.Exit(FALSE) from None
    if as_json:
        more = {"seedNumber": arena.page.seed_number, "key": arena.key} if arena else {}
        print_json({"verified": True, **msgspec.to_builtins(verdict), "places": record.places, **more})
    else:
        print_proof(record, verdict, arena)


def arena_of(file: str) -> "Published | None":
    """What an arena says of a match, if it is one that is named; ClientError when that cannot be had."""
    if not file.lower().startswith(("http://", "https://")):
        return None
    from calza.client.proof import published

    return published(file)


def print_json(value: dict[str, Any]) -> None:
    """Print JSON that a person can read too."""
    click.echo(msgspec.json.format(msgspec.json.encode(value), indent=2))


def print_proof(record: Record, verdict: Verdict, arena: "Published | None") -> None:
    """Print what was proved, a line for each."""
    screen = Screen()
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column()
    for what, proved in [*proof(record, verdict), *(online(arena) if arena else ())]:
        grid.add_row(what, Text(proved))
    screen.show(grid)
    screen.say("Nothing in this record is wrong.", "bold")


def proof(record: Record, verdict: Verdict) -> Iterator[tuple[str, str]]:
    """What was proved, by subject."""
    cast = cast_of(record)
    if record.id:
        yield "match", printable(record.id)
    yield "rules", f"{printable(record.rules.shown)}, whose id is {record.rules_id[:12]}"
    yield "players", join(list(cast.names))
    yield "seed", seed(record)
    yield "seats", "drawn from the same dice" if verdict.seated else "in the order of joining, not drawn"
    yield "dice", f"all {verdict.dice:,} rolled again from the seed, {many(verdict.rounds, 'round')}"
    yield "actions", f"{many(verdict.actions, 'action')} played again, each of them legal"
    if verdict.finished:
        yield "result", tell([GameOver(places=record.places)], cast, record.rules)[0]
    else:
        yield "result", "none: the match was not played to its end"


def online(arena: "Published") -> Iterator[tuple[str, str]]:
    """What was proved of an arena's words."""
    yield "number", f"{arena.page.seed_number:,}: {arena.server} committed to this seed under it"
    yield "signed", f"by the arena's key {arena.key}"


def many(number: int, what: str) -> str:
    """`1 round`, `2 rounds`."""
    return f"{number:,} {what}{'s' * (number != 1)}"


def seed(record: Record) -> str:
    """What is known about where the dice came from."""
    if isinstance(record.dice, HmacSource):
        return f"the one committed to as {record.dice.commitment}"
    return f"number {record.dice.seed}, game {record.dice.game}, not committed to beforehand"
