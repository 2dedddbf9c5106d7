"""A bot in its seat while it is checked: each answer is timed and kept, and one may be refused to see what follows."""

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from calza.matches.host import Clock, Player, Turn
from calza.rules import Action, AgentFault, Event, Game, NotationError, View, parse_action
from calza.rules.events import BidMade, RoundBegan

from .launch import children

AGAIN = 0.05  # seconds after which an alarm rings again: an author's code may have caught the first
ONCE = "it would be legal, and is refused this once to see what the bot does then"


class Answer(Struct, frozen=True):
    """What the bot was asked, what it said (nothing when it failed), and how long it took."""

    view: View
    turn: Turn
    said: str
    seconds: float


class Enough(Exception):
    """The bot has been asked as often, or as long, as was planned."""


class Watched:
    """Passes everything on to the bot. It implements the host's `Player`."""

    def __init__(
        self,
        bot: Player,
        moves: int,
        until: float,
        now: Callable[[], float],
        refuses: bool = False,
        alarm: bool = False,
    ) -> None:
        """`refuses`: its first legal answer is refused. `alarm`: it runs in this process and may never return."""
        self.bot, self.moves, self.until, self.now = bot, moves, until, now
        self.refuses, self.alarm = refuses, alarm
        self.answers: list[Answer] = []
        self.refused_once = self.stubborn = False
        self.told = self.retries = False

    def match(self, game: Game, seat: int, names: Sequence[str], clock: Clock) -> None:
        """A match begins."""
        self.bot.match(game, seat, names, clock)

    def seen(self, events: Sequence[Event], game: Game) -> None:
        """This has happened; first of all, what led to a position that is not the start of a game."""
        if not self.told and game.said and isinstance(events[0], RoundBegan):
            bids = [BidMade(seat=seat, quantity=bid.quantity, face=bid.face) for seat, bid in game.said]
            events = [replace(events[0], seat=bids[0].seat), *bids]
        self.told = True
        self.bot.seen(events, game)

    def act(self, view: View, turn: Turn) -> Action | str:
        """The bot's action."""
        if not self.retries and self.answers and (len(self.answers) >= self.moves or self.now() >= self.until):
            raise Enough
        self.retries = False
        action = self._timed(view, turn)
        if not self.refuses or not is_legal(action, view):
            return action
        self.refuses, self.refused_once = False, True
        self.bot.refused(f"{action}: {ONCE}")
        again = self._timed(view, less(turn, self.answers[-1].seconds))
        self.stubborn = str(again) == str(action)
        return again

    def refused(self, why: str) -> None:
        """The last action was refused."""
        self.retries = True
        self.bot.refused(why)

    def over(self, places: Sequence[int]) -> None:
        """The match has ended."""
        self.bot.over(places)

    def _timed(self, view: View, turn: Turn) -> Action | str:
        """Ask, with a stopwatch."""
        said, begun = "", self.now()
        try:
            with contained(turn.left) if self.alarm else nullcontext():
                action = self.bot.act(view, turn)
            said = str(action)
            return action
        finally:
            self.answers.append(Answer(view, turn, said, self.now() - begun))


def is_legal(action: Action | str, view: View) -> bool:
    """Whether it may be played."""
    try:
        return (parse_action(action, view.rules) if isinstance(action, str) else action) in view.legal()
    except NotationError:
        return False


def less(turn: Turn, seconds: float) -> Turn:
    """The time that is left later in the same turn."""
    return Turn(None if turn.left is None else max(0.0, turn.left - seconds), turn.bank, turn.last)


# --- in this process


class Hung(BaseException):
    """Time is up; no `except Exception` of an author's stops it."""


@contextmanager
def contained(seconds: float | None) -> Iterator[None]:
    """An author's code in this process: what it can do besides failing is not to return, and to exit."""
    armed = True

    def ring(number: int, frame: object) -> None:
        if armed:
            raise Hung

    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds or 0.0, AGAIN)
        try:
            yield
        finally:
            armed = False
    except Hung:
        raise AgentFault("timeout", f"it did not answer in {seconds:g} s") from None
    except SystemExit as leaving:
        raise AgentFault("crash", f"it called exit({leaving.code!r})") from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


# --- memory and processes


def peak(pid: int) -> int:
    """The most memory, in bytes, that a process and all below it have held so far; 0 where Linux does not tell."""
    return high_water(pid) + sum(peak(child) for child in children(pid))


def started(pid: int) -> int:
    """How many processes run below a process."""
    return sum(1 + started(child) for child in children(pid))


def high_water(pid: int) -> int:
    """The most that one process has held."""
    with suppress(OSError, ValueError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return 0
