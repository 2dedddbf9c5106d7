"""Matches over HTTP: playing them, reading them, and what is left of them."""

from msgspec import Raw

from calza.arena.clock import iso
from calza.arena.errors import ArenaError
from calza.arena.fairness import digest
from calza.arena.live import Live
from calza.arena.messages import GameOver, State
from calza.arena.store.matches import OfAgent, Page, RecordOf, Seated
from calza.arena.store.rows import Part
from calza.arena.tables import news
from calza.arena.views import ends_of, results, view_of
from calza.matches import read_record

from .asked import Asked, checked_id
from .asks import ActAsk, MatchesQuery, Numbered, PageQuery, StateQuery
from .games import rules_of
from .replies import Acted, MatchLine, MatchLines, MatchPage, Seat
from .reply import Reply, json, text
from .story import markdown

# --- playing


async def act(asked: Asked) -> Reply:
    """Play an action."""
    tables, match = asked.arena.tables, asked.match
    try:
        ask = await asked.body(ActAsk)
    except ArenaError as error:
        if error.status == 400:
            await earlier(asked)
        raise
    state = await tables.act(asked.me.id, match, ask.sequence, ask.action, ask.say, ask.usage)
    asked.sequence = state.sequence
    return json(Acted(state=state))


async def earlier(asked: Asked) -> None:
    """What stands against an action that cannot be read, before its shape does: the contract's order of checks."""
    live = await asked.arena.tables.live(asked.match)
    try:
        sequence = (await asked.body(Numbered)).sequence
    except ArenaError:
        sequence = live.sequence
    try:
        await asked.arena.tables.act(asked.me.id, asked.match, sequence, None)
    except ArenaError as error:
        if error.code != "invalid_input":
            raise


async def state(asked: Asked) -> State | GameOver:
    """Where a match stands for one of its players, at once or when there is news."""
    tables, match, query = asked.arena.tables, asked.match, asked.query(StateQuery)
    answer = await tables.state(asked.me.id, match)
    if query.wait and not news(answer, query.after_sequence):
        gone = asked.watch()
        try:
            seconds = asked.arena.settings.hold
            answer = await tables.wait(asked.me.id, match, query.after_sequence, seconds, gone)
        finally:
            gone.cancel()
    asked.sequence = answer.sequence
    return answer


# --- reading


async def page(asked: Asked) -> MatchPage:
    """A match as everybody may know it."""
    live = await asked.arena.tables.live(asked.match)
    over = live.finished
    record = await asked.arena.store.read(RecordOf(live.match.id)) if over else None
    asked.sequence = live.sequence
    line = line_of(Seated(live.match, live.joined))
    return MatchPage(
        **{name: getattr(line, name) for name in MatchLine.__struct_fields__},
        sequence=live.sequence,
        seed_number=live.match.seed_number,
        commitment=live.match.commitment,
        turn_ends_at=ends_of(live),
        view=view_of(live, -1),
        results=results(live) if over else None,
        record=Raw(record) if record else None,
        sha256=digest(record) if record else None,
        signature=live.match.signature,
    )


async def listed(asked: Asked) -> MatchLines:
    """Matches, newest first."""
    query = asked.query(MatchesQuery)
    if query.game_id is not None:
        rules_of(query.game_id)
    if query.agent is not None:
        await asked.arena.accounts.by_id(checked_id(query.agent, "agent"))
    found = Page(query.status, query.game_id, query.agent, query.limit, query.cursor)
    return lines(await asked.arena.store.read(found))


async def of_agent(asked: Asked) -> MatchLines:
    """An agent's matches, newest first; one that it is out of has ended for it."""
    query = asked.query(PageQuery)
    agent = await asked.arena.accounts.by_id(asked.id_of("agent"))
    found = await asked.arena.store.read(OfAgent(agent.id, query.limit, query.cursor))
    return lines(found, agent.id)


def lines(found: Part[Seated], agent: str = "") -> MatchLines:
    """A part of a list of matches."""
    return MatchLines(matches=[line_of(one, agent) for one in found.rows], cursor=found.cursor)


def line_of(one: Seated, agent: str = "") -> MatchLine:
    """A match in a list, as `agent` or everybody sees it."""
    match, status, finished = one.match, one.match.status, one.match.finished_ms
    mine = next((row for row in one.players if row.agent == agent), None)
    if finished is None and mine is not None and mine.out_ms is not None:
        status, finished = "completed", mine.out_ms
    return MatchLine(
        id=match.id,
        game_id=match.game,
        lane=match.lane,
        status=status,
        created_at=iso(match.created_ms),
        started_at=None if match.started_ms is None else iso(match.started_ms),
        finished_at=None if finished is None else iso(finished),
        reason=match.reason,
        rated=match.rated,
        gateway=match.gateway,
        players=[
            Seat(
                id=row.agent, name=row.name, seat=row.seat, house=bool(row.house),
                outcome=row.outcome, place=row.place, dice_left=row.dice_left,
            )
            for row in sorted(one.players, key=lambda row: row.seat)
        ],
    )  # fmt: skip


# --- what is left


async def record(asked: Asked) -> Reply:
    """The record, byte for byte as it was signed."""
    live = await ended(asked)
    return Reply(await kept(asked, live))


async def replay(asked: Asked) -> Reply:
    """The match told in sentences."""
    live = await ended(asked)
    return text(markdown(read_record(await kept(asked, live))), "text/markdown")


async def kept(asked: Asked, live: Live) -> bytes:
    """The bytes of a record."""
    found = await asked.arena.store.read(RecordOf(live.match.id))
    assert found is not None
    return found


async def ended(asked: Asked) -> Live:
    """The match, if it is over: before that its record would tell what is hidden."""
    live = await asked.arena.tables.live(asked.match)
    if not live.finished:
        raise ArenaError(409, "match_live", "the match is still on; its record is told when it has ended")
    return live
