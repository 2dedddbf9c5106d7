"""The settings of an arena as options of a command."""

import os
from collections.abc import Callable, Iterable
from typing import Any

import click
from msgspec import Meta

from calza.arena.settings import Settings
from calza.arena.sources import DEFAULTS, FILE, NAMES, Sourced, gather, option, shown, variable

STORE = ("data", "db")  # all that a command needs which only looks into the store
KINDS = {int: "N", float: "SECONDS", tuple: "WORDS"}
WORDS = {
    "data": "FOLDER",
    "db": "URL",
    "port": "PORT",
    "tcp": "PORT",
    "host": "ADDRESS",
    "public_url": "URL",
    "house": "BOTS",
    "proxies": "ADDRESSES",
}


def settings_options(names: Iterable[str] = NAMES) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator that gives a command the options of these settings; `sourced` reads them."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        for name in reversed(list(names)):
            command = option_of(name)(command)
        help = f"A TOML file of settings  [default: {FILE}, if there is one]"
        return click.option("--config", metavar="FILE", help=help)(command)

    return add


def option_of(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The option of one setting. What it says is judged with all other sources, not here."""
    default, word, about = DEFAULTS[name], option(name), about_of(name)
    if isinstance(default, bool):
        return click.option(f"{word}/--no-{word[2:]}", name, default=None, help=about)
    help = f"{about}  [default: {shown(name, default)}]" if default not in (None, "") else about
    return click.option(word, name, metavar=WORDS.get(name, KINDS.get(type(default), "WORD")), help=help)


def about_of(name: str) -> str:
    """What a setting is for."""
    return next(one.description or "" for one in reversed(Settings.__annotations__[name].__metadata__) if is_about(one))


def is_about(one: Any) -> bool:
    """Whether this note on a type is for readers."""
    return isinstance(one, Meta) and one.description is not None


def sourced(config: str | None, options: dict[str, Any]) -> Sourced:
    """The settings that apply to a command."""
    return gather(options, os.environ, config)


def page() -> str:
    """The reference of all settings, in Markdown."""
    lines = [
        "# Settings",
        "",
        "Every setting of an arena. An option counts for more than a variable, and that for more than a line of",
        f"`{FILE}` in the folder where the arena is started, or of the file that `--config` names.",
        "`calza serve --show-settings` says what applies, and where it came from.",
        "",
        "| in TOML | option | variable | default | |",
        "| --- | --- | --- | --- | --- |",
    ]
    for name in NAMES:
        default = f"`{shown(name, DEFAULTS[name])}`" if DEFAULTS[name] not in (None, "", ()) else ""
        lines.append(f"| `{name}` | `{option(name)}` | `{variable(name)}` | {default} | {about_of(name)} |")
    return "\n".join(lines) + "\n"
