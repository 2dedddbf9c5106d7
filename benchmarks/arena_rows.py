"""What finished matches cost those who play now: the same questions of a small store and of a large one.

`fill` makes a store that looks as if an arena had run for a hundred days. Its live matches are real and can be played
on. Its finished ones are the rows of a few real matches with new ids, agents and times, so that a million of them are
made in minutes; their dice do not verify, which no question here asks for.
"""

import asyncio
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, time
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection, Table, insert, select

from calza.agents.house import HouseAgent, noise_key, parse_agent
from calza.arena.fairness import Signer, commitment, seats_of
from calza.arena.finish import settled
from calza.arena.keys import new_id
from calza.arena.live import Live
from calza.arena.store import Store, agents, matches, pairing, ratings, schema, seeds, waiting
from calza.arena.store.actions import Act, After
from calza.arena.store.done import Done
from calza.arena.store.matches import Come, Joining, Match, Open, Page, Start
from calza.arena.store.seated import Rating
from calza.arena.store.tray import tray_of

from .measure import Figure

SMALL, LARGE, COLD = 1_000, 1_000_000, 100_000  # finished matches
LIVE = 1_000
AGENTS = 100
TEMPLATES = 30  # real matches that are copied
MOVES = 6  # in a match; then somebody resigns
CHUNK = 2_000  # matches in a transaction
DAY = 86_400_000
GAMES = ("liars-dice", "joker", "exact")
COPIED = (schema.seeds, schema.matches, schema.players, schema.actions, schema.rating_history)
TRIES = 101
BATCH = 50  # actions that come at the same time

Rows = dict[Table, list[dict[str, Any]]]

OPEN = """
from time import perf_counter
start = perf_counter()
import asyncio, sys
from calza.arena.arena import Arena
from calza.arena.settings import Settings

async def opened():
    arena = await Arena.open(Settings(db=sys.argv[1]))
    await arena.start()
    print(perf_counter() - start)
    await arena.stop()
    await arena.close()

asyncio.run(opened())
"""


def fill(url: str, finished: int, live: int) -> None:
    """Fill a new store with so many matches."""
    asyncio.run(filled(url, finished, live))


async def filled(url: str, finished: int, live: int) -> None:
    """The same, in an event loop."""
    chance, now = Random(1), int(time() * 1000)
    copied = await templates(chance, now)
    store = await Store.open(url)
    try:
        names = await store.write(lambda db: add_agents(db, now - 100 * DAY))
        await store.write(lambda db: add_sums(db, names, finished, now))
        for first in range(0, finished, CHUNK):
            numbers = range(first, min(first + CHUNK, finished))
            copying: dict[str, Any] = dict(
                copied=copied, names=names, numbers=numbers, finished=finished, chance=chance, now=now
            )
            await store.write(partial(add_copies, **copying))
        for first in range(0, live, 100):
            many = min(100, live - first)
            await store.write(partial(play_many, many=many, names=names, chance=chance, now=now))
    finally:
        await store.close()


async def templates(chance: Random, now: int) -> list[Rows]:
    """The rows of some real matches, from a store in memory."""
    store = await Store.open("sqlite://")
    signer = Signer(chance.randbytes(32))

    def make(db: Connection) -> list[Rows]:
        names = add_agents(db, now)
        found = []
        for _ in range(TEMPLATES):
            match = play(db, chance.sample(names, 2), chance, now, signer)
            keys = {table: "id" if table is schema.matches else "match" for table in COPIED}
            found.append(
                {
                    table: [dict(row._mapping) for row in db.execute(select(table).where(table.c[key] == match))]
                    for table, key in keys.items()
                }
            )
        return found

    try:
        return await store.write(make)
    finally:
        await store.close()


def play(db: Connection, two: Sequence[str], chance: Random, now: int, signer: Signer | None = None) -> str:
    """A match of two agents, some moves long, and ended if there is a signer; returns its id."""
    seed = chance.randbytes(32)
    seeds.Draw(((seed, commitment(seed)),))(db)
    match = Match(new_id(chance.randbytes), chance.choice(GAMES), "fast", 2, created_ms=now, due_ms=now + DAY)
    joining = tuple(Joining(one, one, one, queued=False) for one in two)
    seated = Open(match, joining, seats_of)(db)
    assert seated
    for one in two:
        Come(match.id, one, now)(db)
    Start(match.id, now, now + DAY)(db)
    live = Live(seated, [])
    bot = HouseAgent(parse_agent("cautious"), noise_key(chance.getrandbits(32)))
    for at in range(MOVES + (signer is not None)):
        text = str(bot.act(live.game.view(live.game.turn))) if at < MOVES else "resign"
        done = Done(match.id, at, live.game.turn, text, now + at, now + DAY, token=chance.randbytes(16))
        live.play(done)
        assert Act(done)(db)
    if signer:
        assert settled(live, now + 60_000, signer)(db)
    return match.id


