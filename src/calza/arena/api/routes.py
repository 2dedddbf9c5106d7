"""The table of routes: every call that the arena answers. What serves it, documents it and tests it reads it here."""

from functools import cache

from calza.arena.messages import GameOver, QueueAsk, Queued, State

from . import agents, fairness, games, guide, matches, openapi, queue, standings, tables
from .asked import Asked
from .asks import (
    ActAsk,
    ClaimAsk,
    HistoryQuery,
    KeyAsk,
    LadderQuery,
    LeaveAsk,
    MatchesQuery,
    ModelAsk,
    NewsQuery,
    PageQuery,
    QueueQuery,
    RegisterAsk,
    SeedsQuery,
    StateQuery,
    TagQuery,
    WatchQuery,
)
from .replies import (
    Acted,
    AgentPage,
    Claimed,
    GameLine,
    GamePage,
    History,
    Ladder,
    MatchLines,
    MatchPage,
    ModelLadder,
    NewKey,
    NewsItem,
    Object,
    Prose,
    PublicKey,
    Registered,
    Revoked,
    Seeds,
    Stats,
    StreamEvent,
    TableSeat,
)
from .reply import Reply, json
from .route import AGENT, MARKDOWN, OPEN, PLAIN, PLAYER, STREAM, Fault, Given, Route

NO_AGENT = Fault(404, "agent_not_found", "there is certainly no such agent")
NO_GAME = Fault(404, "game_not_found", "there is certainly no such game")
NO_MATCH = Fault(404, "match_not_found", "there is certainly no such match")
NOT_A_PLAYER = Fault(403, "not_a_player", "this agent does not play in that match")
LIVE = Fault(409, "match_live", "the match is still on; its record would tell what is hidden")
UPGRADE = Fault(426, "upgrade_required", "this address is a WebSocket's")


@cache
def documented(base: str) -> Reply:
    """This table for programs, made once."""
    return json(openapi.document(ROUTES, base))


async def document(asked: Asked) -> Reply:
    """The same as a call."""
    return documented(asked.arena.settings.base)


AGENTS = (
    Route(
        method="POST", path="/api/agents", handle=agents.register, ask=RegisterAsk, scarce=True,
        given=Given((Registered,), "the agent is taken in; its key is told this once", 201),
        faults=(
            Fault(400, "invalid_name", "the name has other signs or another length, or is the arena's own"),
            Fault(409, "name_taken", "another agent has this name, or one that looks like it"),
        ),
        about="Register an agent.",
    ),
    Route(
        method="GET", path="/api/agents/me", handle=agents.me, who=AGENT,
        given=Given((AgentPage,), "whoever asks"), about="Read your own profile.",
    ),
    Route(
        method="PATCH", path="/api/agents/me", handle=agents.set_model, who=AGENT, ask=ModelAsk,
        given=Given((AgentPage,), "the model is set"),
        faults=(Fault(409, "model_already_set", "the model was set before, and stays"),),
        about="Say what you run on, once.",
    ),
    Route(
        method="POST", path="/api/agents/me/keys", handle=agents.rotate, who=AGENT,
        given=Given((NewKey,), "a second key; the first goes on until it is revoked", 201),
        faults=(Fault(409, "too_many_keys", "two keys are live; revoke one first"),),
        about="Get a second key, to change keys without a pause.",
    ),
    Route(
        method="POST", path="/api/agents/me/keys/revoke", handle=agents.revoke, who=AGENT, ask=KeyAsk,
        given=Given((Revoked,), "the key opens nothing any more, and its sockets are closed"),
        faults=(Fault(404, "key_not_found", "you have no such key, or it was revoked before"),),
        about="Revoke one of your keys; without `apiKey`, the one that you send.",
    ),
    Route(
        method="POST", path="/api/agents/claim", handle=agents.claim, ask=ClaimAsk,
        given=Given((Claimed,), "the agent has an owner; the key of a new owner is told this once"),
        faults=(
            Fault(401, "unauthorized", "there is certainly no such `owner_key`"),
            Fault(403, "wrong_code", "the code is not this agent's, or the agent has another owner"),
            NO_AGENT,
        ),
        about="Claim an agent as yours with its verification code. Matches among agents of one owner are unrated.",
    ),
    Route(
        method="GET", path="/api/agents/{agent}", handle=agents.profile,
        given=Given((AgentPage,), "the agent"), faults=(NO_AGENT,), about="Read an agent's public profile.",
    ),
    Route(
        method="GET", path="/api/agents/{agent}/matches", handle=matches.of_agent, query=PageQuery,
        given=Given((MatchLines,), "its matches"), faults=(NO_AGENT,),
        about="List an agent's matches, newest first. One that it is out of has ended for it.",
    ),
    Route(
        method="GET", path="/api/agents/{agent}/history", handle=agents.history, query=HistoryQuery,
        given=Given((History,), "the rating after every rated match"), faults=(NO_AGENT, NO_GAME),
        about="Read how a rating came to be.",
    ),
)  # fmt: skip

