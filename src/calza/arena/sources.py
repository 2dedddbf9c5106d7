"""Where settings come from: an option counts for more than a CALZA_ variable, and that for more than a TOML file."""

import ipaddress
import re
import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from calza.agents.house import parse_agent
from calza.rules import CalzaError
from calza.rules.read import did_you_mean, uncapital

from .settings import Settings
from .store.engines import read_address

PREFIX = "CALZA_"
FILE = "calza.toml"  # read where the arena is started, if it is there
MOST = 100_000  # bytes of such a file
NAMES = Settings.__struct_fields__
DEFAULTS = {name: getattr(Settings(), name) for name in NAMES}
TABLE = 6  # the most that sit at one
WRITTEN = re.compile(r"[!-~]+").fullmatch  # an address: no spaces, and nothing that would have to be escaped


class SettingsError(CalzaError):
    """A setting that cannot be."""


class Sourced(Struct, frozen=True):
    """Settings, and where each of them came from."""

    settings: Settings
    sources: dict[str, str]


def gather(options: Mapping[str, Any], environ: Mapping[str, str], file: str | None = None) -> Sourced:
    """The settings that apply; SettingsError says which of them cannot be, and where it was set.

    `options` are those that were given, by name; `file` is one that must be there, without it FILE is read if it is.
    """
    said: dict[str, tuple[Any, str]] = {}
    said |= {name: (value, str(path)) for path in files(file) for name, value in of_file(path).items()}
    said |= {name: (value, variable(name)) for name, value in of_environ(environ).items()}
    said |= {name: (value, option(name)) for name, value in options.items() if value is not None}
    values = {name: taken(name, value, source) for name, (value, source) in said.items()}
    return Sourced(Settings(**values), {name: said[name][1] if name in said else "default" for name in NAMES})


def option(name: str) -> str:
    """The option of a setting."""
    return "--" + name.replace("_", "-")


def files(named: str | None) -> list[Path]:
    """The file that is read, if there is one."""
    return [Path(named)] if named else [path for path in [Path(FILE)] if path.is_file()]


def of_file(path: Path) -> dict[str, Any]:
    """What a TOML file sets; its keys may be written with hyphens."""
    with path.open("rb") as file:
        text = file.read(MOST + 1)
    if len(text) > MOST:
        raise SettingsError(f"{path}: this is too long for settings")
    try:
        said = tomllib.loads(text.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: this is not TOML: {error}") from None
    for name in said:
        if plain(name) not in NAMES:
            raise SettingsError(f"{path}: there is no setting {name!r}{did_you_mean(plain(name), NAMES, quote='')}")
    return {plain(name): value for name, value in said.items()}


def plain(name: str) -> str:
    """The name of a setting as it is written in Python."""
    return name.replace("-", "_")


def of_environ(environ: Mapping[str, str]) -> dict[str, str]:
    """What variables set. Others may begin with CALZA_ too; only one that looks misspelt is refused."""
    said = {one[len(PREFIX) :].lower(): value for one, value in environ.items() if one.startswith(PREFIX)}
    for name in said:
        if name not in NAMES and (near := get_close_matches(name, NAMES, 1)):
            raise SettingsError(f"there is no {variable(name)}; did you mean {variable(near[0])}?")
    return {name: value for name, value in said.items() if name in NAMES}


def variable(name: str) -> str:
    """The variable of a setting."""
    return PREFIX + name.upper()


def taken(name: str, value: Any, source: str) -> Any:
    """A value as its setting wants it; options and variables are words, with commas between those of a list."""
    kind = Settings.__annotations__[name]
    try:
        if isinstance(value, str) and isinstance(DEFAULTS[name], tuple):
            value = [one.strip() for one in value.split(",") if one.strip()]
        fitting = msgspec.convert(value, kind, strict=not isinstance(value, str))
        check(name, fitting)
    except (msgspec.ValidationError, CalzaError) as error:
        raise SettingsError(f"{source}: {uncapital(str(error).replace('`', '').partition(' - at ')[0])}") from None
    return fitting


def check(name: str, value: Any) -> None:
    """What a type cannot say."""
    if name == "house" and len({str(parse_agent(spec)) for spec in value}) < max(TABLE - 1, len(value)):
        raise SettingsError(f"{TABLE - 1} house bots or more, no two alike: a table of {TABLE} may need them")
    if name == "db" and value:
        read_address(value)
    if name == "public_url" and value:
        check_url(value)
    if name == "proxies":
        for one in value:
            check_network(one)


def check_url(text: str) -> None:
    """The address of an arena: agents put what they ask for right behind it, whatever its path was."""
    try:
        at = urlsplit(text)
        port = at.port
    except ValueError:
        at, port = urlsplit(""), 0
    plain = f"{at.scheme}://{at.netloc}"
    if at.scheme not in ("http", "https") or not at.hostname or port == 0 or "@" in at.netloc or not WRITTEN(text):
        raise SettingsError(f"agents cannot use {text}; write an address like https://arena.example")
    if text.rstrip("/") != plain:
        raise SettingsError(f"agents cannot use {text}: an arena is at the root of its address; write one like {plain}")


def check_network(text: str) -> None:
    """An address, or a network like 10.0.0.0/8."""
    try:
        ipaddress.ip_network(text, strict=False)
    except ValueError:
        raise SettingsError(f"{text} is no address and no network; write one like 127.0.0.1 or 10.0.0.0/8") from None


def shown(name: str, value: Any) -> str:
    """A value as it is printed; a password is not."""
    if name == "db" and value:
        return read_address(value).shown
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(value) if isinstance(value, tuple) else "" if value is None else str(value)
