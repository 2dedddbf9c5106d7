"""`calza replay`: a recorded match again, step by step in a terminal, as text, or as a page that plays it.

Or what a player's decisions in it gave up.
"""

import os
import re
from collections import deque
from collections.abc import Sequence
from pathlib import Path

import click
import msgspec

from calza.agents.chances import chances
from calza.agents.review import costliest, review
from calza.matches import replay as steps_of
from calza.rules import CalzaError, Record
from calza.rules.actions import seat_name, seat_of
from calza.rules.events import RoundBegan
from calza.rules.read import printable
from calza.show import Cast, cast_of
from calza.show.film import film_of
from calza.show.hindsight import Decision
from calza.show.player import ALL, replay_html

from .frames import Frame, frames
from .person import Ask, Keyboard, in_terminal
from .records import record_in
from .save import put
from .screen import Screen
from .story import narrate
from .table import seats

HELP = "Enter or n is the next action, b goes back, g 12 goes to action 12, q quits."


@click.command()
@click.argument("file")
@click.option("--seat", help="Show only the cup of this seat: A, B and so on.")
@click.option("--json", "as_json", is_flag=True, help="Print a line of JSON for each action.")
@click.option("--html", "out", metavar="OUT", help="Write a page that plays the match in a browser, all cups in it.")
@click.option("--review", "reviewed", metavar="SEAT", help="Show what this seat's decisions gave up.")
def replay(file: str, seat: str | None, as_json: bool, out: str | None, reviewed: str | None) -> None:
    """Show the match recorded in FILE again; - is standard input.

    In a terminal it goes action by action, elsewhere all of it is printed. With --review only the decisions of a player
    are judged; a page has both.
    """
    if as_json and out:
        raise click.UsageError("--json and --html are two ways to write a match; choose one")
    record = record_in(file)
    cast = cast_of(record)
    own = None if seat is None else seat_of(seat.upper(), len(cast.names))
    decisions = [] if reviewed is None else review(record, seat_of(reviewed.upper(), len(cast.names)))
    if as_json and not reviewed:
        for _, step in steps_of(record):
            click.echo(msgspec.json.encode(step))
        return
    if out:
        write_page(record, decisions, ALL if own is None else own, file, out)
        return
    if reviewed:
        judge(decisions, as_json)
        deque(steps_of(record), 0)  # says what is wrong with the record, if anything is
        return
    show(record, Player(Screen(), cast, range(len(cast.names)) if own is None else (own,)), own_keys=file != "-")


def judge(decisions: Sequence[Decision], as_json: bool) -> None:
    """The costliest decisions in words, and how many there were; or all of them as lines of JSON."""
    if as_json:
        for one in decisions:
            click.echo(msgspec.json.encode(one))
        return
    screen = Screen()
    for one in costliest(decisions):
        cost = f"-{one.cost:.2f} dice (give or take {one.doubt:.2f})"
        screen.say(f"Action {one.action}, round {one.round}: {cost}", "bold")
        screen.say(one.says)
        screen.gap()
    many = "1 decision" if len(decisions) == 1 else f"{len(decisions)} decisions"
    costly = sum(one.costly for one in decisions)
    screen.say(f"{costly if costly else 'None'} of {many} gave up more than chance explains.")


def write_page(record: Record, decisions: Sequence[Decision], view: int, file: str, out: str) -> None:
    """Write the page of a match, and then say what is wrong with it if anything is; - is standard output."""
    film = film_of(record, chances(record), decisions)
    page = replay_html([film], view)
    if out == "-":
        click.echo(page, nl=False)
    elif file != "-" and os.path.exists(out) and os.path.samefile(file, out):
        raise CalzaError(f"{out} is the record itself; give the page a name of its own")
    else:
        put(Path(out), page.encode())
        click.echo(f"wrote {out}: open it in a browser")
    if film.wrong:
        raise CalzaError(film.wrong)


class Player:
    """Draws frames on a screen, the cups of some seats open."""

    def __init__(self, screen: Screen, cast: Cast, open: Sequence[int]) -> None:
        self.screen, self.cast, self.open = screen, cast, open

    def introduce(self, record: Record) -> None:
        """What was played, when, and by whom."""
        screen = self.screen
        screen.say(printable(record.rules.shown), "bold")
        if record.id:
            screen.copyable(f"match {printable(record.id)}{f', {printable(record.started)}' if record.started else ''}")
        screen.say(", ".join(f"{seat_name(seat)} is {name}" for seat, name in enumerate(self.cast.names)))

    def draw(self, frame: Frame) -> None:
        """What happened, and the table after it."""
        self.tell(frame)
        if not frame.after.over:
            self.table(frame)

    def tell(self, frame: Frame) -> None:
        """What happened."""
        narrate(frame.step.events, frame.before, frame.after, self.cast, self.screen)

    def table(self, frame: Frame) -> None:
        """The seats with the cups that are open."""
        self.screen.gap()
        self.screen.show(seats(frame.after, self.cast, self.screen, frame.cups(self.open)))
        self.screen.gap()


def show(record: Record, player: Player, own_keys: bool) -> None:
    """Show a match, and then say what is wrong with it if anything is."""
    film, wrong = frames(record)
    if film:
        player.introduce(record)
        if own_keys and in_terminal():
            leaf(film, player, Keyboard())
        else:
            print_all(film, player)
    if wrong:
        raise wrong


def print_all(film: Sequence[Frame], player: Player) -> None:
    """The whole match, with the table at the start of every round."""
    for frame in film:
        player.tell(frame)
        if any(isinstance(event, RoundBegan) for event in frame.step.events):
            player.table(frame)


def leaf(film: Sequence[Frame], player: Player, ask: Ask) -> None:
    """Show a frame, ask where to go, and go there."""
    last = len(film) - 1
    at = 0
    player.screen.say(HELP)
    player.draw(film[at])
    while True:
        try:
            typed = ask(f"[{at - 1} of {last - 1}] " if at else f"[start, {last} actions] ")
        except EOFError:
            player.screen.gap()
            return
        wanted = destination(typed.strip().lower(), at)
        if wanted is None:
            return
        if not 0 <= wanted <= last:
            player.screen.say("That was the last action." if wanted > last else "This is the start.")
        elif wanted == at:
            player.screen.say(HELP)
        else:
            at = wanted
            player.draw(film[at])


def destination(typed: str, at: int) -> int | None:
    """The frame to go to; the same one for what is not understood, None to stop."""
    if typed in ("", "n", "next"):
        return at + 1
    if typed in ("b", "back", "p"):
        return at - 1
    if typed in ("q", "quit", "exit"):
        return None
    if found := re.fullmatch(r"(?:g\s*)?(\d{1,6})", typed, re.ASCII):
        return int(found[1]) + 1
    return at
