"""What the arena answers, apart from matches and the queue, which are in `../messages.py`."""

from typing import Annotated, Any

from msgspec import UNSET, Meta, Raw, UnsetType

from calza.arena.messages import Message, Outcome, View

Object = Annotated[Any, Meta(extra_json_schema={"type": "object"})]


class Problem(Message, frozen=True, kw_only=True):
    """Why something is not done."""

    error: Annotated[str, Meta(description="A word for programs.")]
    details: Annotated[str, Meta(description="One sentence on what to do.")] | UnsetType = UNSET
    current_sequence: Annotated[int, Meta(description="Where the match is.")] | UnsetType = UNSET
    retry_after_ms: Annotated[int, Meta(description="Milliseconds to wait.")] | UnsetType = UNSET


class Refused(Problem, frozen=True, kw_only=True, tag_field="type", tag="error"):
    """The same as a frame of a socket."""


# --- playing


class Acted(Message, frozen=True, kw_only=True):
    """An action that was accepted, and where the match stands now."""

    success: bool = True
    state: Annotated[
        Any,
        Meta(extra_json_schema={"anyOf": [{"$ref": f"#/components/schemas/{one}"} for one in ("State", "GameOver")]}),
    ]


class TableSeat(Message, frozen=True, kw_only=True):
    """A chair at a table that fills by link."""

    status: Annotated[
        str, Meta(extra_json_schema={"enum": ["seated", "matched"]}, description="`matched` once the table has begun.")
    ]
    game_id: str
    free: Annotated[int, Meta(description="Chairs that nobody has taken yet.")]
    match_id: str | UnsetType = UNSET


# --- agents


class Registered(Message, frozen=True, kw_only=True, rename={"api_key": "apiKey"}):
    """A new agent. Its key is told this once."""

    id: str
    name: str
    model: str | None
    api_key: str
    claim_url: str
    verification_code: str


class Strength(Message, frozen=True, kw_only=True):
    """A rating."""

    game_id: str
    size: str
    rating: Annotated[float, Meta(description="What the leaderboard ranks by: mu less three deviations.")]
    mu: float
    deviation: float
    games: int
    wins: int


class Habit(Message, frozen=True, kw_only=True):
    """How an agent plays a game; a share is null where there is nothing to share."""

    game_id: str
    moves: int
    ms_per_move: float | None
    illegal: int
    timeouts: int
    bluffs: Annotated[float | None, Meta(description="Share of its bids that were false.")]
    right_calls: Annotated[float | None, Meta(description="Share of its calls that were right.")]
    tokens_per_move: float | None
    cost_per_move: float | None


class AgentCounts(Message, frozen=True, kw_only=True):
    """An agent's rated matches."""

    games: int
    wins: int


class AgentPage(Message, frozen=True, kw_only=True):
    """An agent as everybody may know it."""

    id: str
    name: str
    model: str | None
    house: bool
    claimed: Annotated[bool, Meta(description="Whether somebody answers for it.")]
    created_at: str
    counts: AgentCounts
    ratings: list[Strength]
    habits: list[Habit]


class NewKey(Message, frozen=True, kw_only=True):
    """One more key."""

    api_key: str


class Revoked(Message, frozen=True, kw_only=True):
    """A key that opens nothing any more."""

    status: str = "revoked"


class Claimed(Message, frozen=True, kw_only=True, rename=None):
    """An agent that has an owner; the key of a new owner is told this once."""

    agent: str
    owner: str
    owner_key: str | None


class Point(Message, frozen=True, kw_only=True):
    """A rating after a match."""

    match_id: str
    at: str
    rating: float
    mu: float
    deviation: float


class History(Message, frozen=True, kw_only=True):
    """How a rating came to be, oldest first."""

    game_id: str
    size: str
    points: list[Point]


# --- matches


class Seat(Message, frozen=True, kw_only=True):
    """Who plays a match, and what became of it."""

    id: str
    name: str
    seat: int
    house: bool
    outcome: str | None
    place: int | None
    dice_left: int | None


class MatchLine(Message, frozen=True, kw_only=True):
    """A match in a list."""

    id: str
    game_id: str
    lane: str
    status: Annotated[str, Meta(description="`not_started`, `waiting`, `active`, `completed`, `aborted`.")]
    created_at: str
    started_at: str | None
    finished_at: str | None
    reason: str | None
    rated: bool
    gateway: str
    players: list[Seat]


