"""`calza connect`: a bot plays online."""

import asyncio
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from calza.agents.entry import Entry

from .check import entry_of

if TYPE_CHECKING:
    from calza.client.events import Tell
    from calza.client.session import Session, Wish

SERVER = "http://127.0.0.1:8000"
PATIENCE = 5.0  # seconds that an arena may be away before it is told


@click.command()
@click.option("--server", metavar="URL", default=SERVER, show_default=True, help="The arena.")
@click.option("--name", required=True, help="What the bot is called there.")
@click.option(
    "--agent", "bot", metavar="BOT", required=True, help="mybot.py, module:Class, cmd:node bot.js, or cautious."
)
@click.option("--game", default="liars-dice", show_default=True, help="What to play.")
@click.option("--players", metavar="N", type=click.IntRange(2, 6), default=2, show_default=True, help="At a table.")
@click.option("--lane", type=click.Choice(["fast", "standard"]), help="Time for a turn  [default: fast]")
@click.option("--opponents", type=click.Choice(["any", "agents"]), default="any", show_default=True)
@click.option("--matches", metavar="N", type=click.IntRange(1), help="How many, then leave  [default: no end]")
@click.option("--model", help="The language model that plays, if one does; set once for ever.")
@click.option("--http", is_flag=True, help="Open no sockets.")
@click.option("--isolation", type=click.Choice(["process", "jail"]), help="Where the bot runs  [default: process]")
@click.option("--log", type=click.Path(path_type=Path, dir_okay=False), help="Where its standard error goes.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON line for everything that happens.")
def connect(
    server: str,
    name: str,
    bot: str,
    game: str,
    players: int,
    lane: str | None,
    opponents: str,
    matches: int | None,
    model: str | None,
    http: bool,
    isolation: Any,
    log: Path | None,
    as_json: bool,
) -> None:
    """Let a bot play at an arena, match after match.

    The first time NAME is registered there, and its key kept in ~/.config/calza/keys.json. Ctrl-C leaves the queue, or
    finishes the match; twice, it leaves at once, and the match can be gone on with by the same command.
    """
    from calza.client.session import Wish

    from .online import Told

    entry = entry_of(bot, isolation)
    wish = Wish(game=game, lane=lane or "fast", players=players, opponents=opponents, matches=matches, http=http)
    if status := asyncio.run(online(server, name, model, entry, log or log_of(name), wish, Told(as_json))):
        raise click.exceptions.Exit(status)


async def online(server: str, name: str, model: str | None, entry: Entry, log: Path, wish: "Wish", tell: "Tell") -> int:
    """Sign in and play; the exit status."""
    from calza.client import AsyncClient, Retry
    from calza.client.account import sign_in
    from calza.client.keys import Keys
    from calza.client.position import rules_of
    from calza.client.session import Session

    async with AsyncClient(server, retry=Retry(patience=PATIENCE)) as client:
        rules = rules_of(await client.game(wish.game))
        agent = await sign_in(client, name, model, Keys(), tell)
        log.parent.mkdir(parents=True, exist_ok=True)
        return await until_stopped(Session(client, agent, rules, entry, log, wish, tell))


async def until_stopped(session: "Session") -> int:
    """Play until it is enough, or a signal comes; after a second one at once. The exit status is the signal's."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task
    status = 0

    def stop(number: int) -> None:
        nonlocal status
        status = 128 + number
        if session.stopping:
            task.cancel()
        else:
            session.stop()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop, number)
    try:
        await session.run()
    except asyncio.CancelledError:
        if not status:
            raise
    return status


def log_of(name: str) -> Path:
    """Where a bot's standard error goes when nobody says."""
    from calza.client.keys import home

    return home("XDG_STATE_HOME", ".local/state") / "logs" / f"{''.join(s if s.isalnum() else '_' for s in name)}.log"
