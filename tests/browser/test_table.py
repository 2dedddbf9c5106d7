"""The live table in a real browser: whole games by mouse, by keys alone and by thumb, watched, lost and found again."""

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from calza.arena.views import PLAYED
from tests.web.server import Served

from .axe import violations
from .looks import faint, width

Visit = Callable[..., Page]
PHONE = dict(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
READY = """(look) => {
  const go = document.querySelector(".t-go");
  if (!look && !go.hidden) go.click(); // enough seen of the cups
  const can = (one) => one.getAttribute("aria-disabled") === "false";
  return !document.querySelector(".t-over").hidden || [...document.querySelectorAll(".t-bid, .t-call")].some(can);
}"""


@pytest.fixture(scope="module")
def site() -> Iterator[Served]:
    """The arena."""
    with Served(matches=0) as served:
        yield served


@pytest.fixture
def visit(chromium: Browser, site: Served) -> Iterator[Visit]:
    """A browser of one's own at a page; at the end its console may not have complained."""
    complaints: list[str] = []
    contexts = []

    def open_page(path: str, **settings: object) -> Page:
        said = {"viewport": {"width": 1280, "height": 900}, "reduced_motion": "reduce"} | settings
        contexts.append(chromium.new_context(**said))  # type: ignore[arg-type]
        page = contexts[-1].new_page()
        page.set_default_timeout(15_000)
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(site.base + path)
        return page

    yield open_page
    for context in contexts:
        context.close()
    # A browser says so itself when it finds no way to a socket; the page need not.
    assert [one for one in complaints if "WebSocket connection" not in one and "ERR_INTERNET" not in one] == []


def deal(page: Page, game: str = "liars-dice", *others: str) -> None:
    """Fill in the form of a game and begin it; against one easy bot unless told otherwise."""
    page.get_by_label("Game").select_option(game)
    for number in range(1, 6):
        kind = others[number - 1] if number <= len(others) else "easy" if number == 1 else ""
        page.get_by_label(f"Seat {number + 1}").select_option(kind)
    page.get_by_role("button", name="Deal").click()
    expect(page.locator(".t-board")).to_be_visible()


def ready(page: Page, look: bool = False) -> bool:
    """Wait until it is one's turn, or the match is over; whether it goes on. One may want to look at lifted cups."""
    page.wait_for_function(READY, arg=look)
    return not page.locator(".t-over").is_visible()


def may(button: Locator) -> bool:
    """Whether a button can be used."""
    return button.get_attribute("aria-disabled") == "false"


def least(page: Page) -> str:
    """A bid that is legal now, in notation."""
    for number, text in enumerate(page.locator(".t-face .t-from").all_inner_texts(), 1):
        if text.startswith("from "):
            return f"{text.removeprefix('from ')}x{number}"
    raise AssertionError("no bid is possible")


def over(page: Page) -> None:
    """The match is over: who won is said, and the focus is not lost."""
    expect(page.locator(".t-over h2")).to_have_text(re.compile("You have (won|lost)"))
    expect(page.locator(".t-places li")).not_to_have_count(0)
    expect(page.locator(".t-panel")).to_be_hidden()


# --- whole games


@pytest.mark.parametrize("game", PLAYED)
def test_a_whole_game_is_played_with_the_mouse(visit: Visit, game: str) -> None:
    page = visit("/play")
    deal(page, game)
    calls = page.locator(".t-call")
    for turn in range(200):
        if not ready(page):
            break
        call = calls.nth(turn % calls.count())
        (call if may(call) else calls.first if may(calls.first) else page.locator(".t-bid")).click()
    over(page)
    page.get_by_role("link", name="Replay").click()
    expect(page.locator(".calza-proof.verified")).to_be_visible()
    expect(page.locator("#review a[aria-current=true] bdi")).to_contain_text("Guest")
    expect(page.locator(".calza-review, #review .nothing").first).to_be_visible()


@pytest.mark.parametrize("game", PLAYED)
def test_a_whole_game_is_played_with_the_keyboard_alone(visit: Visit, game: str) -> None:
    page = visit("/play")
    page.get_by_label("Game").focus()
    page.keyboard.type({"liars-dice": "Liar"}.get(game, game[:3]))
    reach(page, page.get_by_label("Seat 3"))
    page.keyboard.press("Home")  # nobody
    reach(page, page.get_by_role("button", name="Deal"))
    page.keyboard.press("Enter")
    expect(page.locator(".t-board")).to_be_visible()
    for turn in range(200):
        if not ready(page):
            break
        called = page.locator(".t-call")
        may_call = may(called.last if turn % 2 else called.first)
        said = ("e" if turn % 2 and called.count() > 1 else "l") if may_call else least(page)
        page.keyboard.type(said)
        expect(page.locator("#t-typed")).to_have_value(said)
        expect(page.locator("#t-hint")).to_contain_text("Enter ")
        page.keyboard.press("Enter")
    over(page)
    assert page.evaluate("document.activeElement.className") == "t-turn"  # where the panel was that held it


def reach(page: Page, wanted: Locator) -> None:
    """Go on by Tab until something has the focus."""
    for _ in range(30):
        page.keyboard.press("Tab")
        if wanted.evaluate("(one) => one === document.activeElement"):
            return
    raise AssertionError("no key leads there")


@pytest.mark.parametrize("game", PLAYED)
def test_a_whole_game_is_played_on_a_phone(visit: Visit, game: str) -> None:
    page = visit("/play", **PHONE)
    deal(page, game, "easy", "sly")
    calls = page.locator(".t-call")
    while ready(page):
        assert width(page) == 360
        if may(calls.first):
            calls.first.tap()
            continue
        page.get_by_role("button", name="One more").tap()
        page.locator(".t-bid").tap()
    over(page)
    assert width(page) == 360


def test_a_whole_game_is_played_without_scripts(visit: Visit) -> None:
    page = visit("/play", java_script_enabled=False)
    page.get_by_label("Seat 3").select_option("")
    page.get_by_role("button", name="Deal").click()
    for _ in range(200):
        if page.get_by_role("heading", name="Result").count():
            break
        if not page.get_by_role("heading", name="Your turn").count():
            page.reload()  # as the page does by itself after a while
            continue
        challenge = page.get_by_role("button", name="Challenge")
        if challenge.count():
            challenge.click()
            continue
        bids = page.locator("#typed-hint").inner_text()
        page.locator("#typed").fill(re.findall(r"\d+x\d", bids)[0])
        page.get_by_role("button", name="Bid", exact=True).click()
    expect(page.get_by_role("heading", name="Result")).to_be_visible()


# --- what the table says


def test_what_is_not_legal_says_why_and_what_would_be(visit: Visit) -> None:
    page = visit("/play")
    deal(page)
    ready(page)
    hint, typed = page.locator("#t-hint"), page.locator("#t-typed")
    typed.fill("40x3")
    typed.press("Enter")
    expect(hint).to_contain_text("40x3 is too high: 30 dice are the most that may be bid.")
    page.get_by_role("button", name="Take 30x3").click()
    expect(page.get_by_role("button", name="Bid thirty threes").or_(page.locator(".t-bid"))).to_be_focused()
    expect(hint).to_have_text("Enter bids 30x3.")
    typed.fill("seven")
    typed.press("Enter")
    expect(hint).to_have_text('"seven" is no action: type a bid such as 4x3, or a call.')
    expect(page.locator(".t-voice p").last).to_contain_text("is no action")


def test_arrows_choose_and_a_question_mark_shows_the_keys(visit: Visit) -> None:
    page = visit("/play")
    deal(page)
    ready(page)
    typed = page.locator("#t-typed")
    typed.fill("4x3")
    for key, then in (("ArrowUp", "5x3"), ("ArrowRight", "5x4"), ("ArrowLeft", "5x3"), ("ArrowDown", "4x3")):
        typed.press(key)
        expect(typed).to_have_value(then)
        expect(page.locator(".t-number")).to_have_value(then[0])
    page.locator(".t-turn").focus()
    page.keyboard.press("?")
    keys = page.get_by_role("dialog", name="Keys")
    expect(keys).to_be_visible()
    page.keyboard.press("Escape")
    expect(keys).to_be_hidden()


def test_resigning_wants_to_be_confirmed(visit: Visit) -> None:
    page = visit("/play")
    deal(page)
    ready(page)
    page.get_by_role("button", name="Resign", exact=True).click()
    page.get_by_role("button", name="No, play on").click()
    expect(page.locator(".t-panel")).to_be_visible()
    page.get_by_role("button", name="Resign", exact=True).click()
    page.get_by_role("button", name="Yes, resign").click()
    expect(page.locator(".t-over h2")).to_have_text("You have lost.")


def test_the_reveal_counts_the_dice_and_says_who_loses_what(visit: Visit) -> None:
    page = visit("/play", reduced_motion="no-preference")
    deal(page)
    while not may(page.locator(".t-call").first):
        page.locator(".t-bid").click()
        ready(page)
    page.locator(".t-call").first.click()
    board = page.locator(".t-board")
    expect(board).to_have_class(re.compile("lifted"))
    expect(page.locator(".t-verdict")).to_have_text(re.compile(r"(loses?|lose) a die\."))
    counted = int(page.locator(".t-tally").inner_text().split()[0])
    expect(page.locator(".calza-die.counts")).to_have_count(counted)
    page.get_by_role("button", name="Go on").click()
    expect(board).not_to_have_class(re.compile("lifted"))
    assert page.locator(".t-voice p").filter(has_text="a die").count() == 1  # read out once


def test_the_odds_are_shown_when_asked_for(visit: Visit) -> None:
    page = visit("/play")
    deal(page)
    while not may(page.locator(".t-call").first):
        page.locator(".t-bid").click()
        ready(page)
    told = page.locator(".t-odds")
    expect(told).to_be_hidden()
    page.get_by_role("button", name="What are the odds?").click()
    expect(told).to_have_text(re.compile(r"[<>]?\d+\s%.*that the bid holds"))
    expect(page.locator(".t-voice p").last).to_contain_text("that the bid holds")


def test_sound_is_off_until_asked_for_and_the_choice_is_kept(visit: Visit) -> None:
    page = visit("/play")
    deal(page)
    sound = page.get_by_role("button", name="Sound")
    expect(sound).to_have_attribute("aria-pressed", "false")
    sound.click()
    expect(sound).to_have_attribute("aria-pressed", "true")
    page.reload()
    expect(page.get_by_role("button", name="Sound")).to_have_attribute("aria-pressed", "true")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("wide", [320, 1280])
def test_a_table_reads_well_at_any_moment(visit: Visit, wide: int, scheme: str) -> None:
    page = visit("/play", viewport={"width": wide, "height": 800}, color_scheme=scheme)
    deal(page, "spot-on", "easy", "steady", "sly", "easy", "steady")
    seen: set[str] = set()
    for _ in range(30):
        moment = (
            "over" if not ready(page, look=True) else "lifted" if page.locator(".t-board.lifted").count() else "turn"
        )
        if moment not in seen:
            assert (faint(page), width(page)) == ([], wide), moment
            assert violations(page) == [], moment
            seen.add(moment)
        if "lifted" in seen:
            break
        call = page.locator(".t-call").first
        (call if may(call) else page.locator(".t-bid")).click()
    page.get_by_role("button", name="Resign", exact=True).click()
    assert violations(page) == []
    page.get_by_role("button", name="Yes, resign").click()
    expect(page.locator(".t-panel")).to_be_hidden()
    assert (faint(page), width(page), violations(page)) == ([], wide, [])
    assert seen == {"turn", "lifted"}


# --- lines that are lost


def test_a_lost_line_is_told_and_comes_back_by_itself(visit: Visit) -> None:
    page = visit("/play")
    deal(page)
    ready(page)
    page.context.set_offline(True)
    notice = page.locator(".t-notice")
    expect(notice).to_contain_text("The connection is lost. Your seat is held")
    page.locator(".t-bid").click(force=True)
    expect(page.locator("#t-hint")).to_contain_text("Nothing can be sent")
    page.context.set_offline(False)
    expect(notice).to_be_hidden()
    expect(page.locator(".t-voice")).to_contain_text("The connection is back.")
    ready(page)
    page.locator(".t-bid").click()
    expect(page.locator(".t-story li")).not_to_have_count(1)


def test_a_pending_turn_is_there_again_after_a_reload(visit: Visit) -> None:
    page = visit("/play")
    deal(page)
    ready(page)
    own = page.locator(".t-seat.own .t-dice").get_attribute("aria-label")
    page.reload()
    ready(page)
    expect(page.locator(".t-seat.own .t-dice")).to_have_attribute("aria-label", str(own))
    expect(page.locator(".t-turn")).to_have_text("Your turn")


# --- others at the table


def invite(visit: Visit) -> tuple[Page, Page]:
    """Two people at a table that one of them opened and the other came to by its link."""
    host = visit("/play")
    host.get_by_label("Your name").fill("Hester")
    host.get_by_label("Seat 2").select_option("invited")
    host.get_by_label("Seat 3").select_option("")
    host.get_by_role("button", name="Deal").click()
    link = host.locator("figure.command code").first.inner_text()
    guest = visit("/" + link.split("/", 3)[3])
    guest.get_by_label("Your name").fill("Gus")
    guest.get_by_role("button", name="Sit down").click()
    expect(host.locator("#filling")).to_contain_text("Gus")
    host.get_by_role("button", name="Begin").click()
    for one in (host, guest):
        expect(one.locator(".t-board")).to_be_visible()
        expect(one.locator(".t-seat")).to_have_count(2)
    return host, guest


def turn_of(*pages: Page) -> tuple[Page, ...]:
    """Whose turn it is, and then the others."""
    expect(pages[0].locator(".t-turn")).to_have_text(re.compile("Your turn|is to act"))
    first = next(one for one in range(len(pages)) if pages[one].locator(".t-board.mine").count())
    return (pages[first], *pages[:first], *pages[first + 1 :])


def test_friends_come_by_a_link_and_hear_each_other(visit: Visit) -> None:
    first, second = turn_of(*invite(visit))
    first.get_by_text("Say something with it").click()
    first.get_by_label("Your words").fill("<b>I never lie</b>")
    first.locator(".t-bid").click()
    expect(second.locator(".t-turn")).to_have_text("Your turn")
    expect(second.locator(".t-talk blockquote")).to_have_text("<b>I never lie</b>")
    expect(second.locator(".t-talk")).to_contain_text("may well be lies")
    second.locator(".t-call").first.click()
    for one in (first, second):
        expect(one.locator(".t-verdict")).to_have_text(re.compile("lose"))


def test_a_held_seat_is_shown_to_the_others(visit: Visit) -> None:
    first, second = turn_of(*invite(visit))
    mark = second.locator(".t-seat:not(.own) .t-mark")
    expect(mark).to_have_text("to act")
    match = first.url
    first.goto("about:blank")
    expect(mark).to_contain_text("not here; the seat is held")
    first.goto(match)
    expect(mark).to_have_text("to act")


def test_a_spectator_sees_every_bid_and_no_die(visit: Visit) -> None:
    first, second = turn_of(*invite(visit))
    watching = visit("/" + first.url.split("/", 3)[3])
    expect(watching.locator(".t-seat")).to_have_count(2)
    expect(watching.locator(".t-panel")).to_have_count(0)
    first.locator(".t-bid").click()
    expect(watching.locator(".t-bids li")).to_have_count(1)
    assert (
        watching.locator(".t-seat .calza-die:not(.covered)").count() == watching.locator(".t-said .calza-die").count()
    )
    second.locator(".t-call").first.click()
    expect(watching.locator(".t-verdict")).to_have_text(re.compile("lose"))
    expect(watching.locator(".t-story details").nth(1)).to_have_attribute("open", "")
    loser = first if first.locator(".t-board.mine").count() else second
    loser.get_by_role("button", name="Resign", exact=True).click()
    loser.get_by_role("button", name="Yes, resign").click()
    expect(watching.locator(".t-over h2")).to_have_text(re.compile("(Hester|Gus) has won."))
    watching.get_by_role("link", name="Replay").click()
    expect(watching.locator(".calza-proof.verified")).to_be_visible()


def test_an_account_is_made_signed_into_and_left(visit: Visit) -> None:
    page = visit("/sign-up")
    page.get_by_label("Name").fill("Ottilie")
    page.get_by_label("Password").fill("a table full of cups")
    page.get_by_role("button", name="Make it").click()
    expect(page.get_by_role("link", name="Account: Ottilie")).to_be_visible()
    page.goto(page.url.split("/", 3)[0] + "//" + page.url.split("/")[2] + "/account")
    page.get_by_role("button", name="Sign out everywhere").click()
    expect(page.get_by_role("link", name="Sign in")).to_be_visible()
