"""Figures for whoever watches over the arena, as text that Prometheus reads."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping

MEDIA = "text/plain; version=0.0.4"
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 30.0)
SIZES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000)


class Histogram:
    """How many values were at most so large, and their sum."""

    def __init__(self, bounds: tuple[float, ...] = SECONDS) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)  # of values above the bound before; the last has no bound
        self.sum = 0.0

    def add(self, value: float) -> None:
        """Count a value."""
        self.counts[bisect_left(self.bounds, value)] += 1
        self.sum += value

    def lines(self, name: str, labels: str = "") -> Iterator[str]:
        """Its lines under `name`."""
        before, many = f"{labels}," if labels else "", 0
        for bound, count in zip((*map(str, self.bounds), "+Inf"), self.counts, strict=True):
            many += count
            yield f'{name}_bucket{{{before}le="{bound}"}} {many}'
        yield line(f"{name}_sum", labels, self.sum)
        yield line(f"{name}_count", labels, many)


def line(name: str, labels: str, value: float) -> str:
    """One figure."""
    return f"{name}{{{labels}}} {value:.12g}" if labels else f"{name} {value:.12g}"


def labelled(**labels: object) -> str:
    """Labels as they are written."""
    return ",".join(f'{name}="{escaped(str(value))}"' for name, value in labels.items())


def escaped(text: str) -> str:
    """A label's value without what would end it."""
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def family(name: str, kind: str, about: str, lines: Iterable[str]) -> list[str]:
    """All figures of one name, with what they are."""
    return [f"# HELP {name} {about}", f"# TYPE {name} {kind}", *lines]


def gauges(name: str, label: str, values: Mapping[str, float]) -> list[str]:
    """Figures that differ in one label."""
    return [line(name, labelled(**{label: one}), value) for one, value in sorted(values.items())]
