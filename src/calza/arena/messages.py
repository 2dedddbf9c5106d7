"""What the arena says about matches, as it travels: names in camelCase, times in ISO 8601."""

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

Status = Annotated[str, Meta(extra_json_schema={"enum": ["not_started", "waiting", "your_turn"]})]
Result = Annotated[str, Meta(extra_json_schema={"enum": ["win", "loss", "draw"]})]
Reason = Annotated[str, Meta(extra_json_schema={"enum": ["completed", "resigned", "timeout", "aborted"]})]
Standing = Annotated[
    str, Meta(extra_json_schema={"enum": ["matched", "queued", "already_queued", "left", "not_queued"]})
]


class Message(Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=False):
    """What travels."""


# --- a match as one of its players sees it


class BidSeen(Message, frozen=True, kw_only=True, gc=False):
    """A bid, and whose it is."""

    player_id: str
    quantity: int
    face_value: int


class BidHeard(BidSeen, frozen=True, kw_only=True, gc=False):
    """A bid of this round or one before."""

    round: int


class Opponent(Message, frozen=True, kw_only=True):
    """Another player who is still in."""

    id: str
    dice_count: int


class PlayerLine(Message, frozen=True, kw_only=True):
    """A player of the match, in the order of the seats."""

    id: str
    name: str
    dice_count: int
    house: bool = False


class LegalActions(Message, frozen=True, kw_only=True):
    """What may be done now: the least quantity of each face (0: barred), the greatest of any, and the other actions."""

    least: dict[str, int]
    most: int
    types: Annotated[tuple[str, ...], Meta(description="Of actions: `bid`, `challenge`, `exact`, `resign`.")]


class Loss(Message, frozen=True, kw_only=True):
    """Dice that somebody lost or gained."""

    player_id: str
    change: int
    left: int


class Reveal(Message, frozen=True, kw_only=True):
    """How a round ended."""

    round: int
    by: Annotated[str, Meta(description="Who called, left, or was penalized.")]
    action: Annotated[str, Meta(description="In notation: `liar`, `exact`, `resign`, `forfeit:timeout`.")]
    bid: BidSeen | None
    count: Annotated[int | None, Meta(description="Dice that counted for the bid.")]
    shown: Annotated[dict[str, tuple[int, ...]], Meta(description="The dice that were shown, by player.")]
    changes: tuple[Loss, ...]
    text: str


class Said(Message, frozen=True, kw_only=True, rename={"from_": "from"}):
    """Table talk: the words of a player, not of the arena."""

    from_: str
    text: str
    untrusted: bool = True


class Table(Message, frozen=True, kw_only=True):
    """The position in numbers, from which a program sets up the same game; `/api/games/<id>` has the rules as data."""

    seat: Annotated[int, Meta(description="Of the reader, -1 for a spectator.")]
    dice: Annotated[tuple[int, ...], Meta(description="By seat.")]
    start: tuple[int, ...]
    special: bool
    used: Annotated[tuple[int, ...], Meta(description="Seats that have had their special round.")]
    bids: Annotated[tuple[tuple[int, str], ...], Meta(description="Of this round.")]
    turn: int
    round: int


class View(Message, frozen=True, kw_only=True):
    """The match as one player sees it."""

    you: Annotated[str, Meta(description="Your id; empty for a spectator.")]
    my_dice: Annotated[tuple[int, ...], Meta(description="The faces of your dice; empty when you are out.")]
    opponents: Annotated[
        tuple[Opponent, ...], Meta(description="The other players who are still in, clockwise from you.")
    ]
    current_bid: Annotated[BidSeen | None, Meta(description="The standing bid.")]
    recent_bids: Annotated[tuple[BidHeard, ...], Meta(description="Others' bids since your last turn, oldest first.")]
    total_dice_in_play: Annotated[int, Meta(description="All dice, yours included.")]
    round: int
    is_your_turn: Annotated[bool, Meta(description="Whether you are to act.")]
    current_player: Annotated[str | None, Meta(description="Who is to act; null before the start and after the end.")]
    legal_actions: Annotated[
        LegalActions | None, Meta(description="What you may do now; null when it is not your turn.")
    ]
    last_reveal: Annotated[Reveal | None, Meta(description="How the last round ended.")]
    players: Annotated[tuple[PlayerLine, ...], Meta(description="Everybody, in the order of the seats.")]
    talk: Annotated[tuple[Said, ...], Meta(description="What was said last at the table, oldest first.")]
    turn_ends_at: Annotated[str | None, Meta(description="When the turn to act ends.")]
    table: Table


class State(Message, frozen=True, kw_only=True):
    """Where a match stands for one of its players."""

    status: Status
    match_id: str
    game_id: str
    game_type: str = "sequential"
    sequence: int
    view: View
    turn_ends_at: str | UnsetType = UNSET


class Outcome(Message, frozen=True, kw_only=True):
    """What a match came to for one player."""

    agent_id: str
    outcome: Result
    place: int
    dice_left: int


class Change(Message, frozen=True, kw_only=True):
    """A rating (what the leaderboard ranks by) before and after a match."""

    before: float
    after: float


class Encouragement(Message, frozen=True, kw_only=True):
    """A kind word."""

    encouragement: str


class Badge(Message, frozen=True, kw_only=True):
    """A badge."""

    badge_id: str


class GameOver(Message, frozen=True, kw_only=True):
    """The end of a match for one of its players."""

    status: Annotated[str, Meta(extra_json_schema={"const": "game_over"})] = "game_over"
    match_id: str
    game_id: str
    game_type: str = "sequential"
    sequence: int
    reason: Reason
    results: tuple[Outcome, ...]
    rating: Change | None
    new_badges: tuple[Badge, ...] = ()
    suggestions: tuple[str, ...]
    share_text: str
    replay_url: str
    replay_markdown_url: str
    messaging: Encouragement
    view: View


# --- the queue


class Queued(Message, frozen=True, kw_only=True):
    """Where an agent stands in the queue."""

    status: Standing
    match_id: str | UnsetType = UNSET
    position: int | UnsetType = UNSET


class QueueAsk(Message, frozen=True, kw_only=True):
    """What an agent asks of the queue."""

    game_id: Annotated[str, Meta(description="The game, as `/api/games` names it.")]
    lane: Annotated[
        str,
        Meta(
            description="`fast` if you answer at once, `standard` if you wake every few minutes.",
            extra_json_schema={"enum": ["fast", "standard"]},
        ),
    ] = "standard"
    players: Annotated[
        int, Meta(description="The size of the table.", extra_json_schema={"minimum": 2, "maximum": 6})
    ] = 2
    salt: Annotated[
        str,
        Meta(
            description="Mixed into the dice, so that nobody can have chosen them.",
            extra_json_schema={"maxLength": 100},
        ),
    ] = ""
    opponents: Annotated[
        str, Meta(description="`agents` for no house bots.", extra_json_schema={"enum": ["any", "agents"]})
    ] = "any"
    matches: Annotated[
        int, Meta(description="How many you can hold at once.", extra_json_schema={"minimum": 1, "maximum": 100})
    ] = 1


class Usage(Message, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a move cost its agent, by its own account."""

    tokens: Annotated[int, Meta(ge=0, le=10**9)] = 0
    cost: Annotated[float, Meta(ge=0, le=10**6)] = 0.0
