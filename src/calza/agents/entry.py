"""What may play: a house bot, a class, a file, a command; and how it gets to its seat."""

import os
import shlex
import sys
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Literal, Protocol

import msgspec
from msgspec import Struct

import calza
from calza.matches.host import Player
from calza.rules import AgentFault

from . import needs
from .confine import confine
from .house import HOUSE, AgentError, HouseAgent, parse_agent
from .inline import InlinePlayer
from .jail import Mechanism
from .launch import Launch
from .limits import Limits
from .load import LoadError, load_class, make_agent, split
from .process import BotProcess

Isolation = Literal["inline", "process", "jail"]  # trusted as ourselves, to mean no harm, or not at all
Kind = Literal["house", "module", "file", "command"]
USUAL: dict[Kind, Isolation] = {"house": "inline", "module": "inline", "file": "process", "command": "process"}
LIMITS = Limits()
OURS = [Path(file).parents[1] for file in (calza.__file__, msgspec.__file__)]
# Where we are is said: a bot's HOME is its own folder, and Python would look there for what a user has installed.
PLACES = list(map(str, OURS))
WORKER = f"import sys; sys.path += {PLACES}; from calza.agents.worker import main; sys.exit(main(sys.argv[1]))"


class Seated(Player, Protocol):
    """A player that holds something which must be given back."""

    def close(self) -> None:
        """Give it back."""


class Entry(Struct, frozen=True):
    """One entrant: what it is called, what it is, where it runs, and what it may use up there."""

    name: str
    text: str
    kind: Kind
    isolation: Isolation
    limits: Limits = LIMITS
    folder: str = ""  # from which its files are looked for; empty for the current one

    @property
    def inline(self) -> bool:
        """Whether it runs in the host's process."""
        return self.isolation == "inline"


def parse_entry(
    text: str, name: str = "", isolation: Isolation | None = None, folder: Path | str = "", limits: Limits = LIMITS
) -> Entry:
    """An entrant from its text: `cautious`, `package.module:Class`, `mybot.py`, `cmd:node bot.js`.

    House bots are ours and always play inline; `isolation` is for all others. Files are looked for from `folder`.
    """
    text = text.strip()
    kind = kind_of(text)
    match kind:
        case "house":
            parse_agent(text)
            isolation = "inline"
        case "file":
            check_file(text, folder)
        case "module" if Path(folder, text).is_file():
            raise AgentError(f"{text} is no bot: a program is written with what runs it, such as cmd:node bot.js")
        case "command":
            words_of(text)
            if isolation == "inline":
                raise AgentError(f"{text} is a command, and no command plays inline")
    return Entry(name or short_name(text, kind), text, kind, isolation or USUAL[kind], limits, str(folder))


# --- what a text names


def kind_of(text: str) -> Kind:
    """What a text names."""
    where, name = split(text)
    if text.startswith("cmd:"):
        return "command"
    if where.endswith(".py"):
        return "file"
    if os.sep in text:
        raise AgentError(f"{text} is no bot: a Python file ends in .py, and a program is written cmd:{text}")
    head = text.partition(":")[0]
    if head not in HOUSE and ("." in head or (head.isidentifier() and name.isidentifier())):
        return "module"
    return "house"


def short_name(text: str, kind: Kind) -> str:
    """What an entrant is called when nobody says."""
    where, name = split(text)
    match kind:
        case "house":
            return text
        case "command":
            words = words_of(text)
            return Path(next((word for word in reversed(words) if not word.startswith("-")), words[0])).name
        case "file":
            return name or Path(where).stem
    return name or where.rpartition(".")[2]


def check_file(text: str, folder: Path | str) -> None:
    """AgentError for a file that is not there."""
    path = Path(folder, split(text)[0])
    if path.is_file():
        return
    there = [one.name for one in path.parent.glob("*.py")] if path.parent.is_dir() else []
    near = get_close_matches(path.name, there, 1)
    raise AgentError(f"there is no file {path}{f'; did you mean {path.with_name(near[0])}?' if near else ''}")


def words_of(text: str) -> list[str]:
    """The words of `cmd:node bot.js`."""
    try:
        words = shlex.split(text.removeprefix("cmd:"))
    except ValueError as error:
        raise AgentError(f"{text} cannot be split into words: {str(error).lower()}") from None
    if not words or not words[0]:
        raise AgentError("cmd: needs a command, such as cmd:node bot.js")
    return words


def files_of(entry: Entry) -> list[Path]:
    """The files that an entrant's text names: if one of them changes, so may its play."""
    if entry.kind == "file":
        return [Path(entry.folder, split(entry.text)[0])]
    named = [Path(entry.folder, word) for word in words_of(entry.text)] if entry.kind == "command" else []
    return [path for path in named if path.is_file()]


# --- how it starts


def check_entry(entry: Entry) -> None:
    """Raise before a tournament what would fail in every match: AgentError, LoadError or JailError."""
    match entry:
        case Entry(kind="house"):
            parse_agent(entry.text)
        case Entry(isolation="inline"):
            inline_class(whole_text(entry))
        case _:
            launch_of(entry)


def seat(entry: Entry, log: Path, seed: int) -> Seated:
    """A player for `entry`; `seed` is for its chance, `log` for what its process says on standard error.

    AgentFault when the bot cannot be started; JailError when this machine cannot hold it as it should.
    """
    if entry.kind == "house":
        return InlinePlayer(HouseAgent(parse_agent(entry.text), seed))
    if entry.inline:
        try:
            return InlinePlayer(make_agent(inline_class(whole_text(entry)), entry.text))
        except LoadError as error:
            raise AgentFault("crash", error.why, error.detail) from None
    try:
        launch = launch_of(entry)
    except needs.NoProgram as error:
        raise AgentFault("crash", str(error)) from None
    return BotProcess(launch, log, seed)


@lru_cache(maxsize=256)
def inline_class(text: str) -> type:
    """The class of an inline entrant, loaded once a process."""
    return load_class(text)


def launch_of(entry: Entry, mechanism: Mechanism | None = None) -> Launch:
    """How an entrant's process is started: in the folder where its own file is, if in a jail by `mechanism`."""
    level = entry.isolation
    assert level != "inline"
    if entry.kind == "command":
        words, folder = command(words_of(entry.text), Path(entry.folder).absolute())
        return confine(words, folder, level, entry.limits, mechanism=mechanism)
    text = whole_text(entry)
    folder = Path(split(text)[0]).parent if entry.kind == "file" else Path(entry.folder).absolute()
    # -P: a bot beside ours that is called random.py would else be imported for Python's own.
    words = [sys.executable, "-P", "-c", WORKER, text]
    return confine(words, folder, level, entry.limits, mechanism=mechanism, reads=OURS)


def whole_text(entry: Entry) -> str:
    """The text with the whole path of its file."""
    if entry.kind != "file":
        return entry.text
    where, name = split(entry.text)
    path = str(Path(entry.folder, where).absolute())
    return f"{path}:{name}" if name else path


def command(words: list[str], folder: Path) -> tuple[list[str], Path]:
    """A command and the folder it runs in: that of the first file among its words, an installed program apart."""
    named = [folder / word for word in words[1:] if (folder / word).is_file()]
    program = folder / words[0]
    if os.sep in words[0] and program.parent.name != "bin":
        named.append(program)
    if not named or named[0].parent == folder:
        return words, folder
    return [seen_from(folder, word) for word in words], named[0].parent


def seen_from(folder: Path, word: str) -> str:
    """A word that names a file in `folder`, for a command that runs somewhere else."""
    path = folder / word
    return str(path) if os.sep in word and path.exists() else word
