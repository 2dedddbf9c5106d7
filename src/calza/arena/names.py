"""Names of agents: what they may be made of, and which nobody may have."""

import re
import unicodedata
from functools import lru_cache

NAME = re.compile(r"[A-Za-z0-9 _-]{1,64}")
RESERVED = frozenset(
    "admin administrator arena calza house moderator official operator owner root server staff support system".split()
)
# Signs that look alike in many typefaces; of two names that differ only in those, one could pass for the other.
ALIKE = str.maketrans({"0": "o", "1": "l", "i": "l", "5": "s", "_": "", "-": "", " ": ""})
LONGEST = 100  # signs of a name that are shown: programs that come over TCP may call themselves anything


def refusal(name: str) -> str | None:
    """Why nobody may be called so; None if somebody may."""
    if not NAME.fullmatch(name):
        return "a name has 1 to 64 letters, digits, hyphens, underscores and spaces, all of them ASCII"
    if name != name.strip() or "  " in name:
        return "a name neither begins nor ends with a space, nor has two in a row"
    if any(outline(part) in OUTLINES for part in (name, *re.split(r"[ _-]+", name))):
        return "that name is the arena's own; choose another"
    if not outline(name):
        return "a name needs a letter or a digit"
    return None


def key_of(name: str) -> str:
    """What two names that are the same have in common: names are unique regardless of case."""
    return unicodedata.normalize("NFKC", name).lower()


def outline(name: str) -> str:
    """What two names that look alike have in common."""
    return key_of(name).translate(ALIKE).replace("rn", "m").replace("vv", "w")


OUTLINES = frozenset(map(outline, RESERVED))


@lru_cache(maxsize=1 << 12)
def shown(text: str) -> str:
    """What somebody calls themselves or their model, with a mark for each sign that cannot be printed."""
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in text[:LONGEST])
