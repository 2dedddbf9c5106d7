"""What a report says in words: figures for people who do not work with figures all day, and nothing promised."""

from math import isfinite

from calza.rules.read import printable

from .results import Interval, Pair, Results, Standing

CERTAIN, LIKELY = 0.975, 0.8  # likelihoods
PERCENT = "\N{NO-BREAK SPACE}%"

FORMATS = {
    "round-robin": "a round robin: every possible table was played",
    "gauntlet": "a gauntlet: one bot against all the others",
    "swiss": "a Swiss tournament: bots with about the same results meet",
    "knock-out": "a knock-out: who loses a stage is out",
    "league": "a standing league: games go where the order is least certain",
}
SCORINGS = {
    "wins": "Only a win is worth points.",
    "places": "Every place is worth points: all for the first, none for the last, evenly spread in between.",
    "dice": "Points are a bot's share of the dice that are left at the end.",
}
WAYS = {"stand": "let an unlikely bid stand", "call": "called a likely bid"}
GIFTS = 100  # lines of the table of soft play
POINTS = {"wins": "Games won", "places": "Points", "dice": "Points"}


# --- figures


def percent(share: float, digits: int = 1) -> str:
    """`41.2 %`; what is nearly nothing or nearly all is not rounded to it."""
    least = 10**-digits
    figure = 100 * share
    if 0 < figure < least:
        return f"<{least:g}{PERCENT}"
    if 100 - least < figure < 100:
        return f">{100 - least:g}{PERCENT}"
    return f"{figure:.{digits}f}{PERCENT}"


def whole_percent(share: float) -> str:
    """`41 %`."""
    return percent(share, 0)


def likelihood(chance: float, digits: int = 0) -> str:
    """A likelihood: what was played with dice is never quite certain."""
    least = 10**-digits / 100
    return percent(min(max(chance, least / 2), 1 - least / 2), digits)


def signed(elo: float) -> str:
    """`+84`, with a minus that is as wide."""
    return f"{round(elo):+d}".replace("-", "−") if round(elo) else "0"


def skill(mu: float) -> str:
    """`31.4`."""
    return f"{mu:z.1f}".replace("-", "−")


def dice(number: float) -> str:
    """`0.31` of a die, with a minus that is as wide."""
    return f"{round(number, 2) or 0.0:.2f}".replace("-", "−")


def many(number: int, one: str, several: str = "") -> str:
    """`1 game`, `12,000 games`."""
    return f"{number:,} {one if number == 1 else several or one + 's'}"


def span(interval: Interval, figure: str = "percent") -> str:
    """The ends of an interval in words."""
    shown = {"signed": signed, "skill": skill, "percent": percent}[figure]
    if interval.high is None:
        return "too few games to say" if interval.low is None else f"above {shown(interval.low)}"
    if interval.low is None:
        return f"below {shown(interval.high)}"
    return f"{shown(interval.low).removesuffix(PERCENT)} to {shown(interval.high)}"


def duration(seconds: float) -> str:
    """How long, as people say it."""
    if seconds < 120:
        return f"{seconds:.0f} seconds"
    if seconds < 7200:
        return f"{seconds / 60:.0f} minutes"
    return f"{seconds / 3600:.1f} hours"


def milliseconds(time: float) -> str:
    """A time of a move, in three digits."""
    if time < 1:
        return f"{time * 1000:.0f} µs"
    return f"{time:.3g} ms" if time < 1000 else f"{time / 1000:.3g} s"


# --- sentences


def lead(results: Results) -> str:
    """Who is first, and how sure that is."""
    if not results.games or not results.standings:
        return "No game has been played yet."
    first = results.standings[0]
    won = "it won {} of its games" if results.scoring == "wins" else "it took {} of the points in its games"
    share = f"{won.format(percent(first.points.value))} ({told_span(first.points)})"
    said = f"{printable(first.name)} is first of {len(results.standings)}: {share}."
    second = results.pairs[0][1] if len(results.standings) > 1 else None
    if second is None or results.format == "knock-out":
        return said
    return f"{said} {surely(first, results.standings[1], second)}"


def told_span(interval: Interval) -> str:
    """An interval after its figure."""
    said = span(interval)
    return said if interval.low is None else f"95{PERCENT} interval {said}"


def surely(first: Standing, second: Standing, pair: Pair) -> str:
    """How sure it is that the first is better than the second."""
    one, other = printable(first.name), printable(second.name)
    chance = f"the likelihood is {likelihood(pair.better)}"
    if pair.better >= CERTAIN:
        return f"That it is stronger than {other}, who is second, is as good as certain: {chance}."
    if pair.better >= LIKELY:
        return f"That it is stronger than {other}, who is second, is likely but not settled: {chance}."
    return f"Whether {one} is really stronger than {other}, who is second, is open: {chance}. More games would tell."


def seats_said(results: Results) -> str:
    """What it is worth to open."""
    if not results.seats:
        return ""
    fair, opener = 1 / results.players, results.seats[0].share
    said = f"With no advantage, every seat would win {percent(fair)} of the games."
    if opener.low is None or opener.high is None:
        return f"{said} There are too few games to say more."
    if opener.low > fair:
        return f"{said} To open the first round was an advantage."
    if opener.high < fair:
        return f"{said} To open the first round was a disadvantage."
    return f"{said} No advantage of opening the first round can be told from chance."


def lengths_said(results: Results) -> str:
    """How long games were."""
    said = f"A game took {results.rounds:.1f} rounds and {results.actions:.0f} actions on average."
    half = median(results.round_counts)
    return f"{said} Half of them were over after {many(half, 'round')} or fewer." if half else said


def median(counts: tuple[int, ...]) -> int:
    """The number up to which half of what was counted lies."""
    seen, every = 0, sum(counts)
    for number, count in enumerate(counts):
        seen += count
        if every and 2 * seen >= every:
            return number
    return 0


def verdict(pair: Pair) -> int:
    """From -5, clearly behind, to 5, clearly ahead; 0 where the interval leaves both open."""
    low, high = pair.ahead.low, pair.ahead.high
    if low is None or high is None or low <= 0.5 <= high or not isfinite(pair.ahead.value):
        return 0
    strength = min(5, 1 + int(abs(pair.ahead.value - 0.5) * 10))
    return strength if pair.ahead.value > 0.5 else -strength
