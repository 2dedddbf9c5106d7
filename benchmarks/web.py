"""The pages in Debian's Chromium, served by a real arena: what somebody on a phone waits for, and what spectators cost.

The phone is a profile of Chromium: four times slower than this machine, on a line of 1.6 Mbit/s with 150 ms there and
back. Nothing is cached.
"""

import asyncio
import shutil
import subprocess
import sys
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from statistics import median
from threading import Thread
from time import time
from typing import Any, TypeVar

from playwright.sync_api import Browser, Page, sync_playwright

from .arena import Server, name, opened, running
from .arena_bots import Http, Table
from .measure import Figure
from .replay import spread

T = TypeVar("T")

REPEATS = 5
SLOWER = 4
LINE = {"offline": False, "latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 90_000}  # bytes a second
CROWD = 500  # spectators
PACE = 0.1  # seconds between the actions of players that are watched
WATCHED = 60  # actions of each turn
TURNS = 4  # of a table with spectators, and of one without
SEEN = """() => {
  window.drawn = [];
  const story = document.querySelector(".t-story");
  new MutationObserver(() => requestAnimationFrame(() => window.drawn.push(Date.now()))).observe(
    story, { childList: true, subtree: true });
}"""
USABLE = "() => performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd"


def figures() -> Iterator[Figure]:
    """Everything that is measured."""
    with running() as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        base = f"http://127.0.0.1:{server.port}"
        yield first_page(browser, base)
        yield from table_page(browser, base)
        yield drawn(browser, server)
        browser.close()
    yield asyncio.run(crowd())


def phone(browser: Browser) -> tuple[Page, list[int]]:
    """A page on a phone, and the bytes of everything that it loads."""
    page = browser.new_context(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True).new_page()
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", LINE)
    session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    loaded: list[int] = []
    session.on("Network.loadingFinished", lambda event: loaded.append(int(event["encodedDataLength"])))
    return page, loaded


def first_page(browser: Browser, base: str) -> Figure:
    """How long somebody waits who was sent a link."""
    waited = []
    for _ in range(REPEATS):
        page, _ = phone(browser)
        page.goto(base)
        page.wait_for_function("() => performance.getEntriesByName('first-contentful-paint').length")
        painted = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
        waited.append(max(painted, page.evaluate(USABLE)))
        page.context.close()
    return Figure("the first page on a phone, painted and usable", spread(waited), target="under 1000 ms")


def table_page(browser: Browser, base: str) -> Iterator[Figure]:
    """A table, from the click on: until its buttons can be pressed, and its bytes."""
    waited, sizes = [], []
    for _ in range(REPEATS):
        page, loaded = phone(browser)
        page.goto(f"{base}/play")
        page.get_by_role("button", name="Deal").click()
        page.wait_for_selector(".t-panel")
        waited.append(page.evaluate("performance.now()"))
        address = page.url
        page.close()
        page, loaded = fresh(browser, page, address)
        sizes.append(float(sum(loaded)))
        page.context.close()
    yield Figure("a table on a phone, from the click to its buttons", spread(waited))
    yield Figure("a table's page over the wire", f"{median(sizes) / 1000:.1f} kB", target="under 100 kB")


def fresh(browser: Browser, before: Page, address: str) -> tuple[Page, list[int]]:
    """The same table in a browser that has nothing of it but the cookies."""
    page, loaded = phone(browser)
    page.context.add_cookies(before.context.cookies())  # type: ignore[arg-type]
    page.goto(address, wait_until="networkidle")
    page.wait_for_selector(".t-panel")
    return page, loaded


def drawn(browser: Browser, server: Server) -> Figure:
    """How long after an action was sent a spectator sees it drawn."""
    table, http = aside(sit_down(server))
    page = browser.new_page()
    page.goto(f"http://127.0.0.1:{server.port}/matches/{table.match}")
    page.wait_for_selector(".t-seat")
    page.evaluate(SEEN)
    waited, on = [], True
    while on and len(waited) < WATCHED:
        before, sent = page.evaluate("drawn.length"), time() * 1000
        on = aside(table.step(http))
        page.wait_for_function("(before) => drawn.length > before", arg=before)
        waited.append(page.evaluate("(before) => drawn[before]", before) - sent)
    page.close()
    return Figure("an action, from its player to a spectator's eyes", spread(waited), target="under 100 ms")


async def sit_down(server: Server) -> tuple[Table, Http]:
    """Two agents at a match, and the line over which they play."""
    http = await Http.dial(server.port)
    return await Table.open(http, server.port, name()), http


def aside(do: Coroutine[Any, Any, T]) -> T:
    """Do something in a loop of its own: Playwright has that of this thread."""
    return asyncio.run_coroutine_threadsafe(do, other_loop()).result()


@cache
def other_loop() -> asyncio.AbstractEventLoop:
    """The loop, which ends with this process."""
    loop = asyncio.new_event_loop()
    Thread(target=loop.run_forever, daemon=True).start()
    return loop


async def crowd() -> Figure:
    """How long players wait for their acknowledgements with many spectators, beside none."""
    watched, alone = list[float](), list[float]()
    with running() as server:
        for _ in range(TURNS):
            for latencies, many in ((watched, CROWD), (alone, 0)):
                [table] = await opened(server, 1)
                latencies.append(median(await played(server, table, many)))
    ratio = median(one / other for one, other in zip(watched, alone, strict=True))
    return Figure(
        f"an acknowledgement with {CROWD} spectators, of one with none",
        ours=f"{median(watched) * 1000:.2f} ms",
        floor=f"{median(alone) * 1000:.2f} ms",
        ratio=f"{ratio:.2f}",
        target="1.10",
    )


async def played(server: Server, table: Table, many: int) -> list[float]:
    """What each action took at a table with so many spectators."""
    with watching(server, table.match, many):
        http = await Http.dial(server.port)
        while len(table.latencies) < WATCHED and await table.step(http):
            await asyncio.sleep(PACE)
        http.close()
    return [seconds for _, seconds in table.latencies]


@contextmanager
def watching(server: Server, match: str, many: int) -> Iterator[None]:
    """So many spectators, in a process of their own: what they do must not hold up who measures."""
    words = [sys.executable, "-m", "benchmarks.web_crowd", str(server.port), match, str(many)]
    folder = Path(__file__).parents[1]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=folder) as crowd:
        assert crowd.stdout
        assert crowd.stdout.readline().strip() == str(many)
        yield
        crowd.terminate()
