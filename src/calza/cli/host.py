"""Hosting a sitting: every seat is asked in turn, and the person reads what happens and what may be done."""

from collections.abc import Callable, Iterable

from rich.console import Group, RenderableType
from rich.markdown import Markdown
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from calza.matches.run import LIMIT
from calza.rules import Action, IllegalAction, NotationError, View
from calza.rules.describe import describe
from calza.rules.events import round_began

from .cups import own_cup
from .help import help_lines
from .person import Ask, Wish, read
from .screen import Screen
from .sitting import Sitting
from .story import narrate, narrate_shortly
from .table import NARROW, choices, seats

Clock = Callable[[], int]  # milliseconds since 1970, never backwards
PROMPT = "Your move: "


class Leaving(Exception):
    """The person has had enough."""


class Host:
    """Leads through a sitting."""

    def __init__(self, sitting: Sitting, screen: Screen, ask: Ask, clock: Clock, odds: bool = False) -> None:
        self.sitting, self.screen, self.ask, self.clock, self.odds = sitting, screen, ask, clock, odds
        self.started = clock()

    def play(self) -> None:
        """Play to the end of the game; Leaving or EOFError when the person goes before."""
        game, view = self.sitting.game, self.view()
        narrate([round_began(game.state)], view, view, self.sitting.cast, self.screen)
        while not game.over and len(game.plies) < LIMIT:
            if game.turn == self.sitting.person:
                self.turn()
            else:
                self.act(self.sitting.bots[game.turn].act(game.view(game.turn)))
        if not game.over:
            self.screen.say(f"After {LIMIT:,} actions nobody has won yet; the match stays unfinished.")

    def view(self) -> View:
        """What the person sees."""
        return self.sitting.game.view(self.sitting.person)

    def act(self, action: Action) -> None:
        """Play for the seat to act, and tell what happened."""
        game, cast, screen = self.sitting.game, self.sitting.cast, self.screen
        before, playing = self.view(), self.sitting.playing
        events = game.play(game.turn, action, self.clock() - self.started)
        if not playing:
            narrate_shortly(events, self.view(), cast, screen)
            return
        out = not self.sitting.playing and not game.over
        narrate(events[:-1] if out else events, before, self.view(), cast, screen)
        if out:
            screen.gap()
            screen.say("The others play on.", "bold")

    # --- the person's turn

    def turn(self) -> None:
        """Show the person what there is, and ask until an action can be played."""
        view = self.view()
        self.ask.offer(view)
        self.show_table(view)
        while True:
            line = self.ask(PROMPT)
            if not line.strip():
                continue
            try:
                entry = read(line, view.rules)
                if not isinstance(entry, Wish):
                    return self.act(entry)
                self.grant(entry, view)
            except (NotationError, IllegalAction) as error:
                self.screen.say(sentence(error), "red")

    def show_table(self, view: View) -> None:
        """The seats, the person's own cup, and what may be done."""
        screen, cast = self.screen, self.sitting.cast
        screen.gap()
        screen.show(seats(view, cast, screen))
        screen.gap()
        screen.show(own_cup(view.cup, view.charts.wild[view.mode], screen))
        screen.show(choices(view, view.legal(), cast, self.odds))

    def grant(self, wish: Wish, view: View) -> None:
        """Do what the person wants besides playing."""
        match wish:
            case Wish.HELP:
                self.screen.show(listed(help_lines(view, view.legal()), self.screen))
            case Wish.ODDS:
                self.screen.show(choices(view, view.legal(), self.sitting.cast, odds=True))
            case Wish.BIDS:
                self.show_table(view)
            case Wish.RULES:
                text = describe(view.rules)
                self.screen.show(Markdown(text) if self.screen.console.is_terminal else Text(text))
            case Wish.QUIT:
                raise Leaving


def listed(lines: Iterable[tuple[str, str]], screen: Screen) -> RenderableType:
    """Words with what they do: beside them, or below where there is little room."""
    if screen.width < NARROW:
        both = ((Text(word, "bold"), Padding(Text(does), (0, 0, 0, 2))) for word, does in lines)
        return Group(*(part for parts in both for part in parts))
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(style="bold")
    grid.add_column()
    for word, does in lines:
        grid.add_row(Text(word), Text(does))
    return grid


def sentence(error: Exception) -> str:
    """An error as it stands on its own."""
    text = str(error)
    return f"{text[:1].upper()}{text[1:]}."
