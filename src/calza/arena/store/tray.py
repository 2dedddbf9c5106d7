"""The tray of an SQLite store: actions that are on disk, and not yet filed under their matches.

To store an action under its match, the database writes a page of its own for it, which is most of what an action costs.
So all actions of a group are laid into the tray as one row. They are filed when their match ends, many of a match at a
time, or when the tray is full: then those that have lain there longest. PostgreSQL, where several nodes write, has
nothing in its tray: there the key of `actions` decides which of two nodes was faster.

What is in the tray is remembered here, by match. The memory is that of the one connection that writes. It is thrown
away whenever a commit fails or somebody else has written, and made again from the table. Readers of an arena that is
alone with its store may look into it: an action is shown when its group is committed, and forgotten when that it was
filed is.

Groups are deleted in their order, when nothing of them is to be filed any more. So one match that goes on for hours
would keep all that came after it: that is why filed actions count, too, when the tray is full.
"""

from collections.abc import Iterable, Sequence
from heapq import nsmallest

import msgspec
from msgspec import Struct
from msgspec.structs import astuple
from sqlalchemy import Connection

from . import schema
from .done import NAMES, Done
from .rows import Given, columns

FULL = 100_000  # actions in the tray, filed or not, after which some are filed though their matches go on
SOME = 50  # matches of which they are filed then, in one transaction
MATCHES = 20_000  # whose last sequences are remembered
SWEPT = 200  # groups whose rows are deleted together, when all their actions are filed

LAST = """
    SELECT (SELECT max(sequence) FROM actions WHERE "match" = matches.id) FROM matches
    WHERE id = ? AND finished_ms IS NULL"""
ON = "SELECT id FROM matches WHERE finished_ms IS NULL"
TOKEN = 'SELECT token FROM actions WHERE "match" = ? AND sequence = ?'
FILE = Given(
    columns(schema.actions, Done), f"INSERT INTO actions ({NAMES}) SELECT * FROM new WHERE true ON CONFLICT DO NOTHING"
)


class Laid(Struct, frozen=True, gc=False):
    """An action in the tray."""

    group: int
    done: Done


Rows = dict[str, list[Laid]]  # by match
Seen = tuple[Rows, int]  # and the last group that is committed

encode = msgspec.msgpack.Encoder().encode
decode = msgspec.msgpack.Decoder(list[Done]).decode


