"""`calza check`: a bot is put through everything that may happen to it, and told whether it is fit to enter."""

import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import get_args

import click
from msgspec.structs import replace
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

from calza.agents.check import Check
from calza.agents.entry import Entry, Isolation, check_entry, parse_entry
from calza.agents.findings import Findings, Settings
from calza.rules import CATALOG, Rules

from .find import RULES
from .findings import draw, summary
from .progress import LINES
from .verify import print_json

UNFIT = 1  # exit status
QUICK = Settings(rounds=1, budget=10.0)


@click.command()
@click.argument("bot")
@click.option("--rules", "chosen", type=RULES, multiple=True, help="Only these; may be given more than once.")
@click.option("--isolation", type=click.Choice(get_args(Isolation)), help="Where it runs  [default: process]")
@click.option(
    "--seed",
    metavar="N",
    type=click.IntRange(0, 2**63 - 1),
    default=0,
    show_default=True,
    help="The same seed, the same matches.",
)
@click.option("--quick", is_flag=True, help="A quarter of the matches.")
@click.option(
    "--move",
    metavar="SECONDS",
    type=click.FloatRange(0.001, 60),
    default=Settings().move,
    show_default=True,
    help="How long a move may take.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with what the bot was asked in each problem.")
def check(
    bot: str,
    chosen: tuple[Rules, ...],
    isolation: Isolation | None,
    seed: int,
    quick: bool,
    move: float,
    as_json: bool,
) -> None:
    """Say whether BOT is fit to enter a competition.

    It plays house bots on every variant and table size, from the start and from the middle of games, sees what is
    rarely seen, and has a move refused. BOT is a file mybot.py, package.module:Class, cmd:node bot.js, or a house bot.

    The exit status is 1 when it is not fit.
    """
    plan = QUICK if quick else Settings()
    settings = replace(plan, seed=seed, move=move)
    found = checked(entry_of(bot, isolation), chosen or tuple(CATALOG.values()), settings)
    if as_json:
        print_json(summary(found))
    else:
        draw(found)
    if not found.fit:
        raise click.exceptions.Exit(UNFIT)


def entry_of(bot: str, isolation: Isolation | None) -> Entry:
    """The bot; code of somebody's in a process of its own, unless it is asked for otherwise."""
    entry = parse_entry(bot, "", isolation)
    if entry.inline and entry.kind != "house" and not isolation:
        entry = parse_entry(bot, "", "process")
    if not entry.inline:
        check_entry(entry)  # a program that is not there is a slip of the pen, not a fault of the bot
    return entry


def checked(entry: Entry, rules: tuple[Rules, ...], settings: Settings) -> Findings:
    """Do the check and show how far it is."""
    # What a bot inline prints must not end in our JSON.
    with (
        tempfile.TemporaryDirectory(prefix="calza-check-") as folder,
        redirect_stdout(sys.stderr),
        following() as follow,
    ):
        return Check(entry, Path(folder), list(dict.fromkeys(rules)), settings, follow).run()


@contextmanager
def following() -> Iterator[Callable[[float, str], None]]:
    """Gives the function to be told which part is done: a bar in a terminal, elsewhere a line now and then."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lines()
        return
    columns = (BarColumn(), TaskProgressColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=1.0)
        yield lambda part, where: bar.update(task, completed=part, description=where)


def lines() -> Callable[[float, str], None]:
    """Says every tenth of the way."""
    told = 0

    def show(part: float, where: str) -> None:
        nonlocal told
        if int(part * LINES) > told:
            told = int(part * LINES)
            click.echo(f"{100 * told // LINES}%, {where}", err=True)

    return show
