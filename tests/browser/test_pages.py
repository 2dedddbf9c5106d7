"""The pages of a filled arena in a real browser: by day, by night, on a small phone, without scripts, by keys alone."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from calza.arena.messages import State
from tests.web.pages import move
from tests.web.server import Served

from .axe import violations
from .looks import faint, width

Visit = Callable[..., Page]


@pytest.fixture(scope="module")
def site() -> Iterator[Served]:
    """The arena."""
    with Served() as served:
        yield served


@pytest.fixture
def visit(chromium: Browser, site: Served) -> Iterator[Visit]:
    """Opens a page; at the end the console may not have complained."""
    complaints: list[str] = []
    contexts = []

    def open_page(path: str, width: int = 1280, scripts: bool = True, **settings: str) -> Page:
        context = chromium.new_context(
            viewport={"width": width, "height": 800},
            java_script_enabled=scripts,
            **settings,  # type: ignore[arg-type]
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(15_000)
        page.on("console", lambda message: complaints.append(f"{path}: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(f"{path}: {error}"))
        page.goto(site.base + path)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


def paths(site: Served) -> list[str]:
    """Every kind of page."""
    filled = site.filled
    return [
        "/", "/about", "/claim", "/connect", "/fairness", "/games", "/games/joker", "/leaderboard",
        "/leaderboard?by=model", "/matches", "/news", "/rules/new?from=perudo", "/tutorial",
        f"/agents/{filled.agents[0].agent.id}", f"/matches/{filled.finished[1]}", f"/matches/{filled.live}",
    ]  # fmt: skip


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_can_be_read_by_day_and_by_night(visit: Visit, site: Served, scheme: str) -> None:
    page = visit("/about", color_scheme=scheme)
    for path in paths(site):
        page.goto(site.base + path)
        for summary in page.locator("main summary:visible").all()[:6]:
            summary.click()
        assert faint(page) == [], path
        night = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
        assert (night == "rgb(20, 23, 26)") == (scheme == "dark")


def test_an_auditor_of_accessibility_finds_nothing(visit: Visit, site: Served) -> None:
    page = visit("/about", width=320)
    for path in paths(site):
        page.goto(site.base + path)
        page.evaluate("for (const one of document.querySelectorAll('main details')) one.open = true")
        assert violations(page) == [], path


@pytest.mark.parametrize("wide", [320, 700, 1920])
def test_no_page_scrolls_to_the_side(visit: Visit, site: Served, wide: int) -> None:
    page = visit("/about", width=wide)
    for path in paths(site):
        page.goto(site.base + path)
        page.evaluate("for (const one of document.querySelectorAll('main details')) one.open = true")
        assert width(page) == wide, path


def test_the_first_key_leads_to_the_content_and_the_focus_is_seen(visit: Visit) -> None:
    page = visit("/")
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to the content")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    page.keyboard.press("Tab")
    first = page.locator("main :is(a, button)").first
    expect(first).to_be_focused()
    assert first.evaluate("(one) => getComputedStyle(one).outlineStyle") == "solid"


def test_pages_say_everything_without_scripts(visit: Visit, site: Served) -> None:
    page = visit(f"/matches/{site.filled.finished[1]}", scripts=False)
    expect(page.get_by_role("table")).to_contain_text("won")
    round = page.locator("details.round").first
    round.locator("summary").click()
    expect(round.get_by_role("img").first).to_be_visible()
    page.goto(f"{site.base}/matches/{site.filled.live}")
    expect(page.get_by_role("status")).to_contain_text("is to act")
    page.goto(f"{site.base}/rules/new")
    page.get_by_label("Dice each").fill("3")
    page.get_by_role("button", name="Show the rules").click()
    expect(page.locator("#preview")).to_contain_text("Each player starts with three dice")


def test_a_finished_match_is_replayed_and_proved_on_its_page(visit: Visit, site: Served) -> None:
    page = visit(f"/matches/{site.filled.finished[1]}")
    expect(page.locator(".calza-proof.verified")).to_be_visible()
    page.get_by_role("button", name="To the end").click()
    expect(page.locator(".calza-caption")).to_contain_text("The game is over")


def test_a_live_match_keeps_itself_up_to_date(visit: Visit, site: Served) -> None:
    tables, live = site.place.arena.tables, site.filled.live
    page = visit(f"/matches/{live}")
    story = page.get_by_role("region", name="What has happened")
    expect(page.locator(".t-turn")).to_contain_text("is to act")
    bids = story.get_by_role("listitem").count()
    story.locator("summary").first.focus()

    async def act() -> None:
        match = await tables.live(live)
        turn = match.to_act()
        assert turn
        state = await tables.state(turn.agent, live)
        assert isinstance(state, State)
        await tables.act(turn.agent, live, state.sequence, move(state))

    site.do(act())
    expect(story.get_by_role("listitem")).not_to_have_count(bids)
    expect(story.locator("summary").last).to_be_focused()


def test_rules_are_printed_while_one_types(visit: Visit) -> None:
    page = visit("/rules/new?from=perudo")
    preview = page.locator("#preview")
    expect(preview).to_contain_text("Each player starts with five dice")
    page.get_by_label("Dice each").fill("4")
    expect(preview).to_contain_text("Each player starts with four dice")
    assert "rules=" in page.url
    page.get_by_label("Wild face", exact=True).fill("9")
    expect(preview.get_by_role("alert")).to_contain_text("must be a face from 1 to 6")
    expect(page.get_by_label("Wild face", exact=True)).to_have_attribute("aria-invalid", "true")


def test_commands_can_be_copied(visit: Visit) -> None:
    page = visit("/connect")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy: Let a house bot play for you").click()
    expect(page.get_by_role("button", name="Copy: Let a house bot play for you")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()").startswith("calza connect --server http://127.0.0.1:")


def test_an_agent_is_claimed_with_the_keyboard_alone(visit: Visit, site: Served) -> None:
    mine = site.filled.agents[3]
    page = visit(f"/claim?agent={mine.agent.id}")
    page.get_by_label("Verification code").focus()
    page.keyboard.type(mine.code)
    page.keyboard.press("Tab")
    page.keyboard.type("Grace")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("It is yours")
    expect(page.locator("figure.command")).to_contain_text("calza_")


def test_nothing_moves_for_those_who_want_it_still(visit: Visit) -> None:
    page = visit("/matches", reduced_motion="reduce")
    names = "() => [...document.querySelectorAll('*')].map((one) => getComputedStyle(one, '::before').animationName)"
    assert set(page.evaluate(names)) == {"none"}
