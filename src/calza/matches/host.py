"""Hosting a match: agents that may be late, wrong or broken play a game to its end by the host's policy.

A fault never escapes a match. What follows from it is policy, not rules: out of the game, a die lost, or another try.
"""

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Annotated, Protocol

from msgspec import Meta, Struct

from calza.rules import Action, AgentFault, CalzaError, Event, Game, IllegalAction, NotationError, View
from calza.rules.events import round_began

from .run import LIMIT

VERDICT = r"^(forfeit|lose-die|retry:[1-9][0-9]{0,2})$"
GONE = ("crash", "benched")

Verdict = Annotated[str, Meta(pattern=VERDICT)]


class Policy(Struct, frozen=True, forbid_unknown_fields=True):
    """What follows from a fault: `forfeit`, `lose-die`, or `retry:N` (so many more tries, then forfeit)."""

    illegal: Verdict = "forfeit"
    timeout: Verdict = "forfeit"


class Clock(Struct, frozen=True, forbid_unknown_fields=True):
    """Seconds a seat may think: for one move, and in all with an increment for every move; None for no limit."""

    move: float | None = None
    bank: float | None = None
    increment: float = 0.0


FORFEIT, UNTIMED = Policy(), Clock()


class Turn(Struct):
    """What an agent may know of its time when it is asked, in seconds."""

    left: float | None  # for this move
    bank: float | None
    last: float  # what its last move took


class Player(Protocol):
    """An agent in a seat as the host sees it; `match`, `seen` and `over` tell it what happens."""

    def match(self, game: Game, seat: int, names: Sequence[str], clock: Clock) -> None:
        """A match begins."""

    def seen(self, events: Sequence[Event], game: Game) -> None:
        """This has happened, and the game is now so."""

    def act(self, view: View, turn: Turn) -> Action | str:
        """The action to play; AgentFault when it fails."""
        ...

    def refused(self, why: str) -> None:
        """The last action was refused; another is asked for."""

    def over(self, places: Sequence[int]) -> None:
        """The match has ended."""


class Fault(Struct, frozen=True):
    """What an agent did wrong in a match."""

    seat: int
    sequence: int
    kind: str
    why: str
    detail: str = ""


class Hosted(Struct):
    """How a match went."""

    finished: bool
    faults: list[Fault]
    seconds: list[list[float]]  # [seat]: what each move took


class Host:
    """One match. `now` is a clock in seconds."""

    def __init__(
        self,
        game: Game,
        players: Sequence[Player],
        names: Sequence[str],
        policy: Policy = FORFEIT,
        clock: Clock = UNTIMED,
        now: Callable[[], float] = perf_counter,
    ) -> None:
        self.game, self.players, self.names = game, players, names
        self.policy, self.clock, self.now = policy, clock, now
        self.banks = [clock.bank] * len(players)
        self.last = [0.0] * len(players)
        self.hosted = Hosted(False, [], [[] for _ in players])

    def play(self, limit: int = LIMIT) -> Hosted:
        """Play to the end, or to `limit` actions."""
        game = self.game
        for seat, player in enumerate(self.players):
            self._tell(seat, player.match, game, seat, self.names, self.clock)
        self._tell_all([round_began(game.state)])
        while not game.over and game.sequence < limit:
            self._turn(game.turn)
        self.hosted.finished = game.over
        for seat, player in enumerate(self.players):
            self._tell(seat, player.over, game.places)
        return self.hosted

    def _turn(self, seat: int) -> None:
        """Ask the seat to act until something has happened."""
        asked = started = self.now()
        tries, events = 0, None
        while events is None:
            try:
                events = self.game.play(seat, self._ask(seat, asked, asked - started))
            except CalzaError as error:
                fault = fault_of(error)
                tries += 1
                self._note(seat, fault)
                events = self._ruled(seat, fault, tries)
                asked = self.now()
                if fault.kind == "timeout":
                    started = asked  # another try after a time-out has its own time, but the same bank
        bank = self.banks[seat]
        if bank is not None:
            self.banks[seat] = bank + self.clock.increment
        self._tell_all(events)

    def _ask(self, seat: int, asked: float, used: float) -> Action | str:
        """The seat's action, in its time, of which it has used some."""
        left = self._left(seat, used)
        try:
            action = self.players[seat].act(self.game.view(seat), Turn(left, self.banks[seat], self.last[seat]))
        finally:
            spent = self._spent(seat, self.now() - asked)
        if left is not None and spent > left:
            raise AgentFault("timeout", f"it took {spent:.3f} s for a move of {left:.3f} s")
        return action

    def _left(self, seat: int, used: float) -> float | None:
        """Seconds left for this move, of which some were used by tries that were refused."""
        move, bank = self.clock.move, self.banks[seat]
        if move is None:
            return bank
        left = max(0.0, move - used)
        return left if bank is None else min(left, bank)

    def _spent(self, seat: int, spent: float) -> float:
        """Charge a try to the seat's bank."""
        self.hosted.seconds[seat].append(spent)
        self.last[seat] = spent
        bank = self.banks[seat]
        if bank is not None:
            self.banks[seat] = max(0.0, bank - spent)
        return spent

    def _ruled(self, seat: int, fault: AgentFault, tries: int) -> list[Event] | None:
        """Carry out the policy; None when the seat may try again."""
        policy = self.policy.timeout if fault.kind == "timeout" else self.policy.illegal
        word, _, times = policy.partition(":")
        if fault.kind in GONE:  # nobody is there to lose a die or to try again
            word = "forfeit"
        if word == "retry" and tries <= int(times):
            self._tell(seat, self.players[seat].refused, str(fault))
            return None
        if word == "lose-die":
            return self.game.penalize(seat, fault.kind)
        return self.game.forfeit(seat, fault.kind)

    def _tell_all(self, events: list[Event]) -> None:
        """This has happened."""
        for seat, player in enumerate(self.players):
            self._tell(seat, player.seen, events, self.game)

    def _tell(self, seat: int, tell: Callable[..., None], *what: object) -> None:
        """Tell one player; one that fails at listening is dealt with when it is to act."""
        try:
            tell(*what)
        except AgentFault as error:
            self._note(seat, error)

    def _note(self, seat: int, fault: AgentFault) -> None:
        self.hosted.faults.append(Fault(seat, self.game.sequence, fault.kind, fault.why, fault.detail))


def fault_of(error: CalzaError) -> AgentFault:
    """What an agent did wrong, from what its action led to."""
    match error:
        case AgentFault():
            return error
        case IllegalAction():
            return AgentFault("illegal", str(error))
        case NotationError():
            return AgentFault("malformed", str(error))
    raise error
