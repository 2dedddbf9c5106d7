"""A match told in Markdown: what lay under the cups and what was said, round by round, for whoever wants to learn."""

from calza.matches import replay
from calza.rules import Event, Game, Record
from calza.rules.events import RoundBegan
from calza.rules.read import printable
from calza.show import Cast, cast_of, tell

SIGNS = str.maketrans({sign: f"\\{sign}" for sign in "\\`*_{}[]<>()#+-.!|~&"})  # of Markdown and of HTML


def markdown(record: Record) -> str:
    """The whole match."""
    cast = Cast(tuple(name.translate(SIGNS) for name in cast_of(record).names))
    parts = [f"# {printable(record.rules.shown)}: {', '.join(cast.names)}", f"Match `{record.id}`, {record.started}."]
    said: list[str] = []
    for game, step in replay(record):
        said += tell((one for one in step.events if not isinstance(one, RoundBegan)), cast, record.rules)
        if begins(step.events) or game.over:
            parts += ["\n".join(f"- {one}" for one in said)] * bool(said)
            said = []
        if begins(step.events):
            parts += [f"## Round {game.state.round}", cups(game, cast)]
    return "\n\n".join(parts) + "\n"


def begins(events: list[Event]) -> bool:
    """Whether a new round has begun."""
    return any(isinstance(one, RoundBegan) for one in events)


def cups(game: Game, cast: Cast) -> str:
    """All dice of a round."""
    lines = [
        f"| {name} | {' '.join(map(str, game.view(seat).cup))} |"
        for seat, name in enumerate(cast.names)
        if game.state.dice[seat]
    ]
    return "\n".join(["| player | dice |", "| --- | --- |", *lines])
