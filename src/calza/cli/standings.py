"""The results of a match or a tournament, as a table."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from calza.rules.describe import join

from .live import between
from .screen import Screen

if TYPE_CHECKING:
    from calza.tournament.results import Interval, Results, Standing
    from calza.tournament.sprt import Verdict

WIDE = 72  # columns from which ratings have room
FAULTS = {
    "timeout": ("move too late", "moves too late"),
    "crash": ("crash", "crashes"),
    "malformed": ("answer that cannot be read", "answers that cannot be read"),
    "illegal": ("illegal move", "illegal moves"),
    "benched": ("match sat out after too many failures in a row", "matches sat out after too many failures in a row"),
}
FORMATS = {
    "round-robin": "every table of {players}",
    "gauntlet": "one against the field, {players} at a table",
    "swiss": "Swiss, {players} at a table",
    "knock-out": "knock-out, {players} at a table",
    "league": "league, {players} at a table",
}


def draw(results: "Results", verdict: "Verdict | None" = None) -> None:
    """Print the standings, with what one should know about them."""
    screen = Screen()
    screen.say(results.name, "bold")
    how = FORMATS[results.format].format(players=results.players)
    screen.say(f"{results.rules}, {results.dice} dice; {how}; {results.games:,} games, seed {results.seed}")
    screen.gap()
    screen.show(table(results, wide=screen.width >= WIDE))
    screen.gap()
    for one in results.standings:
        if told := faults(one):
            screen.say(f"{one.name} failed: {told}. {instance(results, one.name)}".rstrip(), "red")
    for line in remarks(results, verdict):
        screen.say(line)


def table(results: "Results", wide: bool) -> Table:
    """A line for each bot; ratings, which need their intervals, only where there is room."""
    knock_out = results.format == "knock-out"
    scale = "skill" if results.format == "league" else "Elo"
    headings = ["games", "points %", "95 %"] + [scale, "95 %"] * wide + ["came to"] * knock_out
    grid = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    grid.add_column("", justify="right", no_wrap=True)
    grid.add_column("bot", overflow="fold")
    for heading in headings:
        grid.add_column(heading, justify="right", no_wrap=True)
    for one in results.standings:
        grid.add_row(*cells(one, wide, knock_out))
    return grid


def cells(one: "Standing", wide: bool, knock_out: bool) -> list[str | Text]:
    """A bot's line."""
    return [
        str(one.rank),
        Text(one.name),
        f"{one.games:,}",
        f"{100 * one.points.value:.1f}",
        between(one.points.low, one.points.high),
        *(rated(one) if wide else []),
        *([one.stage] if knock_out else []),
    ]


def rated(one: "Standing") -> list[str]:
    """How strong a bot is, with the interval: its skill in a league, elsewhere its rating."""
    if one.skill:
        return [f"{one.skill.value:z.1f}", f"{one.skill.low:z.1f} to {one.skill.high:z.1f}"]
    return [f"{one.rating.value:+z.0f}", span(one.rating)] if one.rating else ["", ""]


def span(rating: "Interval") -> str:
    """The interval of a rating."""
    if rating.high is None:
        return "unknown" if rating.low is None else f"above {rating.low:+z.0f}"
    return f"below {rating.high:+z.0f}" if rating.low is None else f"{rating.low:+z.0f} to {rating.high:+z.0f}"


def faults(one: "Standing") -> str:
    """What a bot did wrong."""
    told = [f"{often:,} {FAULTS[kind][often != 1]}" for kind, often in one.faults.items()]
    return join(told) if told else ""


def instance(results: "Results", name: str) -> str:
    """A failure of a bot, in words."""
    failures = (one for match in results.shown for one in match.faults)
    why = next((one.why for one in failures if one.bot == name and one.kind != "benched"), "")
    return f"For instance: {why}." if why else ""


def remarks(results: "Results", verdict: "Verdict | None") -> Iterator[str]:
    """What one should know."""
    from calza.tournament.prose import likelihood

    if verdict:
        yield sentence(verdict)
    elif len(results.standings) == 2 and (pair := results.pairs[0][1]):
        first, second = (one.name for one in results.standings)
        yield f"{first} is the better one with a likelihood of {likelihood(pair.better, 1)} (against {second})."
    yield f"A game has {results.rounds:.1f} rounds and {results.actions:.1f} actions."
    if results.seconds:
        speed = results.games / results.seconds
        yield f"{speed:,.{0 if speed >= 10 else 1}f} games a second in each process."
    groups = f"Games come in groups of {results.players}: the same dice with every rotation of the seats."
    yield f"{groups} A group is one sample for the intervals."
    yield from (gift.evidence for gift in results.soft_play if gift.flagged)
    yield from results.notes


def sentence(verdict: "Verdict") -> str:
    """What a sequential test found."""
    where = f"LLR {verdict.llr:.2f} between {verdict.lower:.2f} and {verdict.upper:.2f}"
    elo = f"Elo {verdict.elo:+z.0f} ({verdict.low:+z.0f} to {verdict.high:+z.0f}) against the others"
    match verdict.decided:
        case "H1":
            return f"The test says of the first bot: better. {where}; {elo}."
        case "H0":
            return f"The test says of the first bot: not better. {where}; {elo}."
    return f"The test of the first bot is undecided: more games are needed. {where}; {elo}."
