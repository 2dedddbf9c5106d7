"""The tray of an SQLite store: what was acknowledged is there, once and for every reader, and the tray stays small."""

import asyncio
import shutil
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path
from random import Random
from typing import Any

import pytest
from sqlalchemy import Connection, event, text

from calza.arena.errors import StoreFault
from calza.arena.store import Store, engines
from calza.arena.store.actions import Act, After, Rearm
from calza.arena.store.backup import backup
from calza.arena.store.commit import Committer, Outcome
from calza.arena.store.done import Done
from calza.arena.store.matches import ById, Ending, Finish
from calza.arena.store.store import ask
from calza.arena.store.tray import SOME, SWEPT, Tray

from .desk import NOW, Desk, Opened, broken

MATCHES = tuple(f"m{one:02}" for one in range(60))
Write = Callable[[Connection], Any]


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store in which many matches have been opened."""
    file = tmp_path_factory.mktemp("template") / "arena.sqlite"

    async def do(desk: Desk) -> None:
        await desk.agents("Ann", "Bob")
        await desk.seeds(len(MATCHES))
        await asyncio.gather(*(desk.open(match, "Ann", "Bob") for match in MATCHES))

    Opened(f"sqlite:///{file}")(do)
    return file


@pytest.fixture
def file(template: Path, tmp_path: Path) -> Path:
    """The same, to be written to."""
    return Path(shutil.copy(template, tmp_path / "arena.sqlite"))


class Clerk:
    """What one process does with a store, one thing after another."""

    def __init__(self, file: Path, *, alone: bool = False, full: int = 100_000) -> None:
        self.file, self.tray = file, Tray(alone, full)
        self.address = engines.read_address(f"sqlite:///{file}")
        self.engine = engines.writer(self.address)
        self.committer = Committer(self.engine.execution_options(tray=self.tray), str(file), self.tray)
        self.reading = engines.reader(self.address)

    def settle(self, *writes: Write) -> list[Outcome]:
        return self.committer.settle(writes)

    def write(self, *writes: Write) -> list[Any]:
        outcomes = self.settle(*writes)
        assert [one.error for one in outcomes] == [None] * len(writes)
        return [one.value for one in outcomes]

    def read(self, match: str) -> list[Done]:
        return ask(self.reading.execution_options(tray=self.tray), After(match))

    def count(self, table: str) -> int:
        return int(ask(self.reading, lambda db: db.scalar(text(f"SELECT count(*) FROM {table}"))) or 0)

    def close(self) -> None:
        self.committer.close()
        self.reading.dispose()


@pytest.fixture
def clerks(file: Path) -> Iterator[Callable[..., Clerk]]:
    """Processes that open the store."""
    made: list[Clerk] = []

    def make(at: Path = file, **more: Any) -> Clerk:
        made.append(Clerk(at, **more))
        return made[-1]

    yield make
    for one in made:
        one.close()


def done(match: str, sequence: int, token: bytes = b"") -> Done:
    at = NOW + sequence
    return Done(match, sequence, sequence % 2, "1x2", at, at + 1000, token=token or f"{match}:{sequence}".encode())


def act(match: str, sequence: int, token: bytes = b"") -> Act:
    return Act(done(match, sequence, token))


def finish(match: str, actions: int) -> Finish:
    ends = (Ending(0, "Ann", "win", 1, 3), Ending(1, "Bob", "loss", 2, 0))
    return Finish(match, NOW + 5000, "completed", b"record", actions, ends)


def numbers(found: list[Done]) -> list[int]:
    return [one.sequence for one in found]


def image(file: Path, to: Path) -> Path:
    """What a process that is killed now leaves behind."""
    to.mkdir()
    for one in file.parent.glob(f"{file.name}*"):
        if not one.name.endswith("-shm"):  # which is made anew from the others
            shutil.copy(one, to / one.name)
    return to / file.name


def fails_at_its_commit(db: Connection) -> None:
    db.execute(text("PRAGMA defer_foreign_keys = ON"))
    db.execute(text("INSERT INTO keys VALUES (x'00', 'nobody', 0, NULL)"))


# --- anything, in any order


class World:
    """A plain account of what the store must hold, and a store that is tried at random."""

    def __init__(self, file: Path, folder: Path, seed: int) -> None:
        self.chance, self.folder, self.file = Random(seed), folder, file
        self.alone = bool(seed % 2)
        self.held: dict[str, list[Done]] = {match: [] for match in MATCHES[:8]}
        self.over: set[str] = set()
        self.tokens = self.images = 0
        self.looking = True
        self.server = self.serve()
        self.admin = Clerk(file)  # it ends matches, and plays some where the server is not alone

    def serve(self) -> Clerk:
        """The process that serves; whatever it does, its readers see what is committed, and nothing else."""
        server = Clerk(self.file, alone=self.alone, full=self.chance.choice((5, 40, 100_000)))

        def look(*_: Any) -> None:
            if self.looking and self.chance.random() < 0.2:
                match = self.chance.choice(list(self.held))
                assert server.read(match) == self.held[match]

        for moment in ("before_cursor_execute", "commit"):
            event.listen(server.engine, moment, look)
        return server

    def close(self) -> None:
        self.server.close()
        self.admin.close()

    # --- what is expected

    def played(self, run: list[Act]) -> list[bool]:
        """What becomes of actions that are stored together."""
        for one in sorted((act.done for act in run), key=lambda one: (one.match, one.sequence)):
            held = self.held[one.match]
            if one.match not in self.over and one.sequence > (held[-1].sequence if held else -1):
                held.append(one)
        tokens = {one.token for held in self.held.values() for one in held}
        return [one.done.token in tokens for one in run]

    def expected(self, writes: list[Write]) -> list[Any]:
        """What becomes of a group."""
        said: list[Any] = []
        for kind, same in groupby(writes, type):
            run: list[Any] = list(same)
            if kind is Act:
                said += self.played(run)
            elif kind is Finish:
                for one in run:
                    ends = one.match not in self.over and one.actions == len(self.held[one.match])
                    self.over |= {one.match} if ends else set()
                    said.append(ends)
            else:
                said += [ValueError] * len(run)
        return said

    # --- what is done

    def some_act(self) -> Act:
        """Mostly the next one; sometimes one that is late, early, or sent again."""
        match = self.chance.choice(list(self.held))
        held = self.held[match]
        if held and self.chance.random() < 0.15:
            return Act(self.chance.choice(held))
        self.tokens += 1
        most = held[-1].sequence if held else -1
        sequence = max(0, most + self.chance.choice((1, 1, 1, 1, 2, 2, 0, -1, 3)))
        return act(match, sequence, self.tokens.to_bytes(16, "big"))

    def some_end(self) -> Finish:
        match = self.chance.choice(list(self.held))
        return finish(match, len(self.held[match]) + self.chance.choice((0, 0, 1)))

    def some_writes(self) -> list[Write]:
        writes: list[Write] = [self.some_act() for _ in range(self.chance.randrange(1, 12))]
        for extra, likely in ((self.some_end, 0.15), (lambda: broken(ValueError()), 0.15)):
            if self.chance.random() < likely:
                writes.insert(self.chance.randrange(len(writes) + 1), extra())
        return writes

    def group(self, clerk: Clerk) -> None:
        writes = self.some_writes()
        # Those around one that raises are committed by themselves, and readers see that before we have noted it.
        self.looking = all(isinstance(one, Act | Finish) for one in writes)
        found = [what(one) for one in clerk.settle(*writes)]
        self.looking = True
        assert found == self.expected(writes)

    def failed_commit(self) -> None:
        writes = [one for one in self.some_writes() if type(one) is Act]
        [*_, last] = self.server.settle(*writes, fails_at_its_commit)
        assert isinstance(last.error, StoreFault)

    def killed(self) -> None:
        """The server is killed, in the midst of a write, and another goes on with what it left."""
        self.images += 1
        folder = self.folder / f"image{self.images}"

        def dies(db: Connection) -> None:
            Act.batch(db, [one for one in self.some_writes() if isinstance(one, Act)])
            Finish.batch(db, [self.some_end()])
            image(self.file, folder)
            raise ValueError

        assert self.server.settle(dies)[0].error
        self.close()
        self.file = folder / self.file.name
        self.server, self.admin = self.serve(), Clerk(self.file)

    def reopened(self) -> None:
        self.server.close()
        self.server = self.serve()

    def copied(self) -> None:
        self.images += 1
        copy = self.folder / f"copy{self.images}.sqlite"
        backup(self.server.address, copy)
        other = Clerk(copy, alone=self.chance.random() < 0.5)
        self.compare(other)
        other.close()

    def step(self) -> None:
        likely: dict[Callable[[], None], int] = {
            lambda: self.group(self.server): 60,
            lambda: self.group(self.admin): 0 if self.alone else 10,
            self.admin_ends: 5,
            self.failed_commit: 4,
            self.killed: 2,
            self.reopened: 3,
            self.copied: 2,
            self.renewed: 6,
        }
        [do] = self.chance.choices(list(likely), list(likely.values()))
        do()

    def admin_ends(self) -> None:
        end = self.some_end()
        [found] = self.admin.write(end)
        assert [found is not None] == self.expected([end])

    def renewed(self) -> None:
        """Another match takes the place of one that has ended."""
        for match in self.over & self.held.keys():
            rest = [one for one in MATCHES if one not in self.held and one not in self.over]
            if rest:
                assert self.server.read(match) == self.held.pop(match)
                self.held[rest[0]] = []

    # --- what must be true at any time

    def compare(self, clerk: Clerk) -> None:
        for match, held in self.held.items():
            assert clerk.read(match) == held

    def check_memory(self) -> None:
        """What is remembered adds up, and of what has ended nothing is."""
        tray = self.server.tray
        if tray.version is None:
            return
        left = dict.fromkeys(tray.groups, 0)
        for match, rows in tray.rows.items():
            assert rows
            for number, one in ((laid.group, laid.done) for laid in rows):
                left[number] += 1
                assert one.match == match
        assert left == tray.groups
        assert tray.many == sum(left.values())
        assert tray.held == sum(tray.sizes.values())
        assert tray.sizes.keys() == tray.groups.keys()


def what(outcome: Outcome) -> Any:
    """What became of a write, in short."""
    if outcome.error is not None:
        return type(outcome.error)
    return outcome.value if isinstance(outcome.value, bool) else outcome.value is not None


@pytest.mark.parametrize("seed", range(10))
def test_whatever_happens_the_store_holds_what_was_acknowledged(file: Path, tmp_path: Path, seed: int) -> None:
    world = World(file, tmp_path, seed)
    for _ in range(60):
        world.step()
        world.compare(world.server)
        world.check_memory()
    world.compare(world.admin)
    for match in world.held.keys() - world.over:
        world.server.write(finish(match, len(world.held[match])))
    world.server.write(finish("none", 0))
    assert world.server.count("tray") == 0, "all have ended"
    world.close()


# --- emptied


def test_what_others_ended_before_a_restart_keeps_nothing_in_the_tray(clerks: Callable[..., Clerk]) -> None:
    first = clerks()
    first.write(act("m00", 0), act("m01", 0))
    first.write(finish("m00", 1))
    second = clerks()
    second.write(act("m02", 0))
    second.write(finish("m01", 1), finish("m02", 1))
    second.write(finish("none", 0))
    assert second.count("tray") == 0
    assert second.count("actions") == 3


def test_a_failed_write_does_not_keep_the_tray_from_being_emptied(clerks: Callable[..., Clerk]) -> None:
    clerk = clerks()
    clerk.write(act("m00", 0), act("m01", 0))
    clerk.write(finish("m00", 1))
    assert clerk.settle(broken(ValueError()))[0].error
    clerk.write(finish("m01", 1))
    clerk.write(finish("none", 0))
    assert clerk.count("tray") == 0


def test_a_failed_write_leaves_the_memory_as_it_was(clerks: Callable[..., Clerk]) -> None:
    """It is not read again: whoever sends what fails must not make the arena read a whole tray each time."""
    clerk = clerks(full=3)
    clerk.write(act("m00", 0), act("m01", 0))
    clerk.write(act("m00", 1), finish("m01", 1))
    before = memory(clerk.tray)
    assert before[0] is not None
    db = clerk.committer.begun()
    for one in (act("m00", 2), act("m02", 0), act("m03", 0), finish("m00", 3)):
        one(db)
    assert memory(clerk.tray) != before
    clerk.committer.undo(ValueError())
    assert memory(clerk.tray) == before
    clerk.write(act("m00", 2), act("m02", 0))
    assert (numbers(clerk.read("m00")), numbers(clerk.read("m02"))) == ([0, 1, 2], [0])


def memory(tray: Tray) -> tuple[Any, ...]:
    """What a tray remembers of committed groups; which numbers are the last may be asked again."""
    rows = {match: list(laid) for match, laid in tray.rows.items()}
    return (
        tray.version,
        rows,
        dict(tray.groups),
        dict(tray.sizes),
        dict(tray.filed),
        tray.many,
        tray.held,
        tray.number,
        tray.swept,
    )


def test_one_match_that_goes_on_and_on_does_not_keep_what_others_have_played(clerks: Callable[..., Clerk]) -> None:
    clerk = clerks(full=100)
    clerk.write(act("m00", 0))
    for match in MATCHES[1:50]:
        for sequence in range(8):
            clerk.write(act(match, sequence))
        clerk.write(finish(match, 8))
    tray = clerk.tray
    assert clerk.count("tray") <= 100
    assert max(len(tray.groups), len(tray.sizes), tray.held) <= 101
    assert len(tray.heads) == 1, "the others have ended"
    assert numbers(clerk.read("m00")) == [0]


def test_matches_that_go_on_are_filed_when_the_tray_is_full_the_oldest_first(clerks: Callable[..., Clerk]) -> None:
    clerk = clerks(full=2 * SOME)
    for match in MATCHES:
        clerk.write(act(match, 0))
    for match in MATCHES[:-1]:
        clerk.write(act(match, 1))
    filed = {row[0] for row in ask(clerk.reading, lambda db: db.execute(text('SELECT "match" FROM actions')).all())}
    assert set(MATCHES[:SOME]) <= filed
    assert MATCHES[-1] not in filed
    for match in MATCHES[:-1]:
        assert numbers(clerk.read(match)) == [0, 1]
        assert clerk.write(act(match, 1)) == [True], "sent again"
        assert clerk.write(act(match, 1, b"another")) == [False]


def test_groups_are_deleted_many_at_a_time(clerks: Callable[..., Clerk]) -> None:
    clerk = clerks()
    clerk.write(*(act("m00", sequence) for sequence in range(2)))
    for sequence in range(SWEPT):
        clerk.write(act("m01", sequence))
    clerk.write(act("m02", 0))
    clerk.write(finish("m01", SWEPT))
    clerk.write(finish("none", 0))
    assert clerk.count("tray") == SWEPT + 2, "a match is on that began before"
    clerk.write(finish("m00", 2))
    clerk.write(finish("none", 0))
    assert clerk.count("tray") == 1
    assert numbers(clerk.read("m02")) == [0]


def test_nothing_is_deleted_before_it_is_committed_that_it_was_filed(clerks: Callable[..., Clerk]) -> None:
    clerk = clerks()
    clerk.write(act("m00", 0))

    def ends_and_fails(db: Connection) -> None:
        assert finish("m00", 1)(db)
        assert finish("none", 0)(db) is None
        raise ValueError

    assert clerk.settle(ends_and_fails)[0].error
    assert numbers(clerk.read("m00")) == [0]
    assert (clerk.count("tray"), clerk.count("actions")) == (1, 0)
    assert clerk.write(finish("m00", 1))[0]


# --- two at once


def test_an_action_that_is_sent_again_after_a_commit_that_failed_is_stored_once(clerks: Callable[..., Clerk]) -> None:
    clerk = clerks(alone=True)
    clerk.write(act("m00", 0))
    assert all(one.error for one in clerk.settle(act("m00", 1), fails_at_its_commit))
    assert numbers(clerk.read("m00")) == [0]
    assert clerk.write(act("m00", 1), act("m00", 1)) == [True, True]
    assert numbers(clerk.read("m00")) == [0, 1]


def test_of_two_processes_with_one_number_the_first_wins_also_when_it_is_filed(clerks: Callable[..., Clerk]) -> None:
    one, other = clerks(full=0), clerks()
    assert one.write(act("m00", 0, b"one")) == [True]
    assert other.write(act("m00", 0, b"other")) == [False]
    assert other.write(act("m00", 1, b"other")) == [True]
    assert one.write(act("m00", 1, b"late"), act("m00", 0, b"one")) == [False, True]
    assert [done.token for done in one.read("m00")] == [b"one", b"other"]


def test_an_action_of_a_match_that_another_process_has_just_ended_is_refused(clerks: Callable[..., Clerk]) -> None:
    server, admin = clerks(alone=True), clerks()
    server.write(act("m00", 0), act("m01", 0))
    assert admin.write(finish("m00", 1))[0]
    assert server.write(act("m00", 1), act("m01", 1)) == [False, True]
    assert server.write(act("m00", 0)) == [True], "that one was stored"
    assert numbers(server.read("m00")) == [0]
    assert admin.write(finish("m01", 1), finish("m01", 2)) == [None, (None, None)]


def test_readers_of_an_arena_that_is_alone_see_what_is_committed_and_nothing_else(clerks: Callable[..., Clerk]) -> None:
    clerk, seen = clerks(alone=True), []
    clerk.write(act("m00", 0))

    def looked_at(db: Connection) -> None:
        act("m00", 1)(db)
        seen.append(numbers(clerk.read("m00")))
        clerk.tray.file(db, ["m00"])
        act("m00", 2)(db)
        clerk.tray.file(db, ["m00"])
        seen.append(numbers(clerk.read("m00")))

    clerk.write(looked_at)
    assert seen == [[0], [0]]
    assert numbers(clerk.read("m00")) == [0, 1, 2]
    assert clerk.count("actions") == 3, "what was filed twice is there once"


@pytest.mark.parametrize(("moment", "found"), [("before_cursor_execute", [0, 1]), ("after_cursor_execute", [0])])
def test_a_reader_that_is_overtaken_misses_nothing(clerks: Callable[..., Clerk], moment: str, found: list[int]) -> None:
    """It looks into the tray first; until it looks under the match, that may be played on, ended and swept away."""
    clerk = clerks(alone=True)
    clerk.write(act("m00", 0))

    def overtaken(_: Any, __: Any, statement: str, *___: Any) -> None:
        if "sequence" not in statement or clerk.count("actions"):
            return  # it only begins, or this is over
        clerk.write(act("m00", 1))
        clerk.write(finish("m00", 2))
        clerk.write(finish("none", 0))
        assert clerk.count("tray") == 0

    event.listen(clerk.reading, moment, overtaken)
    assert numbers(clerk.read("m00")) == found


def test_a_match_that_begins_after_an_action_for_it_was_refused_is_played(tmp_path: Path) -> None:
    async def do(desk: Desk) -> None:
        await desk.agents("Ann", "Bob")
        assert not await desk.act("m", 0)
        await desk.table("m", "Ann", "Bob")
        assert await desk.act("m", 0)

    Opened(f"sqlite:///{tmp_path}/arena.sqlite")(do)


def test_a_clock_is_not_set_later_by_who_has_not_seen_an_action_of_the_same_group(clerks: Callable[..., Clerk]) -> None:
    clerk = clerks(alone=True)
    clerk.write(act("m00", 0))
    clerk.write(act("m00", 1), Rearm("m00", 0, NOW + 90_000))
    found = ask(clerk.reading, ById("m00"))
    assert found
    assert found.match.due_ms == NOW + 1001
    clerk.write(Rearm("m00", 1, NOW + 90_000))
    found = ask(clerk.reading, ById("m00"))
    assert found
    assert found.match.due_ms == NOW + 90_000


def test_what_is_remembered_of_ended_matches_is_nothing(clerks: Callable[..., Clerk]) -> None:
    clerk = clerks()
    for match in MATCHES:
        clerk.write(act(match, 0))
        clerk.write(finish(match, 1))
    tray = clerk.tray
    assert (tray.rows, tray.heads, tray.filed, tray.many) == ({}, {}, {}, 0)


@pytest.mark.parametrize("alone", [True, False])
def test_a_store_that_is_opened_reads_and_plays_on_whether_it_is_alone_or_not(file: Path, alone: bool) -> None:
    async def do() -> None:
        for sequence in range(3):
            store = await Store.open(f"sqlite:///{file}", alone=alone)
            desk = Desk(store)
            assert len(await desk.played("m00")) == sequence
            assert await desk.act("m00", sequence)
            assert len(await desk.played("m00")) == sequence + 1
            await store.close()

    asyncio.run(do())
