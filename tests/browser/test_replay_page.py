"""The page of `calza replay --html` in a real browser."""

import re
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler
from pathlib import Path
from socketserver import ThreadingTCPServer
from threading import Thread
from xml.etree import ElementTree

import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser, Page, expect

from calza.agents.chances import chances
from calza.agents.review import costliest, review
from calza.matches import read_record
from calza.rules.record import HmacSource
from calza.show.bundle import MODULES, STYLES, read
from calza.show.film import Film, film_of
from calza.show.player import linked, replay_html, theatre

from .axe import violations
from .conftest import Open
from .looks import faint, width

RECORDS = Path(__file__).parents[1] / "records"


def film(name: str, **changes: object) -> Film:
    """A golden match, its record changed."""
    record = replace(read_record((RECORDS / f"{name}.json").read_bytes()), **changes)
    return film_of(record, chances(record))


PERUDO = film("perudo")
CALL = next(at for at, one in enumerate(PERUDO.moments) if len(one.says) == 2 and at > 25)  # after seven bids
EVIL = "<script>window.hacked = 1</script>"


def at(page: Page) -> int:
    """The moment that is shown."""
    return int(page.get_by_role("slider").input_value())


def go(page: Page, moment: int) -> None:
    """Move the slider as a hand would."""
    page.get_by_role("slider").fill(str(moment))


def cup(page: Page, letter: str) -> str:
    """What is said of a cup."""
    seat = page.locator(".calza-seat").filter(has=page.locator(".calza-letter", has_text=letter))
    return seat.get_by_role("img").get_attribute("aria-label") or ""


def test_a_page_opens_from_disk_at_the_first_moment(opened: Open) -> None:
    page = opened(replay_html([PERUDO]))
    expect(page.get_by_role("status")).to_have_text(PERUDO.moments[0].says[0])
    expect(page.get_by_role("heading", level=1)).to_have_text(PERUDO.label)
    assert page.get_by_role("listitem").filter(has_text="5 dice").count() == 4
    assert at(page) == 0


def test_every_moment_is_told_and_every_reveal_is_marked(opened: Open) -> None:
    page = opened(replay_html([PERUDO]))
    for moment in (0, 1, CALL, CALL + 1, 60, len(PERUDO.moments) - 1):
        go(page, moment)
        assert page.get_by_role("status").inner_text().split("\n") == PERUDO.moments[moment].says
    go(page, CALL)
    call = PERUDO.moments[CALL]
    round = PERUDO.rounds[call.round]
    for seat, dice in zip(PERUDO.seats[:3], round.cups, strict=False):
        counts = [die for die in dice if die in (call.event.face, round.wild)]  # type: ignore[union-attr]
        shown = f"dice {', '.join(map(str, dice))}; counting {', '.join(map(str, counts)) or 'none'}"
        assert cup(page, seat.letter) == shown
    assert page.locator(".calza-seat .counts").count() == call.event.count  # type: ignore[union-attr]
    expect(page.locator(".calza-seats")).to_contain_text("−1")


def test_bids_stand_in_order_with_their_odds(opened: Open) -> None:
    page = opened(replay_html([PERUDO]))
    go(page, CALL)
    said = [one for one in PERUDO.moments[PERUDO.rounds[6].first : CALL] if one.bid]
    lines = page.get_by_role("list", name="Bids of this round").get_by_role("listitem").all_inner_texts()
    assert len(lines) == len(said) == 7
    for line, one in zip(lines, said, strict=True):
        odds = re.search(r"(\d+)\u00a0% likely for what .* knew", line)
        assert odds
        assert one.chance == pytest.approx(int(odds[1]) / 100, abs=0.006)
        assert one.bid in line
        assert ("true" if one.there >= one.event.quantity else "false") in line  # type: ignore[union-attr]


