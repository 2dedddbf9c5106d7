"""What a newcomer reads: the guide, and what an address of sockets says to whoever does not open one."""

from functools import cache

from calza.arena.errors import ArenaError
from calza.arena.settings import Settings
from calza.arena.views import PLAYED

from .asked import Asked
from .games import line
from .reply import Reply, text
from .texts import filled


async def guide(asked: Asked) -> Reply:
    """Everything that a model needs to play here."""
    return text(written(asked.arena.settings), "text/plain")


@cache
def written(settings: Settings) -> str:
    """The guide of an arena."""
    return filled(
        "guide",
        base=settings.base,
        sockets="ws" + settings.base.removeprefix("http"),
        games="\n".join(f"- `{game}`: {line(game).name}. {line(game).description}" for game in PLAYED),
        fast=duration(settings.fast_turn),
        standard=duration(settings.standard_turn),
        people=duration(settings.people_turn),
        fast_queue=duration(settings.fast_queue),
        standard_queue=duration(settings.standard_queue),
        fill=duration(settings.fill_after),
        hold=duration(settings.hold),
        requests=f"{settings.requests_per_minute:,}",
        talk=filled("talk") if settings.talk else "",
    )


def duration(seconds: float) -> str:
    """A time as people say it."""
    if seconds >= 120 and seconds % 60 == 0:
        return f"{seconds / 60:.0f} minutes"
    return f"{seconds:g} seconds"


async def socket(asked: Asked) -> None:
    """Only a WebSocket is opened here."""
    raise ArenaError(426, "upgrade_required", "open a WebSocket here; the guide at /api/guide says how")
