"""`calza admin`: what an operator does to an arena, also while it runs.

It writes into the store, as the arena does. On PostgreSQL the arena is told at once; on SQLite it looks once a second
whether somebody else has written.
"""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Sequence
from functools import update_wrapper
from typing import Any

import click

from calza.arena.accounts import Accounts
from calza.arena.clock import RealClock, iso
from calza.arena.errors import ArenaError
from calza.arena.fairness import Signer
from calza.arena.settings import Settings
from calza.arena.store import agents, facts, matches, ratings, waiting
from calza.arena.store.agents import Agent, Key
from calza.arena.store.engines import read_address
from calza.arena.store.matches import Seated
from calza.arena.store.store import Store
from calza.arena.tables import Tables
from calza.rules import CalzaError

from . import Verbs
from .db import there
from .screen import aligned
from .settings import STORE, settings_options, sourced

DIGITS = 8  # of a key's hash that are shown, and that name it
PAGE = 100
LONGEST_TITLE, LONGEST_TEXT = 100, 2000


class AdminError(CalzaError):
    """What cannot be done, and why."""


class Office:
    """An open store, and what is done in it."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self.store, self.settings, self.clock = store, settings, RealClock()
        self.accounts = Accounts(store, self.clock, secrets.token_bytes)

    async def agent(self, who: str) -> Agent:
        """An agent, by its name or its id."""
        found = await self.store.read(lambda db: agents.ByName(who)(db) or agents.ById(who)(db))
        if found is None:
            raise AdminError(f"there is no agent with the name or id {who!r}")
        return found

    async def player(self, who: str) -> Agent:
        """An agent that has keys: neither the house nor a guest."""
        found = await self.agent(who)
        if found.house:
            raise AdminError(f"{found.name} is a house bot; the setting `house` says which of them play")
        if found.guest:
            raise AdminError(f"{found.name} is a guest of the TCP game, which has no key")
        return found

    async def live(self, match: str) -> Seated:
        """A match that is on, by its id or the first letters of it."""
        found = [one for one in await self.store.read(matches.Live()) if one.match.id.startswith(match)]
        if len(found) != 1:
            raise AdminError(f"{len(found) or 'no'} matches that are on have an id that begins with {match!r}")
        return found[0]

    async def tables(self) -> Tables:
        """The matches, to be changed as the arena changes them."""
        secret = await self.store.read(facts.Get("signing key"))
        if secret is None:
            raise AdminError("no arena has run on this store yet")
        signer = Signer(bytes.fromhex(secret))
        return Tables(self.store, self.clock, self.settings, signer, token, self.settings.base)


def token() -> bytes:
    """What tells one write of an action from another."""
    return secrets.token_bytes(16)


@click.group(cls=Verbs)
def admin() -> None:
    """Look after an arena, also while it runs.

    AGENT is the name of an agent or its id.
    """


Do = Callable[..., Awaitable[None]]


def verb(name: str) -> Callable[[Do], click.Command]:
    """A command of `admin` that is called with an open store; what the arena would refuse is one sentence here too."""

    def made(do: Do) -> click.Command:
        def command(config: str | None, data: str | None, db: str | None, **asked: Any) -> None:
            settings = sourced(config, {"data": data, "db": db}).settings
            there(read_address(settings.store))
            try:
                asyncio.run(opened(settings, lambda office: do(office, **asked)))
            except ArenaError as error:
                raise AdminError(error.details) from None

        return admin.command(name)(settings_options(STORE)(update_wrapper(command, do)))

    return made


async def opened(settings: Settings, do: Callable[[Office], Awaitable[None]]) -> None:
    """Do something in the store that the settings name."""
    store = await Store.open(settings.store)
    try:
        await do(Office(store, settings))
    finally:
        await store.close()


# --- agents


@verb("agents")
@click.argument("agent", required=False)
async def list_agents(office: Office, agent: str | None) -> None:
    """List all agents, or show AGENT alone."""
    if agent is not None:
        await show_agent(office, await office.agent(agent))
        return
    found = await office.store.read(agents.Everybody(PAGE))
    rows = []
    while found:
        rows += [(one.id, one.name, model(one), iso(one.created_ms), standing(one)) for one in found]
        found = await office.store.read(agents.Everybody(PAGE, found[-1].id))
    table([("id", "name", "model", "since", "standing"), *rows])


async def show_agent(office: Office, agent: Agent) -> None:
    """Show what is known of an agent."""
    rated, held = await office.store.read(lambda db: (ratings.Of(agent.id)(db), matches.LiveOf(agent.id)(db)))
    lines = [
        ("id", agent.id),
        ("name", agent.name),
        ("model", model(agent)),
        ("since", iso(agent.created_ms)),
        ("owner", agent.owner or "-"),
        ("standing", standing(agent)),
        *(("rating", f"{one.game}, tables of {one.size}: {one.ordinal:.1f} after {one.games} games") for one in rated),
        *(("plays", f"{one.match} ({one.game})") for one in held),
    ]
    table(lines)


def model(agent: Agent) -> str:
    """What somebody runs on; of house bots it is said what they do, at length."""
    return agent.model if agent.model and not agent.house else "-"


def standing(agent: Agent) -> str:
    """Whether somebody may play."""
    if agent.banned_ms is not None:
        return f"banned {iso(agent.banned_ms)}"
    return "house" if agent.house else "claimed" if agent.owner else "plays"


@verb("ban")
@click.argument("agent")
async def ban(office: Office, agent: str) -> None:
    """Let AGENT play no more. Its matches that are on are ended by its clock."""
    who = await office.player(agent)
    await office.store.write(agents.Ban(who.id, office.clock.now_ms()))
    await office.store.write(waiting.Leave(who.id))
    office.accounts.changed(who.id)
    click.echo(f"{who.name} is banned.")


@verb("unban")
@click.argument("agent")
async def unban(office: Office, agent: str) -> None:
    """Let AGENT play again."""
    who = await office.player(agent)
    await office.store.write(agents.Ban(who.id, None))
    office.accounts.changed(who.id)
    click.echo(f"{who.name} may play.")


# --- keys


@verb("keys")
@click.argument("agent")
async def list_keys(office: Office, agent: str) -> None:
    """List the keys of AGENT by the first digits of their SHA-256; the keys themselves are not stored."""
    who = await office.player(agent)
    keys = await office.store.read(agents.KeysOf(who.id))
    rows = [(digits(one), iso(one.created_ms), until(one)) for one in keys]
    table([("key", "since", "until"), *rows])


@verb("new-key")
@click.argument("agent")
@click.option("--only", is_flag=True, help="Revoke all the others: whoever has them is shut out.")
async def give_key(office: Office, agent: str, only: bool) -> None:
    """Give AGENT another key, and print it. An agent has two at most."""
    who = await office.player(agent)
    if only:
        await office.store.write(agents.RevokeKeys(who.id, office.clock.now_ms()))
        office.accounts.changed(who.id)
    click.echo(await office.accounts.rotate(who))


@verb("revoke")
@click.argument("agent")
@click.argument("key")
async def revoke(office: Office, agent: str, key: str) -> None:
    """Revoke a KEY of AGENT, by the first digits that `calza admin keys` shows, or `all`; its sockets are closed."""
    who = await office.player(agent)
    live = [one for one in await office.store.read(agents.KeysOf(who.id)) if one.revoked_ms is None]
    chosen = live if key == "all" else [one for one in live if one.hash.hex().startswith(key.lower())]
    if not chosen or (len(chosen) > 1 and key != "all"):
        raise AdminError(f"{len(chosen) or 'no'} live keys of {who.name} begin with {key!r}")
    for one in chosen:
        await office.store.write(agents.RevokeKey(one.hash, office.clock.now_ms()))
    office.accounts.changed(who.id)
    click.echo(f"revoked: {', '.join(map(digits, chosen))}")


def digits(key: Key) -> str:
    """What a key is called."""
    return key.hash.hex()[:DIGITS]


def until(key: Key) -> str:
    """When a key was revoked."""
    return "-" if key.revoked_ms is None else iso(key.revoked_ms)


# --- matches and announcements


@verb("matches")
async def list_matches(office: Office) -> None:
    """List the matches that are on, oldest first."""
    found = await office.store.read(matches.Live())
    rows = [
        (
            one.match.id,
            one.match.game,
            one.match.lane,
            iso(one.match.created_ms),
            ", ".join(p.name for p in one.players),
        )
        for one in found
    ]
    table([("id", "game", "lane", "since", "players"), *rows])


@verb("abort")
@click.argument("match")
async def abort(office: Office, match: str) -> None:
    """End a MATCH without a winner; the first letters of its id are enough. No rating changes."""
    found = await office.live(match)
    await (await office.tables()).abort(found.match.id)
    click.echo(f"{found.match.id} is aborted.")


@verb("announce")
@click.argument("title")
@click.argument("text", default="")
async def announce(office: Office, title: str, text: str) -> None:
    """Announce something to all agents: it stands in `GET /api/news`."""
    for name, said, most in (("TITLE", title, LONGEST_TITLE), ("TEXT", text, LONGEST_TEXT)):
        if len(said) > most or not all(line.isprintable() for line in said.split("\n")):
            raise AdminError(f"{name}: at most {most} printable characters")
    if not title.strip():
        raise AdminError("TITLE: say what it is about")
    number = await office.store.write(facts.AddNews(office.clock.now_ms(), title, text))
    click.echo(f"announced as number {number}.")


def table(rows: Sequence[tuple[str, ...]]) -> None:
    """Print a table."""
    for line in aligned(rows):
        click.echo(line)
