"""Buckets of tokens."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calza.arena.api.limits import MANY, Buckets, Limits, network, spoken
from calza.arena.clock import TurnedClock
from calza.arena.errors import ArenaError
from calza.arena.settings import Settings


@given(st.integers(1, 50), st.integers(1, 100_000), st.lists(st.integers(0, 5_000), max_size=200))
def test_never_more_than_a_bucketful_and_what_has_flowed_in(many: int, span: int, steps: list[int]) -> None:
    buckets, now, start = Buckets(many, span), 10**12, 10**12
    for taken, step in enumerate(steps, 1):
        now += step
        wait = buckets.take("a", now)
        if wait:
            assert wait <= span / many + 1
            assert wait <= 2 or buckets.take("a", now + wait - 2) > 0
            now += wait
            assert buckets.take("a", now) == 0  # who waits as long as it was told is let through
        assert taken <= many + (now - start) * many / span + 0.001


def test_buckets_take_a_bounded_part_of_memory() -> None:
    buckets = Buckets(10, 1000)
    for number in range(3 * MANY):
        buckets.take(str(number), number)
    assert len(buckets.full) <= MANY


def test_a_request_that_is_refused_takes_nothing_from_its_address() -> None:
    clock = TurnedClock()
    limits = Limits(Settings(requests_per_minute=1, address_per_minute=3), clock)
    limits.of_address("a")
    limits.of_key("ann", "a")
    for _ in range(5):
        limits.of_address("a")
        with pytest.raises(ArenaError):
            limits.of_key("ann", "a")
    limits.of_address("a")
    limits.of_address("a")
    with pytest.raises(ArenaError):
        limits.of_address("a")


@pytest.mark.parametrize(
    ("address", "whose"),
    [
        ("10.0.0.1", "10.0.0.1"),
        ("2001:db8:0:1:2:3:4:5", "2001:db8:0:1::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::1", "::/64"),
        ("no:address", "no:address"),
        ("", ""),
    ],
)
def test_of_the_sixth_version_a_network_counts_as_one(address: str, whose: str) -> None:
    assert network(address) == whose


@pytest.mark.parametrize(("ms", "said"), [(1, "1 s"), (1000, "1 s"), (120_000, "120 s"), (120_001, "3 min")])
def test_a_wait_is_told_as_people_say_it_and_never_too_short(ms: int, said: str) -> None:
    assert spoken(ms) == said
