"""`calza play`: a person against house bots, in the terminal."""

import secrets
import shlex
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
from types import FrameType

import click

from calza.agents import parse_agent
from calza.agents.house import Spec
from calza.matches import write_record
from calza.rules import CalzaError, Record, Rules
from calza.rules.describe import join
from calza.rules.read import printable

from .bots import BOTS
from .find import RULES
from .host import Clock, Host, Leaving
from .person import Keyboard
from .save import match_folder, save
from .screen import Screen
from .sitting import Luck, Sitting

USUAL = ("cautious", "bluffer")
POLITE = (signal.SIGTERM, signal.SIGHUP)


@click.command()
@click.option("--rules", type=RULES, default="liars-dice", show_default=True, help="A variant, or your own file.")
@click.option("--against", type=BOTS, help="House bots, with commas  [default: cautious,bluffer]")
@click.option("--seed", help="Any text: the same text, the same dice.")
@click.option("--dice", type=click.IntRange(1, 15), metavar="N", help="Dice of every player at the start.")
@click.option("--odds", is_flag=True, help="Show how likely bids are.")
@click.option("--name", default="Guest", show_default=True, help="Your name in the record.")
@click.option(
    "--save",
    "folder",
    metavar="FOLDER",
    type=click.Path(path_type=Path),
    help="Where the record goes  [default: your data folder]",
)
def play(
    rules: Rules,
    against: tuple[Spec, ...] | None,
    seed: str | None,
    dice: int | None,
    odds: bool,
    name: str,
    folder: Path | None,
) -> None:
    """Play a game in the terminal against house bots.

    The match is saved as a record, finished or not; `calza verify` proves its dice, `calza replay` shows it again.
    """
    luck = Luck(secrets.token_bytes(32), secrets.token_hex(8)) if seed is None else Luck.named(seed)
    sitting = Sitting(rules, printable(name.strip()) or "Guest", against or usual_bots(rules), luck, dice)
    host = Host(sitting, Screen(), Keyboard(), clock(), odds)
    with endings():
        status = sit(host, folder or match_folder())
    raise click.exceptions.Exit(status)


def usual_bots(rules: Rules) -> tuple[Spec, ...]:
    """Two house bots, or as many as the rules want."""
    wanted = min(max(len(USUAL), rules.min_players - 1), rules.max_players - 1)
    return tuple(parse_agent(name) for name, _ in zip(cycle(USUAL), range(wanted), strict=False))


def sit(host: Host, folder: Path) -> int:
    """Play and keep the record, whatever happens; the exit status."""
    try:
        welcome(host)
        host.play()
        return 0
    except Leaving:
        return 0
    except EOFError:
        host.screen.gap()
        return 0
    except KeyboardInterrupt:
        host.screen.gap()
        return 130
    finally:
        with unhurried():
            keep(host.sitting.record(host.started), folder, host.screen)


def welcome(host: Host) -> None:
    """What is played against whom, and what the dice are committed to."""
    sitting, screen = host.sitting, host.screen
    rules = sitting.game.table.rules
    screen.say(rules.shown, "bold")
    if rules.about:
        screen.say(rules.about)
    others = [name for seat, name in enumerate(sitting.cast.names) if seat != sitting.person]
    screen.say(f"You play against {join(others)}. Type ? for help.")
    screen.copyable(f"dice committed: {sitting.commitment}")


def keep(record: Record, folder: Path, screen: Screen) -> None:
    """Save the record and say where; one that cannot be saved is printed, so that it is not lost."""
    try:
        path = save(record, folder)
    except OSError as error:
        click.echo(write_record(record), nl=False)
        why = f"{folder}: {(error.strerror or str(error)).lower()}"
        raise CalzaError(f"the record could not be saved and is printed instead ({why})") from None
    screen.gap()
    screen.copyable(f"record saved: {path}")
    screen.copyable(f"prove it with: {ourselves()} verify {shlex.quote(str(path))}")


def ourselves() -> str:
    """How a shell calls this program again: `make play` in a clone puts no calza on anybody's path."""
    if shutil.which("calza"):
        return "calza"
    started = sys.argv[0]
    module = Path(started).name == "__main__.py"
    return f"{shlex.quote(sys.executable)} -m calza" if module else shlex.quote(started)


# --- time and signals


def clock() -> Clock:
    """Milliseconds since 1970 that go on evenly, even if somebody sets the time."""
    offset = time.time_ns() - time.monotonic_ns()
    return lambda: (offset + time.monotonic_ns()) // 1_000_000


@contextmanager
def endings() -> Iterator[None]:
    """A closed terminal and a polite kill end like Ctrl-C does: by an exception, so that the record is kept."""

    def leave(number: int, frame: FrameType | None) -> None:
        raise SystemExit(128 + number)

    kept = {one: signal.signal(one, leave) for one in POLITE}
    try:
        yield
    finally:
        for one, handler in kept.items():
            signal.signal(one, handler)


@contextmanager
def unhurried() -> Iterator[None]:
    """Whoever loses patience does not cut off the saving."""
    kept = {one: signal.signal(one, signal.SIG_IGN) for one in (signal.SIGINT, *POLITE)}
    try:
        yield
    finally:
        for one, handler in kept.items():
            signal.signal(one, handler)
