"""Tables that people fill by link, over HTTP: an agent sits down at one."""

from msgspec import UNSET

from .asked import Asked
from .replies import TableSeat


async def sit(asked: Asked) -> TableSeat:
    """Sit down; whoever sits there already is told how the table stands."""
    filling = await asked.arena.invitations.sit(asked.id_of("table"), asked.me)
    match = filling.table.match
    return TableSeat(
        status="matched" if match else "seated",
        game_id=filling.table.game,
        free=filling.free,
        match_id=match or UNSET,
    )
