"""The games that are played here: how they are listed, their rules and strategy, and the schema of their actions."""

import hashlib
from functools import cache

from calza.arena.errors import ArenaError
from calza.arena.moves import validator as schema_of
from calza.arena.store import ratings
from calza.arena.views import PLAYED
from calza.rules import CATALOG, Rules
from calza.rules.describe import describe
from calza.rules.rules import data

from .asked import Asked
from .asks import TagQuery
from .replies import GameLine, GamePage, GameStats, Prose
from .reply import Reply, json
from .strategy import strategy as strategy_of
from .texts import filled

MOST = 6  # players at a table here, whatever the rules allow
DURATION = "5-15 minutes"
ABOUT = "Bluffing and bidding game with hidden dice. Make escalating claims or challenge your opponents."
TAGS = ("hidden-info", "stochastic", "simultaneous", "multiplayer", "bluffing")
FIRST = "liars-dice"  # the one that agents written for other arenas know, told as they know it


def rules_of(game: str) -> Rules:
    """The rules of a game that is played here."""
    if game not in PLAYED:
        raise ArenaError(404, "game_not_found", f"there is no such game; there are {', '.join(PLAYED)}")
    return CATALOG[game]


@cache
def line(game: str) -> GameLine:
    """A game as it is listed."""
    rules = rules_of(game)
    return GameLine(
        id=game,
        name=rules.shown,
        description=ABOUT if game == FIRST else f"{rules.about} {ABOUT}",
        min_players=rules.min_players,
        max_players=min(MOST, rules.max_players),
        estimated_duration=DURATION,
        tags=TAGS + more_tags(rules) if game != FIRST else TAGS,
    )


def more_tags(rules: Rules) -> tuple[str, ...]:
    """What sets a game apart from its sisters."""
    found = {
        "wild": rules.wild is not None,
        "exact-call": len(rules.calls) > 1,
        "special-rounds": rules.special is not None,
        "partial-reveal": rules.reveal == "matching",
    }
    return tuple(tag for tag, has in found.items() if has)


@cache
def printed(game: str) -> str:
    """The rules as a player here needs them: those of the game, then how to act and what one sees."""
    rules = rules_of(game)
    exact = filled("exact") if len(rules.calls) > 1 else ""
    reward = filled("reward") if len(rules.calls) > 2 else ""
    most = rules.cap if isinstance(rules.cap, int) else 255
    here = filled("acting", most=most, faces=rules.faces, exact=exact, reward=reward)
    return f"{describe(rules)}\n{here}"


@cache
def advice(game: str) -> str:
    """How to play a game well."""
    return strategy_of(rules_of(game))


def prose(game: str, content: str) -> Prose:
    """A text with a version that changes when it does."""
    return Prose(game_id=game, version=hashlib.sha256(content.encode()).hexdigest()[:12], content=content)


# --- calls


async def listed(asked: Asked) -> list[GameLine]:
    """All games, or those with a tag."""
    query = asked.query(TagQuery)
    return [line(game) for game in PLAYED if query.tag is None or query.tag in line(game).tags]


async def page(asked: Asked) -> GamePage:
    """A game."""
    rules = rules_of(asked.path["game"])
    one = line(rules.name)
    return GamePage(
        **{name: getattr(one, name) for name in GameLine.__struct_fields__},
        rules=printed(rules.name),
        rules_data=data(rules),
        rules_id=rules.rules_id,
        stats=counted((await asked.arena.store.read(ratings.Games())).get(rules.name)),
    )


def counted(sums: ratings.Sum | None) -> GameStats:
    """What is known of a game's finished matches."""
    if sums is None or not sums.matches:
        return GameStats(matches=0, average_duration_ms=None, decisive_share=0)
    return GameStats(
        matches=sums.matches,
        average_duration_ms=sums.millis / sums.matches,
        decisive_share=round(sums.decisive / sums.matches, 4),
    )


async def validator(asked: Asked) -> Reply:
    """The schema of an action."""
    return json(schema_of(rules_of(asked.path["game"])))


async def rules(asked: Asked) -> Prose:
    """The rules."""
    game = rules_of(asked.path["game"]).name
    return prose(game, printed(game))


async def strategy(asked: Asked) -> Prose:
    """How to play well."""
    game = rules_of(asked.path["game"]).name
    return prose(game, advice(game))
