"""The report of a tournament in a real browser."""

import pytest
from playwright.sync_api import expect

from calza.tournament.report import report_html
from tests.tournament.specimen import NAMES, specimen

from .axe import violations
from .conftest import Open
from .looks import faint, width

REPORT = report_html(specimen())


def test_a_report_opens_from_disk_and_plays_its_first_match(opened: Open) -> None:
    page = opened(REPORT)
    expect(page.get_by_role("heading", level=1)).to_have_text("Autumn cup")
    expect(page.locator(".calza-proof.verified")).to_be_visible()
    for landmark in ("banner", "main", "contentinfo"):
        expect(page.get_by_role(landmark)).to_have_count(1)  # type: ignore[arg-type]
    for name in NAMES[:4]:
        expect(page.get_by_role("rowheader", name=name).first).to_be_visible()


def test_a_failure_leads_to_the_match_that_shows_it(opened: Open) -> None:
    page = opened(REPORT)
    page.get_by_role("link", name="Watch it happen in match 3").click()
    expect(page.get_by_role("combobox", name="Match")).to_have_value("2")
    expect(page.get_by_role("slider")).to_be_focused()
    expect(page.locator("[data-calza-films]")).to_be_in_viewport()
    assert int(page.get_by_role("slider").input_value()) > 27
    page.get_by_role("link", name="Watch it happen in match 1").last.click()
    expect(page.get_by_role("combobox", name="Match")).to_have_value("0")


def test_keys_scroll_a_report_until_somebody_is_in_its_player(opened: Open) -> None:
    page = opened(REPORT)
    page.keyboard.press("End")
    expect(page.get_by_role("slider")).to_have_value("0")
    page.get_by_role("slider").focus()
    page.keyboard.press("End")
    expect(page.get_by_role("slider")).not_to_have_value("0")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_report_can_be_read_by_day_and_by_night(opened: Open, scheme: str) -> None:
    page = opened(REPORT, color_scheme=scheme)
    for summary in page.locator("summary").all():
        summary.click()
    assert faint(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_an_auditor_of_accessibility_finds_nothing(opened: Open, scheme: str) -> None:
    page = opened(REPORT, color_scheme=scheme)
    while page.locator("details:not([open]) > summary").count():
        page.locator("details:not([open]) > summary").first.click()
    expect(page.locator(".calza-proof.verified")).to_be_visible()
    assert violations(page) == []


def test_a_report_fits_a_small_phone(opened: Open) -> None:
    page = opened(REPORT, width=320)
    for summary in page.locator("summary").all():
        summary.click()
    assert width(page) == 320
    table = page.locator("table.standings")
    expect(table.get_by_role("row").nth(1)).to_contain_text("+82 to +111")
    expect(table.get_by_role("columnheader", name="Rating").first).to_be_attached()


def test_every_wide_table_can_be_scrolled_by_keys(opened: Open) -> None:
    page = opened(REPORT, width=320)
    page.get_by_text("Every pair in figures").first.click()
    for region in page.locator(".scroll").all():
        assert region.get_attribute("tabindex") == "0"
        assert region.get_attribute("aria-label")
    stuck = page.evaluate(
        "() => [...document.querySelectorAll('main table')].filter((one) => one.offsetParent && "
        "one.scrollWidth > innerWidth && !one.closest('.scroll')).length"
    )
    assert stuck == 0


def test_on_paper_there_is_day_and_no_player(opened: Open) -> None:
    page = opened(REPORT, color_scheme="dark")
    page.emulate_media(media="print")
    expect(page.locator(".calza-player")).to_be_hidden()
    expect(page.get_by_text("They play on a screen, not on paper.")).to_be_visible()
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgb(251, 250, 247)"