class Tray:
    """What is in the tray of a store; `alone` when nobody else plays matches of that store."""

    def __init__(self, alone: bool = False, full: int = FULL) -> None:
        self.alone, self.full = alone, full
        self.forget()

    def forget(self) -> None:
        """Know nothing: what was done is not certain, or somebody else has done something."""
        self.seen: Seen | None = None  # what readers may look into
        self.version: int | None = None  # of the store, in which the memory was right; None for no memory
        self.rows: Rows = {}  # actions of each match that are to be filed, with their groups
        self.heads: dict[str, int] = {}  # the last sequence of matches that are on
        self.groups: dict[int, int] = {}  # by group, in their order: how many of its actions are to be filed
        self.sizes: dict[int, int] = {}  # by group: how many actions are in it
        self.many = self.held = 0  # actions that are to be filed, and all in the tray
        self.number = self.deleted = 0  # groups: the last, and the last that was deleted
        self.begin()

    def begin(self) -> None:
        """Nothing has been done yet in this transaction."""
        self.fresh: list[Laid] = []  # what it has laid in
        self.filed: dict[str, int] = {}  # by match: how many of its actions it has filed
        self.swept, self.room = self.deleted, 0  # the last group that it has deleted, and the actions in all of those

    # --- for whoever writes

    def get_ready(self, db: Connection) -> None:
        """Know what is in the tray, in a transaction that writes."""
        version = int(db.exec_driver_sql("PRAGMA data_version").scalar_one())
        if version != self.version:
            self.forget()
            groups = contents(db)
            # Of a match that has ended all is filed, and nobody would ever come to file it again.
            on = {id for (id,) in db.exec_driver_sql(ON)} if groups else set()
            for number, done in groups:
                self.remember(number, [one for one in done if one.match in on], len(done))
            self.version, self.seen = version, (self.rows, self.number)

    def remember(self, number: int, done: Sequence[Done], size: int) -> None:
        """A group of this size is in the tray, of which these actions are to be filed."""
        for one in done:
            self.rows.setdefault(one.match, []).append(Laid(number, one))
        self.number, self.groups[number], self.sizes[number] = number, len(done), size
        self.many += len(done)
        self.held += size

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
            self.remember(self.number + 1, fresh, len(fresh))
            self.fresh += [self.rows[one.match][-1] for one in fresh]
            self.make_room(db)
        return stored

    def make_room(self, db: Connection) -> None:
        """If the tray is full, file those that have lain there longest."""
        if self.held - self.room > self.full:
            self.sweep(db)
        if self.held - self.room > self.full:
            oldest = nsmallest(SOME, self.rows.items(), key=lambda row: row[1][0].group)
            self.file(db, [match for match, _ in oldest])

    def head(self, db: Connection, match: str) -> int | None:
        """The last sequence of a match for whoever writes, -1 before the first; None when it is not on."""
        self.get_ready(db)
        return self.last(db, match)

    def last(self, db: Connection, match: str) -> int | None:
        """The same, when the tray is ready."""
        if match not in self.heads:
            on = db.exec_driver_sql(LAST, (match,)).first()
            if on is None:
                return None  # and it is not remembered: the match may be about to begin
            numbers = [-1 if on[0] is None else int(on[0])]
            numbers += [laid.done.sequence for laid in self.rows.get(match, ())]
            self.heads[match] = max(numbers)
        return self.heads[match]

    def token(self, db: Connection, wanted: Done, fresh: Sequence[Done]) -> bytes | None:
        """The token of the action that has a number."""
        for one in [*(laid.done for laid in self.rows.get(wanted.match, ())), *fresh]:
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
                rows += [one.done for one in laid[self.filed.get(match, 0) :]]
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
            self.heads.pop(match, None)

    def sweep(self, db: Connection) -> None:
        """Delete the oldest groups, if enough of them are filed and committed as that."""
        done, room = self.swept, 0
        for number, left in self.groups.items():
            if left:
                break
            done, room = number, room + self.sizes[number]
        enough = done - self.swept >= SWEPT or not self.many or self.held - self.room > self.full
        if enough and done > self.swept:
            db.exec_driver_sql("DELETE FROM tray WHERE number <= ?", (done,))
            self.swept, self.room = done, room

    def publish(self) -> None:
        """What was done is committed."""
        if self.version is not None:
            self.seen = self.rows, self.number
        while self.groups and (number := next(iter(self.groups))) <= self.swept:
            del self.groups[number]
            self.held -= self.sizes.pop(number)
        self.deleted = self.swept
        for match, many in self.filed.items():
            laid = self.rows[match]
            for one in laid[:many]:
                self.groups[one.group] -= 1
            self.many -= many
            if len(laid) > many:
                self.rows[match] = laid[many:]
            else:
                del self.rows[match]
        if len(self.heads) > MATCHES:
            self.heads = {}
        self.begin()

    def undo(self) -> None:
        """What was done is taken back."""
        for one in reversed(self.fresh):
            laid = self.rows[one.done.match]
            laid.pop()
            if not laid:
                del self.rows[one.done.match]
            self.many -= 1
            if one.group in self.groups:
                self.number = one.group - 1
                del self.groups[one.group]
                self.held -= self.sizes.pop(one.group)
        self.heads = {}
        self.begin()

    # --- for whoever reads

    def of(self, db: Connection, match: str) -> list[Done]:
        """The actions of a match that are in the tray; asked for before those that are filed, so none is missed."""
        seen = self.seen  # once: it may be another one in the next moment
        if self.alone and seen is not None:
            rows, committed = seen
            return [laid.done for laid in rows.get(match, [])[:] if laid.group <= committed]
        return [one for _, done in contents(db) for one in done if one.match == match]


def tray_of(db: Connection) -> Tray:
    """The tray of the store that this connection belongs to."""
    tray: Tray | None = db.get_execution_options().get("tray")
    return Tray() if tray is None else tray


def contents(db: Connection) -> list[tuple[int, list[Done]]]:
    """The groups in the table, in their order."""
    return [(number, decode(done)) for number, done in db.exec_driver_sql("SELECT * FROM tray ORDER BY number")]
