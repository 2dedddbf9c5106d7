"""What holds for every variant and every state."""

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from calza.rules import Bid, Call, Dice, Game, IllegalAction, Legal, Refusal, Rules
from calza.rules.charts import NEVER
from calza.rules.dice import Hand, MixDice
from calza.rules.events import Called, DiceChanged, Forfeited, GameOver, Penalized
from calza.rules.record import Source
from tests.strategies import any_rules, games, play_on, seeds


@given(games())
def test_the_seat_to_act_always_has_a_legal_action_besides_resigning(game: Game) -> None:
    if not game.over:
        legal = game.legal(game.turn)
        assert legal.bids or legal.calls


@given(games(), st.integers(0, 300), st.integers(0, 10))
def test_what_is_listed_as_legal_is_what_is_not_refused(game: Game, quantity: int, face: int) -> None:
    for seat in range(game.state.seats):
        legal = game.legal(seat)
        assert (Bid(quantity, face) in legal) == (not game.refusal(seat, Bid(quantity, face)))
        for name in game.table.names:
            assert (Call(name) in legal) == (not game.refusal(seat, Call(name)))


@given(games())
def test_every_listed_action_can_be_played(game: Game) -> None:
    if not game.over:
        for action in list(game.legal(game.turn))[-8:]:
            game.copy().play(game.turn, action)


@given(games(), st.integers(-1, 16), st.integers(0, 300), st.integers(-1, 22))
def test_a_refusal_names_an_alternative_that_is_legal(game: Game, seat: int, quantity: int, face: int) -> None:
    for action in (Bid(quantity, face), *(Call(name) for name in game.table.names), Call("nonsense")):
        if refusal := game.refusal(seat, action):
            error = game.illegal(refusal, seat, action)
            if error.instead is None:
                assert refusal in (Refusal.GAME_OVER, Refusal.OUT)
            else:
                assert str(error).endswith(f"; {error.instead} is legal")
                game.copy().play(seat, error.instead)


@given(games())
def test_a_refused_action_changes_nothing(game: Game) -> None:
    before, plies = game.state.copy(), list(game.plies)
    for seat in range(game.state.seats):
        for action in (Bid(0, 1), Bid(999, 1), Bid(1, 99), Call("nonsense")):
            try:
                game.play(seat, action)
            except IllegalAction:
                continue
            raise AssertionError(f"{action} was played")
    assert (game.state, game.plies) == (before, plies)


@given(games(steps=20))
def test_bids_only_rise_until_only_calls_are_left(game: Game) -> None:
    seen = set()
    while not game.over and game.legal(game.turn).bids:
        least = game.legal(game.turn).least
        face = min((quantity, face) for face, quantity in enumerate(least) if quantity)[1]
        bid = Bid(least[face], face)
        assert bid not in seen
        seen.add(bid)
        game.play(game.turn, bid)
    assert game.over or game.legal(game.turn).calls


@settings(max_examples=60)
@given(games(steps=80), seeds)
def test_dice_appear_and_vanish_only_as_the_events_say(game: Game, seed: int) -> None:
    random = Random(seed)
    for _ in range(40):
        before = list(game.state.dice)
        sequence = game.sequence
        events = []
        if game.over:
            break
        legal = game.legal(game.turn)
        if legal.calls:
            events = game.play(game.turn, random.choice(legal.calls))
        else:
            play_on(game, random, 1)
            if isinstance(game.plies[-1][1], Bid):
                assert list(game.state.dice) == before
            continue
        assert game.sequence == sequence + 1
        for event in events:
            if isinstance(event, DiceChanged):
                before[event.seat] += event.change
                assert before[event.seat] == event.left >= 0
        assert before == list(game.state.dice)
        assert sum(before) == game.state.total
        assert sum(1 for dice in before if dice) == game.state.playing


