"""How the house bots play, in the subset that the simulator compiles: from what a seat sees to an action's number.

Every policy has one signature: `v` a view (or a state: it reads only what is public), `c` the charts, `o` the odds
chart, `hand` its own matching dice per face, `spoken` the face of every seat's last bid in this round, `params` its two
parameters, and `key` a number that is another one at every turn, from which chance is made.

A bid's number is `quantity * (faces + 1) + face`, a call's is -1 less its place in the rules.
"""

from typing import Any, Final

from calza.rules.dice import below, mix
from calza.rules.play import FINE, call_refusal, compilable

LIAR: Final = -1
SCALE: Final = 1 << 30  # chance in whole numbers


@compilable
def likelihood(v: Any, o: Any, hand: Any, width: int, quantity: int, face: int) -> float:
    """The chance that a bid holds, own dice known."""
    need = quantity - hand[face]
    if need <= 0:
        return 1.0
    unknown = min(v.total - v.dice[v.turn], o.most)
    if need > unknown:
        return 0.0
    return o.tail[o.start[v.mode * width + face] + unknown * o.stride + need]  # type: ignore[no-any-return]


@compilable
def likeliest(v: Any, c: Any, o: Any, hand: Any) -> int:
    """The least raise that is likeliest to hold, of equals the one with fewer dice; `LIAR` when no raise is legal."""
    width = len(c.faces) + 1
    best = LIAR
    best_chance = -1.0
    for face in range(1, width):
        least = c.floor[v.row + face]
        if least <= v.most:
            chance = likelihood(v, o, hand, width, least, face)
            if chance > best_chance or (chance == best_chance and least * width + face < best):
                best_chance = chance
                best = least * width + face
    return best


@compilable
def doubts(v: Any, c: Any, o: Any, hand: Any, threshold: float) -> bool:
    """Whether the standing bid is less likely to hold than `threshold`."""
    return v.quantity > 0 and likelihood(v, o, hand, len(c.faces) + 1, v.quantity, v.face) < threshold


@compilable
def random(v: Any, c: Any, o: Any, hand: Any, spoken: Any, params: Any, key: int) -> int:
    """Any legal action, each as likely as another."""
    width = len(c.faces) + 1
    choices = 0
    for face in range(1, width):
        least = c.floor[v.row + face]
        if least <= v.most:
            choices += v.most - least + 1
    bids = choices
    for which in range(c.calls):
        if call_refusal(v, c, which) == FINE:
            choices += 1
    chosen = below(mix(key), choices)
    if chosen < bids:
        for face in range(1, width):
            least = c.floor[v.row + face]
            if least <= v.most:
                if chosen <= v.most - least:
                    return int(least + chosen) * width + face
                chosen -= v.most - least + 1
    chosen -= bids
    for which in range(c.calls):
        if call_refusal(v, c, which) == FINE:
            if chosen == 0:
                return -1 - which
            chosen -= 1
    return LIAR


@compilable
def skeptic(v: Any, c: Any, o: Any, hand: Any, spoken: Any, params: Any, key: int) -> int:
    """Calls every bid a lie."""
    return LIAR if v.quantity > 0 else likeliest(v, c, o, hand)


@compilable
def believer(v: Any, c: Any, o: Any, hand: Any, spoken: Any, params: Any, key: int) -> int:
    """Raises as long as there is a raise."""
    return likeliest(v, c, o, hand)


@compilable
def honest(v: Any, c: Any, o: Any, hand: Any, spoken: Any, params: Any, key: int) -> int:
    """Never bids above what it expects on the table, unless it has to open; else calls."""
    width = len(c.faces) + 1
    unknown = v.total - v.dice[v.turn]
    wild = c.wild[v.mode]
    best = 0
    best_slack = 0.0
    for face in range(1, width):
        least = c.floor[v.row + face]
        if least <= v.most:
            counting = 2 if wild != 0 and wild != face else 1
            slack = hand[face] + unknown * counting / len(c.faces) - least
            if slack >= 0.0 and (best == 0 or slack > best_slack):
                best_slack = slack
                best = least * width + face
    if best > 0:
        return best
    return LIAR if v.quantity > 0 else likeliest(v, c, o, hand)


@compilable
def cautious(v: Any, c: Any, o: Any, hand: Any, spoken: Any, params: Any, key: int) -> int:
    """Calls a bid less likely than `call`; else the likeliest least raise."""
    if doubts(v, c, o, hand, params[0]):
        return LIAR
    return likeliest(v, c, o, hand)


@compilable
def bluffer(v: Any, c: Any, o: Any, hand: Any, spoken: Any, params: Any, key: int) -> int:
    """Cautious, but a share `bluff` of its bids is on a face of which it has nothing."""
    if doubts(v, c, o, hand, params[0]):
        return LIAR
    if below(mix(key), SCALE) < params[1] * SCALE:
        width = len(c.faces) + 1
        without = 0
        for face in range(1, width):
            if c.floor[v.row + face] <= v.most and hand[face] == 0:
                without += 1
        if without > 0:
            chosen = below(mix(mix(key)), without)
            for face in range(1, width):
                if c.floor[v.row + face] <= v.most and hand[face] == 0:
                    if chosen == 0:
                        return int(c.floor[v.row + face]) * width + face
                    chosen -= 1
    return likeliest(v, c, o, hand)


@compilable
def heard(v: Any, o: Any, hand: Any, spoken: Any, width: int, quantity: int, face: int, trust: float) -> float:
    """The chance that a bid holds when every other seat that last bid on its face is taken to add `trust` dice."""
    voices = 0
    for seat in range(len(v.dice)):
        if seat != v.turn and v.dice[seat] > 0 and spoken[seat] == face:
            voices += 1
    more = voices * trust
    whole = int(more)
    part = more - whole
    nearer = likelihood(v, o, hand, width, quantity - whole, face)
    return nearer + part * (likelihood(v, o, hand, width, quantity - whole - 1, face) - nearer)


@compilable
def listener(v: Any, c: Any, o: Any, hand: Any, spoken: Any, params: Any, key: int) -> int:
    """Cautious, with odds shifted towards the faces that others have bid."""
    width = len(c.faces) + 1
    if v.quantity > 0 and heard(v, o, hand, spoken, width, v.quantity, v.face, params[1]) < params[0]:
        return LIAR
    best = LIAR
    best_chance = -1.0
    for face in range(1, width):
        least = c.floor[v.row + face]
        if least <= v.most:
            chance = heard(v, o, hand, spoken, width, least, face, params[1])
            if chance > best_chance or (chance == best_chance and least * width + face < best):
                best_chance = chance
                best = least * width + face
    return best
