"""Small tournaments for tests."""

from pathlib import Path
from typing import Any

from calza.agents.entry import parse_entry
from calza.rules import CATALOG
from calza.tournament.field import Field
from calza.tournament.formats import next_stage
from calza.tournament.plan import Plan
from calza.tournament.play import Played, play_chunk
from calza.tournament.stage import Chunk, Stage
from calza.tournament.tally import Tally, arrays

HOUSE = ("cautious", "bluffer", "listener", "random")


def plan(*agents: str, **changes: Any) -> Plan:
    """A plan over house bots, changed."""
    entries = tuple(parse_entry(text) for text in agents or HOUSE)
    fields: dict[str, Any] = {"rules": CATALOG["liars-dice"], "entries": entries, "groups": 3, "seed": 7}
    return Plan(**{**fields, **changes})


def stage(one: Plan) -> Stage:
    """The first stage of a plan."""
    first = next_stage(one, [])
    assert first
    return first


def played(one: Plan, units: range, folder: Path) -> Played:
    """Some units of a plan's first stage, played as one chunk."""
    field = Field(one, folder)
    try:
        return play_chunk(one, Chunk(stage(one), 0, units.start, units.stop), field)
    finally:
        field.close()


def same(one: Tally, two: Tally) -> bool:
    """Whether two tallies are equal but for the time that moves took."""
    pairs = [*arrays(one, two), *arrays(one.watched, two.watched)]
    return all((a == b).all() for a, b in pairs if a is not one.times)