def play_many(db: Connection, many: int, names: list[str], chance: Random, now: int) -> None:
    """Matches that go on."""
    for _ in range(many):
        play(db, chance.sample(names, 2), chance, now)


def add_agents(db: Connection, at_ms: int) -> list[str]:
    """Agents, each with its name as its id."""
    names = [f"Agent {one:04x}" for one in range(AGENTS)]
    row = insert(schema.agents)
    said = dict(model=None, house="", created_ms=at_ms, code="", guest=False)
    db.execute(row, [said | dict(id=one, name=one, name_key=one.lower(), outline=one.lower()) for one in names])
    return names


def add_copies(
    db: Connection, copied: Sequence[Rows], names: list[str], numbers: range, finished: int, chance: Random, now: int
) -> None:
    """Finished matches of these numbers, evenly over a hundred days."""
    rows: Rows = {table: [] for table in COPIED}
    for number in numbers:
        # Ids that grow fill a table faster, and are looked up no faster than others.
        id, two = f"{number:08}{new_id(chance.randbytes)[8:]}", chance.sample(names, 2)
        template = copied[number % len(copied)]
        shift = (number - finished) * 100 * DAY // finished
        [match] = template[schema.matches]
        rows[schema.seeds].append(template[schema.seeds][0] | dict(number=number + 1, match=id))
        times = {name: match[name] + shift for name in ("created_ms", "started_ms", "finished_ms")}
        rows[schema.matches].append(match | times | dict(id=id, seed_number=number + 1))
        rows[schema.players] += [
            row | dict(match=id, agent=one, name=one, salt=one, created_ms=row["created_ms"] + shift)
            for row, one in zip(template[schema.players], two, strict=True)
        ]
        rows[schema.actions] += [row | dict(match=id) for row in template[schema.actions]]
        rows[schema.rating_history] += [
            row | dict(match=id, agent=one, at_ms=row["at_ms"] + shift)
            for row, one in zip(template[schema.rating_history], two, strict=True)
        ]
    for table, made in rows.items():
        db.execute(insert(table), made)


