"""The bots that people copy: each plays every variant at every table, and sees what is rarely seen."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from calza.agents.check import Check
from calza.agents.entry import Entry, parse_entry, seat
from calza.agents.findings import Settings
from calza.agents.trials import sizes
from calza.matches.host import Clock, Host, Policy
from calza.rules import CATALOG, Game

from .pages import ROOT, blocks

FOLDER = ROOT / "examples" / "bots"
PATIENT = Settings(rounds=1, move=30.0, budget=100.0)  # a busy machine says nothing about a bot
NAMES = ["odds.py", "floors.js", "mean.c", "thumb.sh"]


@pytest.fixture(scope="session")
def mean(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The command of the bot in C, compiled as strictly as a compiler can be told to."""
    if not shutil.which("cc"):
        pytest.fail("the bot in C needs a compiler called cc (apt-get install gcc)")
    program = tmp_path_factory.mktemp("mean") / "mean"
    strict = "-std=c99 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -O2".split()
    subprocess.run(["cc", *strict, "-o", program, FOLDER / "mean.c"], check=True)
    return f"cmd:{program}"


def entry_of(name: str, request: pytest.FixtureRequest) -> Entry:
    """An example as an entrant."""
    if name == "mean.c":
        return parse_entry(request.getfixturevalue("mean"))
    program = {".py": sys.executable, ".js": "node", ".sh": "sh"}[Path(name).suffix]
    if program == "node" and not shutil.which("node"):
        pytest.skip("node is not installed, which only the bot in JavaScript needs (apt-get install nodejs)")
    return parse_entry(f"cmd:{program} {FOLDER / name}")


def test_every_example_is_tested() -> None:
    assert sorted(NAMES) == sorted(path.name for path in FOLDER.iterdir() if path.suffix)  # the compiled one has none


def test_the_python_example_needs_no_package() -> None:
    text = (FOLDER / "odds.py").read_text()
    imported = {line.split()[1] for line in text.splitlines() if line.startswith(("import ", "from "))}
    assert imported <= sys.stdlib_module_names


@pytest.mark.parametrize("name", NAMES)
def test_an_example_is_fit_to_enter(name: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    found = Check(entry_of(name, request), tmp_path, list(CATALOG.values()), PATIENT).run()
    assert not found.problems
    assert not found.stopped
    assert not found.difference
    assert {row.rules.name for row in found.rows if row.ended >= len(sizes(row.rules))} == set(CATALOG)


def test_all_examples_play_at_one_table(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    names = [name for name in NAMES if name != "floors.js" or shutil.which("node")]
    bots = [seat(entry_of(name, request), tmp_path / name, seed=1) for name in names]
    try:
        for rules in CATALOG.values():
            if rules.max_players >= len(bots):
                game = Game(rules, len(bots), seed=5)
                hosted = Host(game, bots, names, Policy(), Clock(move=30.0)).play()
                assert hosted.finished
                assert not hosted.faults
    finally:
        for bot in bots:
            bot.close()


def test_the_page_of_the_examples_says_how_to_start_each() -> None:
    page = ROOT / "examples" / "README.md"
    shell = "".join(block.text for block in blocks(page, "sh"))
    for name in NAMES:
        assert f"[`{name}`](bots/{name})" in page.read_text()
        assert Path(name).stem in shell
