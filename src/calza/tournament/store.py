"""What has been played, on disk: a chunk is there whole before it is counted, or it is not there."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import msgspec
from msgspec.structs import replace

from calza.agents.entry import Entry
from calza.matches.host import Fault
from calza.rules import CalzaError

from .plan import Plan
from .play import Kept, Played
from .stage import Chunk, Stage
from .tally import Tally, empty, pack, unpack, widened

FORMAT = 1
FILE = "results.sqlite"

SCHEMA = """
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    CREATE TABLE IF NOT EXISTS plan (format INTEGER, plan BLOB);
    CREATE TABLE IF NOT EXISTS stage (number INTEGER PRIMARY KEY, stage BLOB NOT NULL);
    CREATE TABLE IF NOT EXISTS chunk (
        stage INTEGER, number INTEGER, tally BLOB NOT NULL, scores BLOB NOT NULL, benched BLOB NOT NULL,
        seconds REAL NOT NULL, PRIMARY KEY (stage, number)
    );
    CREATE TABLE IF NOT EXISTS entrant (number INTEGER PRIMARY KEY, entry BLOB NOT NULL, version TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS kept (
        stage INTEGER, chunk INTEGER, unit INTEGER, rotation INTEGER, record BLOB, faults BLOB
    );
"""

Scores = list[list[int]]
Entrant = tuple[Entry, str]  # with a version, which is another one when its files are


class StoreError(CalzaError):
    """A results folder that cannot be used."""


class Store:
    """The results of one tournament in one file."""

    def __init__(self, folder: Path, plan: Plan, versions: Sequence[str] = ()) -> None:
        """`versions` tell whether the bots are still those that played before."""
        self.plan = plan
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self.db = sqlite3.connect(folder / FILE, isolation_level=None)
            self.db.executescript(SCHEMA)
            self._own(folder, versions)
        except OSError as error:
            raise StoreError(f"the results cannot be kept in {folder}: {error.strerror}") from None
        except sqlite3.Error as error:
            raise StoreError(f"the results in {folder} cannot be used: {error}") from None

    def _own(self, folder: Path, versions: Sequence[str]) -> None:
        """The folder belongs to this tournament, or to none yet."""
        ours = identity(self.plan)
        row = self.db.execute("SELECT format, plan FROM plan").fetchone()
        if row is None:
            self.db.execute("INSERT INTO plan VALUES (?, ?)", (FORMAT, ours))
        elif row != (FORMAT, ours):
            raise StoreError(f"{folder} holds the results of another tournament; choose another folder, or remove it")
        if self.plan.format == "league":  # its bots may come and go
            return
        entrants = self.entrants()
        if not entrants:
            self.enrol(list(zip(self.plan.entries, versions or [""] * len(self.plan.entries), strict=True)))
        changed = [was.name for (was, before), now in zip(entrants, versions, strict=False) if before != now]
        if changed:
            where = f"since its games in {folder} were played"
            raise StoreError(f"{changed[0]} has changed {where}; choose another folder, or remove it")

    # --- entrants

    def entrants(self) -> list[Entrant]:
        """Everybody who ever entered, by number, with the version that did."""
        rows = self.db.execute("SELECT entry, version FROM entrant ORDER BY number")
        return [(msgspec.json.decode(entry, type=Entry), version) for entry, version in rows]

    def enrol(self, entrants: Iterable[Entrant]) -> None:
        """Add entrants behind those that there are."""
        rows = [(msgspec.json.encode(entry), version) for entry, version in entrants]
        with self.db:
            self.db.execute("BEGIN IMMEDIATE")
            self.db.executemany("INSERT INTO entrant (entry, version) VALUES (?, ?)", rows)

    # --- stages

    def begin(self, stage: Stage) -> None:
        """Note a stage before it is played, or find it as it was noted."""
        row = self.db.execute("SELECT stage FROM stage WHERE number = ?", (stage.number,)).fetchone()
        if row is None:
            self.db.execute("INSERT INTO stage VALUES (?, ?)", (stage.number, msgspec.json.encode(stage)))
        elif row[0] != msgspec.json.encode(stage):
            why = "these results were changed from outside"
            raise StoreError(f"stage {stage.number} was drawn otherwise before; {why}")

    def stages(self) -> list[Stage]:
        """Every stage that has begun."""
        rows = self.db.execute("SELECT stage FROM stage ORDER BY number")
        return [msgspec.json.decode(row, type=Stage) for (row,) in rows]

    # --- chunks

    def done(self, stage: Stage) -> set[int]:
        """The chunks of a stage that need not be played again."""
        return {number for (number,) in self.db.execute("SELECT number FROM chunk WHERE stage = ?", (stage.number,))}

    def tally(self, stage: Stage | None = None, up_to: int | None = None) -> Tally:
        """The sum of all chunks, or of a stage's, or of those of its chunks up to one."""
        where, words = "", []
        if stage is not None:
            where, words = " WHERE stage = ?", [stage.number]
            if up_to is not None:
                where, words = where + " AND number <= ?", [*words, up_to]
        total = empty(self.plan)
        for (data,) in self.db.execute("SELECT tally FROM chunk" + where, words):
            total.add(widened(unpack(data), self.plan))
        return total

    def scores(self, stage: Stage) -> Iterator[tuple[int, Scores]]:
        """The chunks of a stage in their order, with the points in their units."""
        rows = self.db.execute("SELECT number, scores FROM chunk WHERE stage = ? ORDER BY number", (stage.number,))
        for number, scores in rows:
            yield number, msgspec.msgpack.decode(scores, type=Scores)

    def benched(self, stage: Stage) -> tuple[int, ...] | None:
        """Who had failed too often at the end of a stage's first chunk; None while that has not been played."""
        row = self.db.execute("SELECT benched FROM chunk WHERE stage = ? AND number = 0", (stage.number,)).fetchone()
        return None if row is None else tuple(msgspec.msgpack.decode(row[0]))

    def keep(self, chunk: Chunk, played: Played, seconds: float) -> None:
        """Put a chunk on disk, all of it or nothing."""
        stage, number = chunk.stage.number, chunk.number
        row = (stage, number, pack(played.tally), packed(played.scores), packed(played.benched), seconds)
        kept = [
            (stage, number, one.unit, one.rotation, one.record, msgspec.json.encode(one.faults)) for one in played.kept
        ]
        try:
            with self.db:
                self.db.execute("BEGIN IMMEDIATE")
                self.db.execute("INSERT INTO chunk VALUES (?, ?, ?, ?, ?, ?)", row)
                self.db.executemany("INSERT INTO kept VALUES (?, ?, ?, ?, ?, ?)", kept)
        except sqlite3.Error as error:
            why = f"these games could not be saved: {error}"
            raise StoreError(f"{why}; nothing that was saved before is lost") from None

    def seconds(self) -> float:
        """How long the games have taken in all."""
        return float(self.db.execute("SELECT coalesce(sum(seconds), 0) FROM chunk").fetchone()[0])

    def kept(self) -> list[Kept]:
        """The matches that are kept whole, in order."""
        rows = self.db.execute("SELECT unit, rotation, record, faults FROM kept ORDER BY unit, rotation")
        return list(kept_in(rows))

    def close(self) -> None:
        """Let go of the file."""
        self.db.close()


def identity(plan: Plan) -> bytes:
    """What makes a tournament the same one: all of its plan; of a league, whose bots come and go, all but those."""
    return msgspec.json.encode(replace(plan, entries=()) if plan.format == "league" else plan, order="sorted")


def seed_in(folder: Path) -> int | None:
    """The seed of the tournament whose results are in a folder, if there are any."""
    if not (folder / FILE).is_file():
        return None
    try:
        with closing(sqlite3.connect(folder / FILE)) as db:
            row = db.execute("SELECT plan FROM plan").fetchone()
        return None if row is None else int(msgspec.json.decode(row[0])["seed"])
    except (sqlite3.Error, msgspec.DecodeError, KeyError, TypeError, ValueError) as error:
        raise StoreError(f"the results in {folder} cannot be used: {error}") from None


faulty = msgspec.json.Decoder(list[tuple[str, Fault]])


def kept_in(rows: Iterable[tuple[int, int, bytes, bytes]]) -> Iterator[Kept]:
    """Kept matches from their rows."""
    return (Kept(unit, rotation, record, faulty.decode(faults)) for unit, rotation, record, faults in rows)


def packed(value: object) -> bytes:
    """A small value as bytes."""
    return msgspec.msgpack.encode(value)
