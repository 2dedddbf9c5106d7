"""Asking a person: what is typed becomes an action, or a wish such as `help`."""

import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from enum import StrEnum
from io import TextIOWrapper
from typing import Protocol

from calza.rules import RESIGN, Action, Bid, Call, Legal, NotationError, Rules, View
from calza.rules.actions import NUMBERS, call_words, face_name, plain
from calza.rules.read import listed, printable


class Ask(Protocol):
    """A prompt goes out, a line comes back; EOFError when there is none."""

    def __call__(self, prompt: str) -> str: ...

    def offer(self, view: View) -> None:
        """Help with typing what is legal in `view`."""
        ...


class Wish(StrEnum):
    """What a person may want besides playing."""

    HELP = "help"
    ODDS = "odds"
    RULES = "rules"
    BIDS = "bids"
    QUIT = "quit"


Entry = Action | Wish

# How people write a bid: 4x3, 4 3, 4 threes, four threes, 4, 3.
BID = re.compile(r"(\d{1,4}|[a-z]+)(?:\s*[x×*,]\s*|\s+)(\d{1,3}|[a-z]+)", re.ASCII | re.IGNORECASE)
WHOLE: dict[str, Entry] = {"exit": Wish.QUIT, "resign": RESIGN}  # taken only when written out: nobody resigns by a slip


def read(text: str, rules: Rules) -> Entry:
    """What `text` means; NotationError says what may be written."""
    if text.strip() == "?":
        return Wish.HELP
    if bid := read_bid(text.strip(), rules):
        return bid
    typed = plain(text)
    known: dict[str, Entry] = {
        **{wish.value: wish for wish in Wish},
        **{word: Call(name) for word, name in call_words(rules).items()},
    }
    if typed in WHOLE | known:
        return known.get(typed) or WHOLE[typed]
    near = {word: entry for word, entry in known.items() if typed and word.startswith(typed)}
    if len(set(near.values())) == 1:
        return next(iter(near.values()))
    if near:
        raise NotationError(text, f"it could be {listed(sorted(near), quote='')}")
    raise NotationError(text, "write a bid such as 4x3, a call, or ? for help")


def read_bid(text: str, rules: Rules) -> Bid | None:
    """A bid in figures or in words."""
    found = BID.fullmatch(text)
    if not found:
        return None
    quantity = numeral(found[1], dict(zip(NUMBERS[1:], range(1, len(NUMBERS)), strict=False)))
    face = numeral(found[2], {face_name(one, many): one for one in range(1, rules.faces + 1) for many in (1, 2)})
    return None if quantity is None or face is None else Bid(quantity, face)


def numeral(text: str, words: dict[str, int]) -> int | None:
    """A number in figures or as one of `words`."""
    return int(text) if text.isdecimal() else words.get(text.lower())


def completions(rules: Rules, legal: Legal) -> Iterator[str]:
    """What may be typed now, for the TAB key."""
    yield from (f"{least}x{face}" for face, least in enumerate(legal.least) if least)
    yield from (word for word, name in call_words(rules).items() if name in legal.calls)
    yield from Wish
    yield "resign"


def in_terminal() -> bool:
    """Whether somebody sits at the keyboard and reads the screen, rather than programs in a pipe."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


class Keyboard:
    """Lines from standard input. In a terminal the TAB key completes; elsewhere lines are echoed, to be read later."""

    def __init__(self) -> None:
        self.terminal = in_terminal()
        self.words: list[str] = []
        if isinstance(sys.stdin, TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")  # a key that is no letter must not stop a game
        if self.terminal:
            self._complete()

    def __call__(self, prompt: str) -> str:
        if not (sys.stdin and sys.stdout):  # closed by whoever started us
            raise EOFError
        line = input(prompt)
        if not self.terminal:
            print(printable(line))
        return line

    def offer(self, view: View) -> None:
        """Let the TAB key complete what is legal now."""
        self.words = list(completions(view.rules, view.legal()))

    def _complete(self) -> None:
        with suppress(ImportError):  # some systems have no readline
            import readline

            # "spot on, gain one" is one word to complete.
            readline.set_completer_delims("")
            readline.set_completer(self._completed)
            readline.parse_and_bind("bind ^I rl_complete" if "libedit" in (readline.__doc__ or "") else "tab: complete")

    def _completed(self, start: str, which: int) -> str | None:
        fitting = [word for word in self.words if word.startswith(start.lower())]
        return fitting[which] if which < len(fitting) else None
