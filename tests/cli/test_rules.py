"""`calza rules`, and how every command ends: with what it did, or with one sentence."""

import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import click
import pytest

from calza.cli import LazyVerbs, main
from calza.cli.errors import status_of
from calza.cli.find import MOST, RULES, find_rules
from calza.rules import CATALOG, CalzaError
from calza.rules.describe import describe
from calza.rules.read import read_rules, rules_schema

Capsys = pytest.CaptureFixture[str]
CALZA = [sys.executable, "-m", "calza"]
NAMES = ", ".join(list(CATALOG)[:-1]) + f" and {list(CATALOG)[-1]}"


def said(capsys: Capsys, *args: str) -> tuple[int, str, str]:
    """Exit status, output and errors of a command run here."""
    status = main(args)
    return status, *capsys.readouterr()


def ended(*args: str, stdout: int = subprocess.PIPE, **settings: str) -> tuple[int, str, str]:
    """Exit status, output and errors of a command run as a process of its own, with `settings` in its environment."""
    done = subprocess.run(
        [*CALZA, *args], stdout=stdout, stderr=subprocess.PIPE, env=os.environ | settings, encoding="latin-1"
    )
    return done.returncode, done.stdout, done.stderr


def drawn(*args: str) -> str:
    """What a command draws in a terminal."""
    ours, theirs = pty.openpty()
    env = os.environ | {"TERM": "xterm-256color", "COLUMNS": "90", "NO_COLOR": ""}
    with subprocess.Popen([*CALZA, *args], stdout=theirs, stderr=theirs, env=env):
        os.close(theirs)
        chunks = []
        while chunk := read_on(ours):
            chunks.append(chunk)
    os.close(ours)
    return b"".join(chunks).decode()


def read_on(terminal: int) -> bytes:
    """The next bytes of a terminal; none once its program has ended, which Linux tells as an error."""
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""


def wrote(folder: Path, text: str, name: str = "House Rules.toml") -> str:
    (folder / name).write_text(text, "utf-8")
    return str(folder / name)


# --- list


def test_the_list_has_a_line_for_every_variant(capsys: Capsys) -> None:
    status, out, _ = said(capsys, "rules", "list")
    heading, *lines = out.splitlines()
    assert (status, heading.split()) == (0, ["name", "players", "dice", "wild", "about"])
    assert [line.split()[0] for line in lines] == list(CATALOG)


def test_the_columns_of_the_list_are_aligned(capsys: Capsys) -> None:
    _, out, _ = said(capsys, "rules", "list")
    lines = out.splitlines()
    assert {line.index(CATALOG[line.split()[0]].about) for line in lines[1:]} == {lines[0].index("about")}


def test_the_list_as_json_has_every_variant_with_its_id(capsys: Capsys) -> None:
    _, out, _ = said(capsys, "rules", "list", "--json")
    assert {one["name"]: one["rulesId"] for one in json.loads(out)} == {
        name: rules.rules_id for name, rules in CATALOG.items()
    }


def test_the_list_is_a_table_in_a_terminal() -> None:
    assert "\x1b[36mopenspiel-reset-quantity" in drawn("rules", "list")


# --- show


@pytest.mark.parametrize("name", CATALOG)
def test_showing_a_variant_prints_its_rules(capsys: Capsys, name: str) -> None:
    assert said(capsys, "rules", "show", name) == (0, describe(CATALOG[name]), "")


def test_in_a_terminal_the_rules_are_drawn_without_marks() -> None:
    shown = drawn("rules", "show", "joker")
    assert "Players and dice" in shown
    assert "## " not in shown


@pytest.mark.parametrize("name", CATALOG)
def test_a_variant_shown_as_json_reads_back_equal(capsys: Capsys, name: str) -> None:
    _, out, _ = said(capsys, "rules", "show", name, "--json")
    assert (read_rules(out), json.loads(out)["rulesId"]) == (CATALOG[name], CATALOG[name].rules_id)


def test_the_schema_needs_no_name(capsys: Capsys) -> None:
    status, out, _ = said(capsys, "rules", "show", "--schema")
    assert (status, json.loads(out)) == (0, rules_schema())


def test_showing_nothing_says_what_is_missing(capsys: Capsys) -> None:
    sentence = "calza: missing NAME: one that `calza rules list` prints, or a TOML or JSON file\n"
    assert said(capsys, "rules", "show") == (2, "", sentence)


def test_rules_of_a_file_take_its_name(capsys: Capsys, tmp_path: Path) -> None:
    path = wrote(tmp_path, 'extends = "perudo"\ndice = 4\n')
    _, out, _ = said(capsys, "rules", "show", path)
    assert out.startswith("# house-rules\n\n## Players and dice\n\n- 2 to 15 players sit in a circle.")


def test_what_is_shown_as_json_may_be_a_file_of_rules(capsys: Capsys, tmp_path: Path) -> None:
    _, out, _ = said(capsys, "rules", "show", "joker", "--json")
    assert find_rules(wrote(tmp_path, out, "rules.json")) == CATALOG["joker"]


