"""Tables that people fill as they like: with house bots of a chosen strength, and with whoever has the link.

Whoever opened a table begins it. It becomes a match like any other, which people have a turn's time to come to.
"""

from collections.abc import Sequence

from calza.rules import CATALOG

from .accounts import Accounts
from .clock import Clock
from .errors import ArenaError, StoreFault
from .keys import Draw, new_id
from .lobby import Lobby, known, rated
from .people import called
from .store import invitations, matches
from .store.agents import Agent
from .store.invitations import Chair, Filling, Invitation
from .store.matches import Joining
from .store.store import Store

LANE = "people"
LARGEST = 6  # seats of a table
MOST = 5  # matches that somebody plays, and tables that somebody keeps open, at a time
LIFE_MS = 24 * 3_600_000  # of a table that nobody begins
AGAIN_MS = 10_000  # after which a table is begun again whose match could not be opened
# How strong a house bot is, in a word, and who plays so: nobody sits twice at a table, so each word has enough.
STRENGTHS = {
    "easy": ("honest", "cautious:call=0.6", "cautious:call=0.1", "believer", "random"),
    "steady": ("cautious", "cautious:call=0.3", "cautious:call=0.4", "cautious:call=0.25", "cautious:call=0.45"),
    "sly": ("bluffer", "listener", "bluffer:bluff=0.1", "listener:call=0.3", "bluffer:call=0.3"),
}


class Invitations:
    """All tables that are being filled."""

    def __init__(self, store: Store, clock: Clock, draw: Draw, accounts: Accounts, lobby: Lobby) -> None:
        self.store, self.clock, self.draw = store, clock, draw
        self.accounts, self.lobby = accounts, lobby

    # --- a match at once

    async def play(self, host: Agent, game: str, strengths: Sequence[str], *, counts: bool = True) -> str:
        """A match of somebody against house bots; returns its id."""
        check(game, 1 + len(strengths))
        await self.check_held(host)
        return await self.open(game, [host, *await self.bots(strengths)], counts=counts)

    async def open(self, game: str, players: Sequence[Agent], *, counts: bool) -> str:
        """A match; it is rated if it `counts` and nobody at the table is a guest."""
        joining = [Joining(one.id, called(one), one.id, one.house, queued=False) for one in players]
        match = await self.lobby.open_match(game, LANE, joining, rated=counts and rated(players))
        if match is None:
            raise StoreFault
        return match

    async def bots(self, strengths: Sequence[str], taken: Sequence[str] = ()) -> list[Agent]:
        """House bots that play as these words say, none of them twice or of those that are `taken`."""
        specs: list[str] = []
        for word in strengths:
            if word not in STRENGTHS:
                raise ArenaError(400, "invalid_input", f"a house bot is {', '.join(STRENGTHS)}")
            specs.append(next(spec for spec in STRENGTHS[word] if spec not in specs and spec not in taken))
        return await self.accounts.house(tuple(specs))

    async def check_held(self, agent: Agent) -> None:
        """Nobody begins more and more matches and ends none."""
        if len(await self.store.read(matches.LiveOf(agent.id))) >= MOST:
            raise ArenaError(
                409, "too_many_matches", f"you play {MOST} matches already; end or resign one of them first"
            )

    # --- a table that fills

    async def invite(self, host: Agent, game: str, size: int, strengths: Sequence[str], *, counts: bool = True) -> str:
        """A table with some house bots at it and free chairs for others; returns its code."""
        check(game, size)
        if 1 + len(strengths) > size:
            raise ArenaError(400, "invalid_input", "more sit at this table than it has chairs")
        await self.check_held(host)
        now = self.clock.now_ms()
        if await self.store.read(invitations.HostedBy(host.id, now)) >= MOST:
            raise ArenaError(409, "too_many_tables", f"you keep {MOST} tables open already; begin one of them first")
        code = new_id(self.draw)
        sitting = tuple(chair(one, now) for one in [host, *await self.bots(strengths)])
        table = Invitation(code, host.id, game, size, created_ms=now, expires_ms=now + LIFE_MS, counts=counts)
        await self.store.write(invitations.Invite(table, sitting))
        return code

    async def look(self, code: str) -> Filling:
        """A table."""
        found = await self.store.read(invitations.ByCode(code, self.clock.now_ms()))
        if found is None:
            raise ArenaError(404, "table_not_found", "there is no such table, or nobody began it in time")
        return found

    async def sit(self, code: str, agent: Agent) -> Filling:
        """Somebody sits down."""
        await self.look(code)
        if why := await self.store.write(invitations.Sit(code, chair(agent, self.clock.now_ms()))):
            raise full() if why == "full" else begun()
        return await self.look(code)

    async def stand_up(self, code: str, agent: str) -> Filling:
        """Somebody leaves, or is asked to."""
        table = (await self.look(code)).table
        if table.begun_ms is not None:
            raise begun()
        if table.host == agent:
            raise ArenaError(409, "host_stays", "whoever opened a table stays at it")
        await self.store.write(invitations.StandUp(code, agent))
        return await self.look(code)

    async def seat_bot(self, code: str, strength: str) -> Filling:
        """A house bot sits down."""
        filling = await self.look(code)
        if not filling.free:
            raise full()
        [bot] = await self.bots([strength], [one.house for one in filling.chairs])
        return await self.sit(code, bot)

    async def begin(self, code: str, strength: str = "") -> str:
        """The match begins; free chairs are filled with house bots of a strength. Returns its id."""
        filling = await self.look(code)
        while filling.free and strength and filling.table.begun_ms is None:
            filling = await self.seat_bot(code, strength)
        if filling.free:
            raise ArenaError(409, "table_not_full", "not every chair is taken; wait, or fill them with house bots")
        if filling.table.match is not None:
            return filling.table.match
        if not await self.store.write(invitations.Begin(code, self.clock.now_ms(), AGAIN_MS)):
            raise ArenaError(409, "table_begun", "this table is just beginning")
        players = [await self.accounts.by_id(one.agent) for one in (await self.look(code)).chairs]
        match = await self.open(filling.table.game, players, counts=filling.table.counts)
        await self.store.write(invitations.Began(code, match))
        return match


def check(game: str, size: int) -> None:
    """So many can play a game."""
    known(game)
    rules = CATALOG[game]
    most = min(LARGEST, rules.max_players)
    if not rules.min_players <= size <= most:
        raise ArenaError(400, "invalid_input", f"{rules.min_players} to {most} sit at a table of {rules.shown}")


def chair(agent: Agent, now_ms: int) -> Chair:
    """Somebody on a chair."""
    return Chair(agent.id, called(agent), agent.house, now_ms)


def full() -> ArenaError:
    """Nobody else can sit down."""
    return ArenaError(409, "table_full", "every chair at this table is taken")


def begun() -> ArenaError:
    """It is too late for that."""
    return ArenaError(409, "table_begun", "this table has begun")
