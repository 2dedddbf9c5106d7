"""`python -m benchmarks [names] [--write]`: run the benchmarks and print their figures."""

import argparse
import os
import platform
import sys
from collections.abc import Iterator
from datetime import date
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from .measure import Figure

BENCHMARKS = ("start", "engine", "simulator", "tournament", "process", "replay", "arena", "arena_rows", "web")
README = Path(__file__).with_name("README.md")
BEGIN, END = "<!-- results, written by `make bench ARGS=--write` -->\n", "<!-- end of results -->\n"
COLUMNS = ("", "Calza", "by hand", "ratio (middle half)", "target")


def main() -> int:
    """Run what was asked for; 1 when a figure cannot be believed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure the speed of Calza.")
    parser.add_argument("names", nargs="*", metavar="name", help=f"one of {', '.join(BENCHMARKS)}; all if none")
    parser.add_argument("--write", action="store_true", help="put the figures into benchmarks/README.md; needs all")
    asked = parser.parse_args()
    if unknown := set(asked.names) - set(BENCHMARKS):
        parser.error(f"there is no benchmark {min(unknown)!r}; there are {', '.join(BENCHMARKS)}")
    if asked.write and asked.names:
        parser.error("--write needs all benchmarks: leave out the names")
    lines, faults = [machine(), ""], []
    print(machine(), flush=True)
    for name in asked.names or BENCHMARKS:
        print(f"\n{name}", flush=True)
        lines += [f"### {name.capitalize()}", "", row(COLUMNS), row(["---"] * len(COLUMNS))]
        for figure in run(name):
            lines.append(row((figure.name, figure.ours, figure.floor, figure.ratio, figure.target)))
            if figure.fault:
                faults.append(f"{name}, {figure.name}: {figure.fault}")
        lines.append("")
    print("\n".join(faults), file=sys.stderr, end="\n" if faults else "")
    if asked.write and not faults:
        write("\n".join(lines))
    return 1 if faults else 0


def run(name: str) -> Iterator[Figure]:
    """The figures of a benchmark, printed as they come."""
    # Imported when asked for: `start` runs without numba.
    for figure in import_module(f"benchmarks.{name}").figures():
        target = f"target {figure.target}" if figure.target else ""
        print(f"  {figure.name:52} {figure.ours:24} {figure.floor:24} {figure.ratio:22} {target}", flush=True)
        yield figure


def row(cells: tuple[str, ...] | list[str]) -> str:
    """A line of a table."""
    return f"| {' | '.join(cells)} |"


def machine() -> str:
    """Where and when the figures were taken."""
    parts = [
        processor(),
        f"{os.cpu_count()} cores",
        f"Python {platform.python_version()}",
        *(f"{name} {installed(name)}" for name in ("numba", "numpy", "msgspec")),
        date.today().isoformat(),
    ]
    return ", ".join(parts)


def processor() -> str:
    """The processor's name, as far as the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or platform.machine())


def installed(name: str) -> str:
    """The version of a package."""
    try:
        return version(name)
    except PackageNotFoundError:
        return "absent"


def write(results: str) -> None:
    """Put the results into the page, between the two marks."""
    before, _, rest = README.read_text().partition(BEGIN)
    after = rest.partition(END)[2]
    README.write_text(f"{before}{BEGIN}\n{results}\n{END}{after}")


if __name__ == "__main__":
    sys.exit(main())
