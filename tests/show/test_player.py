"""The page that plays films, as text; `tests/browser/` opens it."""

import base64
import hashlib
import re
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from calza.matches import read_record
from calza.show.bundle import script
from calza.show.film import Film, film_of
from calza.show.player import page, replay_html

RECORDS = Path(__file__).parents[1] / "records"


class Parts(HTMLParser):
    """The scripts, styles and other parts of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.scripts: list[str] = []
        self.films: list[str] = []
        self.styles: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.inside: list[str] | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        data = dict(attrs).get("type") == "application/json"
        self.inside = self.films if data else {"script": self.scripts, "style": self.styles}.get(tag)
        if self.inside is not None:
            self.inside.append("")

    def handle_data(self, data: str) -> None:
        if self.inside is not None:
            self.inside[-1] += data

    def handle_endtag(self, tag: str) -> None:
        self.inside = None


@pytest.fixture(scope="module")
def film() -> Film:
    return film_of(read_record((RECORDS / "perudo.json").read_bytes()))


def digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def test_a_page_runs_its_own_script_and_may_load_nothing(film: Film) -> None:
    text = replay_html([film])
    parts = Parts(text)
    policy = next(attrs["content"] for tag, attrs in parts.tags if tag == "meta" and "http-equiv" in attrs)
    assert policy == (
        f"default-src 'none'; script-src 'sha256-{digest(parts.scripts[0])}'; "
        f"style-src 'sha256-{digest(parts.styles[0])}'; base-uri 'none'; form-action 'none'"
    )
    assert (len(parts.scripts), len(parts.styles)) == (1, 1)
    for tag, attrs in parts.tags:
        assert tag not in ("link", "img", "iframe", "base", "form")
        assert not {name for name in attrs if name in ("src", "style", "srcset") or name.startswith("on")}
    assert set(re.findall(r"https?://[^\s\"'`<]+", text)) == {"http://www.w3.org/2000/svg"}


def test_a_page_holds_its_films_unchanged(film: Film) -> None:
    other = film_of(read_record((RECORDS / "exact.json").read_bytes()))
    films = [msgspec.json.decode(text, type=Film) for text in Parts(replay_html([film, other])).films]
    assert films == [film, other]


def test_no_text_of_a_film_leaves_its_block() -> None:
    evil = "</script><script>alert(1)</script><!--<script>&lt;"
    record = read_record((RECORDS / "exact.json").read_bytes())
    players = tuple(replace(one, name=evil, salt=evil, agent=evil) for one in record.players)
    film = film_of(replace(record, players=players, id=evil, started=evil))
    text = replay_html([film, film], view=2)
    parts = Parts(text)
    assert [msgspec.json.decode(one, type=Film) for one in parts.films] == [film, film]
    assert (len(parts.scripts), text.count("<script")) == (1, 3)
    assert evil not in text
    labels = [attrs["data-label"] for _, attrs in parts.tags if "data-label" in attrs]
    assert labels == [f"{number}. {film.label}" for number in (1, 2)]


def test_a_page_keeps_to_the_view_that_was_asked_for(film: Film) -> None:
    views = [attrs["data-view"] for _, attrs in Parts(replay_html([film], view=2)).tags if "data-view" in attrs]
    assert views == ["2"]


def test_a_page_has_a_language_a_title_and_landmarks(film: Film) -> None:
    tags = Parts(replay_html([film])).tags
    assert dict(tags)["html"] == {"lang": "en"}
    assert [tag for tag, _ in tags if tag in ("title", "header", "main", "footer", "h1", "noscript")] == [
        "title", "header", "h1", "main", "noscript", "footer",
    ]  # fmt: skip
    assert "<title>Perudo: Bluffer 2, Cautious 1, Listener 3, Random 4</title>" in replay_html([film])


def test_a_title_is_text() -> None:
    assert "<title>&lt;b&gt;</title>" in page("<b>", "")


def test_the_script_can_stand_in_a_page() -> None:
    text = script()
    assert "</script" not in text
    assert "<!--" not in text
    for way in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"):
        assert way not in text
