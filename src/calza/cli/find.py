"""The rules that somebody names on a command line: a known variant, or a file of their own."""

import os
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from calza.rules import CATALOG, CalzaError, Rules, RulesError
from calza.rules.read import did_you_mean, legal_name, listed, read_rules

MOST = 1_000_000  # bytes of a rules file; a device or a wrong file may never end
ENDINGS = ".toml", ".json"


def find_rules(text: str) -> Rules:
    """The variant that `text` names, or the rules in the file that it is the path of."""
    if text in CATALOG:
        return CATALOG[text]
    if os.path.dirname(text) or text.endswith(ENDINGS) or Path(text).is_file():
        return read_file(text)
    known = f"known are {listed(CATALOG, 'and', quote='')}, or a file that ends in .toml or .json"
    raise CalzaError(f'no rules are called "{text}"; {known}{did_you_mean(legal_name(text), CATALOG, quote="")}')


def read_file(path: str) -> Rules:
    """The rules in a TOML or JSON file."""
    with open(path, "rb") as file:
        content = file.read(MOST + 1)
    if len(content) > MOST:
        raise CalzaError(f"{path}: is larger than {MOST:,} bytes, too large for rules")
    try:
        return read_rules(content.decode(), Path(path).stem)
    except UnicodeDecodeError as error:
        raise CalzaError(f"{path}: is not text in UTF-8") from error
    except RulesError as error:
        raise CalzaError(f"{path}: {error}") from error


class RulesType(click.ParamType[Rules]):
    """Rules as the value of an option or argument."""

    name = "rules"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Rules:
        return value if isinstance(value, Rules) else find_rules(value)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        known = [CompletionItem(name, help=rules.about) for name, rules in CATALOG.items()]
        return [item for item in known if item.value.startswith(incomplete)] or [CompletionItem(incomplete, "file")]


RULES = RulesType()
