"""What the arena answers. Fields that are not known here are left out: an arena may tell more."""

from typing import Any

from msgspec import Struct


class Reply(Struct, frozen=True, kw_only=True, rename="camel"):
    """What an arena tells."""


class Registered(Reply, frozen=True, kw_only=True, rename={"api_key": "apiKey"}):
    """A new agent. The key is told this once."""

    id: str
    name: str
    model: str | None = None
    api_key: str
    claim_url: str = ""
    verification_code: str = ""


class Strength(Reply, frozen=True, kw_only=True):
    """A rating at one game and size of table."""

    game_id: str
    size: str = ""
    rating: float = 0.0  # what the leaderboard ranks by
    mu: float = 0.0
    deviation: float = 0.0
    games: int = 0
    wins: int = 0


class Agent(Reply, frozen=True, kw_only=True):
    """An agent, oneself or another."""

    id: str
    name: str
    model: str | None = None
    house: bool = False
    ratings: tuple[Strength, ...] = ()


class Queued(Reply, frozen=True, kw_only=True):
    """Where one stands: `matched`, `queued`, `already_queued`, `not_queued` or `left`."""

    status: str
    match_id: str | None = None
    position: int | None = None


# --- a match


class BidSeen(Reply, frozen=True, kw_only=True):
    """A bid, and whose it is."""

    player_id: str
    quantity: int
    face_value: int


class Opponent(Reply, frozen=True, kw_only=True):
    """Another player who is still in."""

    id: str
    dice_count: int


class PlayerLine(Reply, frozen=True, kw_only=True):
    """A player of the match, in the order of the seats."""

    id: str
    name: str
    dice_count: int = 0


class Numbers(Reply, frozen=True, kw_only=True):
    """The position in numbers, exactly."""

    seat: int
    dice: tuple[int, ...]
    start: tuple[int, ...] = ()
    special: bool = False
    used: tuple[int, ...] = ()
    bids: tuple[tuple[int, str], ...] = ()  # of this round
    turn: int
    round: int


class Sight(Reply, frozen=True, kw_only=True):
    """The match as one of its players sees it."""

    you: str
    my_dice: tuple[int, ...] = ()
    opponents: tuple[Opponent, ...] = ()
    current_bid: BidSeen | None = None
    total_dice_in_play: int = 0
    round: int = 1
    is_your_turn: bool = False
    current_player: str | None = None
    players: tuple[PlayerLine, ...] = ()
    table: Numbers | None = None


class State(Reply, frozen=True, kw_only=True):
    """Where a match stands: `not_started`, `waiting` or `your_turn`."""

    status: str
    match_id: str
    game_id: str
    sequence: int
    view: Sight
    turn_ends_at: str | None = None


class Outcome(Reply, frozen=True, kw_only=True):
    """What a match came to for one player: `win`, `loss` or `draw`."""

    agent_id: str
    outcome: str
    place: int = 0
    dice_left: int = 0


class Change(Reply, frozen=True, kw_only=True):
    """A rating before and after a match."""

    before: float
    after: float


class GameOver(Reply, frozen=True, kw_only=True):
    """The end of a match."""

    match_id: str
    game_id: str = ""
    sequence: int = 0
    reason: str = "completed"  # or "resigned", "timeout", "aborted"
    results: tuple[Outcome, ...] = ()
    rating: Change | None = None
    share_text: str = ""
    replay_url: str = ""
    view: Sight | None = None

    def of(self, agent: str) -> Outcome | None:
        """What it came to for one agent."""
        return next((one for one in self.results if one.agent_id == agent), None)


class MatchLine(Reply, frozen=True, kw_only=True):
    """A match of an agent's list."""

    id: str
    game_id: str = ""
    status: str = ""
    created_at: str = ""
    finished_at: str | None = None


class MatchPage(MatchLine, frozen=True, kw_only=True):
    """A match as everybody may know it; the signature is there once it has ended."""

    seed_number: int = 0
    signature: str | None = None


class MatchLines(Reply, frozen=True, kw_only=True):
    """An agent's matches, newest first."""

    matches: tuple[MatchLine, ...] = ()


# --- what anybody may ask


class GameStats(Reply, frozen=True, kw_only=True):
    """What is known of a game's matches."""

    matches: int = 0
    average_duration_ms: float | None = None
    decisive_share: float = 0.0


class GamePage(Reply, frozen=True, kw_only=True):
    """A game that the arena offers."""

    id: str
    name: str = ""
    description: str = ""
    min_players: int = 2
    max_players: int = 6
    estimated_duration: str = ""
    tags: tuple[str, ...] = ()
    rules: str = ""  # Markdown; this and what follows only when one game is asked for
    rules_data: Any = None
    rules_id: str = ""
    stats: GameStats = GameStats()


class Text(Reply, frozen=True, kw_only=True):
    """Rules or strategy of a game, in Markdown."""

    game_id: str = ""
    version: str = ""
    content: str = ""


class Ranked(Reply, frozen=True, kw_only=True):
    """A line of the leaderboard."""

    id: str
    name: str
    rank: int = 0
    model: str | None = None
    house: bool = False
    rating: float = 0.0
    mu: float = 0.0
    deviation: float = 0.0
    games: int = 0
    wins: int = 0


class Leaderboard(Reply, frozen=True, kw_only=True):
    """Who is best at a game, best first."""

    game_id: str = ""
    agents: tuple[Ranked, ...] = ()


class MatchCounts(Reply, frozen=True, kw_only=True):
    """Matches of the arena."""

    live: int = 0
    finished: int = 0


class Stats(Reply, frozen=True, kw_only=True):
    """How busy the arena is."""

    agents: int = 0
    matches: MatchCounts = MatchCounts()
    queue: dict[str, int] = {}  # how many wait, by game
    matches_per_day: dict[str, int] = {}


class News(Reply, frozen=True, kw_only=True):
    """An announcement."""

    date: str
    title: str
    text: str = ""


# --- fairness


class Seed(Reply, frozen=True, kw_only=True):
    """A numbered commitment; the seed itself once its match has ended."""

    number: int
    commitment: str
    match_id: str | None = None
    seed: str | None = None


class Seeds(Reply, frozen=True, kw_only=True):
    """Commitments, latest first."""

    seeds: tuple[Seed, ...] = ()


class PublicKey(Reply, frozen=True, kw_only=True):
    """The key with which results are signed, in hexadecimal."""

    public_key: str
