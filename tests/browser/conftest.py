"""A real browser: Debian's Chromium, without a network."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)

Open = Callable[..., Page]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """The browser. It is closed with its module, for while it is open nothing else can run an event loop here."""
    path = shutil.which("chromium")
    assert path, "these tests need Debian's Chromium: apt-get install chromium, which `make test` does where it may"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture
def opened(chromium: Browser, tmp_path: Path) -> Iterator[Open]:
    """Opens a page from disk; at the end nothing may have been fetched, and the console may not have complained.

    A page that is not `clean` has been tampered with, and the browser may say so.
    """
    asked: list[str] = []
    complaints: list[str] = []
    contexts = []

    def open_page(html: str, width: int = 1280, link: str = "", clean: bool = True, **settings: str) -> Page:
        path = tmp_path / f"page-{len(contexts)}.html"
        path.write_text(html, encoding="utf-8")
        context = chromium.new_context(viewport={"width": width, "height": 800}, offline=True, **settings)  # type: ignore[arg-type]
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: complaints.append(message.text) if clean else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(path.as_uri() + link)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert {url.partition("#")[0] for url in asked} == {
        (tmp_path / f"page-{number}.html").as_uri() for number in range(len(contexts))
    }
    assert complaints == []
