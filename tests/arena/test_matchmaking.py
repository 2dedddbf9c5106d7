"""Who plays whom."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calza.arena.matchmaking import House, Seating, Waiter, tables

FILL = 10_000
HOUSE = [House("h1"), House("h2"), House("h3"), House("h4"), House("h5")]


def waiter(agent: str, since: int = 0, mu: float = 25.0, players: int = 2, **more: object) -> Waiter:
    said = dict(agent=agent, game="liars-dice", lane="fast", players=players, since_ms=since, mu=mu) | more
    return Waiter(**said)  # type: ignore[arg-type]


def seated(waiting: list[Waiter], now: int = 100, house: list[House] = HOUSE) -> list[tuple[str, ...]]:
    return [seating.agents for seating in tables(waiting, house, now, FILL)]


def test_two_who_want_the_same_table_play() -> None:
    assert tables([waiter("a"), waiter("b", 50)], HOUSE, 100, FILL) == [Seating("liars-dice", "fast", ("a", "b"))]


def test_whoever_wants_another_game_lane_or_size_waits() -> None:
    others = [waiter("b", game="joker"), waiter("c", lane="standard"), waiter("d", players=3)]
    assert seated([waiter("a"), *others]) == []


def test_the_nearest_in_skill_play_first() -> None:
    assert seated([waiter("a"), waiter("far", 1, mu=28.0), waiter("near", 2, mu=26.0)]) == [("a", "near")]


def test_the_reach_grows_with_waiting() -> None:
    strong = waiter("strong", since=0, mu=25.0 + 8.0)
    weak = waiter("weak", since=0)
    assert seated([strong, weak], now=3900, house=[]) == []
    assert seated([strong, weak], now=4100, house=[]) == [("strong", "weak")]


def test_the_house_fills_a_table_after_a_while() -> None:
    waiting = [waiter("a", players=4), waiter("b", 10, players=4)]
    assert seated(waiting, now=FILL - 1) == []
    assert seated(waiting, now=FILL) == [("a", "b", "h1", "h2")]


def test_no_house_bot_for_who_wants_agents_only() -> None:
    picky = waiter("picky", agents_only=True)
    assert seated([picky], now=10 * FILL) == []
    assert seated([picky, waiter("b", 5)], now=10 * FILL) == [("picky", "b")]
    # It sits down with agents at a full table, not at one that the house fills.
    three = [waiter("a", players=3), waiter("picky", 1, players=3, agents_only=True)]
    assert seated(three, now=FILL) == [("a", "h1", "h2")]


def test_the_house_bot_nearest_in_skill_fills_in() -> None:
    skills = {("h3", "liars-dice", "2"): 30.0}
    house = [House("h1", skills), House("h3", skills)]
    assert seated([waiter("a", mu=31.0)], now=FILL, house=house) == [("a", "h3")]


def test_nobody_plays_the_same_table_again_while_others_wait() -> None:
    again = frozenset(("a", "b"))
    waiting = [waiter("a", 0, last_table=again), waiter("b", 1, last_table=again), waiter("c", 2, mu=27.0)]
    assert seated(waiting) == [("a", "c")]
    assert seated(waiting[:2]) == [("a", "b")]


def test_everybody_sits_at_one_table_at_most() -> None:
    tables_ = seated([waiter(f"a{one}", one, mu=25 + one / 10) for one in range(7)])
    everybody = [agent for table in tables_ for agent in table]
    assert len(everybody) == len(set(everybody)) == 6


@pytest.mark.parametrize("players", range(2, 7))
def test_a_table_seats_as_many_as_it_was_asked_for(players: int) -> None:
    waiting = [waiter(f"a{one}", one, players=players) for one in range(players)]
    assert seated(waiting[:-1]) == []
    assert seated(waiting) == [tuple(f"a{one}" for one in range(players))]


def test_who_has_waited_long_reaches_whoever_has_just_come() -> None:
    assert seated([waiter("old", mu=25.0), waiter("new", 9_000, mu=37.0)], now=9_000, house=[]) == [("old", "new")]


def test_who_finds_no_company_is_company_for_others() -> None:
    # The first reaches nobody but the second; the second reaches both.
    far = [waiter("a", 0, mu=21.0), waiter("b", 1, mu=25.0), waiter("c", 2, mu=29.0)]
    three = [waiter(one.agent, one.since_ms, one.mu, players=3) for one in far]
    assert seated(three, house=[]) == [("b", "a", "c")]


def test_a_house_that_cannot_fill_a_table_opens_none() -> None:
    assert seated([waiter("a", players=4)], now=FILL, house=HOUSE[:2]) == []
    assert seated([waiter("a", players=4)], now=FILL, house=HOUSE[:3]) == [("a", "h1", "h2", "h3")]


def test_who_played_with_somebody_else_since_is_not_asked_to_play_the_same_table_again_either() -> None:
    a, b = waiter("a", 0, last_table=frozenset("ac")), waiter("b", 1, last_table=frozenset("ab"))
    assert seated([a, b, waiter("d", 2, mu=27.0)]) == [("a", "d")]


def test_somebody_out_of_reach_is_waited_for_before_the_same_table_is_played_again() -> None:
    again = frozenset("ab")
    three = [waiter("a", 0, last_table=again), waiter("b", 1, last_table=again), waiter("c", 2, mu=35.0)]
    assert seated(three, house=[]) == []
    assert seated(three, now=6_100, house=[]) == [("a", "c")]


def test_the_same_table_of_three_is_broken_up_by_a_fourth() -> None:
    again = frozenset("abc")
    four = [waiter(name, at, players=3, last_table=again) for at, name in enumerate("abc")]
    assert seated([*four, waiter("d", 3, mu=26.0, players=3)]) == [("a", "b", "d")]
    assert seated(four) == [("a", "b", "c")]


def test_who_waited_alone_twice_plays_another_house_bot() -> None:
    assert seated([waiter("a", last_table=frozenset(("a", "h1")))], now=FILL) == [("a", "h2")]
    assert seated([waiter("a", last_table=frozenset(("a", "h1")))], now=FILL, house=HOUSE[:1]) == [("a", "h1")]


@given(
    st.lists(
        st.builds(
            Waiter,
            agent=st.sampled_from([f"a{one}" for one in range(12)]),
            game=st.sampled_from(["dudo", "joker"]),
            lane=st.sampled_from(["fast", "standard"]),
            players=st.integers(2, 6),
            since_ms=st.integers(0, 20_000),
            mu=st.floats(0, 50),
            agents_only=st.booleans(),
            last_table=st.frozensets(st.sampled_from([f"a{one}" for one in range(12)]), max_size=6),
        ),
        unique_by=lambda one: (one.agent, one.game),
    ),
    st.integers(0, 5),
)
def test_whoever_waits_the_tables_are_full_and_of_one_kind(waiting: list[Waiter], house: int) -> None:
    by_game = {(one.agent, one.game): one for one in waiting}
    sitting: list[tuple[str, str]] = []
    for table in tables(waiting, HOUSE[:house], 20_000, FILL):
        here = [by_game[agent, table.game] for agent in table.agents if agent.startswith("a")]
        sitting += [(one.agent, one.game) for one in here]
        assert {(one.game, one.lane, one.players) for one in here} == {(table.game, table.lane, len(table.agents))}
        assert len(set(table.agents)) == len(table.agents)
        if len(here) < len(table.agents):
            assert not any(one.agents_only for one in here)
            assert 20_000 - min(one.since_ms for one in here) >= FILL
    assert len(sitting) == len(set(sitting))