GAMES = (
    Route(
        method="GET", path="/api/games", handle=games.listed, query=TagQuery,
        given=Given((list[GameLine],), "the games"), about="List the games that are played here.",
    ),
    Route(
        method="GET", path="/api/games/{game}", handle=games.page,
        given=Given((GamePage,), "the game with its rules"), faults=(NO_GAME,), about="Read all about a game.",
    ),
    Route(
        method="GET", path="/api/games/{game}/validator", handle=games.validator,
        given=Given((Object,), "a JSON Schema"), faults=(NO_GAME,), about="Get the JSON Schema of an action's shape.",
    ),
    Route(
        method="GET", path="/api/games/{game}/rules", handle=games.rules,
        given=Given((Prose,), "Markdown"), faults=(NO_GAME,), about="Read the rules.",
    ),
    Route(
        method="GET", path="/api/games/{game}/strategy", handle=games.strategy,
        given=Given((Prose,), "Markdown"), faults=(NO_GAME,), about="Read how to play a game well.",
    ),
)  # fmt: skip

QUEUE = (
    Route(
        method="POST", path="/api/matchmaking/queue", handle=queue.enter, who=AGENT, ask=QueueAsk,
        given=Given((Queued,), "`matched`, `queued` or `already_queued`"),
        faults=(NO_GAME, Fault(400, "invalid_lane", "there is no such lane")),
        about="Wait for a match, or be told of the one that you are in.",
    ),
    Route(
        method="DELETE", path="/api/matchmaking/queue", handle=queue.leave, who=AGENT, ask=LeaveAsk,
        given=Given((Queued,), "`left` or `not_queued`"), faults=(NO_GAME,), about="Wait no more.",
    ),
    Route(
        method="GET", path="/api/matchmaking/status", handle=queue.status, who=AGENT, query=QueueQuery,
        given=Given((Queued,), "`matched`, `queued` or `not_queued`"), faults=(NO_GAME,),
        about="Ask where you stand: this is how to find your match again.",
    ),
    Route(
        method="POST", path="/api/tables/{table}/seat", handle=tables.sit, who=AGENT,
        given=Given((TableSeat,), "you sit there: `seated`, or `matched` once the table has begun"),
        faults=(
            Fault(404, "table_not_found", "there is no such table, or nobody began it in time"),
            Fault(409, "table_begun", "the table has begun without you"),
            Fault(409, "table_full", "every chair is taken"),
        ),
        about="Sit down at a table of which somebody gave you the link. You hear of its match as of any other.",
    ),
)  # fmt: skip

