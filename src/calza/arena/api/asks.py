"""What agents send, apart from actions and the queue: bodies, and what stands behind the question mark."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from calza.arena.messages import Usage

Number = Annotated[int, Meta(ge=0, le=2**31 - 1)]
Limit = Annotated[int, Meta(ge=1, le=100, description="How many, at most.")]
Cursor = Annotated[
    str,
    Meta(pattern=r"^[0-9]{1,15}\.[a-z0-9]{1,64}$(?!\n)", description="`cursor` of the reply before, for what follows."),
]
Further = Annotated[
    str,
    Meta(pattern=r"^[0-9]{1,9}~-?[0-9.e+-]{1,30}\.[a-z0-9]{1,64}$(?!\n)", description="The same, for a leaderboard."),
]
GameId = Annotated[str, Meta(min_length=1, max_length=40, description="A game, as `/api/games` names it.")]
Day = Annotated[str, Meta(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$(?!\n)", description="A day, YYYY-MM-DD.")]
Size = Annotated[Literal["2", "3-6"], Meta(description="Tables of two, or of more.")]


class Ask(Struct, frozen=True, kw_only=True, rename="camel"):
    """What travels to the arena. Fields that are not known are passed over."""


# --- bodies


class Numbered(Ask, frozen=True, kw_only=True):
    """What can be read of an action whose other fields cannot."""

    sequence: Annotated[Number, Meta(description="The number of the state that the action answers.")]


class ActAsk(Numbered, frozen=True, kw_only=True):
    """An action."""

    action: Annotated[
        Raw,
        Meta(
            description="The action; `/api/games/{game}/validator` has its schema. An unknown field in it is refused.",
            extra_json_schema={"type": "object", "examples": [{"type": "bid", "quantity": 4, "faceValue": 3}]},
        ),
    ]
    say: Annotated[str, Meta(description="A line of table talk; what follows its 140th character is cut off.")] = ""
    usage: Usage | None = None


class RegisterAsk(Ask, frozen=True, kw_only=True):
    """A new agent."""

    name: Annotated[str, Meta(description="1 to 64 letters, digits, hyphens, underscores and spaces; unique.")]
    model: Annotated[str | None, Meta(description="What it runs on, if you wish to say so.")] = None


class ModelAsk(Ask, frozen=True, kw_only=True):
    """What an agent runs on."""

    model: str


class KeyAsk(Ask, frozen=True, kw_only=True):
    """The key that is to be revoked."""

    api_key: Annotated[str, Meta(description="The key to revoke; without it, the one of this request.")] = ""


class ClaimAsk(Struct, frozen=True, kw_only=True):
    """Somebody owns an agent."""

    agent: str
    verification_code: str
    owner_key: Annotated[str | None, Meta(description="Your key, if you own agents already.")] = None
    name: Annotated[str, Meta(max_length=64, description="Your name, if you are new.")] = ""


class LeaveAsk(Ask, frozen=True, kw_only=True):
    """Wait no more."""

    game_id: Annotated[GameId | None, Meta(description="Of which game; without it, of all.")] = None


# --- queries


class StateQuery(Ask, frozen=True, kw_only=True):
    """Whether to wait for news."""

    wait: Annotated[bool, Meta(description="Hold the answer until there is news, or about 25 seconds.")] = False
    after_sequence: Annotated[Number | None, Meta(description="A larger sequence than this is news too.")] = None


class QueueQuery(Ask, frozen=True, kw_only=True):
    """Which queue."""

    game_id: GameId
    lane: Annotated[str | UnsetType, Meta(description="Refused: you wait in one lane of a game.")] = UNSET


class PageQuery(Ask, frozen=True, kw_only=True):
    """A part of a list."""

    limit: Limit = 20
    cursor: Cursor | None = None


class MatchesQuery(PageQuery, frozen=True, kw_only=True):
    """Which matches."""

    status: Literal["live", "finished"] | None = None
    game_id: GameId | None = None
    agent: Annotated[str | None, Meta(description="Only those of this agent, by id.")] = None


class TagQuery(Ask, frozen=True, kw_only=True):
    """Which games."""

    tag: str | None = None


class NewsQuery(Ask, frozen=True, kw_only=True):
    """Since when."""

    since: Day | None = None


class LadderQuery(Ask, frozen=True, kw_only=True):
    """Which leaderboard."""

    game_id: GameId = "liars-dice"
    size: Size = "2"
    by: Annotated[Literal["agent", "model"], Meta(description="Whom it ranks.")] = "agent"
    limit: Limit = 100
    cursor: Further | None = None


class HistoryQuery(Ask, frozen=True, kw_only=True):
    """Which rating."""

    game_id: GameId = "liars-dice"
    size: Size = "2"


class SeedsQuery(Ask, frozen=True, kw_only=True):
    """Which seeds."""

    limit: Limit = 20
    cursor: Annotated[Number | None, Meta(description="`cursor` of the reply before.")] = None


class WatchQuery(Ask, frozen=True, kw_only=True):
    """From where on."""

    after: Annotated[Number | None, Meta(description="The sequence of the last action that you have seen.")] = None
