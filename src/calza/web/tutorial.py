"""Four scripted rounds with open dice. The engine plays them; the catalogue says what to see in them."""

from functools import cache

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from calza.rules import CATALOG, Game, Rules, Setup
from calza.rules.events import Called, DiceChanged
from calza.show.words import Cast, tell

from .site import Site

CAST = Cast(("Ann", "Ben", "Cleo"))


class Script(Struct, frozen=True):
    """A round that is played as it is written, from the first seat on."""

    key: str  # of its texts
    game: str
    cups: tuple[tuple[int, ...], ...]
    actions: tuple[str, ...]  # the last is a call


SCRIPTS = (
    Script(
        "lie", "liars-dice", ((2, 3, 5, 5, 6), (2, 2, 4, 5, 6), (3, 3, 4, 6, 6)), ("2x5", "3x5", "5x5", "challenge")
    ),
    Script(
        "wild", "liars-dice", ((1, 3, 4, 4, 6), (1, 2, 4, 5, 5), (1, 1, 2, 4, 6)), ("3x4", "4x4", "6x4", "challenge")
    ),
    Script(
        "ones", "liars-dice", ((1, 1, 3, 5, 6), (2, 4, 5, 5, 6), (1, 2, 3, 5, 5)), ("5x5", "3x1", "7x5", "challenge")
    ),
    Script("exact", "joker", ((4, 4, 6), (1, 3, 4, 5), (2, 3)), ("2x4", "3x4", "4x4", "exact")),
)


class Said(Struct, frozen=True):
    """One action of a round."""

    seat: int
    text: str
    says: list[str]


class Lesson(Struct, frozen=True):
    """A round as it is shown."""

    key: str
    rules: Rules
    cups: tuple[tuple[int, ...], ...]
    bids: list[Said]
    call: Said
    called: Called
    left: tuple[int, ...]  # dice of every seat afterwards

    @property
    def shares(self) -> str:
        """The same in words."""
        return ", ".join(f"{name} {dice}" for name, dice in zip(CAST.names, self.left, strict=True))


async def page(site: Site, request: Request) -> Response:
    """All rounds."""
    return site.page(request, "tutorial.html", lessons=lessons(), names=CAST.names)


@cache
def lessons() -> list[Lesson]:
    """Every script, played."""
    return [played(one) for one in SCRIPTS]


def played(script: Script) -> Lesson:
    """A script, played by the engine that plays everything."""
    rules = CATALOG[script.game]
    setup = Setup(dice=tuple(map(len, script.cups)), cups=script.cups, turn=0)
    game = Game.at(rules, setup, seed=0)
    said = []
    for text in script.actions:
        seat = game.turn
        events = game.play(seat, text)
        said.append(Said(seat, text, tell(events[:-1] if isinstance(events[0], Called) else events, CAST, rules)))
    called = events[0]
    assert isinstance(called, Called)
    left = list(setup.dice)
    for one in events:
        if isinstance(one, DiceChanged):
            left[one.seat] = one.left
    return Lesson(script.key, rules, script.cups, said[:-1], said[-1], called, tuple(left))