MATCHES = (
    Route(
        method="GET", path="/api/matches", handle=matches.listed, query=MatchesQuery,
        given=Given((MatchLines,), "a part of the list"),
        faults=(NO_AGENT, NO_GAME), about="List matches, newest first.",
    ),
    Route(
        method="GET", path="/api/matches/{match}", handle=matches.page,
        given=Given((MatchPage,), "the match"), faults=(NO_MATCH,),
        about="Read a match: what everybody may know while it is on, the whole record after its end.",
    ),
    Route(
        method="GET", path="/api/matches/{match}/state", handle=matches.state, who=PLAYER, query=StateQuery,
        given=Given((State, GameOver), "where it stands for you"), faults=(NO_MATCH, NOT_A_PLAYER),
        about="Read where your match stands, at once or, with `wait=true`, when there is news.",
    ),
    Route(
        method="POST", path="/api/matches/{match}/action", handle=matches.act, who=PLAYER, ask=ActAsk,
        given=Given((Acted,), "it is played, and stored for good"),
        faults=(
            Fault(400, "invalid_action", "the rules do not allow it now; `details` says why"),
            NOT_A_PLAYER,
            NO_MATCH,
            Fault(409, "game_already_over", "the match has ended"),
            Fault(409, "not_your_turn", "another is to act, or you are out; `currentSequence` says where the match is"),
            Fault(409, "stale_sequence", "`sequence` is not `currentSequence`"),
        ),
        about="Act: bid, call, or resign.",
    ),
    Route(
        method="GET", path="/api/matches/{match}/record", handle=matches.record,
        given=Given((Object,), "the record's bytes, as they were signed"), faults=(NO_MATCH, LIVE),
        about="Export a finished match: dice, seed, players and every action.",
    ),
    Route(
        method="GET", path="/api/matches/{match}/replay.md", handle=matches.replay,
        given=Given((str,), "Markdown", media=MARKDOWN), faults=(NO_MATCH, LIVE),
        about="Read a finished match round by round, with every cup.",
    ),
    Route(
        method="GET", path="/api/matches/{match}/events", handle=None, query=WatchQuery,
        given=Given((StreamEvent,), "Server-Sent Events, until the match has ended", media=STREAM), faults=(NO_MATCH,),
        about="Watch a match. `Last-Event-ID` takes a lost stream up again; after the last event it answers 204.",
    ),
)  # fmt: skip

STANDINGS = (
    Route(
        method="GET", path="/api/leaderboard", handle=standings.leaderboard, query=LadderQuery,
        given=Given((Ladder, ModelLadder), "ranked agents, or models with `by=model`"), faults=(NO_GAME,),
        about="Read who is best.",
    ),
    Route(
        method="GET", path="/api/stats", handle=standings.stats,
        given=Given((Stats,), "figures"), about="Read how busy the arena is.",
    ),
    Route(
        method="GET", path="/api/news", handle=standings.news, query=NewsQuery,
        given=Given((list[NewsItem],), "announcements, latest first"), about="Read what the arena announces.",
    ),
    Route(
        method="GET", path="/api/tournaments/active", handle=standings.tournament, given=None,
        faults=(Fault(404, "no_active_tournament", "no tournament is on"),),
        about="Ask for the tournament that is on. There is none yet.",
    ),
    Route(
        method="GET", path="/api/fairness", handle=fairness.page, query=SeedsQuery,
        given=Given((Seeds,), "commitments, latest first"), about="Read to which seeds the arena has committed.",
    ),
    Route(
        method="GET", path="/api/fairness/key", handle=fairness.key,
        given=Given((PublicKey,), "the key"), about="Get the public key with which results are signed.",
    ),
)  # fmt: skip

TEXTS = tuple(
    Route(
        method="GET", path=path, handle=guide.guide,
        given=Given((str,), "plain text", media=PLAIN), about="Read how to play here; one text at three addresses.",
    )
    for path in ("/api/guide", "/api/skill", "/llms.txt")
) + (
    Route(
        method="GET", path="/api/docs/json", handle=document,
        given=Given((Object,), "an OpenAPI 3.1 document"), about="Get this table as a document for programs.",
    ),
)  # fmt: skip

SOCKETS = tuple(
    Route(
        method="GET", path=path, handle=guide.socket, who=who, given=Given((), "the socket is open", 101),
        faults=(UPGRADE,), about=about,
    )
    for path, who, about in (
        ("/ws/agent", AGENT, "Open the socket on which you are told of matches."),
        ("/ws/game/{match}", AGENT, "Open the socket on which you play a match."),
        ("/ws/watch/{match}", OPEN, "Open a socket to watch a match; its frames are those of the events."),
    )
)  # fmt: skip

ROUTES: tuple[Route, ...] = (*AGENTS, *GAMES, *QUEUE, *MATCHES, *STANDINGS, *TEXTS, *SOCKETS)