# --- check


def test_rules_that_make_a_game_are_told_in_three_lines(capsys: Capsys, tmp_path: Path) -> None:
    path = wrote(tmp_path, 'extends = "perudo"\nmax_players = 6')
    identity = find_rules(path).rules_id[:12]
    assert said(capsys, "rules", "check", path) == (
        0,
        f"house-rules makes a game, {identity}\n"
        "2 to 6 players with five dice of 6 faces; ones are wild\n"
        "calls: liar, exact; with special rounds; the last player with dice wins\n",
        "",
    )


def test_one_call_and_no_wild_face_are_told_in_the_singular(capsys: Capsys, tmp_path: Path) -> None:
    path = wrote(tmp_path, 'extends = "openspiel"\nwild = false')
    assert said(capsys, "rules", "check", path)[1].splitlines()[1:] == [
        "2 players with one die of 6 faces; no face is wild",
        "call: liar; no special rounds; the first call ends the game",
    ]


def test_rules_that_make_no_game_are_refused_with_the_file_and_the_field(tmp_path: Path) -> None:
    path = wrote(tmp_path, 'extends = "perudo"\nraising.lower = "mroe"')
    words = '"barred", "any", "same", "more", "half", "over-half" or "double-plus-one"; did you mean "more"?'
    assert ended("rules", "check", path) == (2, "", f'calza: {path}: raising.lower: is "mroe", but must be {words}\n')


# --- finding rules


@pytest.mark.parametrize("name", CATALOG)
def test_a_variant_is_found_by_its_name(name: str) -> None:
    assert find_rules(name) == CATALOG[name]


@pytest.mark.parametrize(("name", "near"), [("perdo", "perudo"), ("Spot On", "spot-on"), ("Liar's Dice", "liars-dice")])
def test_an_unknown_name_lists_the_known_ones_and_the_nearest(capsys: Capsys, name: str, near: str) -> None:
    assert said(capsys, "rules", "show", name) == (
        2,
        "",
        f'calza: no rules are called "{name}"; known are {NAMES}, or a file that ends in .toml or .json; '
        f"did you mean {near}?\n",
    )


def test_a_file_without_an_ending_is_found_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    wrote(tmp_path, 'extends = "joker"', "mine")
    assert find_rules("mine").name == "mine"


def test_a_file_that_is_not_there_is_named(capsys: Capsys) -> None:
    sentence = "calza: nowhere/mine.toml: no such file or directory\n"
    assert said(capsys, "rules", "show", "nowhere/mine.toml") == (2, "", sentence)


def test_a_folder_is_no_file_of_rules(capsys: Capsys, tmp_path: Path) -> None:
    assert said(capsys, "rules", "check", str(tmp_path)) == (2, "", f"calza: {tmp_path}: is a directory\n")


def test_a_file_that_never_ends_is_not_read_to_its_end(capsys: Capsys) -> None:
    sentence = f"calza: /dev/zero: is larger than {MOST:,} bytes, too large for rules\n"
    assert said(capsys, "rules", "check", "/dev/zero") == (2, "", sentence)


def test_a_file_that_is_no_text_is_refused(capsys: Capsys, tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_bytes(b"\xff\xfe")
    sentence = f"calza: {tmp_path}/x.toml: is not text in UTF-8\n"
    assert said(capsys, "rules", "check", f"{tmp_path}/x.toml") == (2, "", sentence)


def test_rules_as_a_value_of_an_option_are_taken_as_they_are() -> None:
    assert RULES.convert(CATALOG["joker"], None, None) is CATALOG["joker"]


@pytest.mark.parametrize(("typed", "completed"), [("per", "plain,perudo\n"), ("my-", "file,my-\n")])
def test_a_shell_completes_names_of_variants_and_files(typed: str, completed: str) -> None:
    asked = {"_CALZA_COMPLETE": "bash_complete", "COMP_WORDS": f"calza rules show {typed}", "COMP_CWORD": "3"}
    assert ended(**asked) == (0, completed, "")


# --- how commands end


@pytest.mark.parametrize("args", [[], ["--help"], ["-h"]])
def test_calza_alone_prints_its_help(capsys: Capsys, args: list[str]) -> None:
    status, out, err = said(capsys, *args)
    assert (status, err) == (0, "")
    assert out.startswith("Usage: calza [OPTIONS] COMMAND [ARGS]...\n")
    assert "  rules " in out


def test_a_group_alone_prints_its_help(capsys: Capsys) -> None:
    status, out, _ = said(capsys, "rules")
    assert (status, out.partition("\n")[0]) == (0, "Usage: calza rules [OPTIONS] COMMAND [ARGS]...")


def test_the_version_is_printed_with_the_name(capsys: Capsys) -> None:
    status, out, _ = said(capsys, "--version")
    assert (status, out.split()[0]) == (0, "calza")


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (["rulse"], "no such command rulse; did you mean rules?"),
        (["xyz"], "no such command xyz; calza --help lists them"),
        (["rules", "shwo"], "no such command shwo; did you mean show?"),
        (["rules", "list", "--jsno"], "no such option --jsno; did you mean --json?"),
        (["--xyz"], "no such option --xyz"),
        (["rules", "check"], "missing argument 'FILE'"),
        (["rules", "list", "all"], "got unexpected extra argument (all)"),
    ],
)
def test_a_wrong_command_line_is_told_in_one_sentence(capsys: Capsys, args: list[str], sentence: str) -> None:
    assert said(capsys, *args) == (2, "", f"calza: {sentence}\n")


