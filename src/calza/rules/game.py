"""A game that is being played: the state, the cups, and what has been done, for one table."""

import hashlib
from collections.abc import Callable, Sequence

from . import play
from .actions import REASON, RESIGN, Action, Bid, Call, Forfeit, Penalty, Ply, parse_action, seat_name
from .charts import Charts
from .dice import SEED_BYTES, Dice, Hand, HmacDice, MixDice
from .errors import IllegalAction, NotationError, Refusal, SetupError
from .events import Event, bid_made, round_ended
from .hands import MATCHINGS
from .play import bid, bid_refusal
from .record import Entry, Player, Record, Setup
from .refusals import explain, instead_of
from .rules import Rules
from .setup import check_seats, given_hands, round_bids, set_up
from .state import State
from .table import lay
from .view import Legal, View, legal_actions

REFUSALS = tuple(Refusal)  # by their numbers, which the compiled functions return


def stream_of(seed: bytes | int | Dice) -> Dice:
    """The stream of dice that a seed stands for; bytes that are no seed of `hmac-1` stand for their hash."""
    match seed:
        case bytes():
            return HmacDice(seed if len(seed) == SEED_BYTES else hashlib.sha256(seed).digest())
        case int():
            return MixDice(seed)
    return seed


class Game:
    """One game. Seats are numbered from 0, clockwise."""

    __slots__ = (
        "charts",
        "cups",
        "given",
        "hands",
        "plies",
        "said",
        "setup",
        "source",
        "state",
        "table",
        "times",
    )

    def __init__(
        self,
        rules: Rules,
        players: int = 2,
        *,
        seed: bytes | int | Dice,
        dice: int | Sequence[int] | None = None,
    ) -> None:
        """Start a game of `players`.

        `seed` says where the dice come from: bytes for `hmac-1` (32, or any word such as `b"demo"`), a number for
        `mix-1`, or a stream of dice. `dice` are the dice at the start, for all seats or for each.
        """
        self._lay(rules, seed)
        self.given = () if dice is None else (dice,) * players if isinstance(dice, int) else tuple(dice)
        start = self.given or (rules.dice,) * players
        if len(start) != players:
            raise SetupError(
                f"{len(start)} numbers of dice for {players} players; give one for all or one for each seat"
            )
        check_seats(rules, start)
        self.state = State(self.charts, start, self.source.starter(players))
        self._roll()

    @classmethod
    def at(cls, rules: Rules, setup: Setup, *, seed: bytes | int | Dice) -> "Game":
        """A game that starts from any position; cups that `setup` does not give are rolled."""
        game = cls.__new__(cls)
        game._lay(rules, seed)
        game.given, game.setup = (), setup
        game.state = set_up(setup, game.table)
        hands = given_hands(setup, rules)
        game._roll()
        game.said += round_bids(setup, rules)
        game._hide([hands.get(seat, hand) for seat, hand in enumerate(game.hands)])
        return game

    def _lay(self, rules: Rules, seed: bytes | int | Dice) -> None:
        self.table = lay(rules)
        self.charts = self.table.charts
        self.source: Dice = stream_of(seed)
        self.setup: Setup | None = None
        self.plies: list[tuple[int, Ply]] = []  # what was done, with the seat
        self.times: dict[int, int] = {}  # when, by sequence, where somebody said so
        self.said: list[tuple[int, Bid]] = []  # the bids of this round

    def _roll(self) -> None:
        """Everybody with dice rolls for a new round."""
        s = self.state
        self.said = []
        self._hide(self.source.roll(s.round, s.dice, len(self.charts.faces)))

    def _hide(self, hands: list[Hand]) -> None:
        """Put dice under the cups."""
        matching = MATCHINGS[self.charts.wild[self.state.mode]]
        self.hands = hands
        self.cups = [matching[hand] for hand in hands]

    # --- what can be asked

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return bool(self.state.over)

    @property
    def turn(self) -> int:
        """The seat to act; -1 when the game is over."""
        return -1 if self.state.over else self.state.turn

    @property
    def sequence(self) -> int:
        """How many actions there have been."""
        return len(self.plies)

    @property
    def places(self) -> tuple[int, ...]:
        """The place of every seat, from 1; empty until the game is over."""
        return tuple(play.place(self.state, seat) for seat in range(self.state.seats)) if self.state.over else ()

    def view(self, seat: int) -> View:
        """What `seat` sees."""
        s, said = self.state, self.said
        if not 0 <= seat < s.seats:  # -1, which stands for a spectator elsewhere, would show the last seat's cup
            raise IndexError(f"there is no seat {seat}: seats are 0 to {s.seats - 1}")
        return View(
            seat, self.hands[seat], self.cups[seat], s.turn, s.quantity, s.face, s.bidder, s.row, s.most, s.dice,
            s.total, s.playing, s.round, s.mode, s.over, s.start, len(self.plies), self.table, said, len(said),
        )  # fmt: skip

    def spectator_view(self) -> View:
        """What somebody sees who holds no cup."""
        s, said = self.state, self.said
        return View(
            -1, (), (), s.turn, s.quantity, s.face, s.bidder, s.row, s.most, s.dice,
            s.total, s.playing, s.round, s.mode, s.over, s.start, len(self.plies), self.table, said, len(said),
        )  # fmt: skip

    def legal(self, seat: int) -> Legal:
        """What `seat` may do now."""
        return legal_actions(self.state, self.table, seat)

    def refusal(self, seat: int, action: Action | str) -> Refusal:
        """Why `seat` may not play `action`; `FINE` if it may."""
        if isinstance(action, str):
            action = parse_action(action, self.table.rules)
        s = self.state
        if s.over:
            return Refusal.GAME_OVER
        if not 0 <= seat < s.seats or not s.dice[seat]:
            return Refusal.OUT
        if type(action) is Bid and seat == s.turn and type(action.quantity) is type(action.face) is int:
            return REFUSALS[bid_refusal(s, self.charts, action.quantity, action.face)]
        if action == RESIGN:
            return Refusal.FINE
        if seat != s.turn:
            return Refusal.NOT_YOUR_TURN
        if type(action) is Call:
            return REFUSALS[play.call_refusal(s, self.charts, self.table.call.get(action.name, -1))]
        return Refusal.NOT_AN_ACTION

    # --- what can be done

    def play(self, seat: int, action: Action | str, at: int | None = None) -> list[Event]:
        """Play `action` for `seat`, `at` milliseconds after the start; returns what happened, in order."""
        if isinstance(action, str):
            action = parse_action(action, self.table.rules)
        if refusal := self.refusal(seat, action):
            raise self.illegal(refusal, seat, action)
        if isinstance(action, Bid):
            self._note(at)
            self.step(action)
            return [bid_made(seat, action.quantity, action.face)]
        if isinstance(action, Forfeit):
            return self.forfeit(seat, at=at)
        return self._done(seat, action, at, lambda: self.step(action))

    def forfeit(self, seat: int, reason: str = "resign", at: int | None = None) -> list[Event]:
        """Take `seat` out of the game, in turn or not."""
        return self._ruled(seat, Forfeit(reason), at)

    def penalize(self, seat: int, reason: str, at: int | None = None) -> list[Event]:
        """Take one die of `seat`, as after a wrong liar call."""
        return self._ruled(seat, Penalty(reason), at)

    def carry_out(self, seat: int, ply: Ply, at: int | None = None) -> list[Event]:
        """Do what a player or the host has decided; returns what happened, in order."""
        match ply:
            case Penalty(reason):
                return self.penalize(seat, reason, at)
            case Forfeit(reason):
                return self.forfeit(seat, reason, at)
        return self.play(seat, ply, at)

    def ahead(self, seat: int, ply: Ply) -> State:
        """The public state after `ply`; IllegalAction if the rules refuse it. Nothing changes, and nobody rolls."""
        if isinstance(ply, Forfeit | Penalty):
            self._check_ruling(seat, ply)
        elif refusal := self.refusal(seat, ply):
            raise self.illegal(refusal, seat, ply)
        s, charts = self.state.copy(), self.charts
        match ply:
            case Bid(quantity, face):
                bid(s, charts, quantity, face)
            case Call(name):
                play.call(s, charts, self.table.call[name], play.count(s, charts, self.cups, s.face))
            case Forfeit():
                play.leave(s, charts, seat)
            case _:
                play.penalize(s, charts, seat)
        return s

    def _ruled(self, seat: int, ruling: Forfeit | Penalty, at: int | None) -> list[Event]:
        self._check_ruling(seat, ruling)
        return self._done(seat, ruling, at, lambda: self.rule(seat, ruling))

    def _check_ruling(self, seat: int, ruling: Forfeit | Penalty) -> None:
        if self.state.over or not 0 <= seat < self.state.seats or not self.state.dice[seat]:
            refusal = Refusal.GAME_OVER if self.state.over else Refusal.OUT
            raise self.illegal(refusal, seat, ruling)
        if ruling != RESIGN and not REASON.fullmatch(str(ruling)):
            raise NotationError(ruling.reason, "a reason is small letters, digits and hyphens, at most 40 in all")

    def _done(self, seat: int, ply: Call | Forfeit | Penalty, at: int | None, do: Callable[[], None]) -> list[Event]:
        """End a round and say what happened."""
        before, hands, cups = self.state.copy(), self.hands, self.cups
        self._note(at)
        do()
        return round_ended(self.table, before, hands, cups, seat, ply, self.state)

    def _note(self, at: int | None) -> None:
        if at is not None:
            self.times[len(self.plies)] = at

    def illegal(self, refusal: Refusal, seat: int, action: object) -> IllegalAction:
        """The error that says why `seat` may not play `action`, and what it may."""
        instead = instead_of(action, self.legal(seat))
        sentence = explain(refusal, action, seat, self.state, self.table.rules, instead)
        return IllegalAction(refusal, seat, action, sentence, instead)

    def step(self, action: Action | str) -> None:
        """Play `action` for the seat to act and say nothing: the hot path of matches."""
        s, charts = self.state, self.charts
        if s.over:
            raise self.illegal(Refusal.GAME_OVER, s.turn, action)
        if type(action) is Bid:
            quantity, face = action.quantity, action.face
            try:
                # Most bids are legal, and to ask `bid_refusal` costs a tenth of one; a test compares the two.
                if not (0 < face < charts.width and charts.floor[s.row + face] <= quantity <= s.most):
                    raise self.illegal(Refusal(bid_refusal(s, charts, quantity, face)), s.turn, action)
                # The table's own bid: its numbers are whole ones, which an agent's may not be.
                ply = (s.turn, self.table.bids[quantity * charts.width + face])
            except TypeError:
                raise self.illegal(Refusal.NOT_AN_ACTION, s.turn, action) from None
            self.plies.append(ply)
            self.said.append(ply)
            bid(s, charts, quantity, face)
        elif type(action) is Call:
            self._call(s, charts, action)
        elif action == RESIGN:
            self.rule(s.turn, RESIGN)
        elif isinstance(action, str):
            self.step(parse_action(action, self.table.rules))
        else:
            raise self.illegal(Refusal.NOT_AN_ACTION, s.turn, action)

    def _call(self, s: State, charts: Charts, action: Call) -> None:
        which = self.table.call.get(action.name, -1)
        if refusal := play.call_refusal(s, charts, which):
            raise self.illegal(Refusal(refusal), s.turn, action)
        self.plies.append((s.turn, action))
        s.dice = s.dice.copy()  # views hold the old list
        play.call(s, charts, which, play.count(s, charts, self.cups, s.face))
        if not s.over:
            self._roll()

    def rule(self, seat: int, ruling: Forfeit | Penalty) -> None:
        """Carry out what the host rules on a seat that has dice, and say nothing."""
        s = self.state
        self.plies.append((seat, ruling))
        s.dice = s.dice.copy()
        act = play.leave if isinstance(ruling, Forfeit) else play.penalize
        act(s, self.charts, seat)
        if not s.over:
            self._roll()

    # --- what can be kept

    def copy(self) -> "Game":
        """A game in the same position that goes its own way."""
        twin = Game.__new__(Game)
        for name in self.__slots__:
            setattr(twin, name, getattr(self, name))
        twin.state, twin.plies, twin.times, twin.said = (
            self.state.copy(), self.plies.copy(), self.times.copy(), self.said.copy(),
        )  # fmt: skip
        return twin

    def record(
        self,
        players: Sequence[Player] = (),
        seats: Sequence[int] = (),
        *,
        id: str = "",
        started: str = "",
        reveal: bool = False,
    ) -> Record:
        """The match so far. `seats` says which player sits where if that was drawn; else they sit in their order.

        The seed of committed dice is in it once the game is over, or when `reveal` gives it out before.
        """
        names = players or [Player(name=seat_name(seat)) for seat in range(self.state.seats)]
        return Record(
            id=id,
            rules=self.table.rules,
            rules_id=self.table.rules.rules_id,
            players=tuple(names),
            seats=tuple(seats),
            dice=self.source.source(reveal or self.over),
            start=self.given,
            setup=self.setup,
            started=started,
            actions=tuple(
                Entry(seat, str(ply), self.times.get(sequence)) for sequence, (seat, ply) in enumerate(self.plies)
            ),
            places=self.places,
        )