def test_keys_move_through_a_match(opened: Open) -> None:
    page = opened(replay_html([PERUDO]))
    last = len(PERUDO.moments) - 1
    second = PERUDO.rounds[1].first
    for key, moment in (
        ("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("PageDown", second), ("ArrowRight", second + 1),
        ("PageUp", second), ("PageUp", 0), ("End", last), ("ArrowRight", last), ("Home", 0), ("ArrowLeft", 0),
    ):  # fmt: skip
        page.keyboard.press(key)
        assert at(page) == moment, key
    page.get_by_role("slider").focus()
    page.keyboard.press("ArrowRight")
    assert at(page) == 1
    page.get_by_role("combobox", name="Cups").focus()
    page.keyboard.press("Home")
    assert at(page) == 1  # a list keeps its keys


def test_space_plays_and_pauses_and_speed_has_keys(opened: Open) -> None:
    page = opened(replay_html([PERUDO]))
    for _ in range(3):
        page.keyboard.press("+")
    assert page.get_by_role("combobox", name="Speed").input_value() == "8"
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    expect(page.get_by_role("slider")).not_to_have_value("0")
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    page.keyboard.press("-")
    assert page.get_by_role("combobox", name="Speed").input_value() == "4"


def test_playing_ends_at_the_end_and_begins_again(opened: Open) -> None:
    page = opened(replay_html([PERUDO]))
    page.get_by_role("combobox", name="Speed").select_option("8")
    go(page, len(PERUDO.moments) - 2)
    page.get_by_role("button", name="Play").click()
    expect(page.get_by_role("slider")).to_have_value(str(len(PERUDO.moments) - 1))
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    page.get_by_role("button", name="Play").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    assert at(page) < 5


def test_a_view_shows_one_cup_and_hides_the_others_until_a_call(opened: Open) -> None:
    page = opened(replay_html([PERUDO], view=1))
    dice = PERUDO.rounds[0].cups
    last = PERUDO.rounds[6].cups
    assert cup(page, "B") == f"dice {', '.join(map(str, dice[1]))}"
    assert [cup(page, letter) for letter in "ACD"] == ["5 dice covered"] * 3
    assert page.locator(".calza-seat .covered").count() == 15
    go(page, CALL - 1)
    bids = PERUDO.moments[PERUDO.rounds[6].first + 1 : CALL]
    for one in bids:
        known = re.escape(f"{one.bid}, ") + r"[<>]?(\d+)\u00a0% likely for what Cautious 1 knew"
        odds = re.search(known, page.locator(".calza-bids").inner_text())
        assert odds
        assert one.odds[1] == pytest.approx(int(odds[1]) / 100, abs=0.011)  # and nothing of what others knew
    assert page.locator(".calza-true, .calza-false").count() == 0
    go(page, CALL)
    assert cup(page, "A").startswith(f"dice {', '.join(map(str, last[0]))}; counting")
    page.get_by_role("combobox", name="Cups").select_option("All open")
    go(page, 0)
    assert page.locator(".calza-seat .covered").count() == 0


def test_a_reveal_of_the_matching_dice_tells_of_no_other_bid(opened: Open) -> None:
    exact = film("exact")
    call = next(at for at, one in enumerate(exact.moments) if len(one.says) == 2 and at > 3)
    page = opened(replay_html([exact], view=0))
    go(page, call)
    assert page.locator(".calza-seat .covered").count() > 0
    assert page.locator(".calza-true, .calza-false").count() == 1


def test_every_moment_is_read_out_once(opened: Open) -> None:
    page = opened(replay_html([PERUDO]))
    page.evaluate(
        """() => { window.heard = [];
        const live = [...document.querySelectorAll("[aria-live]")];
        new MutationObserver((all) => window.heard.push(all[0].target.textContent.trim()))
          .observe(live[0], { childList: true }); window.many = live.length; }"""
    )
    for key in ("ArrowRight", "ArrowRight", "Home", "Home", "End", "End"):
        page.keyboard.press(key)
    page.get_by_role("combobox", name="Cups").select_option("0")
    moments = (1, 2, 0, len(PERUDO.moments) - 1)
    assert page.evaluate("window.heard") == [" ".join(PERUDO.moments[moment].says) for moment in moments]
    assert page.evaluate("window.many") == 1
    assert (
        page.get_by_role("slider").get_attribute("aria-valuetext") == f"{len(PERUDO.moments)} of {len(PERUDO.moments)}"
    )


def test_the_story_leads_to_its_moments_and_follows_them(opened: Open) -> None:
    page = opened(replay_html([PERUDO]))
    page.get_by_role("button", name="Round 7", exact=True).click()
    assert at(page) == PERUDO.rounds[6].first
    page.locator(".calza-story li").nth(3).click()
    assert at(page) == 3
    page.keyboard.press("ArrowRight")
    assert at(page) == 4
    page.get_by_role("button", name="To the end").click()
    last = page.locator(".calza-story li[aria-current]")
    expect(last).to_have_text(PERUDO.moments[-1].says[0])
    expect(last).to_be_in_viewport()


def test_the_page_proves_every_golden_match(opened: Open) -> None:
    films = [film(path.stem) for path in sorted(RECORDS.glob("*.json"))]
    page = opened(replay_html(films))
    chooser = page.get_by_role("combobox", name="Match")
    for number in range(len(films)):
        chooser.select_option(str(number))
        expect(page.locator(".calza-proof.verified summary")).to_contain_text("Dice verified: this page rolled")
        expect(page.get_by_role("status")).to_have_text(" ".join(films[number].moments[0].says))


def test_the_page_says_of_a_forged_match_that_it_is_forged(opened: Open) -> None:
    source = read_record((RECORDS / "perudo.json").read_bytes()).dice
    assert isinstance(source, HmacSource)
    late = film("perudo", dice=replace(source, commitment="0" * 64))
    better = replace(PERUDO.rounds[0], cups=((6, 6, 6, 6, 6), *PERUDO.rounds[0].cups[1:]))
    swapped = replace(PERUDO, rounds=[better, *PERUDO.rounds[1:]])
    page = opened(replay_html([late, swapped]))
    for number, why in enumerate(
        ("the seed is not the one that was committed to", "in round 1 the cup of seat A shows")
    ):
        page.get_by_role("combobox", name="Match").select_option(str(number))
        expect(page.locator(".calza-proof summary")).to_contain_text(f"Dice NOT verified: {why}")
        assert page.locator(".calza-proof.verified").count() == 0


def test_what_players_call_themselves_stays_text(opened: Open) -> None:
    record = read_record((RECORDS / "liars-dice.json").read_bytes())
    names = (EVIL, "<img src=x onerror=alert(1)>", "</script><b>", "הבוט")
    players = tuple(replace(one, name=name, agent=name) for one, name in zip(record.players, names, strict=True))
    page = opened(replay_html([film("liars-dice", players=players)]))
    page.keyboard.press("End")
    for name in names:
        expect(page.locator(".calza-name", has_text=name)).to_have_text(name)
    assert page.locator("img, main b b, .calza-who b").count() == 0
    assert page.evaluate("window.hacked") is None


def test_nothing_but_its_own_script_runs_in_a_page(opened: Open) -> None:
    html = replay_html([PERUDO]).replace("</main>", f"{EVIL}<i id=trap onclick='window.hacked = 2'>trap</i></main>")
    page = opened(html, clean=False)
    page.locator("#trap").click()
    assert page.evaluate("window.hacked") is None
    expect(page.get_by_role("slider")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_can_be_read_by_day_and_by_night(opened: Open, scheme: str) -> None:
    page = opened(replay_html([PERUDO, film("exact")]), color_scheme=scheme)
    page.get_by_text("Dice verified").click()
    go(page, CALL)
    assert faint(page) == []
    night = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    assert (night == "rgb(20, 23, 26)") == (scheme == "dark")


def test_a_small_phone_needs_no_scrolling_to_the_side(opened: Open) -> None:
    page = opened(replay_html([PERUDO, film("joker"), film("spot-on")]), width=320)
    for summary in page.locator("summary").all():
        summary.click()
    for number in range(3):
        page.get_by_role("combobox", name="Match").select_option(str(number))
        for moment in (0, CALL, 40):
            go(page, moment)
            assert width(page) == 320


def test_the_focus_can_be_seen_and_reaches_all_controls(opened: Open) -> None:
    page = opened(replay_html([PERUDO]))
    reached = []
    for _ in range(9):
        page.keyboard.press("Tab")
        name, line = page.evaluate(
            "() => { const it = document.activeElement; const how = getComputedStyle(it);"
            "return [it.getAttribute('aria-label') ?? it.labels?.[0]?.textContent ?? it.tagName, how.outlineStyle]; }"
        )
        assert line == "solid", name
        reached.append(name)
    assert reached == [
        "To the start", "One moment back", "Play", "One moment on", "To the end", "Speed", "Cups",
        "Moment of the match", "SUMMARY",
    ]  # fmt: skip


def test_dice_keep_still_for_those_who_want_it(opened: Open) -> None:
    for wish, time in (("reduce", "0s"), ("no-preference", "0.15s, 0.15s")):
        page = opened(replay_html([PERUDO]), reduced_motion=wish)
        style = page.locator(".calza-seat .calza-die").first.evaluate(
            "(die) => getComputedStyle(die).transitionDuration"
        )
        assert style == time


def test_a_damaged_match_plays_as_far_as_it_goes_and_says_so(opened: Open) -> None:
    record = read_record((RECORDS / "perudo.json").read_bytes())
    damaged = film("perudo", actions=(*record.actions[:5], replace(record.actions[5], action="99x1")))
    page = opened(replay_html([damaged]))
    expect(page.locator("main")).to_contain_text("The record goes on, but cannot be played: action 5: '99x1'")


def test_a_link_leads_to_an_action(opened: Open) -> None:
    page = opened(replay_html([film("exact"), PERUDO]), link="#match-2-action-7")
    assert at(page) == next(at for at, one in enumerate(PERUDO.moments) if one.action == 7)
    assert page.get_by_role("combobox", name="Match").input_value() == "1"


# --- a moment to share


def share(page: Page) -> None:
    """Open what one can take away."""
    page.get_by_text("Share this moment").click()


def test_a_link_to_a_moment_opens_there_with_the_same_cup_open(opened: Open) -> None:
    page = opened(replay_html([PERUDO]))
    share(page)
    go(page, CALL)
    page.get_by_role("combobox", name="Cups").select_option("1")
    link = page.get_by_role("link", name="Link to this moment").get_attribute("href")
    assert link == f"#{CALL + 1}-B"
    other = opened(replay_html([PERUDO]), link=link)
    assert at(other) == CALL
    assert other.get_by_role("combobox", name="Cups").input_value() == "1"
    other.evaluate("location.hash = '#3'")
    expect(other.get_by_role("slider")).to_have_value("2")
    assert other.get_by_role("combobox", name="Cups").input_value() == "-1"
    other.evaluate("location.hash = '#999999'")
    expect(other.get_by_role("slider")).to_have_value(str(len(PERUDO.moments) - 1))


def test_a_link_names_the_match_where_there_are_several(opened: Open) -> None:
    page = opened(replay_html([film("exact"), PERUDO]), link="#match-2-moment-8-C")
    assert (at(page), page.get_by_role("combobox", name="Match").input_value()) == (7, "1")
    share(page)
    page.keyboard.press("ArrowRight")
    link = page.get_by_role("link", name="Link to this moment")
    expect(link).to_have_attribute("href", "#match-2-moment-9-C")
    link.click()
    expect(page.get_by_role("slider")).to_be_focused()
    assert at(page) == 8


@pytest.mark.parametrize("link", ["#", "#here", "#match-9", "#0", "#12-Z", "#match-1-moment-x"])
def test_a_link_that_leads_nowhere_opens_at_the_start(opened: Open, link: str) -> None:
    assert at(opened(replay_html([PERUDO]), link=link)) == 0


def test_a_link_can_be_copied(opened: Open) -> None:
    page = opened(replay_html([PERUDO]), link="#4")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    share(page)
    page.get_by_role("button", name="Copy the link").click()
    expect(page.get_by_text("The link is copied.")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == page.url


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_picture_of_a_moment_is_made_in_the_page(opened: Open, scheme: str) -> None:
    record = read_record((RECORDS / "perudo.json").read_bytes())
    players = (replace(record.players[0], name=EVIL), *record.players[1:])
    page = opened(replay_html([film("perudo", players=players)], view=1), link=f"#{CALL + 1}-B", color_scheme=scheme)
    share(page)
    svg, png = (picture(page, kind) for kind in ("SVG", "PNG"))
    drawn = ElementTree.fromstring(svg)
    words = " ".join("".join(one.itertext()) for one in drawn)
    assert f"Moment {CALL + 1} of {len(PERUDO.moments)}, as {EVIL} saw it · match golden-perudo" in words
    paper = drawn.find("{http://www.w3.org/2000/svg}rect")
    assert paper is not None
    assert paper.get("fill") == {"light": "#fbfaf7", "dark": "#14171a"}[scheme]
    assert png.startswith(b"\x89PNG")
    assert int.from_bytes(png[16:20], "big") == int(drawn.get("width") or 0) == 1200
    assert int.from_bytes(png[20:24], "big") == int(drawn.get("height") or 0)


def picture(page: Page, kind: str) -> bytes:
    """The picture that a page hands out."""
    with page.expect_download() as saved:
        page.get_by_role("button", name=f"Picture as {kind}").click()
    assert saved.value.suggested_filename == f"golden-perudo-{CALL + 1}.{kind.lower()}"
    expect(page.get_by_text(f"Saved as {saved.value.suggested_filename}.")).to_be_visible()
    return Path(saved.value.path()).read_bytes()


def test_a_picture_shows_no_cup_that_the_view_does_not_see(opened: Open) -> None:
    page = opened(replay_html([PERUDO]), link=f"#{CALL}-B")
    share(page)
    one = picture_circles(page)
    page.get_by_role("combobox", name="Cups").select_option("All open")
    pips = sum(die for cup in PERUDO.rounds[6].cups for die in cup)
    own = sum(PERUDO.rounds[6].cups[1])
    assert picture_circles(page) - one == pips - own > 0


def picture_circles(page: Page) -> int:
    """How many circles there are in the picture of a moment: pips, and as many letters whatever is open."""
    with page.expect_download() as saved:
        page.get_by_role("button", name="Picture as SVG").click()
    return Path(saved.value.path()).read_text().count("<circle")


# --- after the game


def test_the_three_costliest_decisions_lead_to_their_moments(opened: Open) -> None:
    record = read_record((RECORDS / "perudo.json").read_bytes())
    decisions = [*review(record, 0), *review(record, 1)]
    page = opened(replay_html([film_of(record, chances(record), decisions)]), width=500)
    listed = page.locator(".calza-review ol").first.get_by_role("listitem")
    expect(listed).to_have_count(3)
    for item, one in zip(listed.all(), costliest(decisions), strict=True):
        expect(item).to_contain_text(one.says)
        expect(item).to_contain_text(f"−{one.cost:.2f}")
        item.get_by_role("button").click()
        assert PERUDO.moments[at(page)].action == one.action
        expect(item).to_have_attribute("aria-current", "step")
        expect(page.get_by_role("status").first).to_be_in_viewport()
    page.get_by_role("combobox", name="Cups").select_option("1")
    own = [one for one in decisions if one.seat == 1]
    expect(page.get_by_text(f"All {len(own)} decisions")).to_be_visible()
    expect(listed.first).to_contain_text(costliest(own)[0].says)


# --- for everybody


@pytest.mark.parametrize(("scheme", "width"), [("light", 320), ("dark", 1280)])
def test_an_auditor_of_accessibility_finds_nothing(opened: Open, scheme: str, width: int) -> None:
    record = read_record((RECORDS / "perudo.json").read_bytes())
    shown = film_of(record, chances(record), review(record, 1))
    page = opened(replay_html([shown, film("joker")]), width=width, color_scheme=scheme)
    while page.locator("details:not([open]) > summary").count():
        page.locator("details:not([open]) > summary").first.click()
    expect(page.locator(".calza-proof.verified")).to_be_visible()
    go(page, CALL)
    assert violations(page) == []


# --- served


class Folder(SimpleHTTPRequestHandler):
    """Serves a folder to a strict page."""

    def end_headers(self) -> None:
        policy = "default-src 'none'; script-src 'self'; style-src 'self'; base-uri 'none'"
        self.send_header("content-security-policy", policy)
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def served(tmp_path: Path) -> Iterator[str]:
    """A folder that is served: the address of its page, which loads the player as modules."""
    (tmp_path / "player").mkdir()
    for name in (*MODULES, *STYLES):
        (tmp_path / "player" / name).write_text(read((name,)), encoding="utf-8")
    body = f"<title>x</title>{linked('/player')}<main>{theatre([PERUDO])}</main>"
    (tmp_path / "page.html").write_text(f'<!doctype html><html lang="en">{body}</html>', encoding="utf-8")
    with ThreadingTCPServer(("127.0.0.1", 0), partial(Folder, directory=str(tmp_path))) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/page.html"
        server.shutdown()
        thread.join()


def test_a_served_page_plays_by_modules_with_a_policy_that_allows_nothing_inline(
    chromium: Browser, served: str
) -> None:
    context = chromium.new_context()
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(f"{served}#9-B")
    expect(page.locator(".calza-proof.verified")).to_contain_text("It played 104 actions again by the rules.")
    assert at(page) == 8
    share(page)
    with page.expect_download() as saved:
        page.get_by_role("button", name="Picture as PNG").click()
    assert Path(saved.value.path()).read_bytes().startswith(b"\x89PNG")
    assert [one for one in complaints if "favicon" not in one and "404" not in one] == []
    context.close()
