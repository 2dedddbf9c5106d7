"""Playing a chunk: the same function in this process, in another, or on another machine."""

import hashlib
import hmac
from collections.abc import Callable, Container, Sequence

from msgspec import Struct

from calza.agents.entry import Seated
from calza.agents.house import HouseAgent, noise_key
from calza.agents.inline import InlinePlayer
from calza.agents.load import author_trace, told
from calza.matches.host import GONE, UNTIMED, Fault, Host, Policy
from calza.matches.record import write_record
from calza.matches.run import run
from calza.rules import Action, AgentFault, Game, HmacDice, IllegalAction, MixDice, NotationError, Player, View

from .field import Broken, Field
from .plan import Plan
from .stage import Chunk, Stage
from .tally import FAULTS, Group, Tally, add_groups, empty
from .watch import watch

KEPT = 3  # matches of a chunk that are kept whole because somebody failed in them
SAMPLES = 60  # tables of a stage of which the first match is kept for the report
PROMPT = (HouseAgent, Broken)  # who needs no clock: ours never think for long


class Kept(Struct, frozen=True):
    """A match that is kept whole: because somebody failed in it, or for the report to show."""

    unit: int
    rotation: int
    record: bytes
    faults: list[tuple[str, Fault]] = []


class Played(Struct, frozen=True):
    """What a chunk came to."""

    tally: Tally
    scores: list[list[int]]  # [unit of the chunk][player of its table]: points, in SCALE
    kept: list[Kept]
    benched: tuple[int, ...] = ()  # entries that had failed too often in the end


def group_seed(seed: int, unit: int) -> bytes:
    """The seed of a group's dice in a tournament that has one; `docs/reference/dice.md` has it for everybody."""
    key = hashlib.sha256(b"calza tournament 1" + seed.to_bytes(8, "big")).digest()
    return hmac.digest(key, unit.to_bytes(8, "big"), "sha256")


def play_chunk(plan: Plan, chunk: Chunk, field: Field) -> Played:
    """Play some units; nothing but the plan and their numbers decides what happens in them."""
    played = Played(empty(plan), [], [])
    # What can be done for all units at once is done before the first and after the last: in a loop of its own it takes
    # a third of the time that it takes between two games.
    foreign = plan.foreign
    units = [unit_of(plan, chunk.stage, number, foreign) for number in chunk.units]
    field.begin(chunk.benched, units[0].key)
    for unit in units:
        for match in unit.matches:
            play_match(plan, field, played, unit, match)
    groups = [unit.games for unit in units]
    add_groups(played.tally, groups)
    return Played(played.tally, [group.points for group in groups], played.kept, field.benched)


class Match(Struct, frozen=True):
    """One rotation of a unit."""

    rotation: int
    source: HmacDice | MixDice
    order: list[int]  # which of the table sits at each seat
    seated: list[int]  # the entries by seat


class Unit(Struct, frozen=True):
    """One table's rotations on the same dice."""

    number: int
    group: int
    table: tuple[int, ...]
    sample: bool  # whether its first match is kept
    matches: list[Match]
    key: int  # of the bots' chance
    games: Group


def unit_of(plan: Plan, stage: Stage, number: int, foreign: bool) -> Unit:
    """A unit, ready to be played."""
    table, group = stage.table(number), stage.group(number)
    sources = dice_of(plan, number, len(table), foreign)
    order, matches = sources[0].seating(len(table)), []
    for rotation, source in enumerate(sources):
        matches.append(Match(rotation, source, order, [table[one] for one in order]))
        order = order[-1:] + order[:-1]  # what the next source says as well
    sample = group == 0 and number in stage.units[:SAMPLES]
    return Unit(number, group, table, sample, matches, chance_of(sources[0]), Group(table, group, plan.scoring))


def dice_of(plan: Plan, unit: int, players: int, foreign: bool) -> Sequence[HmacDice | MixDice]:
    """The dice of every rotation: secret ones where somebody plays who would like to work them out."""
    if not foreign:
        return [MixDice(plan.seed, unit, rotation) for rotation in range(players)]
    seed, salts = group_seed(plan.seed, unit), [""] * players
    return [HmacDice(seed, salts=salts, rotation=rotation) for rotation in range(players)]


