"""How fast the replay page of a long match opens, goes through it and checks it, in Debian's Chromium."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from time import process_time

from playwright.sync_api import Browser, Page, sync_playwright

from calza.agents.chances import chances
from calza.agents.house import HouseAgent, parse_agent
from calza.agents.review import review
from calza.rules import CATALOG, Game, HmacDice, Player, Record
from calza.show.film import film_of
from calza.show.player import replay_html

from .measure import Figure

REPEATS = 7
BOTS = ("cautious", "listener", "bluffer", "honest", "cautious", "bluffer")
OPENED = """() => {
  const from = performance.getEntriesByType("navigation")[0];
  const painted = performance.getEntriesByName("first-contentful-paint")[0];
  return [from.domContentLoadedEventEnd, painted.startTime];
}"""
# Every moment once, as fast as frames come; a frame that took more than twice its time is a dropped one.
SCRUB = """() => new Promise((done) => {
  const slider = document.querySelector("input[type=range]");
  const frames = [], work = [];
  let last = performance.now();
  const step = (now) => {
    frames.push(now - last);
    last = now;
    if (slider.value === slider.max) return done([frames.slice(1), work]);
    const start = performance.now();
    slider.value = Number(slider.value) + 1;
    slider.dispatchEvent(new Event("input"));
    void document.body.offsetHeight; // laid out too
    work.push(performance.now() - start);
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
})"""
FRAME = 1000 / 60  # milliseconds


def long_match(moments: int) -> Record:
    """A match of six house bots that is at least so long: the more dice, the longer."""
    players = [Player(name=f"{bot} {at}") for at, bot in enumerate(BOTS, 1)]
    for dice in range(5, 16):
        agents = [HouseAgent(parse_agent(bot), at) for at, bot in enumerate(BOTS)]
        game = Game(CATALOG["dudo"], len(BOTS), seed=HmacDice(b"s" * 32, "long", [""] * len(BOTS)), dice=dice)
        while not game.over:
            game.step(agents[game.turn].act(game.view(game.turn)))
        record = game.record(players, id="long")
        if len(film_of(record).moments) >= moments:
            return record
    raise AssertionError("no match of these bots is so long")


def figures() -> Iterator[Figure]:
    """Opening, scrubbing and proving a match of 500 moments, and the review of one seat."""
    record = long_match(500)
    film = film_of(record, chances(record))
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder) / "match.html"
        path.write_text(replay_html([film]), encoding="utf-8")
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        yield from page_figures(browser, path.as_uri(), len(film.moments), path.stat().st_size)
        browser.close()
    start = process_time()
    decisions = review(record, 0)
    seconds = process_time() - start
    yield Figure(f"review of {len(decisions)} decisions, 6 seats", f"{seconds:.2f} s")


def page_figures(browser: Browser, address: str, moments: int, size: int) -> Iterator[Figure]:
    """What a reader waits for."""
    opened, painted, proved = [], [], []
    for _ in range(REPEATS):
        page = browser.new_page()
        page.goto(address)
        page.wait_for_selector(".calza-proof.verified")
        proved.append(page.evaluate("performance.now()"))
        page.wait_for_function("() => performance.getEntriesByName('first-contentful-paint').length")
        ready, first = page.evaluate(OPENED)
        opened.append(ready)
        painted.append(first)
        page.close()
    yield Figure(f"{moments} moments ({size // 1000} kB): ready", spread(opened), target="under 300 ms")
    yield Figure(f"{moments} moments: first painted", spread(painted), target="under 300 ms")
    yield Figure(f"{moments} moments: dice and play verified", spread(proved))
    yield from scrub_figures(browser, address)


def scrub_figures(browser: Browser, address: str) -> Iterator[Figure]:
    """What a hand on the slider feels."""
    page: Page = browser.new_page()
    page.goto(address)
    page.wait_for_selector(".calza-proof.verified")
    frames, work = page.evaluate(SCRUB)
    page.close()
    slow = sum(one > 2 * FRAME for one in frames)
    yield Figure("one moment further, drawn and laid out", spread(work), target="under 16 ms")
    yield Figure("longest frame while scrubbing through all", f"{max(frames):.0f} ms", target="under 1000 ms")
    yield Figure("frames that took more than two", f"{slow} of {len(frames)}")


def spread(values: list[float]) -> str:
    """A median with the fastest and the slowest."""
    return f"{median(values):.0f} ms ({min(values):.0f} to {max(values):.0f})"
