"""The log and the figures: what is in them, and what never is."""

import asyncio
import io
import logging
from typing import Any

import msgspec

from calza.arena.journal import Journal
from calza.arena.metrics import Histogram, labelled


def written(level: Any, do: Any) -> list[dict[str, Any]]:
    """The lines of a journal."""
    out = io.BytesIO()
    do(Journal(level, out))
    return [msgspec.json.decode(line) for line in out.getvalue().splitlines()]


def test_a_request_is_a_line_with_what_it_was_about() -> None:
    [line] = written(
        "info",
        lambda journal: journal.answered(
            "POST /api/matches/{match}/action", 200, 0.00123, request="r1", agent="a1", match="m1", sequence=7
        ),
    )
    assert line.pop("at").endswith("Z")
    assert line == {
        "level": "info", "event": "request", "route": "POST /api/matches/{match}/action",
        "status": 200, "ms": 1.23, "request": "r1", "agent": "a1", "match": "m1", "sequence": 7,
    }  # fmt: skip


def test_questions_that_were_answered_are_written_down_only_when_all_is() -> None:
    def do(journal: Journal) -> None:
        journal.answered("GET /api/stats", 200, 0.001, request="1")
        journal.answered("GET /api/stats", 404, 0.001, request="2")

    assert [line["request"] for line in written("info", do)] == ["2"]
    assert [line["request"] for line in written("debug", do)] == ["1", "2"]
    assert written("error", do) == []


def test_an_error_is_told_without_its_words() -> None:
    def do(journal: Journal) -> None:
        try:
            try:
                {}["calza_secret"]
            except KeyError as error:
                raise ValueError("the dice are 1 2 3") from error
        except ValueError as error:
            journal.failed("POST /x", "r1", error)

    [line] = written("info", do)
    assert line["error"] == ["ValueError", "KeyError"]
    assert "test_journal.py" in line["frames"][-1]
    assert "secret" not in str(line)
    assert "dice" not in str(line)


def test_what_others_log_is_written_without_their_words() -> None:
    def do(journal: Journal) -> None:
        before, root = logging.root.handlers[:], logging.root.level
        journal.take_over()
        try:
            logging.getLogger("somebody").error("a key: calza_secret")
            logging.getLogger("calza.arena.x").warning("not done: %s", "sweep")
            logging.getLogger("somebody").info("nothing")
        finally:
            logging.root.handlers[:] = before
            logging.root.setLevel(root)

    first, second = written("info", do)
    assert "secret" not in str(first)
    assert first["where"].startswith("somebody ")
    assert second["text"] == "not done: sweep"


def test_a_log_that_nobody_reads_stops_nothing() -> None:
    out = io.BytesIO()
    out.close()
    Journal(out=out).answered("POST /x", 200, 0.1, request="r")


class Flushes(io.BytesIO):
    """A log that counts how often something is written into it."""

    times = 0

    def flush(self) -> None:
        self.times += 1


def requests_in(out: io.BytesIO) -> list[str]:
    return [msgspec.json.decode(line)["request"] for line in out.getvalue().splitlines()]


def test_what_is_answered_in_one_turn_of_the_loop_is_written_at_once_and_in_its_order() -> None:
    async def do() -> None:
        out = Flushes()
        journal = Journal(out=out)
        for turn in range(3):
            for one in range(4):
                journal.answered("POST /x", 200, 0.1, request=f"{turn}.{one}")
            assert out.times == turn, "not yet"
            await asyncio.sleep(0)
            assert out.times == turn + 1
        assert requests_in(out) == [f"{turn}.{one}" for turn in range(3) for one in range(4)]

    asyncio.run(do())


def test_a_fault_is_written_at_once_after_what_was_answered_before_it() -> None:
    async def do() -> None:
        out = io.BytesIO()
        journal = Journal(out=out)
        journal.answered("POST /x", 200, 0.1, request="1")
        journal.failed("POST /x", "2", ValueError())
        assert requests_in(out) == ["1", "2"]
        journal.answered("POST /x", 200, 0.1, request="3")
        await asyncio.sleep(0)
        assert requests_in(out) == ["1", "2", "3"]
        await asyncio.sleep(0)
        assert requests_in(out) == ["1", "2", "3"], "each once"

    asyncio.run(do())


def test_what_was_answered_last_is_written_though_the_loop_ends() -> None:
    out = io.BytesIO()
    journal = Journal(out=out)

    async def do(request: str) -> None:
        journal.answered("POST /x", 200, 0.1, request=request)

    for request in ("1", "2"):
        asyncio.run(do(request))
    journal.answered("POST /x", 200, 0.1, request="3")
    assert requests_in(out) == ["1", "2", "3"]


def test_figures_count_requests_by_route_and_status() -> None:
    journal = Journal(out=io.BytesIO(), worker=1)
    for status, seconds in ((200, 0.0005), (200, 0.02), (409, 100.0)):
        journal.answered("POST /x", status, seconds, request="r")
    lines = journal.figures()
    assert 'calza_requests_total{route="POST /x",status="200",worker="1"} 2' in lines
    assert 'calza_requests_total{route="POST /x",status="409",worker="1"} 1' in lines
    assert 'calza_request_seconds_bucket{route="POST /x",worker="1",le="0.001"} 1' in lines
    assert 'calza_request_seconds_bucket{route="POST /x",worker="1",le="30.0"} 2' in lines
    assert 'calza_request_seconds_bucket{route="POST /x",worker="1",le="+Inf"} 3' in lines
    assert 'calza_request_seconds_count{route="POST /x",worker="1"} 3' in lines


def test_a_bound_of_a_histogram_is_inside() -> None:
    histogram = Histogram((1, 2))
    for value in (1, 2, 3):
        histogram.add(value)
    assert list(histogram.lines("x")) == [
        'x_bucket{le="1"} 1', 'x_bucket{le="2"} 2', 'x_bucket{le="+Inf"} 3', "x_sum 6", "x_count 3",
    ]  # fmt: skip


def test_a_label_cannot_end_itself() -> None:
    assert labelled(a='x"\\\n') == 'a="x\\"\\\\\\n"'
