"""What a player may do, and its one notation: `4x3`, `liar`, `exact`, `resign`.

A record also holds what a host may rule: `forfeit:timeout` (out of the game) and `penalty:timeout` (a die lost).
"""

import re
from functools import lru_cache

from msgspec import Struct

from .errors import NotationError
from .rules import CAP, Rules


class Bid(Struct, frozen=True, gc=False):
    """`quantity` dice or more on the table count for `face`."""

    quantity: int
    face: int

    def __str__(self) -> str:
        return f"{self.quantity}x{self.face}"


class Call(Struct, frozen=True, gc=False):
    """A call on the standing bid, by its name in the rules."""

    name: str

    def __str__(self) -> str:
        return self.name


class Forfeit(Struct, frozen=True, gc=False):
    """Out of the game: by resigning, or because the host says so."""

    reason: str = "resign"

    def __str__(self) -> str:
        return "resign" if self.reason == "resign" else f"forfeit:{self.reason}"


class Penalty(Struct, frozen=True, gc=False):
    """A die lost because the host says so, as after a wrong liar call."""

    reason: str

    def __str__(self) -> str:
        return f"penalty:{self.reason}"


Action = Bid | Call | Forfeit  # what a player may do
Ply = Action | Penalty  # what a record may hold

RESIGN = Forfeit()
BID = re.compile(r"(\d{1,4})\s*[x×*]\s*(\d{1,3})", re.ASCII | re.IGNORECASE)
REASON = re.compile(r"(forfeit|penalty):([a-z][a-z0-9-]{0,39})")


@lru_cache(maxsize=256)
def call_words(rules: Rules) -> dict[str, str]:
    """Every word that is read as a call, with the call's name; a name wins over another call's words."""
    words = {plain(word): call.name for call in reversed(rules.calls) for word in call.words}
    return words | {plain(call.name): call.name for call in rules.calls}


def plain(text: str) -> str:
    """Text without case, punctuation and superfluous space."""
    return " ".join(re.sub(r"[^a-z0-9]+", " ", text.lower()).split())


def parse_action(text: str, rules: Rules) -> Action:
    """Read what a player may do."""
    text = text.strip()
    if found := BID.fullmatch(text):
        return Bid(int(found[1]), int(found[2]))
    word = plain(text)
    if word == "resign":
        return RESIGN
    if name := call_words(rules).get(word):
        return Call(name)
    raise NotationError(text, f"write a bid such as 4x3 (four threes), or {spoken_list(rules)}")


def parse_ply(text: str, rules: Rules) -> Ply:
    """Read what a record may hold."""
    if found := REASON.fullmatch(text):
        return Forfeit(found[2]) if found[1] == "forfeit" else Penalty(found[2])
    return parse_action(text, rules)


def spoken_list(rules: Rules) -> str:
    """The calls of `rules` and `resign`, as a list in a sentence."""
    return ", ".join(call.name for call in rules.calls) + " or resign"


NUMBERS = "no one two three four five six seven eight nine ten eleven twelve".split()
FACES = "zeros ones twos threes fours fives sixes sevens eights nines tens elevens twelves".split()


def number(quantity: int) -> str:
    """A number as people write it in a sentence."""
    return NUMBERS[quantity] if quantity < len(NUMBERS) else str(quantity)


def face_name(face: int, quantity: int = 2) -> str:
    """`three`, or `threes`."""
    if face >= len(FACES):
        return f"{face}" if quantity == 1 else f"{face}s"
    return NUMBERS[face] if quantity == 1 else FACES[face]


def bid_name(bid: Bid) -> str:
    """`four threes`."""
    return f"{number(bid.quantity)} {face_name(bid.face, bid.quantity)}"


def seat_name(seat: int) -> str:
    """Seats are lettered from A."""
    return chr(ord("A") + seat)


def seat_of(letter: str, seats: int) -> int:
    """The seat that `letter` names."""
    seat = ord(letter) - ord("A") if len(letter) == 1 else -1
    if not 0 <= seat < seats:
        raise NotationError(letter, f"seats are A to {seat_name(seats - 1)}")
    return seat


assert CAP < 10**4  # every legal quantity can be read
