"""The loop over games, compiled. It deals, asks and counts; what is legal and what follows stands in `play`."""

from typing import Any, Final

from calza.agents import policies
from calza.agents.house import KINDS, NOISE
from calza.rules.dice import block_number, game_key, mix, seating_number, starter_number, u64
from calza.rules.play import FINE, bid, bid_refusal, call, call_refusal, count, open_round, place

from .compile import compiled, inlined

RANDOM: Final = KINDS["random"]
SKEPTIC: Final = KINDS["skeptic"]
BELIEVER: Final = KINDS["believer"]
HONEST: Final = KINDS["honest"]
CAUTIOUS: Final = KINDS["cautious"]
BLUFFER: Final = KINDS["bluffer"]

# Where a chunk counts: totals[...]
ROUNDS, ACTIONS, UNFINISHED, REFUSED, TOTALS = range(5)


@inlined
def choose(kind: int, v: Any, c: Any, o: Any, hand: Any, spoken: Any, params: Any, key: Any) -> Any:
    """What the policy of a kind plays; one dispatch for all, so that any field of bots is one kernel."""
    if kind == CAUTIOUS:
        return policies.cautious(v, c, o, hand, spoken, params, key)
    if kind == RANDOM:
        return policies.random(v, c, o, hand, spoken, params, key)
    if kind == BLUFFER:
        return policies.bluffer(v, c, o, hand, spoken, params, key)
    if kind == HONEST:
        return policies.honest(v, c, o, hand, spoken, params, key)
    if kind == SKEPTIC:
        return policies.skeptic(v, c, o, hand, spoken, params, key)
    if kind == BELIEVER:
        return policies.believer(v, c, o, hand, spoken, params, key)
    return policies.listener(v, c, o, hand, spoken, params, key)


@inlined
def deal(s: Any, c: Any, d: Any, key: Any, cups: Any) -> None:
    """Everybody rolls: the matching dice of every cup."""
    width = len(c.faces) + 1
    wild = c.wild[s.mode]
    for seat in range(s.seats):
        left = s.dice[seat]
        for face in range(width):
            cups[seat, face] = 0
        block = 0
        while left > 0:
            dice = min(left, d.most)
            at = (d.first[dice] + block_number(key, s.round, seat, block, d.sizes[dice])) * width
            for face in range(1, width):
                cups[seat, face] += d.hands[at + face]
            left -= dice
            block += 1
        if wild > 0:
            jokers = cups[seat, wild]
            for face in range(1, width):
                if face != wild:
                    cups[seat, face] += jokers


@inlined
def sit(s: Any, c: Any, start: Any, key: Any, seats: int) -> None:
    """A new game with everybody at the table."""
    s.seats = seats
    s.turn = starter_number(key, seats)
    s.round = 1
    s.mode = 0
    s.over = 0
    s.wave = 0
    s.playing = seats
    s.total = 0
    for seat in range(seats):
        s.dice[seat] = start[seat]
        s.start[seat] = start[seat]
        s.out[seat] = 0
        s.used[seat] = 0
        s.total += start[seat]
    open_round(s, c)


@inlined
def seat_players(order: Any, key: Any, seats: int) -> None:
    """The seating that the dice draw, before rotation."""
    for seat in range(seats):
        order[seat] = seat
    for last in range(seats - 1, 0, -1):
        other = seating_number(key, last)
        order[last], order[other] = order[other], order[last]


@inlined
def play_game(
    s: Any, c: Any, o: Any, d: Any, cups: Any, spoken: Any, players: Any, kinds: Any, params: Any, key: Any,
    limit: int, log: Any,
) -> Any:  # fmt: skip
    """Play one game that has been sat down to; returns its actions, negative where a policy's action was refused."""
    width = len(c.faces) + 1
    noise = mix(key ^ u64(NOISE))
    deal(s, c, d, key, cups)
    spoken[:] = 0
    actions = 0
    while s.over == 0 and actions < limit:
        seat = s.turn
        player = players[seat]
        code = choose(kinds[player], s, c, o, cups[seat], spoken, params[player], noise + u64(actions))
        if actions < len(log):
            log[actions] = code
        if code > 0:
            quantity = code // width
            face = code - quantity * width
            if bid_refusal(s, c, quantity, face) != FINE:
                return -1 - actions
            spoken[seat] = face
            bid(s, c, quantity, face)
        else:
            if call_refusal(s, c, -1 - code) != FINE:
                return -1 - actions
            call(s, c, -1 - code, count(s, c, cups, s.face))
            if s.over == 0:
                deal(s, c, d, key, cups)
                spoken[:] = 0
        actions += 1
    return actions


def play_groups(
    c: Any, o: Any, d: Any, start: Any, kinds: Any, params: Any, seed: Any, first: int, groups: int, limit: int,
    states: Any, cups: Any, work: Any, log: Any, places: Any, squares: Any, totals: Any,
) -> None:  # fmt: skip
    """Count groups of games: one for each rotation of the seats, on the same dice."""
    seats = len(kinds)
    s = states[0]
    spoken, order, players, wins = work[0], work[1], work[2], work[3]
    for group in range(first, first + groups):
        key = game_key(seed, group)
        seat_players(order, key, seats)
        wins[:] = 0
        for rotation in range(seats):
            for seat in range(seats):
                players[seat] = order[(seat - rotation) % seats]
            sit(s, c, start, key, seats)
            actions = play_game(s, c, o, d, cups, spoken, players, kinds, params, key, limit, log)
            if actions < 0:
                totals[REFUSED] += 1
                return
            totals[ACTIONS] += actions
            totals[ROUNDS] += s.round
            if s.over == 0:
                totals[UNFINISHED] += 1
                continue
            for seat in range(seats):
                won = place(s, seat)
                places[players[seat], won] += 1
                if won == 1:
                    wins[players[seat]] += 1
        for player in range(seats):
            squares[player] += wins[player] * wins[player]


def trace_game(
    c: Any, o: Any, d: Any, start: Any, kinds: Any, params: Any, key: Any, players: Any, limit: int,
    states: Any, cups: Any, work: Any, log: Any,
) -> Any:  # fmt: skip
    """One game with its actions written into `log`; returns how many."""
    s = states[0]
    sit(s, c, start, key, len(kinds))
    return play_game(s, c, o, d, cups, work[0], players, kinds, params, key, limit, log)


count_groups = compiled(play_groups)
trace = compiled(trace_game)
