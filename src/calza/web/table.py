"""The live table: for somebody who sits there all that they may know, and a form to act with that needs no scripts; for
everybody else what all may know.

With scripts, the element `calza-table` takes over: it finds where it starts from in the data beside it, and follows
the feed.
"""

from collections.abc import Iterator
from typing import Any

import msgspec
from markupsafe import Markup
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from calza.agents.odds import Odds, bid_odds
from calza.arena.api.asked import is_id
from calza.arena.errors import ArenaError
from calza.arena.events import opening
from calza.arena.live import Live
from calza.arena.messages import Message
from calza.arena.moves import LONGEST, MOST_DICE, MOST_FACES, sent_move
from calza.arena.store.agents import Agent
from calza.arena.views import cast, view_of
from calza.rules import Action, Bid, Call, IllegalAction, NotationError, Rules
from calza.rules.actions import RESIGN, parse_action
from calza.rules.events import RoundBegan
from calza.show.words import Cast, tell

from . import asked, feed, forms, sessions
from .site import SAFE, Site

TYPED = 40  # characters of an action
MARKUP = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"})


# --- the page


async def page(
    site: Site, request: Request, live: Live, me: Agent,
    wrong: str = "", typed: str = "", talked: str = "", status: int = 200,
) -> Response:  # fmt: skip
    """A match for somebody who sits there, and who has come by looking."""
    seat = live.seats[me.id]
    await site.arena.tables.come(live, seat)
    start = start_of(site, live, seat)
    shown = odds_of(live, seat) if "odds" in request.query_params and not live.match.rated else None
    return site.page(
        request, "table.html", status, secret=True, start=data(start), odds=shown, seat=seat,
        wrong=wrong, typed=typed[:TYPED], talked=talked[:LONGEST], talk_most=start.talk, view_sequence=live.sequence,
        legal_bids=[str(bid) for bid in least_bids(live, seat)], **seen(live, seat),
    )  # fmt: skip


def watched(site: Site, request: Request, live: Live) -> Response:
    """The same match for everybody else."""
    return site.page(request, "live.html", start=data(start_of(site, live, -1)), **seen(live, -1))


def seen(live: Live, seat: int) -> dict[str, Any]:
    """What a page shows of a live match, as the reader at `seat` may see it."""
    return dict(
        match=live.match, rules=live.game.table.rules, view=view_of(live, seat), rows=live.rows,
        turn=live.to_act(), bids=dict(live.game.said), told=list(rounds_told(live, seat)),
        over=live.game.over, due_ms=live.due_ms, calls=live.game.legal(seat).calls if seat >= 0 else (),
    )  # fmt: skip


class Told(Struct, frozen=True):
    """A round in sentences."""

    number: int
    says: list[str]


def rounds_told(live: Live, seat: int) -> Iterator[Told]:
    """What has happened so far, latest round first; in a round from its opening on."""
    rules, who = live.game.table.rules, Cast(cast(live).names, seat)
    rounds: list[Told] = [Told(1, tell([opening(live)], who, rules))]
    for events in live.events:
        began = [one for one in events if isinstance(one, RoundBegan)]
        rounds[-1].says.extend(tell([one for one in events if one not in began], who, rules))
        rounds += [Told(one.round, tell([one], who, rules)) for one in began]
    return reversed(rounds)


# --- where a script starts from


class CallTold(Message, frozen=True, kw_only=True):
    """A call of the variant: its name, the words that are typed for it, and what is sent."""

    name: str
    words: tuple[str, ...]
    payload: dict[str, Any]


class RulesTold(Message, frozen=True, kw_only=True):
    """What a table has to know of its rules to be drawn. What is legal is in every view."""

    id: str
    title: str
    faces: int
    wild: int | None
    calls: tuple[CallTold, ...]


class Start(Message, frozen=True, kw_only=True):
    """The data beside a table: its first frame, and where everything is."""

    table: feed.Table
    rules: RulesTold
    feed: str
    odds: str | None
    talk: int  # characters that may be said with an action; 0 for none


def start_of(site: Site, live: Live, seat: int) -> Start:
    """Where the script of the reader at `seat` starts from; -1 is a spectator's."""
    arena, plays = site.arena, seat >= 0
    return Start(
        table=feed.table(live, seat, 0, arena.clock.now_ms(), arena.settings.base),
        rules=told_rules(live.game.table.rules),
        feed=f"/ws/table/{live.match.id}",
        odds=f"/matches/{live.match.id}/odds" if plays and not live.match.rated else None,
        talk=LONGEST if plays and arena.settings.talk else 0,
    )


