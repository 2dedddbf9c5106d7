"""From a text to a class, and what is said when there is none."""

import sys
from pathlib import Path

import pytest

from calza.agents.load import LoadError, author_trace, load_agent, load_class, told

AGENT = "class Bot:\n    def act(self, view):\n        return 'liar'\n"


def load(folder: Path, text: str, name: str = "bot.py", wanted: str = "") -> type:
    """The class of a file with this text."""
    (folder / name).write_text(text)
    return load_class(f"{folder / name}{wanted}")


@pytest.mark.parametrize(
    ("text", "wanted", "why"),
    [
        ("x = 1", "", "bot.py has no class with a method act(self, view)"),
        (AGENT + AGENT.replace("Bot", "Other"), "", "bot.py has several agents: write bot.py:Bot or bot.py:Other"),
        (AGENT, ":Bott", "bot.py has no class Bott; did you mean Bot?"),
        (AGENT, ":Zzz", "bot.py has no class Zzz; it has Bot"),
        ("x = 1", ":Bot", "bot.py has no class Bot; it has no agent at all"),
        ("class Bot: pass", ":Bot", "Bot in bot.py is no agent: it needs a method act(self, view)"),
        (
            "class Bot:\n  def act(self, view)\n",
            "",
            "bot.py cannot be loaded: SyntaxError: expected ':' (bot.py, line 2)",
        ),
        (
            "\nimport nosuchthing",
            "",
            "bot.py cannot be loaded: ModuleNotFoundError: No module named 'nosuchthing' (bot.py, line 2)",
        ),
        ("exit(3)", "", "bot.py cannot be loaded: SystemExit: 3 (bot.py, line 1)"),
        ("x = 1\n1 / 0", "", "bot.py cannot be loaded: ZeroDivisionError: division by zero (bot.py, line 2)"),
    ],
)
def test_a_file_without_an_agent_says_why(text: str, wanted: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(LoadError) as error:
        load(tmp_path, text, wanted=wanted)
    assert str(error.value) == why


def test_the_youngest_of_a_family_plays(tmp_path: Path) -> None:
    text = AGENT + "class Better(Bot):\n    pass\n"
    assert load(tmp_path, text).__name__ == "Better"
    assert load(tmp_path, text, wanted=":Bot").__name__ == "Bot"


def test_what_a_file_imports_is_not_its_agent(tmp_path: Path) -> None:
    (tmp_path / "parts.py").write_text(AGENT)
    assert load(tmp_path, "from parts import Bot\nclass Mine(Bot):\n    pass\n").__name__ == "Mine"


def test_two_bots_may_call_their_parts_the_same(tmp_path: Path) -> None:
    kinds = []
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "parts.py").write_text(f"NAME = {name!r}")
        kinds.append(load(folder, "from parts import NAME\n" + AGENT + "    name = NAME\n"))
    assert [kind.name for kind in kinds] == ["one", "two"]  # type: ignore[attr-defined]
    assert kinds[0].__module__ != kinds[1].__module__
    assert "parts" not in sys.modules


def test_a_part_may_be_imported_in_the_middle_of_a_match(tmp_path: Path) -> None:
    (tmp_path / "later_part.py").write_text("WORD = 'liar'")
    kind = load(
        tmp_path, "class Bot:\n    def act(self, view):\n        import later_part\n        return later_part.WORD\n"
    )
    assert kind().act(None) == "liar"


def test_a_module_is_loaded_from_where_we_are_or_is_missed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path.copy())
    (tmp_path / "here_bots.py").write_text(AGENT)
    (tmp_path / "here_broken.py").write_text("import nosuchthing")
    assert load_agent("here_bots:Bot").act(None) == "liar"
    with pytest.raises(LoadError, match="there is no module nosuchthing here or installed"):
        load_class("nosuchthing.bots:Bot")
    with pytest.raises(LoadError, match="here_broken cannot be loaded: ModuleNotFoundError: No module named 'nosuch"):
        load_class("here_broken:Bot")


def test_a_class_that_ends_python_when_it_is_made_is_no_agent(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(
        "class Bot:\n    def __init__(self):\n        exit(3)\n    def act(self, view): ...\n"
    )
    with pytest.raises(LoadError, match=r"bot.py: Bot\(\) failed with SystemExit: 3 \(bot.py, line 3\)"):
        load_agent(f"{tmp_path}/bot.py")


def test_an_error_that_cannot_be_printed_is_told_all_the_same() -> None:
    class Odd(Exception):
        def __str__(self) -> str:
            raise ValueError

    assert told(Odd()) == "Odd: (which cannot be printed)"
    assert told(ValueError("one\ntwo")) == "ValueError: one"


def test_a_traceback_begins_with_the_author(tmp_path: Path) -> None:
    with pytest.raises(LoadError) as error:
        load(tmp_path, "def deep():\n    raise KeyError(1)\ndeep()")
    lines = error.value.detail.splitlines()
    assert lines[0] == f'  File "{tmp_path}/bot.py", line 3, in <module>'
    assert lines[-1] == "KeyError: 1"
    assert author_trace(KeyError(2)) == "KeyError: 2\n"
