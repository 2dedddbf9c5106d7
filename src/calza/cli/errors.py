"""How a command ends: with what it did, or with exit status 2 and one sentence on standard error.

Ctrl-C ends it with 130, as shells expect. A reader that has gone away (`calza rules show x | head -1`) ends it silently
with 141, the status of a program that SIGPIPE stopped.
"""

import os
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from traceback import walk_tb

import click

from calza.rules import CalzaError
from calza.rules.read import uncapital

KIND = re.compile(r"a valid (integer|float)(?: range)?\b")  # so click calls what people call a number
KINDS = {"integer": "a whole number", "float": "a number"}
MARK = "\N{REPLACEMENT CHARACTER}"
DONE, WRONG, INTERRUPTED, UNREAD = 0, 2, 130, 141
EXTRAS = {"sim": "sim", "tournament": "tournament", "arena": "arena", "client": "arena"}  # what a room needs


def status_of(command: Callable[[], object]) -> int:
    """Do `command` and return the exit status; what is wrong is said in one sentence."""
    try:
        status = finished(command)
        if sys.stdout:
            sys.stdout.flush()  # here, where a full disk can still be told
        return status
    except BrokenPipeError:
        status = UNREAD
    except (KeyboardInterrupt, click.Abort):
        status = INTERRUPTED
    except (CalzaError, click.ClickException, OSError, ModuleNotFoundError) as error:
        status = WRONG
        with suppress(OSError):  # nobody may be there to read it
            click.echo(f"calza: {sentence(error)}", err=True)
    abandon_unwritten()
    return status


def finished(command: Callable[[], object]) -> int:
    """Do `command`; the status is the one that it chose."""
    try:
        command()
    except click.exceptions.Exit as done:
        return done.exit_code
    return DONE


def abandon_unwritten() -> None:
    """Drop output that cannot be written, or Python complains about it once more on its way out."""
    try:
        if sys.stdout:
            sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def sentence(error: BaseException) -> str:
    """What is wrong, on one line, to follow `calza:`."""
    match error:
        case click.NoSuchOption(option_name=option, possibilities=near):
            said = f"no such option {option}" + (f"; did you mean {near[0]}?" if near else "")
        case click.ClickException():
            said = KIND.sub(lambda kind: KINDS[kind[1]], uncapital(error.format_message()))
        case ModuleNotFoundError(name=str(module)):
            said = f"this needs {module}, which is not installed"
            said += f': pip install "calza[{extra}]"' if (extra := extra_of(error)) else ""
        case OSError(strerror=str(why)):
            said = uncapital(why) if error.filename is None else f"{error.filename}: {uncapital(why)}"
        case _:
            said = str(error)
    # A file or a server may have put its own words into it: they must not command the terminal.
    return "".join(sign if sign.isprintable() else MARK for sign in " ".join(said.split())).rstrip(".")


def extra_of(error: ModuleNotFoundError) -> str:
    """The extra that brings what is missing: that of the room that asked for it."""
    if error.name == "ray":
        return "cluster"
    asking = [frame.f_globals.get("__name__", "").split(".") for frame, _ in walk_tb(error.__traceback__)]
    rooms = [EXTRAS[name[1]] for name in asking if name[0] == "calza" and name[1:] and name[1] in EXTRAS]
    return rooms[-1] if rooms else ""
