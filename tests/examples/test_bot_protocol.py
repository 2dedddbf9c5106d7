"""The page of the bot protocol against real conversations: a bot can be written from it only if it is true."""

import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from calza.agents import HouseAgent, parse_agent
from calza.agents.entry import parse_entry, seat
from calza.agents.inline import InlinePlayer
from calza.agents.limits import Limits
from calza.agents.process import FAREWELL, PATIENCE
from calza.agents.protocol import PROTOCOL, Answer, BotHello
from calza.agents.wire import KEPT, LINE
from calza.matches.host import Clock, Host, Player, Policy
from calza.rules import CATALOG, Game, Rules, View
from calza.rules.view import Legal

from .pages import ROOT, blocks

PAGE = ROOT / "docs" / "reference" / "bot-protocol.md"
RELAY = Path(__file__).with_name("relay.py")
LEAST = next(block.text for block in blocks(PAGE, "python"))
CLUMSY = LEAST.replace('"action": action,', '"action": "1x99" if message["view"]["bids"] else action,')


class Stubborn:
    """Says the same whatever happens."""

    def __init__(self, word: str) -> None:
        self.word = word

    def act(self, view: View) -> str:
        return self.word


def conversation(
    folder: Path, bot: str, others: Sequence[Player], rules: Rules, dice: int, policy: Policy, seed: int = 1
) -> list[str]:
    """What host and bot say in one match with `others`; the bot has seat 0 and time stands still."""
    said, file = folder / "said", folder / "bot.py"
    file.write_text(bot)
    entry = parse_entry(f"cmd:{sys.executable} {RELAY} {said} {sys.executable} {file}")
    player = seat(entry, folder / "log", seed)
    names = ["least", "cautious", "ann"][: len(others) + 1]
    game = Game(rules, len(others) + 1, seed=seed, dice=dice)
    try:
        Host(game, [player, *others], names, policy, Clock(move=1.0), now=lambda: 0.0).play()
    finally:
        player.close()
    return said.read_text().splitlines()


def cautious() -> InlinePlayer:
    return InlinePlayer(HouseAgent(parse_agent("cautious"), key=1))