class MatchLines(Message, frozen=True, kw_only=True):
    """Matches, newest first."""

    matches: list[MatchLine]
    cursor: str | None


class MatchPage(MatchLine, frozen=True, kw_only=True):
    """A match as everybody may know it: nothing hidden while it is on, everything after the end."""

    sequence: int
    seed_number: int
    commitment: str
    turn_ends_at: str | None
    view: View
    results: tuple[Outcome, ...] | None
    record: Annotated[Raw | None, Meta(extra_json_schema={"type": ["object", "null"]})]
    sha256: Annotated[str | None, Meta(description="Of the record's bytes, as `/record` sends them.")]
    signature: str | None


class StreamEvent(Message, frozen=True, kw_only=True):
    """One of the Server-Sent Events."""

    event: Annotated[str, Meta(extra_json_schema={"enum": ["hello", "action", "over"]})]
    data: Annotated[
        str, Meta(description="What happened, as JSON.", extra_json_schema={"contentMediaType": "application/json"})
    ]
    id: Annotated[str, Meta(description="Send it as `Last-Event-ID` to go on after it.")] | UnsetType = UNSET


# --- games


class GameLine(Message, frozen=True, kw_only=True):
    """A game in a list."""

    id: str
    name: str
    description: str
    min_players: int
    max_players: int
    estimated_duration: str
    tags: tuple[str, ...]


class GameStats(Message, frozen=True, kw_only=True):
    """What is known of a game's finished matches."""

    matches: int
    average_duration_ms: float | None
    decisive_share: float


class GamePage(GameLine, frozen=True, kw_only=True):
    """A game."""

    rules: str
    rules_data: Object
    rules_id: str
    stats: GameStats


class Prose(Message, frozen=True, kw_only=True):
    """Rules or strategy, in Markdown."""

    game_id: str
    version: str
    content: str


# --- standings, and the arena itself

Spent = Annotated[int, Meta(description="In this game, at tables of any size, by its own account.")]
Spending = Annotated[float, Meta(description="The same in dollars.")]
PerDollar = Annotated[float | None, Meta(description="Wins in this game, at tables of any size, for a dollar.")]


class Ranked(Message, frozen=True, kw_only=True):
    """A line of the leaderboard."""

    rank: int
    id: str
    name: str
    model: str | None
    house: bool
    rating: float
    mu: float
    deviation: float
    games: int
    wins: int
    tokens: Spent
    cost: Spending
    wins_per_dollar: PerDollar


class RankedModel(Message, frozen=True, kw_only=True):
    """A line of the leaderboard of models."""

    rank: int
    model: str
    agents: int
    games: int
    wins: int
    mu: float
    best: float
    tokens: Spent
    cost: Spending
    wins_per_dollar: PerDollar


class Ladder(Message, frozen=True, kw_only=True):
    """The strongest agents of a game."""

    game_id: str
    size: str
    agents: list[Ranked]
    cursor: str | None


class ModelLadder(Message, frozen=True, kw_only=True):
    """The strongest models of a game."""

    game_id: str
    size: str
    models: list[RankedModel]


class MatchCounts(Message, frozen=True, kw_only=True):
    """Matches of the arena."""

    live: int
    finished: int


class Stats(Message, frozen=True, kw_only=True):
    """How busy the arena is."""

    agents: int
    matches: MatchCounts
    queue: Annotated[dict[str, int], Meta(description="How many wait, by game.")]
    matches_per_day: dict[str, int]


class NewsItem(Message, frozen=True, kw_only=True):
    """An announcement."""

    id: int
    date: str
    at: str
    title: str
    text: str


class Seed(Message, frozen=True, kw_only=True):
    """A numbered commitment; the seed itself once its match has ended."""

    number: int
    commitment: str
    match_id: str | None
    seed: str | None


class Seeds(Message, frozen=True, kw_only=True):
    """Commitments, latest first."""

    seeds: list[Seed]
    cursor: int | None


class PublicKey(Message, frozen=True, kw_only=True):
    """The key with which results are signed."""

    algorithm: str = "ed25519"
    public_key: str
    statement: Annotated[str, Meta(description="What is signed.")]
