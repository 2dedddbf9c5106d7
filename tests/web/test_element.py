"""The script of the live table: its modules, its texts, and what it makes of the arena's frames, against Python."""

import json
import re
import subprocess
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec
import pytest

from calza.arena.live import Live
from calza.arena.store.done import Done
from calza.arena.store.seated import Match, Seated
from calza.arena.store.seated import Player as Row
from calza.arena.views import PLAYED, cast
from calza.matches import read_record
from calza.matches.replay import dice_of
from calza.rules import CATALOG
from calza.rules.events import Called, RoundBegan
from calza.rules.record import HmacSource
from calza.show.bundle import EXPORT, IMPORT
from calza.show.words import Cast
from calza.web import element, feed, table
from calza.web.texts import english

RECORDS = Path(__file__).parents[1] / "records"
FOLDER = files("calza.web") / "static" / "table"
OUTSIDE = ("marks.js", "texts.js")  # of the player, and made
PAGE = """
globalThis.HTMLElement = class {};
globalThis.customElements = { define() {} };
globalThis.matchMedia = () => ({ matches: true });
"""


def text_of(name: str) -> str:
    """A module."""
    return (FOLDER / name).read_text(encoding="utf-8")


def in_node(each: str, given: object) -> Any:
    """What the function `each` makes of `given`, an array, one by one."""
    run = f"""{PAGE}{element.script()}
    const made = JSON.parse(require("fs").readFileSync(0)).map({each});
    console.log(JSON.stringify(made));"""
    asked = msgspec.json.encode(given)
    done = subprocess.run(["node", "-e", run], input=asked, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


def golden(game: str) -> tuple[Live, list[Done]]:
    """A golden match before its first action, as the arena would have it, and its actions."""
    record = read_record((RECORDS / f"{game}.json").read_bytes())
    assert isinstance(record.dice, HmacSource)
    players = tuple(
        Row(joined, f"agent{joined}", one.name or f"Player {joined}", "", "", record.seats.index(joined), came_ms=0)
        for joined, one in enumerate(record.players)
    )
    match = Match("golden", game, "fast", len(players), status="active", due_ms=1)
    live = Live(Seated(match, players), [], deal=lambda *_: dice_of(record))
    done = [Done("golden", at, one.seat, one.action, one.at or 0, 1) for at, one in enumerate(record.actions)]
    return live, done


# --- the modules


def test_every_module_of_the_table_is_in_the_script() -> None:
    assert {one.name for one in FOLDER.iterdir() if one.name.endswith(".js")} == set(element.MODULES)


@pytest.mark.parametrize("name", element.MODULES)
def test_a_module_keeps_to_the_form_that_the_bundle_reads(name: str) -> None:
    text = text_of(name)
    assert len(re.findall(r"^import\b", text, re.MULTILINE)) == len(IMPORT.findall(text))
    assert len(re.findall(r"^export\b", text, re.MULTILINE)) == len(EXPORT.findall(text)) <= 1
    before = (*OUTSIDE, *element.MODULES[: element.MODULES.index(name)])
    assert {f"{other}.js" for _, other in IMPORT.findall(text)} <= set(before)


def test_the_table_says_nothing_that_is_not_in_the_catalogue_and_all_of_it() -> None:
    code = "".join(text_of(name) for name in element.MODULES)
    said = set(re.findall(r'"([a-z_.]+)"', code)) | {f"keys.{key}" for key in re.findall(r'", "(\w+)"\]', code)}
    keys = {key.removeprefix("table.") for key in english().lines if key.startswith("table.")}
    known = {re.sub(r"\.(one|many)$", "", key) for key in keys}
    assert set(re.findall(r'\bsay\("([a-z_.]+)"', code)) <= known
    assert known - said == set()


def test_the_texts_of_the_table_are_plain() -> None:
    for key, text in english().lines.items():
        assert not key.startswith("table.") or not re.search(r"[<>&]", text), key


def test_the_table_is_small_over_the_wire() -> None:
    from calza.web.assets import assets

    named = assets().named
    assert sum(len(named[name].packed) for name in ("site.css", "table.css", "table.js")) < 50_000


# --- what it makes of frames


FOLD = """(frames) => {
  const memory = new calza.Memory();
  return frames.map((frame) => {
    memory.take(frame);
    const { rounds, bids, standing, turn, over, places } = memory.seen(frame);
    const dice = places.map((one) => [one.seat, one.dice, one.faces]);
    return { rounds, bids, standing: standing ?? null, turn, over, dice };
  });
}"""


@pytest.mark.parametrize("game", PLAYED)
def test_frames_fold_into_what_python_tells_of_a_golden_match(game: str) -> None:
    """The page of a reader without scripts, and the picture of one with them, are of the same match."""
    frames, expected = [], []
    live, actions = golden(game)
    for seat in (0, -1):
        live, actions = golden(game)
        told, seen = [frame(live, seat, 0)], [picture(live, seat)]
        for one in actions:
            live.play(one)
            told.append(frame(live, seat, one.sequence))
            seen.append(picture(live, seat))
        frames.append(told)
        expected.append(seen)
    assert len(actions) > 10
    assert in_node(FOLD, frames) == expected


def frame(live: Live, seat: int, told: int) -> Any:
    """What a reader is told who knows the first `told` actions."""
    return json.loads(msgspec.json.encode(feed.table(live, seat, told, 0, "http://127.0.0.1")))


def picture(live: Live, seat: int) -> dict[str, Any]:
    """The same from the game itself."""
    game, n = live.game, len(live.rows)
    said = [] if game.over else [{"seat": at, "quantity": bid.quantity, "face": bid.face} for at, bid in game.said]
    own = [list(game.view(seat).cup) if seat >= 0 and game.state.dice[seat] else []]
    order = [(seat + 1 + step) % n for step in range(n)]
    return {
        "rounds": rounds(live, seat),
        "bids": said,
        "standing": said[-1] if said else None,
        "turn": -1 if game.over else game.turn,
        "over": game.over,
        "dice": [[at, game.state.dice[at], own[0] if at == seat else []] for at in order],
    }


def rounds(live: Live, seat: int) -> list[dict[str, Any]]:
    """The rounds in sentences, as the page without scripts has them; one that has not begun is not yet told of."""
    assert Cast(cast(live).names, seat).names
    return [{"number": one.number, "says": list(one.says)} for one in table.rounds_told(live, seat) if one.says]


COUNTS = """({ reveal, wild }) => {
  const counts = calza.counting(reveal, wild);
  return Object.values(reveal.shown).flat().filter(counts).length;
}"""


@pytest.mark.parametrize("game", PLAYED)
def test_the_dice_that_light_up_are_as_many_as_counted(game: str) -> None:
    live, actions = golden(game)
    asked, expected = [], []
    for one in actions:
        live.play(one)
        called = live.events[-1][0]
        if isinstance(called, Called):
            asked.append({"reveal": frame(live, -1, one.sequence)["view"]["lastReveal"], "wild": CATALOG[game].wild})
            expected.append(called.count)
    assert expected
    assert in_node(COUNTS, asked) == expected


JUDGE = """({ bid, legal }) => {
  const words = new calza.Words({ faces: 6, wild: 1, calls: [] });
  const { why, instead } = calza.judged(bid, legal, { seat: 0, quantity: 4, face: 5 }, words);
  return [why, instead ? calza.noted(instead) : ""];
}"""


def test_a_bid_is_judged_by_what_the_arena_says_is_legal() -> None:
    legal = {"least": {"1": 2, "2": 5, "3": 5, "4": 0, "5": 5, "6": 4}, "most": 6, "types": []}
    bids = [(5, 3), (4, 3), (9, 3), (5, 4), (3, 7)]
    asked = [{"bid": {"quantity": quantity, "face": face}, "legal": legal} for quantity, face in bids]
    assert in_node(JUDGE, asked) == [
        ["", ""],
        ["4x3 is too low after 4x5: threes start at 5.", "5x3"],
        ["9x3 is too high: 6 dice are the most that may be bid.", "6x3"],
        ["No bid on fours is possible after 4x5.", "2x1"],
        ["These dice have faces from 1 to 6.", "2x1"],
    ]


TYPED = """(text) => { const bid = calza.parsed(text); return bid ? calza.noted(bid) : null; }"""


def test_a_bid_is_read_as_notation_is() -> None:
    texts = ["4x3", " 12 X 6 ", "4×3", "4*3", "4", "x3", "liar", "4x3x2", ""]
    assert in_node(TYPED, texts) == ["4x3", "12x6", "4x3", "4x3", None, None, None, None, None]


def test_a_frame_says_who_opened_the_first_round_once() -> None:
    live, actions = golden("liars-dice")
    first = frame(live, -1, 0)["opening"]
    assert first.endswith("opens round 1.")
    live.play(actions[0])
    assert frame(live, -1, 1)["opening"] == ""
    assert not any(isinstance(event, RoundBegan) for event in live.events[0])
