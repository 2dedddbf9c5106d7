"""House bots as the value of an option: `cautious,bluffer:bluff=0.3`."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import click
from click.shell_completion import CompletionItem

from calza.agents import HOUSE, parse_agent
from calza.agents.house import Spec
from calza.rules import CalzaError


class BotsType(click.ParamType[tuple[Spec, ...]]):
    """A list of house bots, with commas between them."""

    name = "bots"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[Spec, ...]:
        return value if isinstance(value, tuple) else find_bots(value)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        before, comma, last = incomplete.rpartition(",")
        return [
            CompletionItem(before + comma + name, help=house.about)
            for name, house in HOUSE.items()
            if name.startswith(last)
        ]


BOTS = BotsType()


def find_bots(text: str) -> tuple[Spec, ...]:
    """The house bots that `text` lists."""
    if not text.strip():
        raise CalzaError(f"name a house bot, or several with commas; there are {', '.join(HOUSE)}")
    return tuple(parse_agent(one) for one in text.split(","))


def numbered(names: Iterable[str]) -> list[str]:
    """The names, those that come more than once with numbers."""
    given = list(names)
    often, seen = Counter(given), Counter[str]()
    told = []
    for name in given:
        seen[name] += 1
        told.append(f"{name} {seen[name]}" if often[name] > 1 else name)
    return told
