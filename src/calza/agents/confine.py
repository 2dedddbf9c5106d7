"""Foreign bots, confined: the level that was asked for, or an error; never less.

>>> launch = confine(["./bot"], Path("bots/alice"), "jail")
>>> bot = launch.start(stdin=PIPE, stdout=PIPE)
>>> launch.kill(bot)
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from . import needs
from .jail import Mechanism, jailed
from .launch import JailError, Launch, environment, searched, tied
from .limits import Limits
from .probe import available, refusal

Level = Literal["process", "jail"]  # trusted to mean no harm, and no more than that; or not at all


def confine(
    argv: Sequence[str],
    folder: Path,
    level: Level,
    limits: Limits = Limits(),  # noqa: B008 - frozen
    *,
    mechanism: Mechanism | None = None,
    reads: Sequence[Path] = (),
) -> Launch:
    """How to start `argv` in `folder` so that `level` holds; JailError if it does not on this machine.

    A jailed bot reads its folder and the paths in `reads`, and writes to neither: else two bots of one folder could
    whisper. `mechanism` asks for one kind of jail; else it is the best that holds.
    """
    if sys.platform != "linux":
        raise JailError("a bot gets a process of its own on Linux only; elsewhere Python bots play inline")
    if level == "process":
        return apart(argv, folder, limits)
    chosen, why = tried(mechanism) if mechanism else available()
    if not chosen:
        raise JailError(f"no jail holds on this machine: {why}")
    return jailed(argv, folder, limits, chosen, reads)


def tried(mechanism: Mechanism) -> tuple[Mechanism | None, str]:
    """`mechanism` if it holds here, with the reason if not."""
    why = refusal(mechanism)
    return (None, f"{mechanism}: {why}") if why else (mechanism, "")


def apart(argv: Sequence[str], folder: Path, limits: Limits) -> Launch:
    """A process of its own, with limits."""
    folder = folder.resolve()
    program = needs.program(argv[0], folder)
    env = environment([str(program.parent), *searched()], folder, limits)
    return Launch((str(program), *argv[1:]), env, folder, tied(limits), "process", limits)
