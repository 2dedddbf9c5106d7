"""What a tournament came to, for people and programs: the report, the JSON and the CSV files all show this one value.

Bots stand in the order of the standings, best first, and everything that is "by bot" or "by pair" follows that order.
"""

from msgspec import Struct


class Interval(Struct, frozen=True):
    """A number and the 95 % interval around it; an end is None where the games say nothing of it."""

    value: float
    low: float | None
    high: float | None


class Pair(Struct, frozen=True):
    """One bot (the row) against another (the column), in the games that both played."""

    games: int
    ahead: Interval  # share of games in which the row finished ahead, ties half
    better: float  # the likelihood that the row is the stronger bot


class Habits(Struct, frozen=True):
    """How a bot played, counted over the games that were watched."""

    bids: int
    bluffs: int  # bids that its own dice gave less than an even chance
    unsupported: int  # bids on a face of which it had nothing
    calls: int
    calls_right: int
    exacts: int
    exacts_right: int


class Time(Struct, frozen=True):
    """What a bot's moves took, where somebody looked at a clock."""

    moves: int
    mean_ms: float
    slowest_ms: float


class Standing(Struct, frozen=True):
    """One bot's line in the standings."""

    rank: int
    name: str
    bot: str  # what it is: `cautious`, `mybot.py:Class`, `cmd:node bot.js`
    isolation: str
    games: int
    points: Interval  # the share of the points that it could have won, by the tournament's scoring
    rating: Interval | None  # Elo against the mean of the field (`ratings.py`); None where nothing was rated
    wins: int
    faults: dict[str, int]  # "timeout", "crash", "malformed", "illegal", "benched": how often, zeros left out
    benched: bool
    habits: Habits | None
    time: Time | None
    stage: str = ""  # in knock-outs: how far it came, such as "final"
    skill: Interval | None = None  # in leagues: mu and its 95 % (`openranks.py`), by which they are ordered


class Share(Struct, frozen=True):
    """How often the seat so many places behind the opener won."""

    behind: int
    share: Interval


class SoftPlay(Struct, frozen=True):
    """What a bot gave to one other: by letting unlikely bids of it stand, or by calling likely ones."""

    giver: str
    taker: str
    way: str  # "stand" or "call"
    decisions: int
    often: int  # how often it did
    usual: float  # and how often it would have, had the bids been those of others
    dice: Interval  # given away to that opponent, by decision, above what it gave to the others
    flagged: bool  # beyond what chance explains
    evidence: str  # in a sentence


class Shown(Struct, frozen=True):
    """A match that is kept whole: somebody failed in it, or it is a sample."""

    label: str
    record: bytes  # JSON, as `calza verify` reads it
    faults: tuple["Failure", ...] = ()


class Failure(Struct, frozen=True):
    """What a bot did wrong in a match."""

    bot: str
    kind: str
    why: str
    detail: str  # the author's traceback or log
    action: int  # which action of the match


class Results(Struct, frozen=True):
    """Everything that is known of a tournament so far."""

    name: str
    rules: str  # the variant as people write it
    rules_id: str
    format: str  # "round-robin", "gauntlet", "knock-out", "swiss", "league"
    scoring: str
    players: int  # at a table
    dice: int  # of every seat at the start
    seed: int
    games: int
    planned: int  # games; 0 where nobody knows
    unfinished: int  # games that reached the limit of actions
    seconds: float  # of play, over all runs, those of several processes added
    rounds: float  # by game
    actions: float  # by game
    standings: tuple[Standing, ...]
    pairs: tuple[tuple[Pair | None, ...], ...]  # [row][column]; None for itself and for who never met
    seats: tuple[Share, ...]
    round_counts: tuple[int, ...]  # [rounds]: watched games of that length; the last counts all longer ones
    winner_dice: tuple[int, ...]  # [dice]: watched games whose winner had so many left
    watched: int  # games whose every decision was looked at
    soft_play: tuple[SoftPlay, ...]  # every pair that could be compared, the surest first
    shown: tuple[Shown, ...]
    notes: tuple[str, ...] = ()  # what one should know, a sentence each
