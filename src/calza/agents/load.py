"""From what an author writes to a class: `package.module:Class`, `mybot.py`, `mybot.py:Class`."""

import importlib
import importlib.util
import inspect
import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from calza.rules import CalzaError

from .players import MovePlayer, is_player, provide_base
from .protocol import printable, sayable


class LoadError(CalzaError):
    """A bot cannot be loaded; `detail` has the author's traceback."""

    def __init__(self, why: str, detail: str = "") -> None:
        super().__init__(why)
        self.why, self.detail = why, detail

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.why, self.detail)


def load_agent(text: str) -> Any:
    """An agent made from the class that `text` names."""
    return make_agent(load_class(text), text)


def make_agent(kind: type, text: str) -> Any:
    """A new agent of a class."""
    if is_player(kind):
        return MovePlayer(kind)
    try:
        return kind()
    except (Exception, SystemExit) as error:
        raise LoadError(f"{text}: {kind.__name__}() failed with {told(error)}", author_trace(error)) from None


def load_class(text: str) -> type:
    """The agent's class."""
    where, name = split(text)
    module = load_file(Path(where)) if where.endswith(".py") else load_module(where)
    where = Path(where).name
    if name:
        return named(module, where, name)
    kinds = agents_in(module)
    if not kinds:
        raise LoadError(f"{where} has no class with a method act(self, view)")
    if len(kinds) > 1:
        choice = " or ".join(f"{where}:{one.__name__}" for one in kinds)
        raise LoadError(f"{where} has several agents: write {choice}")
    return kinds[0]


def split(text: str) -> tuple[str, str]:
    """The file or module, and the class if one is named."""
    where, colon, name = text.rpartition(":")
    return (where, name) if colon and not text.endswith(".py") else (text, "")


def named(module: ModuleType, where: str, name: str) -> type:
    """The class of that name."""
    kind = getattr(module, name, None)
    if kind is None:
        there = [one.__name__ for one in agents_in(module)]
        near = get_close_matches(name, there, 1)
        hint = f"did you mean {near[0]}?" if near else f"it has {', '.join(there) or 'no agent at all'}"
        raise LoadError(f"{where} has no class {name}; {hint}")
    if not is_agent(kind):
        raise LoadError(f"{name} in {where} is no agent: it needs a method act(self, view)")
    return cast("type", kind)


def agents_in(module: ModuleType) -> list[type]:
    """The classes of agents that a module defines; of a family only the youngest."""
    own: list[type] = [one for one in vars(module).values() if is_agent(one) and one.__module__ == module.__name__]
    return [one for one in own if not any(one is not other and issubclass(other, one) for other in own)]


def is_agent(one: object) -> bool:
    """Whether something is a class of agents, ours or with `move`."""
    if not inspect.isclass(one) or inspect.isabstract(one):
        return False
    return callable(getattr(one, "act", None)) or is_player(one)


def load_file(path: Path) -> ModuleType:
    """The module of a file, with its folder to import from."""
    path = path.resolve()
    if not path.is_file():
        raise LoadError(f"there is no file {path.name} in {path.parent}")
    name = f"calza_bot_{path.stem}_{sha256(os.fsencode(path)).hexdigest()[:8]}"  # two files may have one name
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # where pickle and dataclasses look for it
    with neighbours(path.parent):
        try:
            spec.loader.exec_module(module)
        except (Exception, SystemExit) as error:
            raise LoadError(f"{path.name} cannot be loaded: {told(error)}", author_trace(error)) from None
    return module


@contextmanager
def neighbours(folder: Path) -> Iterator[None]:
    """Import from `folder` first; its modules are forgotten afterwards, for the next bot may call its own the same."""
    sys.modules.pop("player", None)
    if not (folder / "player.py").exists():
        provide_base()
    before = set(sys.modules)
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        if str(folder) not in sys.path:
            sys.path.append(str(folder))  # for what is imported in the middle of a match
        for name in set(sys.modules) - before:
            if Path(getattr(sys.modules[name], "__file__", None) or "/").is_relative_to(folder):
                del sys.modules[name]


def load_module(name: str) -> ModuleType:
    """A module of the current folder, or an installed one."""
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name and f"{name}.".startswith(f"{error.name}."):
            raise LoadError(f"there is no module {error.name} here or installed") from None
        raise LoadError(f"{name} cannot be loaded: {told(error)}", author_trace(error)) from None
    except (Exception, SystemExit) as error:
        raise LoadError(f"{name} cannot be loaded: {told(error)}", author_trace(error)) from None


def told(error: BaseException) -> str:
    """An author's error in one line, with its place."""
    try:
        said = printable(str(error).partition("\n")[0][:200])
    except Exception:
        said = "(which cannot be printed)"
    kind = type(error).__name__
    if isinstance(error, SyntaxError) or not (frames := author_frames(error)):
        return f"{kind}: {said}" if said else kind  # a SyntaxError says where by itself
    libraries = (sys.prefix, sys.base_prefix)
    last = [one for one in frames if not one.filename.startswith(libraries)] or frames
    return f"{kind}: {said} ({Path(last[-1].filename).name}, line {last[-1].lineno})"


def author_trace(error: BaseException) -> str:
    """The traceback from the author's first line on: ours is nobody's business."""
    return sayable("".join([*traceback.format_list(author_frames(error)), *traceback.format_exception_only(error)]))


def author_frames(error: BaseException) -> list[traceback.FrameSummary]:
    """Where it happened, without what is ours or Python's way of importing."""
    ours = (str(Path(__file__).parents[1]), "<frozen ")
    return [one for one in traceback.extract_tb(error.__traceback__) if not one.filename.startswith(ours)]
