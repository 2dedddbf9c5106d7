"""The report of a tournament: one HTML file for everybody, which needs no network and nothing else beside it.

`static/report.html` is its text, `prose.py` its sentences, `reels.py` the matches that it plays; here they come
together. Names, tracebacks and logs are somebody else's words: the template escapes them all.
"""

from functools import lru_cache
from importlib.resources import files

from jinja2 import Environment, StrictUndefined, Template
from markupsafe import Markup

from calza.rules.read import printable
from calza.show import charts
from calza.show.bundle import read
from calza.show.player import page, theatre

from . import prose
from .reels import reels
from .results import Interval, Results, Share, Standing

LONGEST = 8000  # characters of a traceback or log


def report_html(results: Results) -> str:
    """The whole report, as one page."""
    played = reels(results)
    body = template("report.html").render(
        r=results,
        prose=prose,
        cases=played.cases,
        matches=len(played.films),
        theatre=Markup(theatre(played.films)) if played.films else "",
        ratings=Ratings(results),
        seats=Seats(results),
        rounds=charts.columns(results.round_counts, more=True),
        left=charts.columns(results.winner_dice),
        timed=any(one.time for one in results.standings),
    )
    look = read(("charts.css",)) + source("report.css")
    return page(f"{printable(results.name)}: tournament report", body, look)


class Ratings:
    """The chart of the ratings, line by line."""

    def __init__(self, results: Results) -> None:
        known = [one.rating for one in results.standings if one.rating]
        ends = [end for one in known for end in (one.low, one.value, one.high) if end is not None]
        self.any = bool(known)
        self.scale = charts.scale_over([0.0, *ends])

    def axis(self) -> Markup:
        """What stands above it."""
        return Markup(charts.axis(self.scale, [(value, prose.signed(value)) for value in charts.ticks(self.scale)]))

    def line(self, one: Standing) -> Markup:
        """A bot's rating."""
        return whisker(self.scale, one.rating) if one.rating else Markup("")


class Seats:
    """The chart of what each seat won, line by line."""

    def __init__(self, results: Results) -> None:
        shares = [one.share for one in results.seats]
        ends = [end for one in shares for end in (one.low, one.value, one.high) if end is not None]
        self.fair = 1 / results.players
        self.scale = charts.scale_over([self.fair, *ends])

    def axis(self) -> Markup:
        """What stands above it."""
        marks = [(value, prose.whole_percent(value)) for value in charts.ticks(self.scale)]
        return Markup(charts.axis(self.scale, marks))

    def line(self, one: Share) -> Markup:
        """A seat's share of the games."""
        return whisker(self.scale, one.share, self.fair)


def whisker(scale: charts.Scale, interval: Interval, zero: float = 0.0) -> Markup:
    """A number with its interval, drawn."""
    return Markup(charts.whisker(scale, interval.value, interval.low, interval.high, zero))


def failures(one: Standing) -> int:
    """What a bot did wrong itself; that it sat out afterwards is no failure more."""
    return sum(often for kind, often in one.faults.items() if kind != "benched")


def of(part: int, whole: int) -> float:
    """A share; of nothing, nothing."""
    return part / whole if whole else 0.0


def bar(share: float) -> Markup:
    """A share, drawn."""
    return Markup(charts.bar(share))


def histogram(columns: list[charts.Column]) -> Markup:
    """Counts, drawn."""
    return Markup(charts.histogram(columns))


def words(text: str) -> str:
    """Somebody's text over several lines, with a mark for each sign that cannot be printed."""
    short = text[:LONGEST] + ("\n..." if len(text) > LONGEST else "")
    return "\n".join("".join(map(plain, line)) for line in short.splitlines())


def plain(sign: str) -> str:
    """A sign that can be printed."""
    return sign if sign.isprintable() or sign == "\t" else "\N{REPLACEMENT CHARACTER}"


@lru_cache(maxsize=1)
def environment() -> Environment:
    """What the template can call."""
    made = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    made.filters.update(name=printable, words=words)
    made.globals.update(of=of, bar=bar, histogram=histogram, failures=failures)
    return made


@lru_cache(maxsize=1)
def template(name: str) -> Template:
    """A template."""
    return environment().from_string(source(name))


def source(name: str) -> str:
    """A file of `static/`."""
    return (files(__package__) / "static" / name).read_text(encoding="utf-8")
