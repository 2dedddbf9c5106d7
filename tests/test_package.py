"""The package as a whole: what `import calza` offers, and the documents that must not drift."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import calza
from calza.rules.read import read_rules

ROOT = Path(__file__).parents[1]


def test_every_public_name_is_there() -> None:
    assert sorted(calza.HOMES) == sorted(calza.__all__)
    for name in calza.__all__:
        assert getattr(calza, name).__class__ is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        calza.nothing  # noqa: B018


def test_importing_calza_loads_no_room_and_no_library() -> None:
    code = "import sys, calza; print([name for name in sys.modules if name.split('.')[0] in ('msgspec', 'rich', 'click', 'numba') or name.startswith('calza.')])"  # noqa: E501
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_the_version_is_the_one_of_the_project() -> None:
    assert f'version = "{calza.__version__}"' in (ROOT / "pyproject.toml").read_text()


def test_what_is_generated_is_fresh() -> None:
    from calza.cli.reference import documents

    for name, text in documents().items():
        assert (ROOT / "docs" / "reference" / name).read_text() == text, f"{name} is stale: run `make docs`"


def test_the_map_names_every_room() -> None:
    text = (ROOT / "docs" / "map.md").read_text()
    for room in (ROOT / "src" / "calza").iterdir():
        if room.is_dir() and room.name != "__pycache__":
            assert f"  {room.name}/" in text, f"docs/map.md does not know {room.name}/"


def test_every_room_has_its_signpost() -> None:
    for room in (ROOT / "src" / "calza").glob("*/__init__.py"):
        text = room.read_text()
        for line in ("Not here:", "May import:", "Start reading:", "Tests:"):
            assert line in text, f"{room} lacks {line!r}"


def python_blocks(page: Path) -> list[str]:
    """The Python examples of a page that show what they print."""
    return [block for block in re.findall(r"```python\n(.*?)```", page.read_text(), re.S) if ">>>" in block]


PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("page", [page for page in PAGES if python_blocks(page)], ids=lambda page: page.name)
def test_every_snippet_does_what_it_shows(page: Path) -> None:
    import doctest

    names: dict[str, object] = {}
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for number, block in enumerate(python_blocks(page)):
        test = parser.get_doctest(block, names, f"{page.name}[{number}]", str(page), 0)
        runner.run(test, clear_globs=False)
        names.update(test.globs)
    assert runner.summarize(verbose=False).failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


def toml_blocks() -> list[str]:
    """The rules files that the guides show. Those of competitions and of an arena are tried elsewhere."""
    blocks = [block for page in PAGES for block in re.findall(r"```toml\n(.*?)```", page.read_text(), re.S)]
    return [block for block in blocks if "[[bots]]" not in block and "public_url" not in block]


@pytest.mark.parametrize("text", toml_blocks(), ids=lambda text: text.split('"')[1])
def test_every_rules_file_of_the_guides_is_playable(text: str) -> None:
    rules = read_rules(text)
    game = calza.Game(rules, 3, seed=1)
    assert game.legal(game.turn).bids
