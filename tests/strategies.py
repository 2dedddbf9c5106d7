"""Random rules, agents and games for property tests."""

from collections.abc import Callable
from random import Random

from hypothesis import assume
from hypothesis import strategies as st

from calza.agents.house import HOUSE, Spec
from calza.rules import CATALOG, CallRule, Game, Legal, Outcome, Raise, Raising, Rules, RulesError, Special, Starter
from calza.rules.check import check

seeds = st.integers(0, 2**63 - 1)
catalog = st.sampled_from(list(CATALOG.values()))

RISING = st.builds(
    Raising,
    lower=st.sampled_from([Raise.BARRED, Raise.MORE]),
    same=st.sampled_from([Raise.MORE, Raise.BARRED]),
    higher=st.sampled_from([Raise.SAME, Raise.MORE, Raise.ANY, Raise.BARRED]),
    to_wild=st.sampled_from([None, Raise.HALF, Raise.OVER_HALF, Raise.BARRED, Raise.SAME]),
    from_wild=st.sampled_from([None, Raise.DOUBLE_PLUS_ONE, Raise.BARRED]),
)


@st.composite
def outcomes(draw: st.DrawFn) -> Outcome:
    """Somebody loses or gains; caller and bidder never both lose."""
    caller, bidder = draw(st.sampled_from([(-1, 0), (0, -1), (1, 0), (-2, 1), (0, -2), (0, 0)]))
    return Outcome(
        caller=caller,
        bidder=bidder,
        others=draw(st.sampled_from([0, 0, 0, -1, 1])),
        per_die=draw(st.booleans()),
        starts=draw(st.sampled_from(Starter)),
    )


@st.composite
def call_rules(draw: st.DrawFn, name: str) -> CallRule:
    """A call that may be made now and then."""
    liar = name == "liar"
    return CallRule(
        name=name,
        short=draw(outcomes()),
        exact=draw(outcomes()),
        over=draw(outcomes()),
        min_players=2 if liar else draw(st.integers(2, 4)),
        in_special=liar or draw(st.booleans()),
        needs_lost_die=not liar and draw(st.booleans()),
    )


@st.composite
def rules(draw: st.DrawFn) -> Rules:
    """Any playable rules."""
    faces = draw(st.integers(2, 9))
    made = Rules(
        name="random",
        dice=draw(st.integers(1, 7)),
        faces=faces,
        wild=draw(st.none() | st.integers(1, faces)),
        raising=draw(RISING),
        opening=draw(st.sampled_from([1, 1, 1, 2])),
        open_on_wild=draw(st.booleans()),
        cap=draw(st.sampled_from(["dice", "dice", 3, 12, 30, 255])),
        calls=tuple(draw(call_rules(name)) for name in ("liar", "exact", "other")[: draw(st.integers(1, 3))]),
        gain=draw(st.sampled_from(["start", "none"])),
        special=draw(st.none() | st.builds(Special, wild=st.booleans(), min_players=st.integers(2, 3))),
        reveal=draw(st.sampled_from(["all", "matching"])),
        end=draw(st.sampled_from(["last", "last", "round", "first-out"])),
    )
    try:
        check(made)
    except RulesError:
        assume(False)
    return made


any_rules = catalog | rules()


@st.composite
def specs(draw: st.DrawFn) -> Spec:
    """A house bot with settings."""
    house = draw(st.sampled_from(list(HOUSE.values())))
    return Spec(house.name, tuple(draw(st.floats(0, 1)) for _ in house.parameters))


def play_on(game: Game, random: Random, steps: int, stop: Callable[[Game], bool] = lambda game: False) -> Game:
    """Play legal actions by chance, calls one time in three, now and then a resignation or a penalty."""
    for _ in range(steps):
        if game.over or stop(game):
            break
        legal = game.legal(game.turn)
        chance = random.random()
        if chance < 0.02:
            game.forfeit(random.choice([seat for seat, dice in enumerate(game.state.dice) if dice]), "resign")
        elif chance < 0.04:
            game.penalize(game.turn, "timeout")
        elif legal.calls and (chance < 0.35 or not legal.bids):
            game.play(game.turn, random.choice(legal.calls))
        else:
            game.play(game.turn, random.choice(list(low_bids(legal))))
    return game


def low_bids(legal: Legal) -> list[str]:
    """The lowest few bids of every face, so that rounds last."""
    return [
        f"{least + more}x{face}" for face, least in enumerate(legal.least) if least for more in range(3)
        if least + more <= legal.most
    ]  # fmt: skip


@st.composite
def games(draw: st.DrawFn, steps: int = 60) -> Game:
    """A game somewhere in its course."""
    made = draw(any_rules)
    players = draw(st.integers(made.min_players, min(made.max_players, 6)))
    dice = draw(st.none() | st.lists(st.integers(1, 6), min_size=players, max_size=players))
    game = Game(made, players, seed=draw(seeds), dice=dice)
    return play_on(game, Random(draw(seeds)), draw(st.integers(0, steps)))
