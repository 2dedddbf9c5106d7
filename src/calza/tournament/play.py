"""Playing a chunk: the same function in this process, in another, or on another machine."""

import hashlib
import hmac
from collections.abc import Callable, Sequence

from msgspec import Struct

from calza.agents.entry import Seated
from calza.agents.house import noise_key
from calza.agents.inline import InlinePlayer
from calza.agents.load import author_trace, told
from calza.matches.host import GONE, Fault, Host, Policy
from calza.matches.record import write_record
from calza.matches.run import run
from calza.rules import Action, AgentFault, Game, HmacDice, IllegalAction, MixDice, NotationError, Player, View

from .field import Field
from .plan import Plan
from .stage import Chunk
from .tally import BINS, FAULTS, Group, Tally, empty
from .watch import watch

KEPT = 3  # matches of a chunk that are kept whole because somebody failed in them
SAMPLES = 60  # tables of a stage of which the first match is kept for the report


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
    field.begin(chunk.benched)
    for number in chunk.units:
        stage, group = chunk.stage, chunk.stage.group(number)
        unit = Unit(number, group, stage.table(number), sample=group == 0 and number in stage.units[:SAMPLES])
        played.scores.append(play_unit(plan, field, played, unit))
    return Played(played.tally, played.scores, played.kept, field.benched)


class Unit(Struct, frozen=True):
    """One table's rotations on the same dice."""

    number: int
    group: int
    table: tuple[int, ...]
    sample: bool  # whether its first match is kept


def play_unit(plan: Plan, field: Field, played: Played, unit: Unit) -> list[int]:
    """Play every rotation of a unit; the points of its players."""
    group = Group(len(unit.table), plan.scoring)
    for rotation in range(len(unit.table)):
        source = dice_of(plan, unit.number, rotation, len(unit.table))
        play_match(plan, field, played, unit, rotation, source, group)
    group.into(played.tally, unit.group % BINS, unit.table)
    return group.points


def dice_of(plan: Plan, unit: int, rotation: int, players: int) -> HmacDice | MixDice:
    """The dice of a match: secret ones where somebody plays who would like to work them out."""
    if plan.foreign:
        return HmacDice(group_seed(plan.seed, unit), salts=[""] * players, rotation=rotation)
    return MixDice(plan.seed, unit, rotation)


def play_match(
    plan: Plan, field: Field, played: Played, unit: Unit, rotation: int, source: HmacDice | MixDice, group: Group
) -> None:
    """Play and count one match."""
    table, tally = unit.table, played.tally
    order = source.seating(len(table))
    seated = [table[player] for player in order]
    game = Game(plan.rules, len(table), seed=source, dice=plan.dice or None)
    opener, key = game.turn, chance_of(source)
    field.ready(key + rotation)
    faults = host(plan, game, [field.player(one, rotation, key) for one in seated], tally, seated)
    if faults or any(field.failed):
        settle(field, tally, rotation, seated, faults)
    group.games += 1
    group.rounds += game.state.round
    group.actions += game.sequence
    if game.over:
        group.count(order, opener, game.places, game.state.dice)
    else:
        group.unfinished += 1
    if unit.group < plan.watched:
        watch(tally.watched, game, seated)
    if (faults and len(played.kept) < KEPT * len(plan.entries)) or (unit.sample and rotation == 0):
        played.kept.append(keep(plan, game, unit, rotation, order, faults))


def chance_of(source: HmacDice | MixDice) -> int:
    """The key of the bots' chance in a match."""
    return noise_key(source.key if isinstance(source, MixDice) else int.from_bytes(source.key[:8], "big"))


def settle(field: Field, tally: Tally, rotation: int, seated: Sequence[int], faults: Sequence[Fault]) -> None:
    """Note who failed."""
    for at, one in enumerate(seated):
        own = [fault for fault in faults if fault.seat == at]
        field.after(one, rotation, own)
        for fault in own:
            tally.faults[one, FAULTS.index(fault.kind)] += 1


def host(plan: Plan, game: Game, players: Sequence[Seated], tally: Tally, seated: Sequence[int]) -> list[Fault]:
    """Play a match in the fastest way that its players allow."""
    acts = [player.agent.act for player in players if isinstance(player, InlinePlayer) and not player.see]
    if len(acts) == len(players) and plan.clock.move is None and plan.clock.bank is None:
        return run_guarded(game, acts, plan.policy, plan.limit)
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
    word, _, times = policy.illegal.partition(":")
    while True:
        try:
            run(game, acts, limit)
            return faults
        except Exception as error:
            fault = fault_of(error, game)
        faults.append(fault)
        tries = sum(one.sequence == fault.sequence for one in faults)
        if fault.kind in GONE or word == "forfeit" or (word == "retry" and tries > int(times)):
            game.forfeit(fault.seat, fault.kind)
        elif word == "lose-die":
            game.penalize(fault.seat, fault.kind)


def fault_of(error: Exception, game: Game) -> Fault:
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


def keep(plan: Plan, game: Game, unit: Unit, rotation: int, order: list[int], faults: list[Fault]) -> Kept:
    """The match as a record."""
    entries = [plan.entries[one] for one in unit.table]
    players = [Player(name=entry.name, agent=entry.text) for entry in entries]
    record = write_record(game.record(players, order, reveal=True))
    return Kept(unit.number, rotation, record, [(entries[order[fault.seat]].name, fault) for fault in faults])
