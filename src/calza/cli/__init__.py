"""The command `calza`: one module a verb.

Not here: the game, its bots and how matches are run; a verb asks for those and prints.
May import: every package of Calza; click at once, rich only where something is drawn in a terminal.
Start reading: `rules.py` (a small verb), `errors.py` (how every verb ends).
Tests: `tests/cli/`.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from io import TextIOWrapper
from typing import Any

import click
from click.shell_completion import shell_complete

from calza.rules.read import did_you_mean

from .errors import status_of

__all__ = ["LazyVerbs", "Verbs", "calza", "main"]

# A verb's module is imported when it is called: `calza rules` should not wait for what `calza simulate` needs.
VERBS = {
    "rules": ("calza.cli.rules:rules", "List the variants, print one, check your own."),
    "play": ("calza.cli.play:play", "Play a game in the terminal."),
    "replay": ("calza.cli.replay:replay", "Watch a recorded match again."),
    "verify": ("calza.cli.verify:verify", "Check every die and action of a match, recorded or online."),
    "simulate": ("calza.cli.simulate:simulate", "Play many games between bots and count who wins."),
    "match": ("calza.cli.match:match", "Let bots play at one table, and say who is better."),
    "tournament": ("calza.cli.tournament:tournament", "Play a competition of many bots, with a report."),
    "check": ("calza.cli.check:check", "Say whether a bot is fit to enter a competition."),
    "serve": ("calza.cli.serve:serve", "Run an arena that agents play in."),
    "connect": ("calza.cli.connect:connect", "Let a bot play online."),
    "admin": ("calza.cli.admin:admin", "Look after an arena: agents, keys, bans, matches, announcements."),
    "db": ("calza.cli.db:db", "Look after the store of an arena: status, upgrade, backup."),
    "export": ("calza.cli.export:export", "Print the finished matches of an arena as JSON lines."),
    "jail": ("calza.cli.jail:jail", "Say what confines foreign bots here, and attack it."),
}

COMPLETE = "_CALZA_COMPLETE"  # where a shell says that it wants words completed


class Verbs(click.Group):
    """A group of commands that prints its help when nothing is asked of it, and names the nearest command."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help())
            ctx.exit()
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        known = self.list_commands(ctx)
        if args[0] not in known and not args[0].startswith("-") and not ctx.resilient_parsing:
            hint = did_you_mean(args[0], known, quote="") or f"; {ctx.command_path} --help lists them"
            raise click.UsageError(f"no such command {args[0]}{hint}", ctx)
        return super().resolve_command(ctx, args)


class LazyVerbs(Verbs):
    """Those of `verbs` whose modules are there, by name: where each is, and its line in the help."""

    def __init__(self, *args: Any, verbs: Mapping[str, tuple[str, str]], **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.verbs = verbs

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [verb for verb, (target, _) in self.verbs.items() if find_spec(target.partition(":")[0])]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        module, _, command = self.verbs[cmd_name][0].partition(":")
        found: click.Command = getattr(import_module(module), command)
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(verb, self.verbs[verb][1]) for verb in self.list_commands(ctx)])


@click.group(cls=LazyVerbs, verbs=VERBS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="calza", message="calza %(version)s")
def calza() -> None:
    """Liar's Dice: rules, a table to play at, bots, and matches anybody can check."""


def main(args: Sequence[str] | None = None) -> int:
    """Run one command line; returns its exit status."""
    words = list(sys.argv[1:] if args is None else args)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a letter that the terminal cannot show is no reason to stop
            stream.reconfigure(errors="backslashreplace")
    return status_of(lambda: run(words))


def run(args: list[str]) -> None:
    """Run the command that `args` name, or complete what a shell has of it so far."""
    if instruction := os.environ.get(COMPLETE):
        raise click.exceptions.Exit(shell_complete(calza, {}, "calza", COMPLETE, instruction))
    # Not `calza.main(args)`, which ends the process by itself when a pipe is closed or Ctrl-C is pressed.
    with calza.make_context("calza", args) as context:
        calza.invoke(context)
