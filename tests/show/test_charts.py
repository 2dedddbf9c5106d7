"""Charts as SVG."""

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calza.show.charts import Column, Scale, axis, bar, columns, course, histogram, scale_over, ticks, whisker


def drawn(svg: str) -> list[ElementTree.Element]:
    """The elements of a chart, which is well-formed XML and hidden from those who listen."""
    root = ElementTree.fromstring(svg)
    assert root.get("aria-hidden") == "true"
    assert root.get("width") == "100%"
    return list(root)


def test_a_whisker_is_drawn_to_scale() -> None:
    scale = Scale(-100, 100, margin=0)
    assert whisker(scale, 20, -20, 60) == (
        '<svg class="chart whisker" width="100%" height="26" aria-hidden="true">'
        '<line class="zero" x1="50%" y1="0" x2="50%" y2="100%"/>'
        '<line class="span" x1="40%" y1="50%" x2="80%" y2="50%"/>'
        '<line class="span" x1="40%" y1="30%" x2="40%" y2="70%"/>'
        '<line class="span" x1="80%" y1="30%" x2="80%" y2="70%"/>'
        '<circle class="dot" cx="60%" cy="50%" r="5"/></svg>'
    )


def test_an_interval_that_nobody_knows_goes_all_across_and_has_no_ends() -> None:
    elements = drawn(whisker(Scale(-100, 100), 0, None, None))
    spans = [one.attrib for one in elements if one.get("class") in ("span", "unknown")]
    assert spans == [{"class": "unknown", "x1": "0%", "y1": "50%", "x2": "100%", "y2": "50%"}]


@pytest.mark.parametrize(("low", "high", "left", "right"), [(-20, None, "40%", "100%"), (None, 20, "0%", "60%")])
def test_an_open_end_runs_to_the_edge(low: float | None, high: float | None, left: str, right: str) -> None:
    elements = drawn(whisker(Scale(-100, 100, margin=0), 0, low, high))
    whole, end = [one.attrib for one in elements if one.get("class") == "span"]
    assert (whole["x1"], whole["x2"]) == (left, right)
    assert end["x1"] == end["x2"] == (left if high is None else right)


@given(st.lists(st.floats(-1e6, 1e6), max_size=9))
def test_a_scale_holds_its_values_between_round_ends(values: list[float]) -> None:
    scale = scale_over(values)
    assert scale.low < scale.high
    for value in values:
        slack = 1e-9 * (scale.high - scale.low)
        assert scale.low - slack <= value <= scale.high + slack
        assert scale.margin <= scale.at(value) <= 100 - scale.margin
    marks = ticks(scale)
    assert 2 <= len(marks) <= 6
    assert marks == sorted(marks)


def test_ticks_are_round() -> None:
    assert ticks(Scale(-150, 100)) == [-100, 0, 100]
    assert ticks(Scale(0, 40)) == [0, 10, 20, 30, 40]
    assert ticks(Scale(0.3, 0.36)) == pytest.approx([0.3, 0.32, 0.34, 0.36])


def test_an_axis_writes_its_names_above_their_places() -> None:
    elements = drawn(axis(Scale(0, 100, margin=0), [(0, "none"), (50, "half")]))
    assert [(one.get("x"), one.text) for one in elements if one.tag == "text"] == [("0%", "none"), ("50%", "half")]
    assert [one.get("x1") for one in elements if one.tag == "line"] == ["0%", "50%"]


def test_a_bar_is_as_long_as_its_share() -> None:
    rail, fill = drawn(bar(0.25))
    assert (rail.get("width"), fill.get("width")) == ("100%", "25%")


def test_columns_leave_out_the_empty_ends_and_nothing_between() -> None:
    assert columns((0, 0, 5, 0, 7, 0)) == [Column("2", 5), Column("3", 0), Column("4", 7)]
    assert columns((0, 0)) == []
    assert columns((3, 4), first=1) == [Column("1", 3), Column("2", 4)]


def test_the_last_column_may_stand_for_all_that_is_larger() -> None:
    assert columns((0, 1, 2), more=True)[-1] == Column("2 or more", 2)
    assert columns((0, 1, 2, 0), more=True)[-1] == Column("2", 2)


@given(st.lists(st.integers(0, 1000), max_size=300))
def test_columns_count_everything_once_and_are_not_too_many(counts: list[int]) -> None:
    made = columns(counts, more=True)
    assert sum(one.count for one in made) == sum(counts)
    assert len(made) <= 24


def test_a_histogram_has_columns_as_high_as_their_counts() -> None:
    elements = drawn(histogram([Column("1", 10), Column("2", 20), Column("3", 0)]))
    boxes = [one for one in elements if one.get("class") == "fill"]
    heights = [float(one.get("height") or 0) for one in boxes]
    floors = {float(one.get("y") or 0) + float(one.get("height") or 0) for one in boxes}
    assert heights[1] == pytest.approx(2 * heights[0], abs=0.2)
    assert heights[2] == 0
    assert len(floors) == 1
    assert [one.text for one in elements if one.tag == "text"][-3:] == ["1", "2", "3"]


def test_many_columns_are_not_all_named() -> None:
    svg = histogram([Column(str(number), 1) for number in range(24)])
    assert re.findall(r">(\d+)</text>", svg) == ["0", "3", "6", "9", "12", "15", "18", "21"]


def test_a_course_has_a_band_as_wide_as_its_intervals_and_a_line_through_its_values() -> None:
    chart = drawn(course([(25, 0, 50), (30, 10, 50), (20, 10, 30)]))
    inner = next(one for one in chart if one.tag == "svg")
    assert inner.get("viewBox") == "0 0 2 180"
    band, line = (re.findall(r"(\d+) ([\d.]+)", one.get("d") or "") for one in inner)
    assert [x for x, _ in line] == ["0", "1", "2"]
    assert [x for x, _ in band] == ["0", "1", "2", "2", "1", "0"]
    heights = [float(y) for _, y in line]
    assert heights[1] < heights[0] < heights[2]  # high values stand high
    tops, bottoms = [float(y) for _, y in band[:3]], [float(y) for _, y in band[:2:-1]]
    assert all(top < at < bottom for top, at, bottom in zip(tops, heights, bottoms, strict=True))
    assert [one.text for one in chart if one.tag == "text"][-2:] == ["1", "3"]


def test_a_course_of_one_point_is_a_level() -> None:
    inner = next(one for one in drawn(course([(25, 0, 50)])) if one.tag == "svg")
    places = re.findall(r"(\d+) ([\d.]+)", inner[1].get("d") or "")
    assert [x for x, _ in places] == ["0", "1"]
    assert len({y for _, y in places}) == 1
