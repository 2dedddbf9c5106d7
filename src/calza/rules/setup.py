"""Starting from any position: a `Setup` becomes a state, or a SetupError says what does not fit."""

from collections.abc import Sequence

from .actions import Bid, parse_action, seat_name
from .charts import ENDS, FIRST_OUT, PLAIN, SPECIAL
from .dice import Hand
from .errors import SetupError
from .hands import counts
from .play import after, bid, bid_refusal, open_round
from .record import Setup
from .rules import Rules
from .state import State
from .table import Table

MOST_DICE = 1000  # in a cup; rules without a limit on gains may lead anywhere


def check_seats(rules: Rules, dice: Sequence[int]) -> None:
    """So many seats with such dice at the start of a match."""
    least, most = rules.min_players, rules.max_players
    if not least <= len(dice) <= most:
        many = f"{least} to {most}" if most > least else str(least)
        raise SetupError(f"{rules.name} is a game for {many} players, not {len(dice)}")
    if wrong := [one for one in dice if not 1 <= one <= 15]:
        raise SetupError(f"a seat starts with 1 to 15 dice, not {wrong[0]}")


def set_up(setup: Setup, table: Table) -> State:
    """The state of `setup`, ready for the seat to act."""
    rules, dice = table.rules, setup.dice
    start = start_of(setup, rules)
    check_seats(rules, start)
    check_position(setup, rules, len(start))
    state = State(table.charts, start, 0)
    state.dice, state.total, state.playing = list(dice), sum(dice), sum(1 for one in dice if one)
    state.round, state.mode = setup.round, SPECIAL if setup.special else PLAIN
    for seat, one in enumerate(dice):
        if one == 0:  # who is out went out together, before anything that is still to come
            state.wave = state.out[seat] = 1
    for seat in setup.used:
        state.used[seat] = 1
    open_round(state, table.charts)
    for seat, standing in round_bids(setup, rules):
        check_bid(state, table, seat, standing)
        state.turn = seat
        bid(state, table.charts, standing.quantity, standing.face)
    if setup.turn is not None:
        state.turn = setup.turn
    elif not setup.bids:
        state.turn = after(state, len(dice) - 1)
    return state


def start_of(setup: Setup, rules: Rules) -> tuple[int, ...]:
    """The dice of every seat at the start of the match."""
    if rules.end == "round":  # which starts with the dice that it has, and is won by who loses fewest of them
        if setup.start and setup.start != setup.dice:
            raise SetupError(f"{rules.name} is one round: it starts with the dice that it has")
        return tuple(max(1, one) for one in setup.dice)
    return setup.start or tuple(min(max(rules.dice, one), 15) for one in setup.dice)


def check_bid(state: State, table: Table, seat: int, standing: Bid) -> None:
    """A bid of the setup can follow the one before it. The first stands as it is: what led to it is not told."""
    if standing.quantity > state.most:
        raise SetupError(f"the bid {standing} is more than the {state.most} dice that a bid may name")
    if state.quantity and (seat == state.bidder or bid_refusal(state, table.charts, standing.quantity, standing.face)):
        raise SetupError(f"{seat_name(seat)} cannot have bid {standing} after {Bid(state.quantity, state.face)}")


def check_position(setup: Setup, rules: Rules, seats: int) -> None:
    """What a setup says must fit the table and itself."""
    dice = setup.dice
    if len(dice) != seats:
        raise SetupError(f"the setup has dice for {len(dice)} seats and starts for {seats}")
    playing = sum(1 for one in dice if one)
    if playing < 2 or (ENDS.index(rules.end) == FIRST_OUT and playing < seats):
        raise SetupError("the game would be over already: too few seats have dice")
    if wrong := [one for one in dice if not 0 <= one <= MOST_DICE]:
        raise SetupError(f"a cup holds 0 to {MOST_DICE} dice, not {wrong[0]}")
    if setup.special and (not rules.special or playing < rules.special.min_players):
        raise SetupError(f"{rules.name} has no special rounds with {playing} players")
    acting = [seat for seat, _ in setup.bids] + ([] if setup.turn is None else [setup.turn])
    for seat in (*acting, *setup.used):
        if not 0 <= seat < seats:
            raise SetupError(f"there is no seat {seat}: seats are 0 to {seats - 1}")
    for seat in acting:
        if not dice[seat]:
            raise SetupError(f"{seat_name(seat)} has no dice and can neither bid nor act")
    if setup.bids and setup.turn == setup.bids[-1][0]:
        raise SetupError(f"{seat_name(setup.bids[-1][0])} made the standing bid and cannot be the one to act on it")


def round_bids(setup: Setup, rules: Rules) -> list[tuple[int, Bid]]:
    """The bids of the round so far."""
    read = [(seat, parse_action(text, rules)) for seat, text in setup.bids]
    bids = [(seat, one) for seat, one in read if isinstance(one, Bid)]
    if len(bids) < len(read) or not all(0 < one.face <= rules.faces and 0 < one.quantity for _, one in bids):
        raise SetupError(f"a setup's bids are bids such as 4x3, on faces 1 to {rules.faces}")
    return bids


def given_hands(setup: Setup, rules: Rules) -> dict[int, Hand]:
    """The hands that a setup gives, by seat; the others are rolled."""
    if len(setup.cups) > len(setup.dice):
        raise SetupError(f"the setup has {len(setup.cups)} cups for {len(setup.dice)} seats")
    hands = {}
    for seat, cup in enumerate(setup.cups):
        if cup and len(cup) != setup.dice[seat]:
            raise SetupError(f"the cup of {seat_name(seat)} shows {len(cup)} dice, but it has {setup.dice[seat]}")
        if wrong := [face for face in cup if not 1 <= face <= rules.faces]:
            raise SetupError(f"the cup of {seat_name(seat)} shows a {wrong[0]}; dice have faces 1 to {rules.faces}")
        if cup:
            hands[seat] = counts(cup, rules.faces)
    return hands