@given(any_rules, st.integers(2, 5), seeds)
def test_a_call_changes_dice_as_its_outcome_says(rules: Rules, players: int, seed: int) -> None:
    players = max(rules.min_players, min(players, rules.max_players))
    game = Game(rules, players, seed=seed)
    random = Random(seed)
    while not game.over and game.sequence < 60:
        dice, start = list(game.state.dice), game.state.start
        caller, bidder = game.turn, game.state.bidder
        legal = game.legal(game.turn)
        if not legal.calls or (legal.bids and random.random() < 0.5):
            play_on(game, random, 1, lambda game: False)
            continue
        rule = rules.calls[game.table.call[random.choice(legal.calls)]]
        called = game.play(caller, rule.name)[0]
        assert isinstance(called, Called)
        off = called.count - called.quantity
        outcome = rule.exact if off == 0 else rule.over if off > 0 else rule.short
        for seat in range(players):
            change = outcome.caller if seat == caller else outcome.bidder if seat == bidder else outcome.others
            if change < 0 and outcome.per_die:
                change *= max(1, abs(off))
            wanted = dice[seat] + change if dice[seat] else 0
            if change > 0 and rules.gain == "start" and dice[seat]:
                wanted = max(dice[seat], min(wanted, start[seat]))
            assert game.state.dice[seat] == max(0, wanted)


class Scripted(Dice):
    """Dice of `mix-1` with one seat's cup put there by hand."""

    def __init__(self, seed: int, hidden: int, other: int) -> None:
        self.dice, self.others, self.hidden = MixDice(seed), MixDice(other), hidden

    def source(self, open: bool) -> Source:
        return self.dice.source(open)

    def seating(self, players: int) -> list[int]:
        return self.dice.seating(players)

    def starter(self, seats: int) -> int:
        return self.dice.starter(seats)

    def roll(self, round: int, dice: list[int], faces: int) -> list[Hand]:
        hands = self.dice.roll(round, dice, faces)
        hands[self.hidden] = self.others.roll(round, dice, faces)[self.hidden]
        return hands


@settings(max_examples=150)
@given(any_rules, st.integers(2, 6), seeds, seeds, st.data())
def test_a_view_is_the_same_whatever_the_other_cups_hold(
    rules: Rules, players: int, seed: int, other: int, data: st.DataObject
) -> None:
    players = max(rules.min_players, min(players, rules.max_players))
    hidden = data.draw(st.integers(0, players - 1))
    one, two = Game(rules, players, seed=MixDice(seed)), Game(rules, players, seed=Scripted(seed, hidden, other))
    random = Random(seed)
    while not one.over and one.legal(one.turn).bids and one.sequence < 30:
        for seat in range(players):
            if seat != hidden:
                assert one.view(seat) == two.view(seat)
                assert repr(one.view(seat)) == repr(two.view(seat))
                assert one.legal(seat) == two.legal(seat)
        assert repr(one.spectator_view()) == repr(two.spectator_view())
        least = one.legal(one.turn).least
        bid = random.choice([Bid(quantity, face) for face, quantity in enumerate(least) if quantity])
        assert one.play(one.turn, bid) == two.play(two.turn, bid)


@given(games())
def test_leaving_costs_nobody_else_a_die_and_shows_nothing(game: Game) -> None:
    if game.over:
        return
    seat = game.turn
    dice = list(game.state.dice)
    first, *_ = events = game.forfeit(seat, "timeout")
    assert first == Forfeited(seat=seat, reason="timeout")
    assert not any(isinstance(event, Called | DiceChanged | Penalized) for event in events)
    dice[seat] = 0
    assert list(game.state.dice) == dice
    if not game.over:
        assert game.state.quantity == 0
        clockwise = [(seat + step) % len(dice) for step in range(1, len(dice))]
        assert game.turn == next(one for one in clockwise if dice[one])
        assert game.view(game.turn).bids == []


@given(games(steps=400))
def test_places_share_and_skip(game: Game) -> None:
    while not game.over:
        game.forfeit(game.turn, "resign")
    places = sorted(game.places)
    assert places[0] == 1
    assert all(place == places.index(place) + 1 for place in places)
    if game.table.rules.end == "last":
        assert places.count(1) == 1


@given(any_rules)
def test_floors_never_fall_when_the_standing_bid_rises(rules: Rules) -> None:
    charts = Game(rules, rules.min_players, seed=1).charts
    width = rules.faces + 1
    for face in range(1, width):
        for new in range(1, width):
            column = [charts.floor[(quantity * width + face) * width + new] for quantity in range(1, charts.cap + 1)]
            assert column == sorted(column)
            assert all(0 < least <= NEVER for least in column)


def test_legal_says_no_to_what_is_no_action() -> None:
    assert "4x3" not in Legal((0, 1), 5, ("liar",))
    assert GameOver(places=(1, 2)) not in Legal((0, 1), 5, ())
