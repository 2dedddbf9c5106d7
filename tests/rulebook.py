"""The rulebook as tests: a numbered sentence of docs/rules/*.md is one test, its indented lines are its examples.

`docs/rules/README.md` has the language. An example is read to its end before it is played, and played with several
rolls of the dice that it leaves open, so that none is true by luck. A claim is checked by writing the truth in the same
words. `docs/rules/conftest.py` hands the pages to pytest.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from calza.rules import (
    CATALOG,
    RESIGN,
    Bid,
    Call,
    CalzaError,
    Event,
    Forfeit,
    Game,
    IllegalAction,
    MixDice,
    NotationError,
    Penalty,
    Refusal,
    Rules,
    Setup,
    SetupError,
)
from calza.rules.actions import Ply, parse_ply, seat_name, seat_of
from calza.rules.dice import Hand
from calza.rules.events import Called
from calza.rules.hands import counts

INDENT: Final = " " * 8  # of an example
ROLLS: Final = 4  # with how many rolls of the dice that it leaves open an example is played
DRAWS: Final = 200  # draws in which every seat comes up
MOST_SEATS: Final = 15


class RulebookError(Exception):
    """A page cannot be read, or what it says is not so."""


# --- pages


class Sentence(NamedTuple):
    """One numbered line, and the indented lines below it with their line numbers."""

    line: int
    number: int
    text: str
    examples: list[tuple[int, str]]


def read_page(text: str) -> list[Sentence]:
    """The sentences of a page."""
    sentences: list[Sentence] = []
    below_sentence = False
    for line, written in enumerate(text.splitlines(), 1):
        if found := re.fullmatch(r"(\d+)\. (.+)", written):
            if int(found[1]) != len(sentences) + 1:
                raise RulebookError(f"{line}: sentence {found[1]} stands where {len(sentences) + 1} should")
            sentences.append(Sentence(line, int(found[1]), found[2], []))
            below_sentence = True
        elif written.startswith(INDENT) and below_sentence:
            sentences[-1].examples.append((line, written.strip()))
        elif written[:1].isspace():
            raise RulebookError(f"{line}: an indented line is an example, eight spaces in, below a numbered sentence")
        elif written:
            below_sentence = False
    return sentences


# --- steps

SEAT = "[A-O]"
NUMBERS = rf"{SEAT}=\d+(?: {SEAT}=\d+)*"
HANDS = rf"{SEAT}:[1-6]+(?: {SEAT}:[1-6]+)*"
WHY = "|".join(refusal.word for refusal in Refusal if refusal)

# Every kind of step: a sample for whoever writes one that cannot be read, and how it is written.
FORMS: Final = {
    "players": ("3 players", r"\d+ players?(?: refused)?"),
    "dice": ("dice A=5 B=2 C=0", f"dice {NUMBERS}"),
    "start": ("start A=1 B=2", f"start {NUMBERS}"),
    "turn": ("B to act", f"{SEAT} to act"),
    "special": ("round special", "round special"),
    "used": ("used A", f"used {SEAT}(?: {SEAT})*"),
    "cups": ("cups A:23456 B:11", f"cups {HANDS}"),
    "left": ("A=4 B=5 C=5", NUMBERS),
    "starts": ("A starts", f"{SEAT} starts"),
    "wins": ("A wins", f"{SEAT} wins"),
    "places": ("places A=1 B=2 C=2", f"places {NUMBERS}"),
    "mode": ("special round", "(?:special|plain) round"),
    "round": ("round 2", r"round \d+"),
    "count": ("count 4", r"count \d+"),
    "shown": ("shown A:13 B:33", f"shown (?:{HANDS}|nothing)"),
    "bids": ("bids A 2x3, B 3x3", rf"bids (?:{SEAT} \d+x\d(?:, {SEAT} \d+x\d)*|none)"),
    "may": ("B may 2x1 4x2 liar", f"{SEAT} may .+"),
    "sees": ("A sees 23456", f"{SEAT} sees [1-6]+"),
    "drawn": ("opener drawn", "(?:opener|seats) drawn"),
    "deed": ("A 4x3", rf"(?P<seat>{SEAT}) (?P<ply>.+?)(?P<refused> refused(?: (?P<why>{WHY}))?)?"),
}
SETTING: Final = ("players", "dice", "start", "turn", "special", "used", "cups")
CALLS: Final = {call.name for rules in CATALOG.values() for call in rules.calls}


class Step(NamedTuple):
    """One step of an example; the rest is for deeds."""

    kind: str
    text: str
    seat: str = ""
    ply: Ply = RESIGN
    refused: bool = False
    why: str | None = None


def read_example(text: str, rules: Rules) -> list[Step]:
    """The steps of an example: the setting comes first, only cups may also come later."""
    steps = [read_step(" ".join(one.split()), rules) for one in text.split(";")]
    begun = False
    for step in steps:
        if begun and step.kind in SETTING and step.kind != "cups":
            raise RulebookError(f"{step.text}: belongs before the first action or claim")
        begun = begun or step.kind not in SETTING
    if not begun and steps[0].kind != "players":
        raise RulebookError("nothing is played and nothing is claimed")
    return steps


def read_step(text: str, rules: Rules) -> Step:
    """One step; RulebookError says what would be understood."""
    for kind, (_, form) in FORMS.items():
        if not (found := re.fullmatch(form, text)):
            continue
        if kind != "deed":
            return Step(kind, text)
        if ply := read_ply(found["ply"], rules):
            return Step(kind, text, found["seat"], ply, bool(found["refused"]), found["why"])
    samples = " | ".join(sample for sample, _ in FORMS.values())
    calls = ", ".join(word for call in rules.calls for word in (call.name, *call.words))
    raise RulebookError(f"{text!r} cannot be understood. Steps are: {samples}. Calls are: {calls}, resign")


def read_ply(text: str, rules: Rules) -> Ply | None:
    """A ply, or a call that only other variants have."""
    try:
        return parse_ply(text, rules)
    except NotationError:
        return Call(text) if text in CALLS else None


# --- the setting


class Laid(MixDice):
    """Dice as an example lays them, by round and seat; what it leaves open is rolled."""

    def __init__(self, cups: dict[int, dict[int, Hand]], seed: int) -> None:
        super().__init__(seed)
        self.cups = cups

    def roll(self, round: int, dice: Sequence[int], faces: int) -> list[Hand]:
        """What every seat rolls in `round`."""
        hands = super().roll(round, dice, faces)
        for seat, hand in self.cups.get(round, {}).items():
            has = dice[seat] if seat < len(dice) else 0
            if sum(hand) != has:
                raise RulebookError(f"the cup of {seat_name(seat)} shows {sum(hand)} dice, and it has {has}")
            hands[seat] = hand
        return hands


def laid_cups(steps: Iterable[Step], rules: Rules) -> dict[int, dict[int, Hand]]:
    """The cups that the steps give, by round and seat."""
    cups: dict[int, dict[int, Hand]] = {}
    round = 1
    for step in steps:
        if step.kind == "cups":
            given = re.findall(rf"({SEAT}):(\d+)", step.text)
            cups[round] = {seat_of(seat, MOST_SEATS): counts(map(int, faces), rules.faces) for seat, faces in given}
        elif step.kind == "deed" and not step.refused and not isinstance(step.ply, Bid):
            round += 1
    return cups


def position(steps: Iterable[Step], cups: dict[int, Hand], rules: Rules) -> Setup:
    """The position that the setting describes; three seats (two in a game for two) where it does not say."""
    said = {step.kind: step.text for step in steps if step.kind in SETTING and not step.text.endswith("refused")}
    dice, start = numbers(said.get("dice", "")), numbers(said.get("start", ""))
    if cups and "players" not in said:
        default = tuple(sum(cups.get(seat, ())) for seat in range(max(cups) + 1))
    else:
        default = (rules.dice,) * (int(said["players"].split()[0]) if "players" in said else min(3, rules.max_players))
    turn = seat_of(said["turn"][0], MOST_SEATS) if "turn" in said else None
    used = tuple(seat_of(seat, MOST_SEATS) for seat in re.findall(SEAT, said.get("used", "")))
    return Setup(dice=dice or start or default, start=start, turn=turn, special="special" in said, used=used)


def numbers(text: str) -> tuple[int, ...]:
    """The numbers of `A=5 B=2`, which names every seat in order."""
    pairs = re.findall(rf"({SEAT})=(\d+)", text)
    if any(seat != seat_name(place) for place, (seat, _) in enumerate(pairs)):
        raise RulebookError(f"{text}: name every seat in order, from A on")
    return tuple(int(number) for _, number in pairs)


# --- playing


def follow(example: str, rules: Rules) -> None:
    """Play an example by `rules`; RulebookError says where it is wrong."""
    steps = read_example(example, rules)
    cups = laid_cups(steps, rules)
    for seed in range(ROLLS):
        events: list[Event] = []
        try:
            game = Game.at(rules, position(steps, cups.get(1, {}), rules), seed=Laid(cups, seed))
            for step in steps:
                if step.kind == "deed":
                    events = do(game, step)
                elif step.kind not in SETTING or step.kind == "players":
                    if (true := truth(game, events, step)) != step.text:
                        raise RulebookError(f"{step.text}: no, {true}")
        except CalzaError as error:
            raise RulebookError(str(error)) from error


def do(game: Game, step: Step) -> list[Event]:
    """Do what `step` says; what it may do and what it is listed as allowed to do must be the same."""
    seat, ply = seat_of(step.seat, game.state.seats), step.ply
    listed_legal, before = ply in game.legal(seat), game.state.copy()
    refusal, why, events = None, "the rules allow it", list[Event]()
    try:
        events = play(game, seat, ply)
    except IllegalAction as error:
        refusal, why = error.refusal.word, f"refused {error.refusal.word}: {error.sentence}"
    if step.refused != bool(refusal) or step.why not in (None, refusal):
        raise RulebookError(f"{step.text}: {why}")
    if isinstance(ply, Bid | Call) and listed_legal == step.refused:
        raise RulebookError(f"{step.text}: {why}, and the list of legal actions says otherwise")
    if refusal and game.state != before:
        raise RulebookError(f"{step.text}: {why}, and yet the game has changed")
    return events


def play(game: Game, seat: int, ply: Ply) -> list[Event]:
    """Play for `seat`, or rule on it as a host does."""
    if isinstance(ply, Penalty):
        return game.penalize(seat, ply.reason)
    if isinstance(ply, Forfeit) and ply != RESIGN:
        return game.forfeit(seat, ply.reason)
    return game.play(seat, ply)


def truth(game: Game, events: Sequence[Event], step: Step) -> str:
    """What a claim of this kind says when it is true."""
    s = game.state
    called = next((event for event in events if isinstance(event, Called)), None)
    match step.kind:
        case "players":
            return players(game.table.rules, int(step.text.split()[0]))
        case "left":
            return listed(s.dice)
        case "starts":
            return (
                "the game is over" if s.over else f"{seat_name(s.turn)} {'acts on a bid' if s.quantity else 'starts'}"
            )
        case "wins":
            winners = [seat_name(seat) for seat, place in enumerate(game.places) if place == 1]
            return " and ".join(winners) + " wins" if winners else "the game goes on"
        case "places":
            return f"places {listed(game.places)}"
        case "mode":
            return "special round" if game.spectator_view().special else "plain round"
        case "round":
            return f"round {s.round}"
        case "count":
            return f"count {called.count}" if called else "no call was made just before"
        case "shown":
            hands = [(seat, hand) for seat, hand in enumerate(called.shown if called else ()) if hand]
            return "shown " + (" ".join(f"{seat_name(seat)}:{digits(hand)}" for seat, hand in hands) or "nothing")
        case "bids":
            return "bids " + (
                ", ".join(f"{seat_name(seat)} {bid}" for seat, bid in game.spectator_view().bids) or "none"
            )
        case "may":
            return f"{step.text[0]} may {may(game, seat_of(step.text[0], s.seats))}"
        case "sees":
            return f"{step.text[0]} sees {digits(game.view(seat_of(step.text[0], s.seats)).cup)}"
    assert step.kind == "drawn"
    return drawn(game.table.rules, s.seats, step.text.split()[0])


def players(rules: Rules, number: int) -> str:
    """Whether so many may play."""
    written = f"{number} player" if number == 1 else f"{number} players"
    try:
        Game(rules, number, seed=0)
    except SetupError:
        return f"{written} refused"
    return written


def listed(values: Iterable[int]) -> str:
    """A number for every seat: `A=4 B=5`."""
    return " ".join(f"{seat_name(seat)}={value}" for seat, value in enumerate(values))


def digits(dice: Iterable[int]) -> str:
    """Dice as they are written."""
    return "".join(map(str, dice))


def may(game: Game, seat: int) -> str:
    """The least legal bid on every face, and the calls."""
    legal = game.legal(seat)
    bids = [f"{least}x{face}" for face, least in enumerate(legal.least) if least]
    return " ".join([*bids, *legal.calls]) or ("only resign" if legal.resign else "nothing")


def drawn(rules: Rules, seats: int, what: str) -> str:
    """Whether every seat comes up when the dice say who opens, or where the first player sits."""
    opens = {Game(rules, seats, seed=seed).turn for seed in range(DRAWS)}
    sits = {MixDice(seed).seating(seats).index(0) for seed in range(DRAWS)}
    return f"{what} {'drawn' if len(opens if what == 'opener' else sits) == seats else 'fixed'}"


# --- pytest


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> "Page | None":
    """Every page beside the conftest that imports this, but its README."""
    is_page = file_path.suffix == ".md" and file_path.name != "README.md"
    return Page.from_parent(parent, path=file_path) if is_page else None


class Page(pytest.File):
    """The page of one variant."""

    def collect(self) -> Iterator["SentenceItem"]:
        """The sentences."""
        if self.path.stem not in CATALOG:
            raise self.CollectError(f"{self.path.name}: the catalogue has no variant {self.path.stem!r}")
        try:
            sentences = read_page(self.path.read_text(encoding="utf-8"))
        except RulebookError as error:
            raise self.CollectError(f"{self.path.name}:{error}") from error
        for one in sentences:
            yield SentenceItem.from_parent(self, name=f"{one.number}. {one.text}", sentence=one)


class SentenceItem(pytest.Item):
    """One sentence, which its examples must bear out."""

    def __init__(self, *, sentence: Sentence, **known: Any) -> None:
        super().__init__(**known)
        self.sentence = sentence

    def runtest(self) -> None:
        """Play the examples."""
        if not self.sentence.examples:
            raise RulebookError(f"{self.path.name}:{self.sentence.line}: the sentence has no example")
        for line, text in self.sentence.examples:
            try:
                follow(text, CATALOG[self.path.stem])
            except Exception as error:
                error.add_note(f"{self.path.name}:{line}: {text}")
                raise

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The example and the reason; a traceback only where the code broke."""
        if not excinfo.errisinstance(RulebookError):
            return super().repr_failure(excinfo)
        return "\n".join([self.name, *getattr(excinfo.value, "__notes__", []), f"    {excinfo.value}"])

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where the sentence stands."""
        return self.path, self.sentence.line - 1, self.name
