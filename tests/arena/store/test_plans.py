"""What is asked again and again costs the same after a million matches: every question is answered from an index.

SQLite says how it would answer one. Nothing on the way to a request's answer may look through a table that grows with
the number of finished matches.
"""

from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import Connection, event

from calza.arena.store import Store, agents, matches, nodes, pairing, ratings, seeds, waiting
from calza.arena.store.actions import Act, After
from calza.arena.store.matches import Page

from .desk import NOW, Desk, Opened, seat, stronger
from .desk import waiting as waits

GROWING = {"matches", "players", "actions", "rating_history", "seeds"}
PARTIAL = ("ix_matches_live", "ix_matches_due", "ix_seeds_unused")  # indexes of few rows
FEW = ("players.out_ms IS NULL",)
A_GAME: list[dict[str, Any]] = [{}, {"game": "dudo"}]
QUESTIONS: list[Callable[[Connection], Any]] = [
    After("m", 3),
    matches.ById("m"),
    matches.Live(),
    matches.Overdue(NOW),
    matches.LiveOf("Ann"),
    matches.LiveOf("Ann", "dudo"),
    matches.RecordOf("m"),
    matches.Since(NOW),
    matches.Since(NOW, f"{NOW}.m"),
    matches.Counts(),
    *(Page(status, **what, **more) for status in (None, "live", "finished") for what in A_GAME
      for more in ({}, {"agent": "Ann"}, {"cursor": f"{NOW}.m"}, {"agent": "Ann", "cursor": f"{NOW}.m"})),
    pairing.Look(NOW, ("Bob",)),
    pairing.Found("Ann", NOW),
    ratings.Leaderboard("dudo", "2"),
    ratings.Leaderboard("dudo", "2", cursor="1.5.Ann"),
    ratings.Of("Ann"),
    ratings.Habits("Ann"),
    ratings.History("Ann", "dudo", "2"),
    ratings.Ratings(("Ann",), "dudo", "2"),
    ratings.Games(),
    ratings.Stats(),
    ratings.ByModel("dudo", "2"),
    agents.ByKey(b"x"),
    agents.ById("Ann"),
    agents.ByName("Ann"),
    seeds.Page(),
    seeds.Page(10, 5),
    seeds.Unused(),
    waiting.Position("Ann", "dudo"),
    nodes.Alive(NOW),
]  # fmt: skip


async def plans(store: Store, do: Callable[[Connection], Any]) -> list[tuple[str, str]]:
    """Every statement of a question, and what SQLite would do for it."""
    asked: list[tuple[str, Any]] = []

    def note(db: Any, cursor: Any, statement: str, parameters: Any, context: Any, many: bool) -> None:
        asked.append((statement, parameters[0] if many else parameters))

    def explained(db: Connection) -> list[tuple[str, str]]:
        event.listen(db, "before_cursor_execute", note)
        do(db)
        event.remove(db, "before_cursor_execute", note)
        return [
            (statement, row[3])
            for statement, parameters in asked
            if statement.lstrip().startswith(("SELECT", "UPDATE", "DELETE", "INSERT", "WITH"))
            for row in db.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)
        ]

    return await store.write(explained)


async def filled(desk: Desk) -> None:
    await desk.agents("Ann", "Bob")
    await desk.seeds(5)
    for one in range(3):
        await desk.finished(f"over{one}", "Ann", "Bob")
    await desk.table("m", "Ann", "Bob")
    await desk.act("m", 0)
    await desk.enter("Ann", "joker")


def slow(plan: str, statement: str) -> bool:
    """Whether a step looks through a growing table, or sorts what may be much of it."""
    if "USE TEMP B-TREE FOR ORDER BY" in plan:
        return any(f"FROM {table}" in statement for table in GROWING) and not any(few in statement for few in FEW)
    words = plan.split()
    if words[0] != "SCAN" or words[1] not in GROWING:
        return False
    # In the order of an index, and not to its end, is as good as a search.
    ordered = "LIMIT" in statement and (words[1] == "seeds" or "ix_matches_created" in plan)
    return not ordered and not any(few in plan for few in PARTIAL)


Steps = list[tuple[str, str]]


def judged(writes: Callable[[Desk], Sequence[Callable[[Connection], Any]]], wrong: Callable[[Steps], Steps]) -> None:
    """Nothing is wrong with how any of them is done."""

    async def do(desk: Desk) -> None:
        await filled(desk)
        found = {repr(one): wrong(await plans(desk.store, one)) for one in writes(desk)}
        assert {name: steps for name, steps in found.items() if steps} == {}

    Opened("sqlite://")(do)


def looks_through(steps: Steps) -> Steps:
    assert steps, "something is asked of the database"
    return [(plan, statement) for statement, plan in steps if slow(plan, statement)]


def test_every_question_is_answered_from_an_index() -> None:
    judged(lambda _: QUESTIONS, looks_through)


def test_every_write_finds_its_rows_by_an_index() -> None:
    joining = (matches.Joining("Bob", "Bob", "salt of Bob"),)
    judged(
        lambda desk: [
            waiting.Enter(waits("Bob", "exact", players=1)),
            matches.Open(matches.Match("new", "exact", "fast", 1, created_ms=NOW), joining, seat),
            matches.Come("m", "Ann", NOW),
            matches.Start("m", NOW, NOW),
            matches.Told("m", "Ann", NOW),
            matches.Out("m", 0, NOW),
            Act(desk.done("m", 1)),
            desk.finish("m", "Ann", "Bob", actions=2, rate=stronger),
            waiting.Leave("Ann"),
        ],
        looks_through,
    )


def test_live_matches_are_found_among_the_live_alone() -> None:
    whose: list[dict[str, str]] = [{}, {"game": "dudo"}, {"agent": "Ann"}, {"game": "dudo", "agent": "Ann"}]
    judged(
        lambda _: [Page("live", **what) for what in whose],
        lambda steps: [] if "ix_matches_live" in steps[0][1] else steps,
    )


def test_what_an_agent_plays_now_is_found_among_what_is_played_now() -> None:
    joining = (matches.Joining("Bob", "Bob", "salt of Bob"),)
    judged(
        lambda _: [
            matches.LiveOf("Ann"),
            matches.LiveOf("Ann", "dudo"),
            pairing.Found("Ann", NOW),
            pairing.Look(NOW, ()),
            waiting.Enter(waits("Bob", "exact", players=1)),
            matches.Open(matches.Match("new", "exact", "fast", 1, created_ms=NOW), joining, seat),
        ],
        lambda steps: [] if any("ix_players_live" in plan for plan, _ in map(reversed, steps)) else steps,
    )
