"""`calza rules`: the variants there are, one of them in print, and whether your own makes a game."""

import sys
from typing import Any

import click
import msgspec

from calza.rules import CATALOG, Rules
from calza.rules.actions import face_name
from calza.rules.describe import describe, dice, span
from calza.rules.read import rules_schema

from . import Verbs
from .find import RULES, read_file

HEADINGS = ("name", "players", "dice", "wild", "about")
WIDEST = 100  # columns of printed rules: longer lines are hard to read
ENDS = {
    "last": "the last player with dice wins",
    "round": "the first call ends the game",
    "first-out": "the first player without dice ends the game",
}


@click.group(cls=Verbs)
def rules() -> None:
    """List the variants, print one, check your own."""


@rules.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_rules(as_json: bool) -> None:
    """List the variants that come with Calza."""
    if as_json:
        print_json([summary(one) for one in CATALOG.values()])
    elif in_terminal():
        draw_table([cells(one) for one in CATALOG.values()])
    else:
        click.echo(aligned([HEADINGS, *map(cells, CATALOG.values())]))


@rules.command("show")
@click.argument("name", type=RULES, required=False)
@click.option("--json", "as_json", is_flag=True, help="Print every field as JSON.")
@click.option("--schema", is_flag=True, help="Print the JSON Schema of rules instead; needs no NAME.")
def show_rules(name: Rules | None, as_json: bool, schema: bool) -> None:
    """Print the rules of NAME: a variant, or a TOML or JSON file of your own."""
    if schema:
        print_json(rules_schema())
    elif name is None:
        raise click.UsageError("missing NAME: one that `calza rules list` prints, or a TOML or JSON file")
    elif as_json:
        print_json(msgspec.to_builtins(name) | {"rulesId": name.rules_id})
    elif in_terminal():
        draw_markdown(describe(name))
    else:
        click.echo(describe(name), nl=False)


@rules.command("check")
@click.argument("file")
def check_rules(file: str) -> None:
    """Say whether FILE, in TOML or JSON, makes a game, or which field is wrong."""
    found = read_file(file)
    click.echo("\n".join([f"{found.name} makes a game, {found.rules_id[:12]}", *lines(found)]))


# --- what is said about rules


def summary(one: Rules) -> dict[str, Any]:
    """What a list says of rules, as JSON."""
    fields = ("name", "title", "about", "min_players", "max_players", "dice", "faces", "wild")
    return {field: getattr(one, field) for field in fields} | {"rulesId": one.rules_id}


def cells(one: Rules) -> tuple[str, ...]:
    """What a list says of rules, in the order of HEADINGS."""
    players = span(one.min_players, one.max_players)
    return one.name, players, str(one.dice), str(one.wild or "none"), one.about


def lines(one: Rules) -> tuple[str, str]:
    """Two lines that tell whether these are the rules that were meant."""
    wild = f"{face_name(one.wild)} are wild" if one.wild else "no face is wild"
    named = f"{'calls' if len(one.calls) > 1 else 'call'}: {', '.join(call.name for call in one.calls)}"
    special = "with special rounds" if one.special else "no special rounds"
    return (
        f"{span(one.min_players, one.max_players)} players with {dice(one.dice)} of {one.faces} faces; {wild}",
        f"{named}; {special}; {ENDS[one.end]}",
    )


# --- printing


def in_terminal() -> bool:
    """Whether somebody reads this in a terminal, rather than a program in a pipe."""
    return sys.stdout is not None and sys.stdout.isatty()


def print_json(value: Any) -> None:
    """Print JSON that a person can read too."""
    click.echo(msgspec.json.format(msgspec.json.encode(value), indent=2))


def aligned(rows: list[tuple[str, ...]]) -> str:
    """Rows as text in columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)


def draw_table(rows: list[tuple[str, ...]]) -> None:
    """Draw rows in a terminal."""
    from rich.console import Console
    from rich.table import Table

    name, *others = HEADINGS
    table = Table(box=None, pad_edge=False)
    table.add_column(name, style="cyan", no_wrap=True)
    for heading in others:
        table.add_column(heading)
    for row in rows:
        table.add_row(*row)
    Console(markup=False).print(table)


def draw_markdown(text: str) -> None:
    """Draw Markdown in a terminal."""
    from rich.console import Console
    from rich.markdown import Markdown

    console = Console()
    console.print(Markdown(text), width=min(console.width, WIDEST))
