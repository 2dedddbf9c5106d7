"""A competition as a TOML file: who plays what, and how. What is wrong with one is said with the field that is."""

import hashlib
import re
import secrets
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct
from msgspec.inspect import type_info
from msgspec.structs import replace

from calza.agents.entry import Entry, Isolation, files_of, kind_of, parse_entry
from calza.matches.host import VERDICT, Clock, Policy
from calza.rules import CATALOG, CalzaError, Rules, RulesError
from calza.rules.read import did_you_mean, listed, parse, read_rules, rules_from, shown, taken

from .plan import Format, Plan, PlanError, Scoring, check_plan

MOST = 10**9
PATIENCE = 10.0  # seconds a move for foreign bots, where the file sets no clock

Seconds = Annotated[float, Meta(ge=0.001, le=86400)]
Seed = Annotated[int, Meta(ge=0, le=2**63 - 1)]
Word = Annotated[str, Meta(max_length=40)]


class Part(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a competition file is made of."""


class Time(Part, frozen=True, kw_only=True):
    """How long bots may think."""

    move: Annotated[Seconds | None, Meta(description="Seconds for one move.")] = None
    bank: Annotated[Seconds | None, Meta(description="Seconds for all moves of a match.")] = None
    increment: Annotated[float, Meta(ge=0, le=86400, description="Seconds that each move adds to the bank.")] = 0.0


class Faults(Part, frozen=True, kw_only=True):
    """What follows from a fault: `forfeit`, `lose-die`, or `retry:N`."""

    illegal: Annotated[Word, Meta(description="After an illegal move.")] = "forfeit"
    timeout: Annotated[Word, Meta(description="After a move that came too late.")] = "forfeit"
    bench: Annotated[
        int, Meta(ge=1, le=MOST, description="Matches in a row that a bot may fail before it sits out.")
    ] = 5


class Bot(Part, frozen=True, kw_only=True):
    """One entrant."""

    bot: Annotated[str, Meta(description="A house bot, package.module:Class, mybot.py[:Class], or cmd:...")]
    name: Annotated[Word | None, Meta(description="What it is called.")] = None
    isolation: Annotated[Isolation | None, Meta(description="Where it runs.")] = None


class Competition(Part, frozen=True, kw_only=True):
    """What a competition file may say besides its rules."""

    name: Annotated[str, Meta(max_length=80, description="What it is called.")] = ""
    format: Annotated[Format, Meta(description="Who meets whom.")] = "round-robin"
    players: Annotated[int, Meta(ge=2, le=6, description="Players at a table.")] = 2
    games: Annotated[int, Meta(ge=1, le=MOST, description="Games at each table, in whole rotations.")] = 200
    rounds: Annotated[int, Meta(ge=0, le=1000, description="Rounds of a Swiss tournament; 0 for enough.")] = 0
    seed: Annotated[Seed | None, Meta(description="Where all chance comes from; unset, drawn and kept.")] = None
    scoring: Annotated[Scoring, Meta(description="What is worth points.")] = "wins"
    dice: Annotated[int, Meta(ge=0, le=15, description="Dice of every seat; 0 for what the rules say.")] = 0
    isolation: Annotated[Isolation | None, Meta(description="Where bots run that do not say otherwise.")] = None
    watched: Annotated[int, Meta(ge=0, le=MOST, description="Groups of each table that are looked at closely.")] = 20
    time: Annotated[Time, Meta(description="How long bots may think.")] = Time()
    faults: Annotated[Faults, Meta(description="What follows from a fault.")] = Faults()
    bots: Annotated[tuple[Bot, ...], Meta(min_length=1, max_length=1000, description="Who plays.")]


def read_competition(text: str, folder: Path) -> tuple[Competition, Rules]:
    """What a file says, and its rules; paths in it start from `folder`, where it lies."""
    try:
        document = parse(text)
        rules = rules_in(document.pop("rules", "liars-dice"), folder)
        asked = msgspec.convert(taken(document, type_info(Competition), ""), Competition)
    except RulesError as error:
        raise PlanError(str(error)) from None
    return asked, rules


def rules_in(value: Any, folder: Path) -> Rules:
    """The rules that a file names, or holds as a table."""
    if isinstance(value, dict):
        return inside("rules", lambda: rules_from(value, "own"))
    if isinstance(value, str) and value in CATALOG:
        return CATALOG[value]
    if isinstance(value, str) and (path := folder / value).is_file():
        return inside(value, lambda: read_rules(path.read_text(), path.stem))
    what = f"is {shown(value)}, but must be {listed(CATALOG)}, a rules file, or a table"
    raise RulesError("rules", what + did_you_mean(value, CATALOG))


def inside(where: str, read: Callable[[], Rules]) -> Rules:
    """Rules whose errors say where they stand."""
    try:
        return read()
    except RulesError as error:
        raise RulesError(f"{where}.{error.field}" if error.field else where, error.why) from None


def plan_of(asked: Competition, rules: Rules, folder: Path = Path(), number: bool = False) -> Plan:
    """The plan, checked.

    Bots that come without a name are told apart by a `number` where nobody can give them one, as on a command line.
    """
    read = [entry_of(bot, asked.isolation, folder, at) for at, bot in enumerate(asked.bots)]
    entries = numbered(read, [bot.name is not None for bot in asked.bots], number)
    plan = Plan(
        rules=rules,
        entries=entries,
        format=asked.format,
        players=asked.players,
        groups=-(-asked.games // asked.players),
        rounds=asked.rounds,
        seed=secrets.randbits(63) if asked.seed is None else asked.seed,
        scoring=asked.scoring,
        dice=asked.dice,
        policy=policy_of(asked.faults),
        clock=clock_of(asked.time, entries),
        bench=asked.faults.bench,
        watched=asked.watched,
    )
    check_plan(plan)
    return plan


def entry_of(bot: Bot, isolation: Isolation | None, folder: Path, at: int) -> Entry:
    """An entrant; an error names its place in the file."""
    # A house bot needs no walls; whoever asks for them for all means the others.
    usual = None if kind_of(bot.bot.strip()) == "house" else isolation
    try:
        return parse_entry(bot.bot, bot.name or "", bot.isolation or usual, folder)
    except CalzaError as error:
        raise PlanError(f"bots[{at}].bot: {error}") from None


def numbered(entries: Sequence[Entry], named: Sequence[bool], every: bool = False) -> tuple[Entry, ...]:
    """The entries; house bots that nobody has named are told apart by numbers, or `every` bot."""
    often, seen = Counter(entry.name for entry in entries), Counter[str]()
    told = []
    for entry, own_name in zip(entries, named, strict=True):
        seen[entry.name] += 1
        again = often[entry.name] > 1 and (every or entry.kind == "house") and not own_name
        told.append(replace(entry, name=f"{entry.name} {seen[entry.name]}") if again else entry)
    return tuple(told)


def policy_of(faults: Faults) -> Policy:
    """What follows from a fault."""
    for field, word in (("illegal", faults.illegal), ("timeout", faults.timeout)):
        if not re.fullmatch(VERDICT, word):
            raise PlanError(
                f'faults.{field} is "{word[:40]}", but must be forfeit, lose-die, or retry:N such as retry:2'
            )
    return Policy(faults.illegal, faults.timeout)


def clock_of(time: Time, entries: Sequence[Entry]) -> Clock:
    """How long bots may think; nobody waits for ever for a foreign one."""
    if time == Time() and not all(entry.inline for entry in entries):
        return Clock(move=PATIENCE)
    return Clock(time.move, time.bank, time.increment)


# --- whether bots have changed


def versions(plan: Plan) -> list[str]:
    """What each entrant is made of, so that results of two versions are never counted as one."""
    return [version(entry) for entry in plan.entries]


def version(entry: Entry) -> str:
    """A hash of an entrant's files: those that its text names."""
    found = hashlib.sha256(entry.text.encode())
    for path in files_of(entry):
        found.update(path.read_bytes())
    return found.hexdigest()[:16]
