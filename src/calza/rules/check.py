"""Whether rules make a playable game: said when they are loaded, not in the middle of a match.

A game is playable when its numbers fit each other, somebody always has a legal action, bids only ever rise, no call can
leave nobody with dice, and from every state some line of calls ends it.
"""

from collections.abc import Iterator
from itertools import product

from . import play
from .actions import plain
from .charts import NEVER, PLAIN, SPECIAL, Charts, draw_charts
from .errors import RulesError
from .rules import Outcome, Rules
from .state import State

PARITIES = 64  # floors look at a quantity's half and double: no cycle starts only beyond this

Node = tuple[tuple[int, ...], tuple[int, ...], int, int]  # dice, special rounds had, turn, mode


def check(rules: Rules) -> None:
    """Raise RulesError with the field at fault when `rules` make no playable game."""
    check_fields(rules)
    check_calls(rules)
    charts = draw_charts(rules)
    check_rising(rules, charts)
    check_ends(rules, charts)


def check_fields(rules: Rules) -> None:
    """Numbers that must fit each other."""
    if rules.max_players < rules.min_players:
        raise RulesError("max_players", f"is {rules.max_players}, less than min_players, which is {rules.min_players}")
    if rules.wild is not None and not 1 <= rules.wild <= rules.faces:
        raise RulesError("wild", f"is {rules.wild}, but must be a face from 1 to {rules.faces}, or left out for none")
    most = 2 if rules.cap == "dice" else rules.cap
    if rules.opening > most:
        what = "dice may be in play" if rules.cap == "dice" else "is the cap"
        raise RulesError("opening", f"is {rules.opening}, but only {most} {what}, so nobody could open a round")


def check_calls(rules: Rules) -> None:
    """Calls that can be told apart, leave somebody with dice, and are there when no raise is."""
    seen: dict[str, int] = {"resign": -1}
    for which, call in enumerate(rules.calls):
        name = plain(call.name)
        if seen.setdefault(name, which) != which:
            raise RulesError(f"calls[{which}].name", f"{call.name!r} is taken; every call needs a name of its own")
        if not any(sign.isalpha() for sign in name):
            raise RulesError(f"calls[{which}].name", f"{call.name!r} must have a letter, or it reads like a bid")
        for found in ("short", "exact", "over"):
            check_outcome(getattr(call, found), f"calls[{which}].{found}")
    words = [(plain(word), which) for which, call in enumerate(rules.calls) for word in call.words]
    for word, which in words:
        if not word or seen.setdefault(word, which) != which:
            raise RulesError(f"calls[{which}].words", f"{word!r} is empty or means another call or action already")
    for mode, players in ((PLAIN, 2), (SPECIAL, rules.special.min_players if rules.special else 0)):
        if players and not any(
            call.min_players <= players and not call.needs_lost_die and (mode == PLAIN or call.in_special)
            for call in rules.calls
        ):
            raise RulesError("calls", "a player could have no legal action: one call must always be allowed")


def check_outcome(outcome: Outcome, field: str) -> None:
    """Somebody must be left."""
    if outcome.caller < 0 and outcome.bidder < 0:
        raise RulesError(field, "caller and bidder cannot both lose dice: nobody might be left to win")


def check_rising(rules: Rules, charts: Charts) -> None:
    """No bid may be reached again by raising from it."""
    width = rules.faces + 1
    most = min(charts.cap, PARITIES)
    for mode in (PLAIN, SPECIAL) if rules.special else (PLAIN,):
        base = mode * (charts.cap + 1) * width * width
        for quantity, face in product(range(1, most + 1), range(1, width)):
            if least_return(charts, base, width, quantity, face) <= quantity:
                field = "special.raising" if mode == SPECIAL else "raising"
                why = f"bids could go round in a circle: {quantity}x{face} could be raised until it is bid again"
                raise RulesError(field, why)


def least_return(charts: Charts, base: int, width: int, quantity: int, face: int) -> int:
    """The least quantity at which `face` can come back after a bid, by raising as little as the floors ask."""
    # Floors never fall when the quantity rises, so the least way to a face is by least raises.
    least = [NEVER] * width
    changed = [(quantity, face)]
    while changed:
        standing, at = changed.pop()
        row = base + (standing * width + at) * width
        for new in range(1, width):
            if charts.floor[row + new] < least[new] and charts.floor[row + new] <= charts.cap:
                least[new] = charts.floor[row + new]
                changed.append((least[new], new))
    return least[face]


def check_ends(rules: Rules, charts: Charts) -> None:
    """From every small position some line of bids and calls, resigning apart, must end the game."""
    for seats, most in ((2, 3), (3, 2)):
        if seats > rules.max_players:
            continue
        ways: dict[Node, list[Node | None]] = {}
        waiting: list[Node] = [
            (dice, (0,) * seats, turn, PLAIN)
            for dice in product(range(1, most + 1), repeat=seats)
            for turn in range(seats)
        ]
        while waiting:
            node = waiting.pop()
            if node not in ways:
                ways[node] = list(after_calls(charts, node, most))
                waiting += [after for after in ways[node] if after]
        stuck = endless(ways)
        if stuck:
            dice = " and ".join(map(str, stuck[0]))
            raise RulesError("calls", f"the game could never end: with {dice} dice no line of calls leads to its end")


def endless(ways: dict[Node, list[Node | None]]) -> Node | None:
    """A node from which no way leads to the end (None), if there is one."""
    ends: set[Node] = set()
    grown = True
    while grown:
        left = {node: after for node, after in ways.items() if node not in ends}
        more = {node for node, after in left.items() if any(one is None or one in ends for one in after)}
        ends |= more
        grown = bool(more)
    return next((node for node in ways if node not in ends), None)


def after_calls(charts: Charts, node: Node, most: int) -> Iterator[Node | None]:
    """Where the calls of one round lead: None is the end. Dice beyond `most` are not followed."""
    dice, used, turn, mode = node
    state = State(charts, (most,) * len(dice), turn)
    state.dice, state.used, state.mode = list(dice), list(used), mode
    state.total, state.playing = sum(dice), sum(1 for one in dice if one)
    play.open_round(state, charts)
    face, quantity = min(((face, charts.floor[state.row + face]) for face in charts.faces), key=lambda bid: bid[1])
    for bidder in range(len(dice)):
        if not dice[bidder]:
            continue
        standing = state.copy()
        standing.turn = bidder
        play.bid(standing, charts, quantity, face)
        for which, have in product(range(charts.calls), (quantity - 1, quantity, quantity + 1)):
            if play.call_refusal(standing, charts, which) == play.FINE and have <= standing.total:
                yield settled(standing, charts, which, have, most)


def settled(standing: State, charts: Charts, which: int, have: int, most: int) -> Node | None:
    """The node after a call; the end when it is over."""
    after = standing.copy()
    play.call(after, charts, which, have)
    if after.over:
        return None
    return tuple(min(one, most) for one in after.dice), tuple(after.used), after.turn, after.mode
