"""The report of a tournament, as text; `tests/browser/` opens it."""

import re
from html.parser import HTMLParser

import msgspec
import pytest
from msgspec.structs import replace

from calza.matches import read_record, write_record
from calza.show.film import Film
from calza.tournament import prose
from calza.tournament.reels import ACTIONS, MATCHES, reels
from calza.tournament.report import report_html
from calza.tournament.results import Failure, Interval, Pair, Results, Shown, Standing
from tests.tournament.specimen import NAMES, TRACEBACK, record, specimen

VOID = {"meta", "br", "hr", "input", "link", "img"}


class Page(HTMLParser):
    """A page as its texts by section, and what is wrong with its tags."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.html = html
        self.open: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, str] = {}
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.rows: list[list[str]] = []
        self.feed(html)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append((tag, dict(attrs)))
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if tag in ("h2", "h3", "p", "pre", "li"):
            self.handle_data(" ")
        assert self.open.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        if any(tag in ("script", "style", "svg") for tag, _ in self.open):
            return
        section = next((attrs["id"] or "" for tag, attrs in self.open if tag == "section"), "")
        self.texts[section] = self.texts.get(section, "") + data
        if any(tag in ("td", "th") for tag, _ in self.open):
            self.rows[-1][-1] += data

    def section(self, name: str) -> str:
        """The text of a section, its white space evened out."""
        return even(self.texts[name])

    def row(self, start: str) -> list[str]:
        """The first row that has such a cell at its start, or after its rank."""
        rows = [[even(cell) for cell in row] for row in self.rows]
        return next(row for row in rows if any(cell.startswith(start) for cell in row[:2]))


def even(text: str) -> str:
    """A text with its white space evened out; spaces that hold together stay."""
    return re.sub(r"[ \n\t]+", " ", text).strip()


@pytest.fixture(scope="module")
def page() -> Page:
    return Page(report_html(specimen()))


SECTIONS = ["standings", "pairs", "seats", "games", "behaviour", "soft-play", "failures", "matches"]


def test_a_report_has_all_its_sections_and_links_to_them(page: Page) -> None:
    assert [attrs["id"] for tag, attrs in page.tags if tag == "section"] == SECTIONS
    links = [
        attrs["href"] for tag, attrs in page.tags if tag == "a" and attrs["href"] in [f"#{one}" for one in SECTIONS]
    ]
    assert set(links) == {f"#{one}" for one in SECTIONS}
    assert [tag for tag, _ in page.tags if tag == "h1"] == ["h1"]


def test_a_rating_never_stands_without_its_interval(page: Page) -> None:
    for one in specimen().standings:
        assert one.rating
        cells = page.row(one.name[:20])
        assert f"{prose.signed(one.rating.value)} {prose.span(one.rating, 'signed')}" in cells
        assert f"{prose.percent(one.points.value)} {prose.span(one.points)}" in cells
    drawn = r'<line class="(?:span|unknown)"[^>]*/>(?:<line class="span"[^>]*/>)*<circle class="dot"'
    assert len(re.findall(drawn, page.html)) == page.html.count("<circle") == 6 + 3


def test_a_league_shows_the_skills_that_order_it() -> None:
    results = specimen(format="league")
    ranked = tuple(replace(one, skill=Interval(30.0 - one.rank, 28.0, 31.5)) for one in results.standings)
    page = Page(report_html(replace(results, standings=ranked)))
    assert "29.0 28.0 to 31.5" in page.row(ranked[0].name)
    assert "A league is ordered by skill" in page.html


def test_a_rating_whose_interval_nobody_knows_says_so() -> None:
    results = specimen()
    first = replace(results.standings[0], rating=Interval(12.0, None, None), points=Interval(1.0, None, None))
    last = replace(results.standings[5], rating=None)
    page = Page(report_html(replace(results, standings=(first, *results.standings[1:5], last))))
    assert "+12 too few games to say" in page.row("tortoise")
    assert "not rated" in page.row("late")
    assert page.html.count('class="unknown"') == 1


def test_every_chart_has_its_figures_in_a_table(page: Page) -> None:
    charts = re.findall(r"<svg class=\"chart (\w+)\".*?</svg>", page.html)
    assert {kind: charts.count(kind) for kind in set(charts)} == {
        "axis": 2, "whisker": 6 + 3, "histogram": 2, "share": 5 * 4 + 4,
    }  # fmt: skip
    outside = re.sub(r"<table.*?</table>", "", page.html, flags=re.S)
    assert re.findall(r"<svg class=\"chart (\w+)\"", outside) == ["histogram", "histogram"]
    assert outside.count("<figure>") == 2
    assert page.row("12") == ["12", "3,432"]


def test_pairs_are_coloured_when_they_are_settled_and_only_then() -> None:
    def verdict(value: float, low: float | None, high: float | None) -> int:
        return prose.verdict(Pair(100, Interval(value, low, high), 0.5))

    assert [verdict(share, share - 0.01, share + 0.01) for share in (0.0, 0.3, 0.48, 0.52, 0.55, 0.8, 1.0)] == [
        -5, -3, -1, 1, 1, 4, 5,
    ]  # fmt: skip
    assert verdict(0.6, 0.49, 0.7) == verdict(0.4, 0.3, 0.5) == verdict(0.9, None, None) == 0


def test_a_pair_that_never_met_has_an_empty_cell() -> None:
    results = specimen()
    rows = [list(row) for row in results.pairs]
    rows[0][1] = rows[1][0] = None
    page = Page(report_html(replace(results, pairs=tuple(map(tuple, rows)))))
    assert page.section("pairs").count("never met") == 2


@pytest.mark.parametrize(
    ("better", "said"),
    [
        (0.999, "who is second, is as good as certain: the likelihood is >99\u00a0%."),
        (1.0, "who is second, is as good as certain: the likelihood is >99\u00a0%."),
        (0.9, "who is second, is likely but not settled: the likelihood is 90\u00a0%."),
        (0.6, "is open: the likelihood is 60\u00a0%. More games would tell."),
    ],
)
def test_the_lead_says_how_sure_it_is(better: float, said: str) -> None:
    results = specimen()
    pair = results.pairs[0][1]
    assert pair
    first = (None, replace(pair, better=better), *results.pairs[0][2:])
    lead = prose.lead(replace(results, pairs=(first, *results.pairs[1:])))
    assert lead.startswith(
        "tortoise is first of 6: it won 46.7\u00a0% of its games (95\u00a0% interval 45.7 to 47.7\u00a0%)."
    )
    assert lead.endswith(said)


def test_what_the_seats_were_worth_is_said_only_as_far_as_it_is_known() -> None:
    def said(low: float | None, high: float | None) -> str:
        seats = specimen().seats
        return prose.seats_said(specimen(seats=(replace(seats[0], share=Interval(0.33, low, high)), *seats[1:])))

    assert said(0.34, 0.36).endswith("To open the first round was an advantage.")
    assert said(0.30, 0.32).endswith("To open the first round was a disadvantage.")
    assert said(0.30, 0.36).endswith("can be told from chance.")
    assert said(None, None).endswith("There are too few games to say more.")


def test_every_failure_shows_its_traceback_and_the_match(page: Page) -> None:
    failures = page.section("failures")
    assert "late crashed ValueError: max() arg is an empty sequence" in failures
    assert even(TRACEBACK) in failures
    assert "late ran out of time it took 0.412 s for a move of 0.200 s" in failures
    links = [
        attrs["href"] or "" for tag, attrs in page.tags if tag == "a" and (attrs["href"] or "").startswith("#match-")
    ]
    assert links == ["#match-1-action-27", "#match-3-action-27", "#match-1-action-14"]
    assert page.row("late")[-1] == "43"  # what it sat out is no failure more
    assert ["late benched", "41", "2", "0", "0", "900"] in [[even(cell) for cell in row] for row in page.rows]


def test_a_field_without_failures_is_told_so() -> None:
    results = specimen()
    good = tuple(replace(one, faults={}, benched=False) for one in results.standings)
    page = Page(report_html(replace(results, standings=good, shown=(results.shown[1],))))
    assert page.section("failures").startswith("Failures None: no bot crashed")
    assert page.section("matches").startswith("Matches A match from the tournament")


def test_soft_play_is_told_with_its_evidence_and_no_verdict(page: Page) -> None:
    told = page.section("soft-play")
    assert "tortoise to late In 2,400 games tortoise let 512 false bids of late stand" in told
    assert "0.31 (95\u00a0% interval 0.22 to 0.40)" in told
    assert "a question to their authors, not yet an answer" in told
    assert "late called few" not in told
    honest = tuple(one for one in specimen().soft_play if not one.flagged)
    for others in ((), honest):
        bare = Page(report_html(specimen(soft_play=others))).section("soft-play")
        assert "No pair stands out: in the 12,000 games" in bare
    unwatched = Page(report_html(specimen(soft_play=(), watched=0))).section("soft-play")
    assert "No game was watched closely enough to say." in unwatched


def test_what_every_bot_gave_to_every_other_is_told_in_figures(page: Page) -> None:
    rows = [[even(cell) for cell in row] for row in page.rows]
    assert ["tortoise", "late", "let an unlikely bid stand", "512 of 530 230", "0.31 0.22 to 0.40"] in rows
    assert ["late", "tortoise", "called a likely bid", "20 of 1,190 22", "0.00 −0.02 to 0.02"] in rows
    many = Page(report_html(specimen(soft_play=specimen().soft_play * prose.GIFTS)))
    assert sum("let an unlikely bid stand" in row or "called a likely bid" in row for row in many.rows) == prose.GIFTS
    assert f"the {prose.GIFTS} surest; the others are in soft-play.csv" in many.section("soft-play")


def test_how_bots_played_is_told_where_it_was_watched(page: Page) -> None:
    rows = [[even(cell).replace("\u00a0", " ") for cell in row] for row in page.rows]
    assert ["tortoise", "17 %", "8 %", "10 %", "70 %", "0", "–", "21 µs 1.7 ms"] in rows
    assert ["late", "not watched", "21.5 ms 413 ms"] in rows
    bare = tuple(replace(one, habits=None, time=None) for one in specimen().standings)
    assert "No game was watched" in Page(report_html(specimen(standings=bare))).section("behaviour")


def test_names_and_tracebacks_of_others_stay_text(page: Page) -> None:
    assert "<script>alert" not in page.html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page.html
    assert NAMES[3] in page.section("standings")
    assert [tag for tag, attrs in page.tags if tag == "script" and "type" not in attrs] == ["script"]
    evil = "\x1b[31m\u202e" + "x" * 20_000
    failure = Failure("late", "crash", evil, evil, 3)
    shown = replace(specimen().shown[0], faults=(failure,), label=evil[:99])
    told = report_html(specimen(name=evil, notes=(evil,), shown=(shown,)))
    assert "\x1b" not in told
    assert "\u202e" not in told
    assert "x" * 8001 not in told


def test_a_report_of_nothing_is_a_report() -> None:
    none = Interval(0.0, None, None)
    standing = Standing(1, "a", "cautious", "inline", 0, none, None, 0, {}, False, None, None)
    empty = specimen(
        games=0, watched=0, unfinished=0, rounds=0.0, actions=0.0, seconds=0.0, standings=(standing,),
        pairs=((None,),), seats=(), round_counts=(), winner_dice=(), soft_play=(), shown=(), notes=(),
    )  # fmt: skip
    page = Page(report_html(empty))
    assert "No game has been played yet." in page.texts[""]
    assert page.section("matches") == "Matches No match was kept to be shown."
    assert Page(report_html(replace(empty, standings=(), pairs=()))).section("standings")


# --- its matches


def films(html: str) -> list[Film]:
    """The films in a page."""
    blocks = re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', html)
    return [msgspec.json.decode(block, type=Film) for block in blocks]


def test_matches_play_with_their_odds_and_say_why_they_are_shown(page: Page) -> None:
    first, second, third = films(page.html)
    assert first.label == "tortoise against late against הבוט, group 7, rotation 1"
    assert first.note == "late crashed; late ran out of time"
    assert second.note == ""
    assert any(one.chance for one in third.moments)


def many(failures: int, samples: int) -> Results:
    """Results with many matches."""
    failed = [
        Shown(f"f{at}", record("exact"), (Failure("late", "crash", f"why {at % 7}", "", 3),)) for at in range(failures)
    ]
    return specimen(shown=(*(Shown(f"s{at}", record("snyd")) for at in range(samples)), *failed))


def test_a_report_plays_some_matches_of_every_failure_first() -> None:
    made = reels(many(failures=70, samples=100))
    assert len(made.films) == MATCHES
    assert [(case.failure.why, case.times, len(case.scenes)) for case in made.cases] == [
        (f"why {cause}", 10, 3) for cause in range(7)
    ]
    for case in made.cases:
        for scene in case.scenes:
            assert made.films[scene.match - 1].note == "late crashed"
    assert sum(not film.note for film in made.films) == MATCHES - 21


def test_what_a_bot_sat_out_is_told_after_what_it_did() -> None:
    failures = tuple(Failure("late", kind, "why", "", 0) for kind in ("benched", "illegal", "crash", "strange"))
    made = reels(specimen(shown=(Shown("one", record("snyd"), failures),)))
    assert [case.deed for case in made.cases] == ["crashed", "played an illegal action", "sat out", "strange"]


def test_a_failure_whose_match_is_not_played_is_told_all_the_same() -> None:
    shown = tuple(Shown(f"f{at}", record("snyd"), (Failure("late", "crash", f"why {at}", "", 0),)) for at in range(99))
    made = reels(specimen(shown=shown))
    assert len(made.cases) == 99
    assert sum(not case.scenes for case in made.cases) == 99 - MATCHES
    assert "why 98" in report_html(specimen(shown=shown))


def test_an_endless_match_is_played_as_far_as_anybody_looks() -> None:
    whole = read_record(record("joker"))
    bids = [replace(whole.actions[0], seat=(whole.actions[0].seat + at) % 4, action=f"{1 + at}x2") for at in range(9)]
    long = replace(whole, actions=tuple(bids * (ACTIONS // 4)), places=())
    (film,) = reels(specimen(shown=(Shown("long", write_record(long)),))).films
    assert film.note == f"only the first {ACTIONS:,} of {len(long.actions):,} actions are here"


def test_a_match_that_cannot_be_played_is_left_out() -> None:
    broken = Shown("broken", b"{}", (Failure("late", "crash", "why", "", 0),))
    made = reels(specimen(shown=(broken, *specimen().shown)))
    assert len(made.films) == 3
    assert [scene.match for case in made.cases for scene in case.scenes] == [1, 3, 1]


# --- figures


def test_figures_are_written_as_people_read_them() -> None:
    assert [prose.percent(one) for one in (0, 0.0004, 0.412, 0.99999, 1)] == [
        "0.0\u00a0%", "<0.1\u00a0%", "41.2\u00a0%", ">99.9\u00a0%", "100.0\u00a0%",
    ]  # fmt: skip
    assert [prose.likelihood(one, 1) for one in (0, 0.5, 1)] == ["<0.1\u00a0%", "50.0\u00a0%", ">99.9\u00a0%"]
    assert [prose.signed(one) for one in (84.4, -0.4, -3.6)] == ["+84", "0", "−4"]
    assert [prose.milliseconds(one) for one in (0.0214, 1.336, 62.5, 1500)] == ["21 µs", "1.34 ms", "62.5 ms", "1.5 s"]
    assert [prose.duration(one) for one in (3.2, 1260, 9000)] == ["3 seconds", "21 minutes", "2.5 hours"]
    assert (prose.many(1, "game"), prose.many(12_000, "game"), prose.many(2, "die", "dice")) == (
        "1 game", "12,000 games", "2 dice",
    )  # fmt: skip


def test_half_of_the_games_were_over_by_the_median() -> None:
    assert prose.median((0, 1, 2, 1)) == 2
    assert prose.median((0, 5)) == 1
    assert prose.median(()) == 0