@pytest.fixture(scope="module")
def heard(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """All that a bot hears in matches in which everything happens."""
    perudo, folder = CATALOG["perudo"], tmp_path_factory.mktemp("heard")
    lines = [
        *conversation(folder, CLUMSY, [cautious(), InlinePlayer(Stubborn("resign"))], perudo, 2, Policy("retry:2")),
        *conversation(folder, LEAST, [cautious(), InlinePlayer(Stubborn("1x99"))], perudo, 2, Policy("lose-die")),
    ]
    return [json.loads(line[2:]) for line in lines if line.startswith("> ")]


def documented() -> Iterator[dict[str, Any]]:
    """Every message that the page shows, of the host and of bots."""
    for block in blocks(PAGE, "json"):
        try:
            yield json.loads(block.text)
        except json.JSONDecodeError:
            yield from map(json.loads, block.text.splitlines())


def keys(value: Any, path: str = "") -> Iterator[str]:
    """The path of every key in a value; entries of lists are all one."""
    match value:
        case dict():
            for key, below in value.items():
                yield f"{path}.{key}"
                yield from keys(below, f"{path}.{key}")
        case list():
            for below in value:
                yield from keys(below, f"{path}[]")


def shapes(messages: Sequence[dict[str, Any]]) -> dict[str, list[str]]:
    """By type the keys of all its messages, in the order in which they come."""
    found: dict[str, dict[str, None]] = {}
    for message in messages:
        found.setdefault(message["type"], {}).update(dict.fromkeys(keys(message)))
    return {kind: list(paths) for kind, paths in found.items()}


def test_the_page_shows_every_message_with_just_its_keys_in_their_order(heard: list[dict[str, Any]]) -> None:
    shown = shapes([message for message in documented() if "type" in message])
    said = shapes(heard)
    assert sorted(shown) == sorted(said)
    for kind in said:
        assert shown[kind] == said[kind], kind


def test_the_type_comes_first_and_nothing_has_spaces(tmp_path: Path) -> None:
    for line in conversation(tmp_path, LEAST, [cautious()], CATALOG["snyd"], 1, Policy()):
        if line.startswith("> "):
            assert line.startswith('> {"type":"')
            assert json.dumps(json.loads(line[2:]), separators=(",", ":"), ensure_ascii=False) == line[2:]


def test_what_the_page_shows_of_bots_is_what_the_host_reads() -> None:
    lines = [message for message in documented() if "type" not in message]
    for one in lines:
        kind = BotHello if "protocol" in one else Answer
        assert set(one) <= set(kind.__struct_fields__)
        msgspec.convert(one, kind)
    every = {*BotHello.__struct_fields__, *Answer.__struct_fields__}
    assert {key for one in lines for key in one} == every


def test_the_example_of_a_match_is_perudo() -> None:
    shown = next(message for message in documented() if message.get("type") == "match")
    rules = CATALOG["perudo"]
    assert shown["rules"] | {"notes": []} == json.loads(msgspec.json.encode(rules)) | {"notes": []}
    assert shown["rules_id"] == rules.rules_id


def test_the_example_of_a_request_can_happen() -> None:
    act = next(message for message in documented() if message.get("type") == "act")
    game = Game(CATALOG["perudo"], 3, seed=1)
    for _, quantity, face in act["view"]["bids"]:
        game.play(game.turn, f"{quantity}x{face}")
    legal = game.legal(game.turn)
    assert legal == Legal(tuple(act["legal"]["least"]), act["legal"]["most"], tuple(act["legal"]["calls"]))


def test_the_floors_are_as_the_page_says(heard: list[dict[str, Any]]) -> None:
    match = next(message for message in heard if message["type"] == "match")
    claims = re.findall(r"`floors\[(\d)\]\[(\d)\]\[(\d)\]` is `(\[.*?\])`", PAGE.read_text())
    assert len(claims) == 2
    for mode, quantity, face, row in claims:
        assert match["floors"][int(mode)][int(quantity)][int(face)] == json.loads(row)
    assert [len(mode) for mode in match["floors"]] == [sum(match["dice"]) + 1] * 2


def test_the_floors_say_what_is_legal(heard: list[dict[str, Any]]) -> None:
    floors = next(message for message in heard if message["type"] == "match")["floors"]
    asked = [message for message in heard if message["type"] == "act"]
    assert any(message["view"]["bids"] for message in asked)
    for message in asked:
        view, legal = message["view"], message["legal"]
        _, quantity, face = view["bids"][-1] if view["bids"] else (None, 0, 0)
        row = floors[view["special"]][quantity][face]
        assert legal["most"] == sum(view["dice"])
        assert legal["least"] == [least if least <= legal["most"] else 0 for least in row]


def test_the_limits_are_as_the_page_says() -> None:
    limits, text = Limits(), PAGE.read_text()
    for said in (
        f"`hello` | {limits.start_seconds} seconds",
        f"no clock | {PATIENCE:g} seconds",
        f"line of the bot's | {LINE:,} bytes",
        f"in one match | {limits.output_mb} MB; of the log the first and last {KEPT >> 10} KB",
        f"a line of more than {LINE:,} bytes, or more than {limits.output_mb} MB in one match",
        f"memory | {limits.memory_mb} MB",
        f"the largest file it writes | {limits.file_mb} MB",
        f"threads | {limits.open_files}, {limits.threads}",
        f"processes | {limits.processes}:",
        f"This is version {PROTOCOL}.",
    ):
        assert said in text
    assert FAREWELL == 0.5
    assert "half a second later it is ended" in text


def short(line: str) -> str:
    """A line without what is long, or of the version."""
    line = re.sub(r'"calza":"[^"]*"', '"calza":"..."', line)
    return re.sub(r'"rules":.*,"seat":', '"rules":{...},"rules_id":"...","floors":[...],"seat":', line)


def test_the_page_shows_a_whole_match_as_it_was_played(tmp_path: Path) -> None:
    said = conversation(tmp_path, LEAST, [cautious()], CATALOG["liars-dice"], 2, Policy(), seed=7)
    shown = blocks(PAGE, "text")[-1].text.splitlines()
    assert [short(line) for line in shown] == [short(line) for line in said]