def play_match(plan: Plan, field: Field, played: Played, unit: Unit, match: Match) -> None:
    """Play one match."""
    seated, rotation = match.seated, match.rotation
    game = Game(plan.rules, len(seated), seed=match.source, dice=plan.dice or None)
    opener = game.turn
    players = [field.player(one, rotation, unit.key) for one in seated]
    faults = host(plan, game, players, played.tally, seated)
    if faults or any(field.failed):
        settle(field, played.tally, rotation, seated, faults, {seat for seat, _ in game.plies})
    unit.games.ends.append((match.order, opener, game.state, game.sequence))
    if unit.group < plan.watched:
        watch(played.tally.watched, game, seated)
    if (faults and len(played.kept) < KEPT * len(plan.entries)) or (unit.sample and rotation == 0):
        played.kept.append(keep(plan, game, unit, match, faults))


def chance_of(source: HmacDice | MixDice) -> int:
    """The key of the bots' chance in a match."""
    return noise_key(source.key if isinstance(source, MixDice) else int.from_bytes(source.key[:8], "big"))


def settle(
    field: Field, tally: Tally, rotation: int, seated: Sequence[int], faults: Sequence[Fault], asked: Container[int]
) -> None:
    """Note who failed. Of a bot that was never `asked`, because another failed first, a match says nothing."""
    for at, one in enumerate(seated):
        own = [fault for fault in faults if fault.seat == at]
        if own or at in asked:
            field.after(one, rotation, own)
        for fault in own:
            tally.faults[one, FAULTS.index(fault.kind)] += 1


def host(plan: Plan, game: Game, players: Sequence[Seated], tally: Tally, seated: Sequence[int]) -> list[Fault]:
    """Play a match in the fastest way that its players allow."""
    inline = [player.agent for player in players if isinstance(player, InlinePlayer) and not player.see]
    if len(inline) == len(players) and (plan.clock == UNTIMED or all(isinstance(one, PROMPT) for one in inline)):
        return run_guarded(game, [one.act for one in inline], plan.policy, plan.limit)
    names = [plan.entries[one].name for one in seated]
    hosted = Host(game, players, names, plan.policy, plan.clock).play(plan.limit)
    for one, seconds in zip(seated, hosted.seconds, strict=True):
        spent = [int(second * 1e6) for second in seconds]
        tally.times[one, :2] += (len(spent), sum(spent))
        tally.times[one, 2] = max(int(tally.times[one, 2]), *spent, 0)
    return hosted.faults


def run_guarded(game: Game, acts: Sequence[Callable[[View], Action | str]], policy: Policy, limit: int) -> list[Fault]:
    """`run` for agents that may fail: a fault is ruled on, and the game goes on."""
    faults: list[Fault] = []
    while True:
        try:
            run(game, acts, limit)
            return faults
        except (Exception, SystemExit) as error:
            fault = fault_of(error, game)
        faults.append(fault)
        word, _, times = policy.illegal.partition(":")
        tries = sum(one.sequence == fault.sequence for one in faults)
        if fault.kind in GONE or word == "forfeit" or (word == "retry" and tries > int(times)):
            game.forfeit(fault.seat, fault.kind)
        elif word == "lose-die":
            game.penalize(fault.seat, fault.kind)


def fault_of(error: BaseException, game: Game) -> Fault:
    """Whose fault it was: the seat that was to act."""
    seat, sequence = game.turn, game.sequence
    match error:
        case AgentFault():
            return Fault(seat, sequence, error.kind, error.why, error.detail)
        case IllegalAction():
            return Fault(seat, sequence, "illegal", str(error))
        case NotationError():
            return Fault(seat, sequence, "malformed", str(error))
    return Fault(seat, sequence, "crash", told(error), author_trace(error))


def keep(plan: Plan, game: Game, unit: Unit, match: Match, faults: list[Fault]) -> Kept:
    """The match as a record."""
    entries = [plan.entries[one] for one in unit.table]
    players = [Player(name=entry.name, agent=entry.text) for entry in entries]
    record = write_record(game.record(players, match.order, reveal=True))
    failed = [(plan.entries[match.seated[fault.seat]].name, fault) for fault in faults]
    return Kept(unit.number, match.rotation, record, failed)