def test_a_wrong_command_line_ends_a_process_with_status_2() -> None:
    assert ended("rules", "list", "--jsno") == (2, "", "calza: no such option --jsno; did you mean --json?\n")


def test_a_verb_whose_module_is_missing_breaks_no_other(capsys: Capsys) -> None:
    verbs = LazyVerbs(
        "calza", verbs={"rules": ("calza.cli.rules:rules", "Rules."), "fly": ("calza.cli.fly:fly", "Fly.")}
    )
    with verbs.make_context("calza", ["rules", "list"]) as context:
        verbs.invoke(context)
        assert "fly" not in verbs.get_help(context)
        assert verbs.get_command(context, "fly") is None
    assert "joker" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("room", "module", "install"),
    [
        ("calza.sim.compile", "numba", ': pip install "calza[sim]"'),
        ("calza.tournament.tally", "numpy", ': pip install "calza[tournament]"'),
        ("calza.client.line", "websockets", ': pip install "calza[arena]"'),
        ("calza.tournament.cluster", "ray", ': pip install "calza[cluster]"'),
        ("somewhere.else", "wings", ""),
    ],
)
def test_a_missing_module_is_named_with_what_brings_it(capsys: Capsys, room: str, module: str, install: str) -> None:
    asking = {"__name__": room}
    exec(f"def ask():\n    raise ModuleNotFoundError(name={module!r})", asking)
    assert status_of(asking["ask"]) == 2
    assert capsys.readouterr().err == f"calza: this needs {module}, which is not installed{install}\n"


def raised(error: BaseException) -> None:
    raise error


@pytest.mark.parametrize(
    ("error", "status", "err"),
    [
        (CalzaError("one\nline."), 2, "calza: one line\n"),
        (OSError("no reason"), 2, "calza: no reason\n"),
        (click.ClickException("Something."), 2, "calza: something\n"),
        (click.exceptions.Exit(3), 3, ""),
        (KeyboardInterrupt(), 130, ""),
        (click.Abort(), 130, ""),
        (BrokenPipeError(), 141, ""),
    ],
)
def test_every_error_has_its_status(capsys: Capsys, error: BaseException, status: int, err: str) -> None:
    assert (status_of(lambda: raised(error)), capsys.readouterr().err) == (status, err)


def test_an_error_of_the_program_itself_is_not_hidden() -> None:
    with pytest.raises(ZeroDivisionError):
        status_of(lambda: 1 // 0)


def test_a_reader_that_has_gone_ends_the_command_silently() -> None:
    ours, theirs = os.pipe()
    os.close(ours)
    assert ended("rules", "show", "joker", stdout=theirs) == (141, None, "")
    os.close(theirs)


def test_a_full_disk_is_told() -> None:
    with open("/dev/full", "wb") as full:
        assert ended("rules", "show", "joker", stdout=full.fileno()) == (2, None, "calza: no space left on device\n")


def test_a_command_without_any_output_to_write_to_ends_well() -> None:
    shut = subprocess.run(["sh", "-c", '"$@" >&-', "sh", *CALZA, "rules", "list"], stderr=subprocess.PIPE)
    assert (shut.returncode, shut.stderr) == (0, b"")


def test_a_letter_that_the_terminal_cannot_show_does_not_stop_a_command(tmp_path: Path) -> None:
    path = wrote(tmp_path, 'extends = "joker"\ntitle = "Bluffé →"')
    status, out, _ = ended("rules", "show", path, PYTHONIOENCODING="latin-1")
    assert (status, out.partition("\n")[0]) == (0, "# Bluffé \\u2192")


def test_control_c_ends_a_command_with_130_and_without_a_traceback(tmp_path: Path) -> None:
    pipe = tmp_path / "slow.toml"
    os.mkfifo(pipe)
    command = subprocess.Popen([*CALZA, "rules", "check", pipe], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with command, open(pipe, "wb"):  # opens once the command reads, which then waits for what never comes
        command.send_signal(signal.SIGINT)
        assert (*command.communicate(), command.returncode) == (b"", b"", 130)


@pytest.mark.parametrize(
    "args", [["--help"], ["rules", "list"], ["rules", "show", "joker"], ["rules", "show", "--schema"]]
)
def test_no_command_waits_for_what_it_does_not_use(args: list[str]) -> None:
    script = (
        "import sys; from calza.cli import main; main(sys.argv[1:]); print({'numba', 'numpy', 'rich'} & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", script, *args], capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "set()"
