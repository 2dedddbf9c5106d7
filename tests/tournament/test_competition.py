"""Competition files: what they may say, and what is said of those that are wrong."""

import re
from pathlib import Path

import pytest

from calza.matches.host import Clock, Policy
from calza.rules import CATALOG
from calza.tournament.competition import PATIENCE, Bot, Competition, plan_of, read_competition, versions
from calza.tournament.plan import Plan, PlanError

ROOT = Path(__file__).parents[2]
BOTS = '[[bots]]\nbot = "cautious"\n[[bots]]\nbot = "random"\n'


def plan_in(text: str, folder: Path = Path()) -> Plan:
    """The plan of a competition file."""
    return plan_of(*read_competition(text, folder), folder)


def test_the_guides_competition_is_playable() -> None:
    page = (ROOT / "docs" / "guide" / "run-a-competition.md").read_text()
    (text,) = re.findall(r"```toml\n(.*?)```", page, re.S)
    plan = plan_in(text)
    assert plan.names == ["cautious", "ann", "listener", "honest"]
    assert (plan.players, plan.groups, plan.format) == (3, 100, "round-robin")
    assert plan.clock == Clock(2.0, 30.0, 0.1)
    assert plan.policy == Policy("forfeit", "forfeit")


def test_what_is_not_said_has_its_default() -> None:
    plan = plan_in("seed = 3\n" + BOTS)
    assert plan == plan_of(Competition(seed=3, bots=(Bot(bot="cautious"), Bot(bot="random"))), CATALOG["liars-dice"])
    assert plan.clock == Clock()


def test_a_seed_that_nobody_sets_is_drawn() -> None:
    assert plan_in(BOTS).seed != plan_in(BOTS).seed


def test_games_are_whole_rotations() -> None:
    assert plan_in("games = 5\n" + BOTS).groups == 3


def test_rules_may_be_a_variant_a_file_or_a_table(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text('extends = "perudo"\ndice = 3\n')
    assert plan_in('rules = "perudo"\n' + BOTS).rules == CATALOG["perudo"]
    assert plan_in('rules = "own.toml"\n' + BOTS, tmp_path).rules.dice == 3
    assert plan_in(BOTS + '[rules]\nextends = "dudo"\ndice = 2\n').rules.dice == 2


def test_house_bots_of_one_name_are_numbered() -> None:
    assert plan_in('[[bots]]\nbot = "cautious"\n' + BOTS).names == ["cautious 1", "cautious 2", "random"]


def test_paths_start_where_the_file_lies(tmp_path: Path) -> None:
    (tmp_path / "ann.py").write_text("class Ann:\n    def act(self, view):\n        return 'liar'\n")
    plan = plan_in('isolation = "inline"\n[[bots]]\nbot = "ann.py"\n' + BOTS, tmp_path)
    assert plan.names == ["ann", "cautious", "random"]
    assert [entry.isolation for entry in plan.entries] == ["inline"] * 3


def test_nobody_waits_for_ever_for_a_foreign_bot(tmp_path: Path) -> None:
    (tmp_path / "ann.py").write_text("")
    assert plan_in('[[bots]]\nbot = "ann.py"\n' + BOTS, tmp_path).clock == Clock(move=PATIENCE)
    assert plan_in('[[bots]]\nbot = "ann.py"\n' + BOTS + "[time]\nbank = 9\n", tmp_path).clock == Clock(bank=9.0)


def test_a_bot_that_changes_is_another_version(tmp_path: Path) -> None:
    (tmp_path / "ann.py").write_text("one")
    text = '[[bots]]\nbot = "ann.py"\n[[bots]]\nbot = "cmd:cat ann.py"\nname = "cat"\n' + BOTS
    before = versions(plan_in(text, tmp_path))
    assert before == versions(plan_in(text, tmp_path))
    (tmp_path / "ann.py").write_text("two")
    after = versions(plan_in(text, tmp_path))
    assert [a == b for a, b in zip(before, after, strict=True)] == [False, False, True, True]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "bots: is missing, but must be a list"),
        ("playrs = 3\n" + BOTS, "playrs: is not a key here; .*; did you mean players"),
        ("players = 9\n" + BOTS, "players: is 9, but must be a whole number from 2 to 6"),
        ('format = "swis"\n' + BOTS, 'format: is "swis", but must be .*; did you mean "swiss"'),
        ("games = -1\n" + BOTS, "games: is -1, but must be a whole number from 1 to 1000000000"),
        ('rules = "perudoo"\n' + BOTS, 'rules: is "perudoo", but must be .*did you mean "perudo"'),
        ("rules = 7\n" + BOTS, "rules: is 7, but must be"),
        (BOTS + '[rules]\nextends = "dudo"\nwild = 9\n', "rules.wild: is 9"),
        (BOTS + "[time]\nmove = 0\n", "time.move: is 0, but must be a number from 0.001 to 86400"),
        (
            BOTS + '[faults]\nillegal = "retry"\n',
            'faults.illegal is "retry", but must be forfeit, lose-die, or retry:N',
        ),
        (BOTS + '[faults]\ntimeout = "pardon"\n', 'faults.timeout is "pardon", but must be'),
        (
            '[[bots]]\nbot = "cautios"\n' + BOTS,
            r"bots\[0\].bot: there is no house bot 'cautios'; did you mean cautious",
        ),
        (BOTS + '[[bots]]\nbot = "nowhere.py"\n', r"bots\[2\].bot: there is no file .*nowhere.py"),
        (BOTS + '[[bots]]\nname = "x"\n', r"bots\[2\].bot: is missing, but must be printable text"),
        (2 * '[[bots]]\nbot = "honest"\nname = "ann"\n' + BOTS, "two bots are called ann"),
        ("players = 3\n" + BOTS, "2 bots cannot fill a table of 3"),
        ("not toml", "line 1, column 5 is not TOML"),
        ('rules = "own.toml"\n' + BOTS, "own.toml.*foo: is not a key here"),
    ],
)
def test_a_wrong_file_says_which_field_is_wrong(text: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text('extends = "dudo"\nfoo = 1\n')
    with pytest.raises(PlanError, match=why):
        plan_in(text, tmp_path)
