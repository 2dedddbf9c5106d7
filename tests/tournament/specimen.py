"""Results of a tournament that never was, with all that a report may have to show."""

from math import comb
from pathlib import Path

from msgspec.structs import replace

from calza.tournament.results import (
    Failure,
    Habits,
    Interval,
    Pair,
    Results,
    Share,
    Shown,
    SoftPlay,
    Standing,
    Time,
)

RECORDS = Path(__file__).parents[1] / "records"
NAMES = (
    "tortoise",
    "Zoë's café bot",
    "הבוט",
    "<script>alert(1)</script>",
    "a-bot-with-a-very-long-name-of-40-letters",
    "late",
)
ELO = (96.0, 71.0, 20.0, -8.0, -44.0, -135.0)

TRACEBACK = """Traceback (most recent call last):
  File "late.py", line 12, in act
    return max(self.raises, key=self.worth)
ValueError: max() arg is an empty sequence </pre><script>alert(2)</script>"""


def standing(at: int, name: str, elo: float) -> Standing:
    """A line of the standings."""
    late = name == "late"
    return Standing(
        rank=at + 1,
        name=name,
        bot=("cautious:call=0.3", "zoe.py:Bot", "cmd:node bot.js")[at % 3],
        isolation="process",
        games=6000,
        points=Interval(0.33 + elo / 700, 0.32 + elo / 700, 0.34 + elo / 700),
        rating=Interval(elo, elo - 14 - at, elo + 15 + at),
        wins=2000 + int(elo * 6),
        faults={"crash": 41, "timeout": 2, "benched": 900} if late else {},
        benched=late,
        habits=None if late else Habits(52_000, 9_000 + 900 * at, 4_100, 5_600, 3_900 - 120 * at, 40 * at, 11 * at),
        time=Time(58_000, 0.021 * 4**at, 1.7 * 3**at),
    )


def pair(one: float, other: float) -> Pair:
    """A pair, by its ratings."""
    share = 1 / (1 + 10 ** ((other - one) / 400))
    return Pair(2400, Interval(share, share - 0.022, share + 0.021), min(1.0, max(0.0, 0.5 + (one - other) / 60)))


def record(name: str) -> bytes:
    """A recorded match."""
    return (RECORDS / f"{name}.json").read_bytes()


def specimen(**changes: object) -> Results:
    """The results, changed."""
    failure = Failure("late", "crash", "ValueError: max() arg is an empty sequence", TRACEBACK, 27)
    slow = Failure("late", "timeout", "it took 0.412 s for a move of 0.200 s", "", 14)
    results = Results(
        name="Autumn cup",
        rules="Perudo",
        rules_id="ef417a2d2791c6f1197447771fce50e41a46ecfabbdc19f388df2196a730059f",
        format="round-robin",
        scoring="wins",
        players=3,
        dice=5,
        seed=2026,
        games=12_000,
        planned=12_000,
        unfinished=3,
        seconds=1260.0,
        rounds=11.4,
        actions=61.0,
        standings=tuple(standing(at, name, elo) for at, (name, elo) in enumerate(zip(NAMES, ELO, strict=True))),
        pairs=tuple(tuple(None if one == other else pair(one, other) for other in ELO) for one in ELO),
        seats=tuple(
            Share(at, Interval(share, share - 0.009, share + 0.009)) for at, share in enumerate((0.316, 0.334, 0.35))
        ),
        round_counts=(*(0,) * 5, *(comb(14, k) for k in range(15)), 40),
        winner_dice=(0, 2800, 3400, 3000, 1900, 900),
        watched=12_000,
        soft_play=(
            SoftPlay(
                giver="tortoise",
                taker="late",
                way="stand",
                decisions=530,
                often=512,
                usual=230.4,
                flagged=True,
                dice=Interval(0.31, 0.22, 0.4),
                evidence="In 2,400 games tortoise let 512 false bids of late stand, and gave it 0.31 dice a game more "
                "than it gave to others in such places.",
            ),
            SoftPlay(
                "late", "tortoise", "call", 1190, 20, 21.7, Interval(-0.0, -0.02, 0.02), False, "late called few."
            ),
        ),
        shown=(
            Shown("tortoise against late against הבוט, group 7, rotation 1", record("perudo"), (failure, slow)),
            Shown("tortoise against Zoë's café bot, group 9, rotation 2", record("liars-dice-mix")),
            Shown("late against tortoise, group 12, rotation 1", record("exact"), (failure,)),
        ),
        notes=("Foreign bots played, so each group of games has a secret key: no bot can foretell its dice.",),
    )
    return replace(results, **changes)
