"""Events as sentences."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calza.agents import HouseAgent, parse_agent
from calza.matches import read_record, replay
from calza.rules import CATALOG, Event, Game, Player, Record, Setup
from calza.rules.events import DiceChanged, GameOver, Out, RoundBegan
from calza.show import Cast, cast_of, tell, told

CAST = Cast(("Ann", "Ben", "Cem"))
RECORDS = Path(__file__).parents[1] / "records"


def said(
    rules: str, cups: str, plays: str, you: int = -1, dice: tuple[int, ...] = (), special: bool = False
) -> list[str]:
    """What is told of the last of `plays`, by the seats in turn, over such `cups`."""
    hands = tuple(tuple(map(int, cup)) for cup in cups.split())
    setup = Setup(dice=tuple(map(len, hands)), start=dice, cups=hands, turn=0, special=special)
    game = Game.at(CATALOG[rules], setup, seed=1)
    events: list[Event] = []
    for play in plays.split(", "):
        events = game.play(game.turn, play)
    return tell(events, Cast(CAST.names[: len(hands)], you), CATALOG[rules])


@pytest.mark.parametrize(
    ("rules", "cups", "plays", "sentence"),
    [
        ("exact", "25 36", "4x3", "Ann bids four threes."),
        ("exact", "25 36", "1x6", "Ann bids one six."),
        ("exact", "25 36", "3x2, bluff", "There is one two, two fewer than bid: Ann lied and loses a die."),
        ("exact", "25 36", "3x4, bluff", "There are no fours, three fewer than bid: Ann lied and loses a die."),
        ("exact", "25 56", "2x5, bluff", "There are two fives, exactly as bid: Ann's bid holds, and Ben loses a die."),
        (
            "exact", "25 56", "1x5, bluff",
            "There are two fives, one more than bid: Ann's bid holds, and Ben loses a die.",
        ),
        ("exact", "25 56", "3x5, exact", "There are two fives, one fewer than bid: Ben is wrong and loses a die."),
        ("exact", "25 56", "1x5, exact", "There are two fives, one more than bid: Ben is wrong and loses a die."),
        ("exact", "25 56", "2x5, exact", "There are two fives, exactly as bid: Ben is right, and Ann loses a die."),
        (
            "exact", "25 56 11", "2x5, exact",
            "There are two fives, exactly as bid: Ben is right, and Cem and Ann lose a die each.",
        ),
        (
            "liars-dice", "21 55", "1x2, 3x5, challenge",
            "With the ones there are three fives, exactly as bid: Ben's bid holds, and Ann loses a die.",
        ),
        (
            "liars-dice", "21 15", "1x1, 2x1, challenge",
            "There are two ones, exactly as bid: Ben's bid holds, and Ann loses a die.",
        ),
        (
            "spot-on", "222 33", "3x2, spot on",
            "There are three twos, exactly as bid: Ben is right, and Ann loses two dice.",
        ),
        ("joker", "22 33", "2x2, exactly", "There are two twos, exactly as bid: Ben is right and gains a die."),
        (
            "difference", "2222 33", "1x2, liar",
            "There are four twos, three more than bid: Ann's bid holds, and Ben loses the last two dice.",
        ),
        (
            "difference", "2233 33", "5x2, liar",
            "There are two twos, three fewer than bid: Ann lied and loses three dice.",
        ),
    ],
)  # fmt: skip
def test_a_bid_or_call_is_told_with_its_count_and_its_price(rules: str, cups: str, plays: str, sentence: str) -> None:
    lines = said(rules, cups, plays, dice=(5,) * len(cups.split()))
    assert sentence in lines


def test_a_call_is_told_in_the_order_in_which_people_see_it() -> None:
    assert said("liars-dice", "2 33 44", "2x2, liar") == [
        'Ben says "challenge" to Ann\'s two twos.',
        "There is one two, one fewer than bid: Ann lied and loses the last die.",
        "Ann is out.",
        "Ben opens round 2.",
    ]


def test_whoever_is_spoken_to_is_you() -> None:
    assert said("liars-dice", "22 33", "2x3, liar", you=0)[:2] == [
        'Ben says "challenge" to your two threes.',
        "There are two threes, exactly as bid: your bid holds, and Ben loses a die.",
    ]
    assert said("liars-dice", "22 33", "3x3, liar", you=0)[1].endswith(": you lied and lose a die.")
    assert said("liars-dice", "22 33", "3x3, liar", you=1)[0] == 'You say "challenge" to Ann\'s three threes.'
    assert said("liars-dice", "2 3", "2x3, liar", you=0)[2:] == [
        "You are out.",
        "The game is over: Ben wins and you are second.",
    ]
    assert said("exact", "25 56 11", "2x5, exact", you=0)[1].endswith(
        ": Ben is right, and Cem and you lose a die each."
    )
    assert said("liars-dice", "2 3", "2x3, liar", you=1)[-1] == "The game is over: you win and Ann is second."
    assert said("liars-dice", "2 3", "2x3", you=0) == ["You bid two threes."]


def test_a_right_call_that_can_win_nothing_says_why() -> None:
    lines = said("perudo", "22 33 44", "2x2, calza", dice=(2, 2, 2))
    assert lines[1] == "There are two twos, exactly as bid: Ben is right, but has as many dice as at the start."


def test_a_special_round_says_what_is_different() -> None:
    assert said("perudo", "22 33 44", "3x2, dudo")[-1] == (
        "Ann opens round 2. It is a special round, since a player has fallen to one die: "
        "ones are not wild and only the number may be raised."
    )


def test_a_host_rules_in_words() -> None:
    game = Game(CATALOG["exact"], 3, seed=1, dice=2)
    seat = game.turn
    late = tell(game.penalize(seat, "timeout"), CAST, CATALOG["exact"])
    assert late[0] == f"{CAST.names[seat]} ran out of time and loses a die."
    gone = tell(game.forfeit(seat), CAST, CATALOG["exact"])
    assert gone[0] == f"{CAST.names[seat]} resigns and is out."
    other = game.turn
    assert tell(game.forfeit(other, "noise"), CAST, CATALOG["exact"])[0] == (
        f"{CAST.names[other]} is ruled against (noise) and is out."
    )


def test_places_are_told_in_order_and_shared() -> None:
    cast = Cast(("Ann", "Ben", "Cem", "Dora"))
    rules = CATALOG["exact"]
    assert tell([GameOver(places=(2, 1, 2, 4))], cast, rules) == [
        "The game is over: Ben wins, Ann and Cem share second place and Dora is fourth."
    ]
    assert tell([GameOver(places=(1, 1, 3, 3))], cast, rules) == [
        "The game is over: Ann and Ben share first place and Cem and Dora share third place."
    ]
    assert tell([Out(seat=0), Out(seat=3)], cast, rules) == ["Ann and Dora are out."]
    assert tell([DiceChanged(seat=0, change=2, left=5)], cast, rules) == ["Ann gains two dice."]


def test_a_name_that_would_steer_a_screen_is_made_harmless() -> None:
    rules = CATALOG["exact"]
    players = (Player(name="\x1b[31mAnn\n"), Player(name=""), Player(name="B" * 100))
    record = Record(
        rules=rules, rules_id=rules.rules_id, players=players, dice=Game(rules, 3, seed=1).source.source(True)
    )
    assert cast_of(record).names == ("\ufffd[31mAnn", "B", "B" * 40 + "...")


@pytest.mark.parametrize("path", sorted(RECORDS.glob("*.json")), ids=lambda path: path.stem)
def test_every_recorded_match_can_be_told(path: Path) -> None:
    record = read_record(path.read_bytes())
    for _, step in replay(record):
        check(step.events, cast_of(record, you=1), record)


def check(events: list[Event], cast: Cast, record: Record) -> None:
    """One thing is told for each that happened, in sentences."""
    sentences = tell(events, cast, record.rules)
    assert sentences
    for sentence in sentences:
        assert sentence.endswith(".")
        assert sentence.isprintable()
        assert "you is" not in sentence
        assert "you loses" not in sentence
    leads = [event for event, _ in told(events, cast, record.rules)]
    kept = [event for event in events if event in leads or not isinstance(event, RoundBegan | GameOver)]
    assert kept == events


@given(st.sampled_from(sorted(CATALOG)), st.integers(0, 2**32))
def test_whatever_happens_in_a_game_can_be_told(name: str, seed: int) -> None:
    rules = CATALOG[name]
    game = Game(rules, min(3, rules.max_players), seed=seed)
    bot = HouseAgent(parse_agent("random"), seed)
    record = game.record()
    for _ in range(60):
        if game.over:
            break
        check(game.play(game.turn, bot.act(game.view(game.turn))), cast_of(record, you=0), record)
