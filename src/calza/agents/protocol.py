"""The bot protocol: one JSON object a line. `docs/reference/bot-protocol.md` describes it for authors.

Events travel as they are; everything else has its message here, so that host and worker cannot drift apart.
"""

from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256

import msgspec
from msgspec import Struct

from calza.matches.host import Clock, Turn
from calza.rules import Game, Legal, Rules, View
from calza.rules.actions import Bid
from calza.rules.charts import NEVER, PLAIN, SPECIAL
from calza.rules.dice import Hand
from calza.rules.events import RoundBegan
from calza.rules.hands import counts, matching
from calza.rules.table import Table, lay

PROTOCOL = 1


class Message(Struct, frozen=True, tag_field="type", tag=str.lower):
    """What the host writes to a bot."""


class Hello(Message, frozen=True):
    """First of all; the bot answers with its own."""

    protocol: int
    calza: str


class Match(Message, frozen=True):
    """A match begins."""

    rules: Rules
    rules_id: str
    floors: msgspec.Raw  # [mode][standing quantity][standing face][face]
    seat: int
    players: Sequence[str]
    dice: Sequence[int]
    clock: Clock
    seed: int  # for the bot's own chance: the same seed should play the same


class Round(Message, frozen=True):
    """Everybody rolls; this is the bot's hand."""

    round: int
    seat: int  # who opens
    dice: Sequence[int]
    special: bool
    hand: Sequence[int]


class Seen(Struct, frozen=True):
    """What the bot's seat sees, in full: no earlier message is needed to act on it."""

    seat: int
    turn: int
    round: int
    special: bool
    hand: Sequence[int]
    dice: Sequence[int]
    start: Sequence[int]
    bids: Sequence[tuple[int, int, int]]  # of this round: seat, quantity, face


class Act(Message, frozen=True):
    """The bot is to act."""

    sequence: int
    view: Seen
    legal: Legal
    time: Turn


class Refused(Message, frozen=True):
    """The last action was refused; another request follows."""

    why: str


class Over(Message, frozen=True):
    """The match has ended."""

    places: Sequence[int]


class Bye(Message, frozen=True):
    """No more matches: the bot should end."""


class Answer(Struct, frozen=True, omit_defaults=True):
    """What a bot writes when it is asked to act: an action, or that it gives up; unknown fields are ignored."""

    action: str | None = None
    sequence: int | None = None
    error: str = ""
    why: str = ""  # the action is none, says whoever runs the author's code


class BotHello(Struct, frozen=True, omit_defaults=True):
    """What a bot writes first, with its protocol or why it cannot play."""

    protocol: int = 0
    name: str = ""
    error: str = ""


encoder = msgspec.json.Encoder()
lines = encoder.encode_lines  # messages as they travel


def sayable(text: str) -> str:
    """`text` as lines and files can carry it: half a character (a lone surrogate) is written out."""
    return text.encode("utf-8", "backslashreplace").decode()


def printable(text: str) -> str:
    """`text` without the signs that would paint somebody's terminal."""
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in text)


def match_message(game: Game, seat: int, names: Sequence[str], clock: Clock, seed: int) -> Match:
    """The opening message of a match."""
    rules, dice = game.table.rules, game.state.dice
    rules_id, least = known(rules, sum(dice))
    return Match(rules, rules_id, least, seat, names, dice, clock, seed)


@lru_cache(maxsize=64)
def known(rules: Rules, most: int) -> tuple[str, msgspec.Raw]:
    """What is the same in every match by these rules: their id, and all floors up to a standing bid of `most` dice."""
    return rules.rules_id, msgspec.Raw(encoder.encode(floors(rules, most)))


def match_seed(seed: int, game: Game, seat: int) -> int:
    """A number for a bot's chance in one match; nobody can tell the dice from it."""
    key = getattr(game.source, "key", 0)
    return int.from_bytes(sha256(f"calza bot {seed} {key} {seat}".encode()).digest()[:4], "big")


def floors(rules: Rules, most: int) -> list[list[list[list[int]]]]:
    """[mode][standing quantity][standing face][face]: the least quantity that is legal, 0 where none is."""
    charts = lay(rules).charts
    flat = [0 if least == NEVER else least for least in charts.floor]
    rows = [flat[at : at + charts.width] for at in range(0, len(flat), charts.width)]
    blocks = [rows[at : at + charts.width] for at in range(0, len(rows), charts.width)]
    return [blocks[at : at + min(most, charts.cap) + 1] for at in range(0, len(blocks), charts.cap + 1)]


def round_message(event: RoundBegan, hand: Sequence[int]) -> Round:
    """A round's opening with the hand of one seat."""
    return Round(event.round, event.seat, event.dice, event.special, hand)


def act_message(view: View, turn: Turn) -> Act:
    """The request to act."""
    bids = [(seat, bid.quantity, bid.face) for seat, bid in view.said[: view.heard]]
    special = view.mode == SPECIAL
    seen = Seen(view.seat, view.turn, view.round, special, faces(view.hand), view.dice, view.start, bids)
    return Act(view.sequence, seen, view.legal(), turn)


@lru_cache(maxsize=4096)
def faces(hand: Hand) -> tuple[int, ...]:
    """A hand by its faces, lowest first."""
    return tuple(face for face, dice in enumerate(hand) for _ in range(dice))


def view_of(act: Act, table: Table) -> View:
    """The view that a request describes, for agents written in Python."""
    seen, charts, width = act.view, table.charts, table.charts.width
    said = [(seat, Bid(quantity, face)) for seat, quantity, face in seen.bids]
    bidder, standing = said[-1] if said else (-1, Bid(0, 0))
    mode = SPECIAL if seen.special else PLAIN
    row = ((mode * (charts.cap + 1) + standing.quantity) * width + standing.face) * width
    hand = counts(seen.hand, len(charts.faces))
    return View(
        seen.seat, hand, matching(hand, charts.wild[mode]), seen.turn, standing.quantity, standing.face, bidder, row,
        act.legal.most, list(seen.dice), sum(seen.dice), sum(1 for dice in seen.dice if dice), seen.round, mode, 0,
        list(seen.start), act.sequence, table, said, len(said),
    )  # fmt: skip
