"""What pages say to paste does what they say."""

import subprocess
import sys
from html import unescape
from pathlib import Path

import httpx
import pytest

from calza.agents.load import load_class
from calza.arena.store.matches import RecordOf
from calza.matches import read_record, verify
from calza.rules import CATALOG, Game
from calza.web.front import BOT
from calza.web.tutorial import SCRIPTS, lessons
from tests.arena.house import Place

from .pages import Page, fill, visited


def commands(text: str) -> list[str]:
    """What is to be pasted, of a page."""
    return [unescape(part.partition("</code>")[0]) for part in text.split("<pre><code>")[1:]]


def test_a_commitment_can_be_checked_by_hand(tmp_path: Path) -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        filled = await fill(place, 1)
        text = (await client.get("/fairness")).text
        download, snippet = commands(text)
        record = await place.arena.store.read(RecordOf(filled.finished[0])) or b""
        assert f"/api/matches/{filled.finished[0]}/record" in download
        verify(read_record(record))
        (tmp_path / "record.json").write_bytes(record)
        code = snippet.partition("\n")[2].rpartition("\n")[0]
        assert snippet.startswith("python3 - <<'END'\n")
        ran = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=30)
        live = await place.arena.tables.live(filled.finished[0])
        assert ran.stdout == f"True {live.match.commitment}\n"
        assert place.arena.signer.public in text

    visited(do)


def test_the_bot_of_the_page_plays(tmp_path: Path) -> None:
    (tmp_path / "mybot.py").write_text(BOT)
    bot = load_class(str(tmp_path / "mybot.py"))()
    for rules in (CATALOG["liars-dice"], CATALOG["spot-on"], CATALOG["perudo"]):
        game = Game(rules, 3, seed=5)
        while not game.over:
            game.play(game.turn, bot.act(game.view(game.turn)))
        assert game.places


def test_commands_name_the_arena_as_the_reader_reaches_it() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        text = (await client.get("/connect", headers={"host": "localhost:9999"})).text
        assert any("http://localhost:9999/api/agents" in one for one in commands(text))
        assert all("127.0.0.1" not in one for one in commands(text))

    visited(do)


@pytest.mark.parametrize("script", SCRIPTS, ids=[one.key for one in SCRIPTS])
def test_a_lesson_is_played_by_the_rules(script: object) -> None:
    lesson = lessons()[SCRIPTS.index(script)]  # type: ignore[arg-type]
    dice = [die for cup in lesson.cups for die in cup]
    counting = {lesson.called.face, lesson.rules.wild}
    assert lesson.called.count == sum(die in counting for die in dice)
    assert len(lesson.bids) == 3
    assert sum(lesson.left) - len(dice) in (-1, 1)


def test_the_tutorial_shows_every_round_with_open_dice() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        page = Page((await client.get("/tutorial")).text)
        for lesson in lessons():
            for said in [*lesson.bids, lesson.call]:
                assert all(one in page.text for one in said.says)
        assert len(page.all("details")) == len(SCRIPTS)

    visited(do)
