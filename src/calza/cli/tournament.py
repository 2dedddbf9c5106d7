"""`calza tournament`: a competition of many bots from a file or from options, with a report."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from calza.rules import CalzaError

from .match import show
from .running import Outcome, play, play_league

if TYPE_CHECKING:
    from calza.tournament.competition import Competition
    from calza.tournament.plan import Plan
    from calza.tournament.pools import Pool
    from calza.tournament.results import Results

FORMATS = ["round-robin", "gauntlet", "swiss", "knock-out", "league"]
MOST = 1_000_000  # bytes of a competition file
FIELDS = (
    "format",
    "players",
    "games",
    "rounds",
    "seed",
    "scoring",
    "dice",
    "isolation",
)  # options of a file's own name


@click.command()
@click.argument("file", required=False)
@click.option("--bot", "bots", multiple=True, help="A bot, without a file; once for each.")
@click.option("--rules", help="A variant, or a rules file.")
@click.option("--format", type=click.Choice(FORMATS), help="Who meets whom.")
@click.option("--players", metavar="N", type=click.IntRange(2, 6), help="Players at a table.")
@click.option("--games", metavar="N", type=click.IntRange(1, 10**9), help="Games at each table of a stage.")
@click.option("--rounds", metavar="N", type=click.IntRange(0, 1000), help="Rounds of a Swiss tournament.")
@click.option("--seed", metavar="N", type=click.IntRange(0, 2**63 - 1), help="The same seed, the same dice.")
@click.option("--scoring", type=click.Choice(["wins", "places", "dice"]), help="What is worth points.")
@click.option("--dice", metavar="N", type=click.IntRange(1, 15), help="Dice of every player at the start.")
@click.option("--isolation", type=click.Choice(["inline", "process", "jail"]), help="Where bots that are files run.")
@click.option("--sprt", metavar="'elo0=0 elo1=10'", help="Stop as soon as it is clear whether the first bot is better.")
@click.option(
    "--more", metavar="N", type=click.IntRange(1, 10**9), default=1000, help="Games that a league plays now, at least."
)
@click.option("--out", "folder", type=click.Path(path_type=Path), help="Where results go  [default: FILE-results]")
@click.option("--processes", metavar="N", type=click.IntRange(1, 256), default=1, show_default=True)
@click.option("--cluster", metavar="ADDRESS", help='More machines, by Ray: "auto", or ray://HOST:PORT.')
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def tournament(
    file: str | None,
    folder: Path | None,
    sprt: str | None,
    more: int,
    processes: int,
    cluster: str | None,
    as_json: bool,
    **asked: Any,
) -> None:
    """Play the competition that FILE (TOML) describes, or go on with it where it was stopped.

    Options count for more than the file. The folder of the results gets report.html, results.json, tables as CSV, the
    bots' logs, and results.sqlite, which is all that is needed to go on.
    """
    read = reader(file, asked, where := folder or default_folder(file))
    name, plan, versions = read()
    outcome = run(name, plan, versions, read, where, pool_of(processes, cluster), sprt, more)
    write(outcome.results, where)
    show(outcome, as_json)
    if not as_json:
        click.echo(f"report: {where / 'report.html'}")


Reader = Callable[[], tuple[str, "Plan", Sequence[str]]]


def run(
    name: str,
    plan: "Plan",
    versions: Sequence[str],
    read: Reader,
    folder: Path,
    pool: "Pool",
    sprt: str | None,
    more: int,
) -> Outcome:
    """Play it."""
    from calza.tournament.sprt import parse_sprt

    if plan.format == "league":
        if sprt:
            raise CalzaError("--sprt asks whether one bot is better, a league goes on for ever; take format gauntlet")
        return play_league(lambda: read()[1:], folder, pool, name, more)
    if sprt and plan.format not in ("round-robin", "gauntlet"):
        raise CalzaError(f"--sprt needs tables that are known beforehand: round-robin or gauntlet, not {plan.format}")
    return play(plan, folder, pool, name, parse_sprt(sprt, plan.players) if sprt else None, versions)


def reader(file: str | None, asked: dict[str, Any], folder: Path) -> Reader:
    """Reads the competition, again and again in a league: its bots come and go."""
    from calza.tournament.competition import plan_of, read_competition, rules_in, versions
    from calza.tournament.store import seed_in

    given = {field: asked[field] for field in FIELDS if asked[field] is not None}
    drawn: list[int] = []

    def read() -> tuple[str, "Plan", Sequence[str]]:
        competition, rules = read_competition(text_of(file, asked["bots"]), home(file))
        if asked["rules"]:
            rules = rules_in(asked["rules"], Path())
        fields = {**given}
        if "seed" not in fields and competition.seed is None:
            fields["seed"] = drawn[0] if drawn else seed_in(folder)
        plan = plan_of(changed(competition, fields), rules, home(file), number=not file)
        drawn[:] = [plan.seed]
        return competition.name or (Path(file).stem if file else "Tournament"), plan, versions(plan)

    return read


def changed(competition: "Competition", fields: dict[str, Any]) -> "Competition":
    """A competition with other fields."""
    from msgspec.structs import replace

    return replace(competition, **fields)


def home(file: str | None) -> Path:
    """Where the paths of a competition start."""
    return Path(file).parent if file else Path()


def text_of(file: str | None, bots: Sequence[str]) -> str:
    """The competition's text: of its file, or made of the bots that were named."""
    if file and bots:
        raise CalzaError(f"--bot is for a tournament without a file; put the bot into {file}")
    if file:
        with open(file, "rb") as opened:
            content = opened.read(MOST + 1)
        if len(content) > MOST:
            raise CalzaError(f"{file}: is larger than {MOST:,} bytes, too large for a competition")
        try:
            return content.decode()
        except UnicodeDecodeError as error:
            raise CalzaError(f"{file}: is not text in UTF-8") from error
    if not bots:
        raise CalzaError("a tournament needs a competition file, or bots: --bot cautious --bot mybot.py")
    import json

    return "bots = [" + ", ".join(f"{{bot = {json.dumps(bot)}}}" for bot in bots) + "]\n"


def default_folder(file: str | None) -> Path:
    """Where results go."""
    return Path(file).with_name(f"{Path(file).stem}-results") if file else Path("tournament-results")


def pool_of(processes: int, cluster: str | None) -> "Pool":
    """Who plays."""
    from calza.tournament import pools

    if not cluster:
        return pools.processes(processes)
    from calza.tournament.cluster import nodes

    return nodes(cluster)


def write(results: "Results", folder: Path) -> None:
    """Put the report and the tables into the folder of the results."""
    from calza.tournament.export import results_json, tables
    from calza.tournament.report import report_html

    (folder / "results.json").write_bytes(results_json(results))
    for name, text in tables(results).items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "report.html").write_text(report_html(results), encoding="utf-8")
