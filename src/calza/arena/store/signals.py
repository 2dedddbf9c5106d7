"""What nodes tell each other: that something about a topic has changed. Nothing depends on it but speed.

On PostgreSQL it travels with the next commit (NOTIFY), to every other node; this one hears itself at once. A node that
was cut off for a while hears `MISSED`, and looks at everything anew.
"""

import asyncio
import logging
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress

import psycopg
from msgspec import Struct
from sqlalchemy import ARRAY, Connection, Text, bindparam, text

from .engines import CONNECT

CHANNEL = "calza"
MISSED = "missed"  # the topic of what a node may not have heard; without a text
LONGEST = 7900  # bytes: PostgreSQL carries less than 8000
SOON, LATER = 0.05, 2.0  # the first and the longest pause before listening again

Heard = Callable[[str, str], None]

TELL = text(f"SELECT pg_notify('{CHANNEL}', one) FROM unnest(:many) AS one").bindparams(
    bindparam("many", type_=ARRAY(Text))
)
log = logging.getLogger(__name__)


class Notify(Struct, frozen=True):
    """A signal to other nodes; it leaves with the commit of whatever is written together with it."""

    payload: str

    def __call__(self, db: Connection) -> None:
        self.batch(db, [self])

    @classmethod
    def batch(cls, db: Connection, writes: Sequence["Notify"]) -> list[None]:
        """Many at once; equal ones arrive as one."""
        db.execute(TELL, {"many": list({write.payload: None for write in writes})})
        return [None] * len(writes)


class Listeners:
    """Who in this process wants to hear."""

    def __init__(self) -> None:
        self.heard: list[Heard] = []

    def tell(self, topic: str, text: str) -> None:
        """Tell all of them; one that fails does not keep it from the others."""
        for heard in self.heard:
            try:
                heard(topic, text)
            except Exception:
                log.exception("a listener failed at %s", topic)


class Ear:
    """Hears what other nodes tell, for as long as the task `listen` runs."""

    def __init__(self, conninfo: str, listeners: Listeners) -> None:
        self.conninfo = conninfo
        self.listeners = listeners
        self.node = secrets.token_hex(8)  # this one: it does not listen to itself
        self.ready = asyncio.Event()

    def notify(self, topic: str, text: str) -> Notify:
        """What other nodes are sent."""
        payload = f"{self.node} {topic} {text}"
        assert len(payload.encode()) <= LONGEST, "a signal names what has changed; it does not carry it"
        return Notify(payload)

    async def listen(self) -> None:
        """Listen until cancelled, through every break of the connection."""
        pause, again = SOON, False
        while True:
            with suppress(psycopg.Error, OSError):
                connect = psycopg.AsyncConnection.connect(self.conninfo, autocommit=True, **CONNECT)
                async with await connect as connection:
                    await connection.execute(f"LISTEN {CHANNEL}")
                    self.ready.set()
                    if again:
                        self.listeners.tell(MISSED, "")
                    pause, again = SOON, True
                    async for notify in connection.notifies():
                        self.hear(notify.payload)
            await asyncio.sleep(pause)
            pause = min(2 * pause, LATER)

    def hear(self, payload: str) -> None:
        """Tell the listeners what another node said."""
        node, _, said = payload.partition(" ")
        topic, _, text = said.partition(" ")
        if node != self.node:
            self.listeners.tell(topic, text)