def add_sums(db: Connection, names: list[str], finished: int, now: int) -> None:
    """What is kept of so many finished matches besides them: ratings, habits, and sums by game and day."""
    chance = Random(2)
    for game in GAMES:
        rated = [(one, Rating(chance.gauss(25, 6), chance.uniform(0.8, 4))) for one in names]
        kind, many = dict(game=game), finished // len(GAMES)
        lines = [
            kind | dict(agent=one, size="2", mu=by.mu, sigma=by.sigma, ordinal=by.ordinal, games=9, wins=4)
            for one, by in rated
        ]
        db.execute(insert(schema.ratings), lines)
        zero = dict.fromkeys(column.name for column in schema.habits.c) | dict.fromkeys(SUMS, 9)
        db.execute(insert(schema.habits), [zero | kind | dict(agent=one) for one in names])
        db.execute(insert(schema.games), kind | dict(matches=many, decisive=many, millis=60_000 * many))
    days = [dict(day=f"day {one:03}", matches=finished // 100) for one in range(100)]
    db.execute(insert(schema.days), days)


SUMS = [column.name for column in schema.habits.c if not column.primary_key]


# --- questions


class Known(Struct, frozen=True):
    """A store, and some of what is in it."""

    store: Store
    live: list[str]
    agent: str
    salt: bytes


Ask = Callable[[Known, int], Awaitable[Any]]  # the store, and the number of the try


def asked(question: Callable[[Known], Callable[[Connection], Any]]) -> Ask:
    """A question of one transaction."""
    return lambda known, number: known.store.read(question(known))


async def act(known: Known, number: int) -> None:
    """Some actions that come at the same time, each of them acknowledged."""
    dones = [
        Done(match, MOVES + number, 0, "9x6", 0, None, token=known.salt + number.to_bytes(4, "big"))
        for match in known.live[:BATCH]
    ]
    assert all(await asyncio.gather(*(known.store.write(Act(done)) for done in dones)))


async def whole(known: Known, number: int) -> None:
    """A match from its opening to its end, in one transaction."""
    chance = Random(known.salt + number.to_bytes(4, "big"))
    signer = Signer(bytes(32))
    await known.store.write(lambda db: play(db, [known.agent, "Agent 0001"], chance, 2_000_000_000_000, signer))


def state(known: Known) -> Callable[[Connection], Any]:
    return lambda db: (matches.ById(known.live[0])(db), After(known.live[0])(db))


def profile(known: Known) -> Callable[[Connection], Any]:
    return lambda db: (ratings.Of(known.agent)(db), ratings.Habits(known.agent)(db), Page(agent=known.agent)(db))


QUESTIONS: dict[str, Ask] = {
    "a match is loaded": asked(state),
    "list of matches": asked(lambda _: Page()),
    "list of live matches of a game": asked(lambda _: Page("live", "joker")),
    "list of finished matches of a game": asked(lambda _: Page("finished", "joker")),
    "an agent's profile and matches": asked(profile),
    "an agent's history": asked(lambda known: ratings.History(known.agent, "joker", "2", 100)),
    "the leaderboard": asked(lambda _: ratings.Leaderboard("joker", "2")),
    "the arena in figures": asked(lambda _: ratings.Stats()),
    "the queue: 20 wait": asked(lambda _: pairing.Look(0, ())),
    "a call of the queue": asked(lambda known: matches.LiveOf(known.agent)),
    "whose turn has ended": asked(lambda _: matches.Overdue(0)),
    "the seeds": asked(lambda _: seeds.Page()),
    f"{BATCH} actions at once": act,
    "a whole match, in one transaction": whole,
}


async def known(url: str) -> Known:
    """A store as an arena has it that has just started, with somebody in its queue."""
    store = await Store.open(url, alone=True)
    await store.write(lambda db: tray_of(db).file_all(db))
    live = [one.match.id for one in await store.read(matches.Live())]
    everybody = await store.read(agents.Everybody(21))
    for one in everybody[1:]:
        row = waiting.Waiting(one.id, "dudo", "fast", 2, "", False, 9, 1, 2_000_000_000_000)
        await store.write(waiting.Enter(row))
    return Known(store, live, everybody[0].id, Random().randbytes(12))


async def compared(small: str, large: str) -> list[tuple[str, float, float]]:
    """Every question, and the seconds that it takes in a small store and in a large one, asked by turns."""
    both = [await known(small), await known(large)]
    found = []
    try:
        for name, ask in QUESTIONS.items():
            seconds: tuple[list[float], list[float]] = ([], [])
            for number in range(TRIES):
                for one, taken in zip(both, seconds, strict=True):
                    start = perf_counter()
                    await ask(one, number)
                    taken.append(perf_counter() - start)
            found.append((name, median(seconds[0]), median(seconds[1])))
    finally:
        for one in both:
            await one.store.close()
    return found


def cold(url: str) -> float:
    """Seconds from the start of a process until an arena on this store is ready."""
    done = subprocess.run([sys.executable, "-c", OPEN, url], capture_output=True, check=True, text=True)
    return float(done.stdout)


def figures(large: int = LARGE) -> Iterator[Figure]:
    """Questions of a store with 1,000 finished matches and of one with a million; and a start with 100,000."""
    with TemporaryDirectory() as folder:
        urls = {many: f"sqlite:///{Path(folder) / str(many)}.sqlite" for many in (SMALL, COLD, large)}
        for many, url in urls.items():
            fill(url, many, LIVE)
        start = median(cold(urls[COLD]) for _ in range(5))
        yield Figure(f"ready, {COLD:,} finished matches and {LIVE:,} live", f"{start:.2f} s", target="under 3 s")
        for name, few, much in asyncio.run(compared(urls[SMALL], urls[large])):
            ours, floor = (
                f"{seconds * 1000:.2f} ms, {many:,} finished" for seconds, many in ((much, large), (few, SMALL))
            )
            yield Figure(name, ours, floor, f"{much / few:.2f}", "no growth")