def told_rules(rules: Rules) -> RulesTold:
    """Rules as a table is told of them."""
    return RulesTold(
        id=rules.name,
        title=rules.shown,
        faces=rules.faces,
        wild=rules.wild,
        calls=tuple(
            CallTold(name=call.name, words=call.words, payload=sent_move(Call(call.name), rules))
            for call in rules.calls
        ),
    )


def data(value: Any) -> Markup:
    """A value as JSON that can stand in a page: no sign of markup is in it."""
    return Markup(msgspec.json.encode(value).decode().translate(MARKUP))


# --- acting


async def act(site: Site, request: Request) -> Response:
    """Play what was typed or pressed; what is wrong with it is said on the table's page."""
    said = await asked.form(request)
    forms.check(request, said.get("token", ""), site.arena.settings.public_url)
    live, me = await seated(site, request)
    typed = said.get("action", "") or said.get("typed", "")
    number = said.get("sequence", "")
    if not (number.isascii() and number.isdigit() and len(number) < 10):
        raise forms.stale()
    try:
        payload = sent(read(typed, live.game.table.rules, sure="sure" in said), live, live.seats[me.id])
        await site.arena.tables.act(me.id, live.match.id, int(number), payload, said.get("say", "")[: 4 * LONGEST])
    except ArenaError as error:
        if error.status >= 500:
            raise
        if not live.finished:
            return await page(site, request, live, me, error.details, typed, said.get("say", ""), error.status)
    return RedirectResponse(f"/matches/{live.match.id}", 303, headers=SAFE)


def read(typed: str, rules: Rules, *, sure: bool) -> Action:
    """An action in notation."""
    try:
        action = parse_action(typed[:TYPED], rules)
    except NotationError as error:
        raise ArenaError(400, "invalid_input", str(error)) from None
    if action == RESIGN and not sure:
        raise ArenaError(
            400, "not_confirmed", "whoever resigns is out of the match; use the button below to confirm it"
        )
    return action


def sent(action: Action, live: Live, seat: int) -> dict[str, Any]:
    """An action as it travels; a bid with numbers that cannot travel is refused in the words of the rules."""
    rules = live.game.table.rules
    if isinstance(action, Bid) and not (1 <= action.quantity <= MOST_DICE and 1 <= action.face <= MOST_FACES):
        try:
            live.game.ahead(seat, action)
        except IllegalAction as error:
            raise ArenaError(400, "invalid_action", str(error)) from None
    return sent_move(action, rules)


async def seated(site: Site, request: Request) -> tuple[Live, Agent]:
    """The match that is asked about, and whoever asks, who plays in it."""
    match, who = request.path_params["match"], sessions.of(request)
    if not is_id(match):
        raise ArenaError(404, "match_not_found", "there is no such match")
    live = await site.arena.tables.live(match)
    if who is None or who.agent.id not in live.seats:
        raise ArenaError(403, "not_a_player", "this match is played by others; if it is yours, sign in again")
    return live, who.agent


# --- odds


class Chance(Message, frozen=True, kw_only=True):
    """A bid, and the chances that it holds and that it is exact, for what the asker knows."""

    quantity: int
    face_value: int
    holds: float
    exactly: float


class Chances(Message, frozen=True, kw_only=True):
    """The standing bid, and the least raise on every face."""

    sequence: int
    standing: Chance | None
    raises: tuple[Chance, ...]


async def odds(site: Site, request: Request) -> Response:
    """`GET /matches/:id/odds`, for the asker's own seat."""
    live, me = await seated(site, request)
    if live.finished or live.game.over:
        raise ArenaError(409, "game_already_over", "the match has ended; its replay tells the chance of every bid")
    if live.match.rated:
        raise ArenaError(403, "rated", "in a rated match everybody reckons for themselves")
    body = msgspec.json.encode(odds_of(live, live.seats[me.id]))
    return Response(body, headers=SAFE | {"cache-control": "no-store"}, media_type="application/json")


def odds_of(live: Live, seat: int) -> Chances:
    """The chances for what `seat` knows."""
    view = live.game.view(seat)
    return Chances(
        sequence=live.sequence,
        standing=chance(view.bid, bid_odds(view, view.bid)) if view.bid else None,
        raises=tuple(chance(bid, bid_odds(view, bid)) for bid in least_bids(live, seat)),
    )


def chance(bid: Bid, odds: Odds) -> Chance:
    """A bid with its chances."""
    return Chance(quantity=bid.quantity, face_value=bid.face, holds=odds.holds, exactly=odds.exactly)


def least_bids(live: Live, seat: int) -> list[Bid]:
    """The least raise on every face that may be bid."""
    view = live.game.view(seat)
    return [Bid(quantity, face) for face in range(1, view.rules.faces + 1) if (quantity := view.least(face))]
