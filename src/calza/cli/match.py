"""`calza match`: some bots at one table, and who is better."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from calza.rules import CalzaError, Rules

from .find import RULES
from .running import INTERRUPTED, Outcome, play

MANY = 1000  # games, enough to tell a large difference


@click.command()
@click.argument("bots", nargs=-1, required=True)
@click.option("--rules", type=RULES, default="liars-dice", show_default=True, help="A variant, or your own file.")
@click.option(
    "--games", metavar="N", type=click.IntRange(1, 10**9), default=MANY, show_default=True, help="How many at least."
)
@click.option("--seed", metavar="N", type=click.IntRange(0, 2**63 - 1), help="The same seed, the same dice.")
@click.option("--dice", metavar="N", type=click.IntRange(1, 15), help="Dice of every player at the start.")
@click.option("--scoring", type=click.Choice(["wins", "places", "dice"]), default="wins", show_default=True)
@click.option("--move", metavar="S", type=click.FloatRange(0.001, 86400), help="Seconds for a move.")
@click.option("--isolation", type=click.Choice(["inline", "process", "jail"]), help="Where bots that are files run.")
@click.option("--sprt", metavar="'elo0=0 elo1=10'", help="Stop as soon as it is clear whether the first bot is better.")
@click.option("--processes", metavar="N", type=click.IntRange(1, 256), default=1, show_default=True)
@click.option("--keep", "folder", type=click.Path(path_type=Path), help="Keep the games here, and go on with them.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def match(bots: tuple[str, ...], as_json: bool, folder: Path | None, **asked: Any) -> None:
    """Let BOTS play at one table, every rotation of the seats on the same dice, and say who is better.

    A bot is a house bot (cautious:call=0.3), package.module:Class, mybot.py[:Class], or a command ("cmd:node bot.js").
    """
    if folder:
        outcome = played(bots, folder, **asked)
    else:
        with TemporaryDirectory(prefix="calza-match-") as made:
            outcome = played(bots, Path(made), **asked)
    show(outcome, as_json)


def played(
    bots: tuple[str, ...],
    folder: Path,
    *,
    rules: Rules,
    games: int,
    seed: int | None,
    dice: int | None,
    scoring: Any,
    move: float | None,
    isolation: Any,
    sprt: str | None,
    processes: int,
) -> Outcome:
    """Play the match, or go on with it."""
    from calza.tournament.competition import Bot, Competition, Time, plan_of, versions
    from calza.tournament.pools import processes as pool
    from calza.tournament.sprt import parse_sprt
    from calza.tournament.store import seed_in

    if not 2 <= len(bots) <= 6:
        raise CalzaError(f"a match needs 2 to 6 bots, not {len(bots)}; `calza tournament` takes more")
    asked = Competition(
        players=len(bots),
        games=games,
        seed=seed_in(folder) if seed is None else seed,
        dice=dice or 0,
        scoring=scoring,
        isolation=isolation,
        time=Time(move=move),
        bots=tuple(Bot(bot=bot) for bot in bots),
    )
    plan = plan_of(asked, rules, number=True)
    test = parse_sprt(sprt, plan.players) if sprt else None
    return play(plan, folder, pool(processes), " against ".join(plan.names), test, versions(plan))


def show(outcome: Outcome, as_json: bool) -> None:
    """Print what it came to."""
    from calza.tournament.export import results_json

    from .standings import draw

    if as_json:
        click.echo(results_json(outcome.results), nl=False)
    elif outcome.results.games:
        draw(outcome.results, outcome.verdict)
    if outcome.stopped:
        click.echo("calza: stopped; what was played is counted", err=True)
        raise click.exceptions.Exit(INTERRUPTED)
