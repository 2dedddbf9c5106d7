"""The tray of an SQLite store: actions that are on disk, and not yet filed under their matches.

To store an action under its match, the database writes a page of its own for it, which is most of what an action costs.
So all actions of a group are laid into the tray as one row. They are filed when their match ends, many of a match at a
time, or when the tray is full: then those that have lain there longest. PostgreSQL, where several nodes write, has
nothing in its tray: there the key of `actions` decides which of two nodes was faster.

What is in the tray is remembered here, by match. The memory is that of the one connection that writes. It is thrown
away whenever a transaction fails or somebody else has written, and made again from the table. Readers of an arena that
is alone with its store may look into it: an action is shown when its group is committed, and forgotten when that it
was filed is.
"""

from collections.abc import Iterable, Sequence
from heapq import nsmallest

import msgspec
from msgspec.structs import astuple
from sqlalchemy import Connection

from . import schema
from .done import NAMES, Done
from .rows import Given, columns

FULL = 100_000  # actions in the tray, after which some are filed though their matches go on
SOME = 50  # matches of which they are filed then, in one transaction
MATCHES = 20_000  # whose last sequences are remembered
SWEPT = 200  # groups whose rows are deleted together, when all their actions are filed

LAST = """
    SELECT (SELECT max(sequence) FROM actions WHERE "match" = matches.id) FROM matches
    WHERE id = ? AND finished_ms IS NULL"""
TOKEN = 'SELECT token FROM actions WHERE "match" = ? AND sequence = ?'
FILE = Given(
    columns(schema.actions, Done), f"INSERT INTO actions ({NAMES}) SELECT * FROM new WHERE true ON CONFLICT DO NOTHING"
)

encode = msgspec.msgpack.Encoder().encode
decode = msgspec.msgpack.Decoder(list[Done]).decode


class Tray:
    """What is in the tray of a store; `alone` when nobody else plays matches of that store."""

    def __init__(self, alone: bool = False, full: int = FULL) -> None:
        self.alone, self.full = alone, full
        self.forget()

    def forget(self) -> None:
        """Know nothing: what was done is not certain, or somebody else has done something."""
        self.version: int | None = None  # of the store, in which the memory was right; None for no memory
        self.rows: dict[str, list[tuple[int, Done]]] = {}  # actions of each match with their groups
        self.heads: dict[str, int | None] = {}  # the last sequence of matches; None for one that is not on
        self.groups: dict[int, int] = {}  # by group, in their order: how many of its actions are to be filed
        self.filed: dict[str, int] = {}  # by match: how many of its actions this transaction has filed
        self.many = 0  # actions that are to be filed
        self.number = self.committed = self.deleted = 0  # groups: the last, the last committed, the last deleted

    # --- for whoever writes

    def get_ready(self, db: Connection) -> None:
        """Know what is in the tray, in a transaction that writes."""
        version = int(db.exec_driver_sql("PRAGMA data_version").scalar_one())
        if version != self.version:
            self.forget()
            for number, done in contents(db):
                self.remember(number, done)
            self.version, self.committed = version, self.number

    def remember(self, number: int, done: Sequence[Done]) -> None:
        """A group is in the tray."""
        for one in done:
            self.rows.setdefault(one.match, []).append((number, one))
        self.number, self.groups[number] = number, len(done)
        self.many += len(done)

    def lay(self, db: Connection, wanted: Sequence[Done]) -> set[bytes]:
        """Lay in those whose numbers are free and whose matches are on; returns the tokens of those that are stored."""
        self.get_ready(db)
        fresh: list[Done] = []
        stored: set[bytes] = set()
        for one in wanted:
            last = self.last(db, one.match)
            if last is not None and one.sequence > last:
                self.heads[one.match] = one.sequence
                fresh.append(one)
                stored.add(one.token)
            elif self.token(db, one, fresh) == one.token:
                stored.add(one.token)
        if fresh:
            db.exec_driver_sql("INSERT INTO tray VALUES (?, ?)", (self.number + 1, encode(fresh)))
            self.remember(self.number + 1, fresh)
            if self.many > self.full:
                oldest = nsmallest(SOME, self.rows.items(), key=lambda row: row[1][0][0])
                self.file(db, [match for match, _ in oldest])
        return stored

    def last(self, db: Connection, match: str) -> int | None:
        """The last sequence of a match, -1 before the first; None when it is not on."""
        if match not in self.heads:
            on = db.exec_driver_sql(LAST, (match,)).first()
            numbers = [-1 if on is None or on[0] is None else int(on[0])]
            numbers += [one.sequence for _, one in self.rows.get(match, ())]
            self.heads[match] = None if on is None else max(numbers)
        return self.heads[match]

    def token(self, db: Connection, wanted: Done, fresh: Sequence[Done]) -> bytes | None:
        """The token of the action that has a number."""
        laid = [one for _, one in self.rows.get(wanted.match, ())]
        for one in [*laid, *fresh]:
            if (one.match, one.sequence) == (wanted.match, wanted.sequence):
                return one.token
        found: bytes | None = db.exec_driver_sql(TOKEN, (wanted.match, wanted.sequence)).scalar()
        return found

    def file(self, db: Connection, matches: Iterable[str]) -> None:
        """File the actions of these matches."""
        self.get_ready(db)
        rows: list[Done] = []
        for match in matches:
            if laid := self.rows.get(match):
                rows += [one for _, one in laid[self.filed.get(match, 0) :]]
                self.filed[match] = len(laid)
        rows.sort(key=lambda one: (one.match, one.sequence))
        FILE(db, [astuple(one) for one in rows])
        self.sweep(db)

    def file_all(self, db: Connection) -> None:
        """File everything."""
        self.get_ready(db)
        self.file(db, list(self.rows))

    def end(self, matches: Iterable[str]) -> None:
        """These matches are not on any more."""
        for match in matches:
            self.heads[match] = None

    def sweep(self, db: Connection) -> None:
        """Delete the oldest groups, if enough of them are filed and committed as that."""
        done = self.deleted
        for number, left in self.groups.items():
            if left:
                break
            done = number
        if done - self.deleted >= SWEPT or (done > self.deleted and not self.many):
            db.exec_driver_sql("DELETE FROM tray WHERE number <= ?", (done,))
            for number in list(self.groups):
                if number > done:
                    break
                del self.groups[number]
            self.deleted = done

    def publish(self) -> None:
        """What was done is committed."""
        self.committed = self.number
        for match, many in self.filed.items():
            laid = self.rows[match]
            for number, _ in laid[:many]:
                self.groups[number] -= 1
            self.many -= many
            if len(laid) > many:
                self.rows[match] = laid[many:]
            else:
                del self.rows[match]
        self.filed = {}
        if len(self.heads) > MATCHES:
            self.heads = {}

    # --- for whoever reads

    def of(self, db: Connection, match: str) -> list[Done]:
        """The actions of a match that are in the tray; asked for before those that are filed, so none is missed."""
        if self.alone and self.version is not None:
            committed = self.committed
            return [one for number, one in self.rows.get(match, [])[:] if number <= committed]
        return [one for _, done in contents(db) for one in done if one.match == match]


def tray_of(db: Connection) -> Tray:
    """The tray of the store that this connection belongs to."""
    tray: Tray | None = db.get_execution_options().get("tray")
    return Tray() if tray is None else tray


def contents(db: Connection) -> list[tuple[int, list[Done]]]:
    """The groups in the table, in their order."""
    return [(number, decode(done)) for number, done in db.exec_driver_sql("SELECT * FROM tray ORDER BY number")]
