"""Writes that wait together are committed together: one wait for the disk, however many they are.

One that raises must not take its neighbours with it. Then nothing of the group is committed; those before it are done
again as a group, it is done alone, and those after it follow as a group. Each such step is half as large at most, until
it is known who raised, so that a single raiser among a thousand costs some ten transactions and not a thousand.
"""

import os
from collections.abc import Sequence
from contextlib import suppress
from itertools import groupby
from time import monotonic, sleep
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DataError, DBAPIError, InterfaceError, InternalError, OperationalError

from calza.arena.errors import ArenaError, StoreFault

from .rows import Question, take_turn
from .tray import Tray

PATIENCE = 5.0  # seconds that writes wait for a database that is away
SOON, LATER = 0.02, 1.0  # the first and the longest pause between two tries to reach it
CLASHES = 5  # times that a write is done again because those of other nodes were in its way
CLASHED = ("40001", "40P01", "55P03")  # PostgreSQL's codes for that
UNSTORABLE = (DataError, OverflowError, UnicodeEncodeError)  # the fault of whoever sent it


class Outcome(Struct, frozen=True):
    """What became of a write."""

    value: Any = None
    error: Exception | None = None


class Spoiled(Exception):
    """A group was not committed, because of the writes from `first` on; `many` were done at once."""

    def __init__(self, first: int, many: int, error: Exception) -> None:
        super().__init__(first, many, error)
        self.first, self.many, self.error = first, many, error


class Lost(Exception):
    """The database went away before the group was committed: nothing of it is stored, and it may be done again."""


class Committer:
    """The one connection that writes."""

    def __init__(self, engine: Engine, file: str = "", tray: Tray | None = None) -> None:
        self.engine, self.tray = engine, tray or Tray()
        self.file, self.identity = file, identity(file)  # of an SQLite database
        self.connection: Connection | None = None
        self.connections = 0  # that there have been
        self.away_since: float | None = None
        self.next_try = 0.0
        self.pause = SOON
        self.patience = PATIENCE

    def settle(self, writes: Sequence[Question[Any]]) -> list[Outcome]:
        """Do all of them; afterwards each has been committed, or it is said why not."""
        done: list[Outcome] = []
        size, clashes = len(writes), 0
        while len(done) < len(writes):
            group = writes[len(done) : len(done) + size]
            try:
                done += [Outcome(value) for value in self.together(group)]
            except Spoiled as spoiled:
                if len(group) > 1:
                    size = spoiled.first or max(1, spoiled.many // 2)
                    continue
                clashes += 1
                if clashed(spoiled.error) and clashes < CLASHES:
                    continue
                done.append(Outcome(error=spoiled.error))
            except Lost:
                if self.patient():
                    continue
                done += [Outcome(error=StoreFault())] * len(group)
            except StoreFault as fault:
                done += [Outcome(error=fault)] * len(group)
            size, clashes = len(writes), 0
        return done

    def together(self, writes: Sequence[Question[Any]]) -> list[Any]:
        """Do all of them in one transaction; returns what each of them returned."""
        db = self.begun()
        try:
            values = results(db, writes)
        except Spoiled as spoiled:
            self.undo(spoiled.error)
            raise
        try:
            db.commit()
        except Exception as error:
            self.drop()
            raise StoreFault("it is not known whether this was stored; send it again, unchanged") from error
        self.tray.publish()
        self.away_since, self.next_try, self.pause = None, 0.0, SOON
        return values

    def begun(self) -> Connection:
        """The connection, in a new transaction."""
        if monotonic() < self.next_try:
            raise Lost
        if identity(self.file) != self.identity:
            # SQLite would go on writing into a file that nobody can find any more, or make an empty one.
            raise StoreFault("the file of the store is gone; its operator has to stop the arena and put it back")
        try:
            if self.connection is None:
                self.connection = self.engine.connect()
                self.connections += 1
            self.connection.begin()
        except DBAPIError as error:
            self.drop()
            self.stay_away()
            raise Lost from error
        return self.connection

    def undo(self, error: Exception) -> None:
        """Take back what was done since the transaction began."""
        if not gone(error) and self.connection is not None:
            try:
                self.connection.rollback()
                self.tray.undo()
                return
            except DBAPIError:
                pass
        self.drop()
        self.stay_away()
        raise Lost from error

    def drop(self) -> None:
        """Forget a connection that may be broken; the next write makes another."""
        self.tray.forget()
        if self.connection is not None:
            with suppress(Exception):
                self.connection.invalidate()
            with suppress(Exception):
                self.connection.close()
        self.connection = None

    def stay_away(self) -> None:
        """Do not try again at once: a database that is starting is not helped by that."""
        now = monotonic()
        self.away_since = now if self.away_since is None else self.away_since
        self.next_try, self.pause = now + self.pause, min(2 * self.pause, LATER)

    def patient(self) -> bool:
        """Wait until the database may be tried again; False when writes have waited for long enough."""
        now = monotonic()
        since = now if self.away_since is None else self.away_since
        if now - since > self.patience:
            return False
        sleep(max(0.0, self.next_try - now))
        return True

    def close(self) -> None:
        """Let go of the database."""
        self.drop()
        self.engine.dispose()


def identity(file: str) -> tuple[int, int] | None:
    """Which file it is that has this name now."""
    with suppress(OSError):
        found = os.stat(file)
        return found.st_dev, found.st_ino
    return None


def results(db: Connection, writes: Sequence[Question[Any]]) -> list[Any]:
    """What each of them returns; those of one class that follow each other are done at once where it can do that."""
    values: list[Any] = []
    try:
        if any(getattr(write, "one_at_a_time", False) for write in writes):
            take_turn(db)
    except Exception as error:
        raise Spoiled(0, len(writes), told(error)) from error
    for kind, same in groupby(writes, type):
        group = list(same)
        many = getattr(kind, "batch", None)
        for part in [group] if many else [[one] for one in group]:
            try:
                values += many(db, part) if many else [part[0](db)]
            except Exception as error:
                raise Spoiled(len(values), len(part), told(error)) from error
    return values


def told(error: Exception) -> Exception:
    """An error as whoever asked is told of it: what is wrong with the database is a passing fault."""
    if isinstance(error, UNSTORABLE):
        refused = ArenaError(400, "invalid_input", "a number is too large, or a text holds what cannot be stored")
        refused.__cause__ = error
        return refused
    if isinstance(error, (OperationalError, InterfaceError, InternalError)) and not (gone(error) or clashed(error)):
        fault = StoreFault()
        fault.__cause__ = error
        return fault
    return error


def gone(error: Exception) -> bool:
    """Whether the connection is lost."""
    return isinstance(error, DBAPIError) and error.connection_invalidated


def clashed(error: Exception) -> bool:
    """Whether writes of other nodes were in the way."""
    return isinstance(error, DBAPIError) and getattr(error.orig, "sqlstate", None) in CLASHED
