"""`calza play`: a person against house bots."""

import io
import itertools
import os
import signal
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import pytest
from rich.cells import cell_len

from calza.agents import bid_odds
from calza.cli.bots import find_bots
from calza.cli.help import help_lines
from calza.cli.host import Host, Leaving
from calza.cli.person import Entry, Wish, read
from calza.cli.play import usual_bots
from calza.cli.save import match_folder, save
from calza.cli.screen import Screen
from calza.cli.sitting import Luck, Sitting
from calza.cli.table import percent
from calza.matches import read_record, verify
from calza.rules import CATALOG, RESIGN, Bid, Call, Game, NotationError, Record, Setup, View
from calza.rules.dice import commitment
from calza.rules.record import HmacSource

from .terminal import CALZA, CODES, Terminal, piped, stopped

# A way to play that ends every game: raise in turn, and call when that is too low.
STUBBORN = "1x1 1x2 liar 2x2 2x3 liar 3x3 3x4 liar 4x4 5x5 liar 6x6 liar".split() * 40


class Keys:
    """Types lines one after the other, and then goes."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.lines = iter(lines)
        self.view: View | None = None

    def offer(self, view: View) -> None:
        self.view = view

    def __call__(self, prompt: str) -> str:
        try:
            return next(self.lines)
        except StopIteration:
            raise EOFError from None


class Raiser(Keys):
    """Makes the least raise on the face that stands, and calls every fourth time."""

    def __init__(self) -> None:
        super().__init__(())
        self.turns = itertools.count(1)

    def __call__(self, prompt: str) -> str:
        assert self.view
        legal = self.view.legal()
        if legal.calls and next(self.turns) % 4 == 0:
            return legal.calls[-1]
        return str(next(iter(legal)))


def sat(
    lines: Iterable[str] | Keys,
    rules: str = "liars-dice",
    against: str = "",
    seed: str = "a",
    width: int = 80,
    **more: object,
) -> tuple[str, Record]:
    """What a screen shows of a sitting, and its record."""
    keys = lines if isinstance(lines, Keys) else Keys(lines)
    bots = find_bots(against) if against else usual_bots(CATALOG[rules])
    dice, odds, encoding = more.get("dice"), bool(more.get("odds")), str(more.get("encoding", "utf-8"))
    assert dice is None or isinstance(dice, int)
    file = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    ticks = itertools.count(1_000_000, 500)
    sitting = Sitting(CATALOG[rules], "Ann", bots, Luck.named(seed), dice)
    host = Host(sitting, Screen(file, width), keys, lambda: next(ticks), odds)
    with suppress(EOFError, Leaving):
        host.play()
    file.flush()
    assert isinstance(file.buffer, io.BytesIO)
    return file.buffer.getvalue().decode(encoding), sitting.record(host.started)


def only_record(folder: Path) -> Record:
    """The one record in a folder."""
    (path,) = folder.iterdir()
    return read_record(path.read_bytes())


# --- whole games


@pytest.mark.parametrize("rules", CATALOG)
def test_a_whole_game_in_a_pipe(rules: str, tmp_path: Path) -> None:
    done = piped("play", "--rules", rules, "--seed", "7", "--save", str(tmp_path), typed="\n".join(STUBBORN))
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert "\x1b" not in done.stdout
    assert "The game is over: " in done.stdout
    assert verify(only_record(tmp_path)).finished
    (path,) = tmp_path.iterdir()
    assert f"record saved: {path}\nprove it with: " in done.stdout


SCRIPT = Path(sys.executable).with_name("calza")


@pytest.mark.parametrize(
    ("command", "path", "said"),
    [
        ([str(SCRIPT)], "/usr/bin", str(SCRIPT)),
        (CALZA, "/usr/bin", " ".join(CALZA)),
        ([str(SCRIPT)], str(SCRIPT.parent), "calza"),
    ],
    ids=["clone", "module", "installed"],
)
def test_the_command_that_proves_a_match_can_be_pasted(
    command: list[str], path: str, said: str, tmp_path: Path
) -> None:
    env = {**os.environ, "PATH": path}
    played = subprocess.run(
        [*command, "play", "--save", str(tmp_path / "my games")],
        input="quit\n",
        text=True,
        capture_output=True,
        env=env,
        check=True,
    )
    pasted = played.stdout.splitlines()[-1].removeprefix("prove it with: ")
    assert pasted.startswith(f"{said} verify '{tmp_path}/my games/")
    proved = subprocess.run(["/bin/sh", "-c", pasted], text=True, capture_output=True, env=env, check=True)
    assert proved.stdout.endswith("Nothing in this record is wrong.\n")


@pytest.mark.parametrize("rules", CATALOG)
@pytest.mark.parametrize("width", [40, 80])
@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_every_variant_fits_every_screen(rules: str, width: int, encoding: str) -> None:
    shown, record = sat(Raiser(), rules, width=width, encoding=encoding, odds=True)
    lines = shown.splitlines()
    assert not [line for line in lines if cell_len(line) > width]
    assert not [line for line in lines if line != line.rstrip()]
    assert "\x1b" not in shown
    assert ("┌─────┐" in shown) == (encoding == "utf-8")
    assert verify(record).finished


def test_the_same_seed_and_the_same_moves_are_the_same_game(tmp_path: Path) -> None:
    for name in ("one", "two"):
        piped("play", "--seed", "my seed", "--save", str(tmp_path / name), typed="\n".join(STUBBORN))
    one, two = (timeless(only_record(tmp_path / name)) for name in ("one", "two"))
    assert one == two


def timeless(record: Record) -> tuple[object, ...]:
    """A record without its times."""
    return (
        record.id, record.rules, record.players, record.seats, record.dice, record.places,
        [(entry.seat, entry.action) for entry in record.actions],
    )  # fmt: skip


def test_without_a_seed_every_game_has_other_dice(tmp_path: Path) -> None:
    for name in ("one", "two"):
        piped("play", "--save", str(tmp_path / name))
    one, two = (only_record(tmp_path / name) for name in ("one", "two"))
    assert one.dice != two.dice
    assert one.id != two.id


def test_the_dice_do_not_hang_on_the_name(tmp_path: Path) -> None:
    for name in ("Ann", "Zoë"):
        piped("play", "--name", name, "--seed", "s", "--save", str(tmp_path / name))
    ann, zoe = (only_record(tmp_path / name) for name in ("Ann", "Zoë"))
    assert (ann.dice, ann.id, ann.seats) == (zoe.dice, zoe.id, zoe.seats)
    assert zoe.players[0].name == "Zoë"


def test_the_dice_are_committed_to_before_anybody_sees_them(tmp_path: Path) -> None:
    done = piped("play", "--save", str(tmp_path))
    source = only_record(tmp_path).dice
    assert isinstance(source, HmacSource)
    assert source.seed
    assert source.commitment == commitment(bytes.fromhex(source.seed))
    before, _, _ = done.stdout.partition("Round 1")
    assert f"dice committed: {source.commitment}\n" in before


def test_bots_are_recorded_by_their_settings_and_told_apart() -> None:
    _, record = sat([], against="cautious,bluffer:call=0.3:bluff=0.5,cautious")
    assert [(player.name, player.agent) for player in record.players] == [
        ("Ann", ""),
        ("cautious 1", "cautious"),
        ("bluffer", "bluffer:call=0.3:bluff=0.5"),
        ("cautious 2", "cautious"),
    ]
    assert len({player.salt for player in record.players}) == 4


def test_by_default_there_are_as_many_bots_as_the_rules_seat() -> None:
    assert [bot.house for bot in usual_bots(CATALOG["liars-dice"])] == ["cautious", "bluffer"]
    assert [bot.house for bot in usual_bots(CATALOG["snyd"])] == ["cautious"]


def test_actions_are_timed_by_the_clock_of_the_host() -> None:
    _, record = sat(["6x6", "liar"])
    assert [entry.at for entry in record.actions] == [500 * number for number in range(1, len(record.actions) + 1)]
    assert record.started == "1970-01-01T00:16:40Z"


# --- what is shown


def test_the_table_shows_every_seat_with_its_dice_and_its_bid() -> None:
    shown, _ = sat([], "perudo", seed="demo")
    assert (
        shown.splitlines()[-13:]
        == [
            "    seat       dice     bid",
            " A  bluffer    5 ■■■■■",
            " B  cautious   5 ■■■■■  1x2",
            "›C  Ann (you)  5 ■■■■■",
            "",
            "┌─────┐ ┌─────┐ ┌─────┐ ┌─────┐ ┌─────┐",
            "│     │ │●   ●│ │●   ●│ │●   ●│ │●   ●│",
            "│  ●  │ │  ●  │ │  ●  │ │●   ●│ │●   ●│",
            "│     │ │●   ●│ │●   ●│ │●   ●│ │●   ●│",
            "└─────┘ └─────┘ └─────┘ └─────┘ └─────┘",
            "bids   cautious 1x2",
            "raise  1x1 2x2 1x3 1x4 1x5 1x6",
            "       or more dice, 15 at most",
            'call   "dudo", "calza"',
        ][-13:]
    )


def test_a_call_shows_all_cups_with_the_dice_that_count_and_why_somebody_loses() -> None:
    shown, _ = sat(["dudo"], "perudo", seed="demo")
    assert (
        """
You say "dudo" to cautious's one two.

bluffer    [1][2][2] 4  6   3
cautious   [1][2] 3  3  4   2
Ann (you)  [1] 5  5  6  6   1

With the ones there are six twos, five more than bid: cautious's bid holds, and
you lose a die.

Round 2, 14 dice, ones are wild ────────────────────────────────────────────────
You open round 2.
"""
        in shown
    )


def test_what_a_call_does_not_reveal_stays_hidden() -> None:
    shown, _ = sat(["6x6"], "exact", seed="3")
    _, _, after = shown.partition('says "bluff" to your six sixes.\n\n')
    assert after.split("\n\n")[0].splitlines() == [
        "Ann (you)  [6] ·  ·  ·  ·   1",
        "bluffer    [6] ·  ·  ·  ·   1",
        "cautious    ·  ·  ·  ·  ·",
    ]


def test_odds_are_shown_when_they_are_wanted() -> None:
    shown, _ = sat(["odds"], seed="demo")
    first, _, second = shown.partition("odds ")
    assert "holds" not in first
    assert "exactly" in second
    always, _ = sat([], seed="demo", odds=True)
    assert "exactly" in always


def test_odds_are_those_of_the_cup_that_is_seen() -> None:
    game = Game.at(CATALOG["exact"], Setup(dice=(1, 2), cups=((3,), (4, 5)), turn=0), seed=1)
    game.play(0, "1x3")
    view = game.view(1)
    assert percent(bid_odds(view, Bid(1, 3)).holds) == "17%"
    assert [percent(one) for one in (0.0, 0.001, 0.5, 0.999, 1.0)] == ["0%", "<1%", "50%", ">99%", "100%"]


def test_who_is_out_sees_shortly_how_it_ends() -> None:
    shown, record = sat(["resign"], seed="demo")
    _, _, after = shown.partition("The others play on.")
    assert "You resign and are out.\n\nThe others play on." in shown
    assert "■" not in after
    assert "bids" not in after
    assert after.strip().splitlines()[-1].startswith("The game is over: ")
    assert record.places


def test_rules_are_printed_when_they_are_wanted() -> None:
    shown, _ = sat(["rules"], "perudo")
    assert "## Special rounds" in shown


def test_a_cup_of_many_dice_is_written_in_figures() -> None:
    shown, _ = sat([], "joker", seed="demo", dice=15, width=40)
    assert "┌" not in shown
    assert "■" not in shown


# --- what is typed


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("4x3", Bid(4, 3)),
        (" 4 X 3 ", Bid(4, 3)),
        ("4 3", Bid(4, 3)),
        ("4,3", Bid(4, 3)),
        ("4×3", Bid(4, 3)),
        ("4 threes", Bid(4, 3)),
        ("one three", Bid(1, 3)),
        ("Four Threes", Bid(4, 3)),
        ("12 sixes", Bid(12, 6)),
        ("liar", Call("liar")),
        ("l", Call("liar")),
        ("Liar!", Call("liar")),
        ("spot on", Call("exact")),
        ("Spot on, gain one", Call("exact-gain")),
        ("exact", Call("exact")),
        ("resign", RESIGN),
        ("?", Wish.HELP),
        ("h", Wish.HELP),
        ("q", Wish.QUIT),
        ("exit", Wish.QUIT),
        ("BIDS", Wish.BIDS),
    ],
)
def test_people_may_write_as_they_like(typed: str, meant: Entry) -> None:
    assert read(typed, CATALOG["spot-on"]) == meant


@pytest.mark.parametrize(
    ("rules", "typed", "why"),
    [
        ("spot-on", "s", "it could be spot on, spot on gain one or spot on lose two"),
        ("spot-on", "e", "it could be exact or exact gain"),
        ("exact", "b", "it could be bids or bluff"),
        ("exact", "43", "write a bid"),
        ("exact", "many threes", "write a bid"),
        ("exact", "res", "write a bid"),
        ("exact", "!", "write a bid"),
    ],
)
def test_what_could_mean_two_things_means_none(rules: str, typed: str, why: str) -> None:
    with pytest.raises(NotationError, match=why):
        read(typed, CATALOG[rules])


def test_a_refusal_is_told_and_asked_again() -> None:
    shown, _ = sat(["0x1", "", "four", "99x6", "3x2"], seed="demo", against="believer")
    assert "0x1 is too low" in shown
    assert "Cannot read 'four'" in shown
    assert "99x6 is too many: a bid names at most 30 dice" in shown
    assert "You bid three twos." in shown


@pytest.mark.parametrize("rules", CATALOG)
def test_every_example_of_the_help_is_legal(rules: str) -> None:
    game = Game(CATALOG[rules], 2, seed=3)
    for _ in range(20):
        view = game.view(game.turn)
        legal = view.legal()
        examples = [read(word, view.rules) for word, _ in help_lines(view, legal) if word]
        assert all(isinstance(entry, Wish) or entry in legal for entry in examples)
        assert {entry for entry in examples if isinstance(entry, Call)} == {Call(name) for name in legal.calls}
        game.play(game.turn, next(iter(legal)))
        if game.over:
            break


# --- the record, whatever happens


@pytest.mark.parametrize("typed", ["", "6x6\n", "6x6\nquit\n", "\0\n\xff\n?\nx"])
def test_leaving_saves_an_unfinished_record_that_can_be_proved(typed: str, tmp_path: Path) -> None:
    done = piped("play", "--seed", "2", typed=typed, env={"XDG_DATA_HOME": str(tmp_path)})
    assert done.returncode == 0
    assert done.stderr == ""
    assert not verify(only_record(tmp_path / "calza" / "matches")).finished


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_saves_the_record(number: signal.Signals, status: int, tmp_path: Path) -> None:
    command = [*CALZA, "play", "--save", str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout
        shown = b""
        while not shown.endswith(b"Your move: "):
            shown += process.stdout.read1()
        ended, rest = stopped(process, number)
    assert ended == status
    assert "record saved: " in rest
    assert not verify(only_record(tmp_path)).finished


def test_a_reader_who_goes_away_costs_no_record(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [*CALZA, "play", "--save", str(tmp_path)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    assert done.returncode == 141
    assert verify(only_record(tmp_path)).dice


def test_a_record_that_cannot_be_saved_is_printed(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_text("not a folder")
    done = piped("play", "--save", str(taken), typed="6x6\n")
    assert done.returncode == 2
    why = f"calza: the record could not be saved and is printed instead ({taken}: not a directory)\n"
    assert done.stderr == why
    assert verify(read_record(done.stdout[done.stdout.index("{\n") :])).dice


def test_a_full_disk_leaves_nothing_half_written(tmp_path: Path) -> None:
    full = ("sh", "-c", 'ulimit -f 0; exec "$@"', "sh")
    done = piped("play", "--save", str(tmp_path), typed="6x6\n", wrap=full)
    assert done.returncode == 2
    assert done.stderr.startswith("calza: the record could not be saved and is printed instead (")
    assert verify(read_record(done.stdout[done.stdout.index("{\n") :])).dice
    assert list(tmp_path.iterdir()) == []


def test_a_record_never_replaces_another(tmp_path: Path) -> None:
    _, record = sat(["6x6"])
    paths = [save(record, tmp_path / "deep" / "er") for _ in range(3)]
    assert len(set(paths)) == 3
    assert {read_record(path.read_bytes()) for path in paths} == {record}


def test_records_go_where_the_system_keeps_data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    assert match_folder() == Path("/data/calza/matches")
    monkeypatch.setenv("XDG_DATA_HOME", "not/absolute")
    assert match_folder() == tmp_path / ".local/share/calza/matches"


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--dice", "0"], "invalid value for '--dice'"),
        (["--dice", "five"], "invalid value for '--dice': 'five' is not a whole number"),
        (["--against", "cautios"], "there is no house bot 'cautios'; did you mean cautious?"),
        (["--against", ""], "name a house bot"),
        (["--against", ",".join(["random"] * 6)], "liars-dice is a game for 2 to 6 players, not 7"),
        (["--rules", "nope"], "no rules are called"),
    ],
)
def test_a_wrong_option_is_one_sentence(options: list[str], why: str, tmp_path: Path) -> None:
    done = piped("play", "--save", str(tmp_path), *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("calza: ")
    assert why in done.stderr
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


# --- in a terminal


def test_a_terminal_has_colours_and_a_key_that_completes(tmp_path: Path) -> None:
    with Terminal("play", "--rules", "perudo", "--seed", "demo", "--save", str(tmp_path)) as terminal:
        drawing = terminal.until("Your move: ")
        assert "\x1b[35m┌─────┐" in drawing  # a one is wild
        terminal.type("du\t\r")
        terminal.until("Your move: ")
        assert terminal.interrupt() == 130
    assert 'You say "dudo" to cautious\'s one two.' in terminal.lines
    assert [entry.action for entry in only_record(tmp_path).actions] == ["1x2", "liar"]


def test_a_narrow_terminal_without_colours(tmp_path: Path) -> None:
    env = {"NO_COLOR": "1"}
    with Terminal("play", "--seed", "demo", "--odds", "--save", str(tmp_path), columns=40, env=env) as terminal:
        terminal.until("Your move: ")
        terminal.type("?\r")
        terminal.until("Your move: ")
        terminal.type("rules\r")
        terminal.until("Your move: ")
        terminal.type("\x04")
        assert terminal.end() == 0
    assert "\x1b[3" not in terminal.screen.replace("\x1b[3m", "")  # colours begin so; 3m is italic
    shown = [line for line in terminal.lines if not line.startswith(("dice committed", "record saved", "prove it"))]
    assert max(map(cell_len, shown)) <= 40
    assert not verify(only_record(tmp_path)).finished


def test_a_whole_game_in_a_terminal(tmp_path: Path) -> None:
    with Terminal("play", "--rules", "openspiel", "--seed", "5", "--save", str(tmp_path)) as terminal:
        terminal.until("Your move: ")
        terminal.type("2x6\r")
        assert terminal.end() == 0
    assert any(line.startswith("The game is over: ") for line in terminal.lines)
    assert not CODES.search("".join(terminal.lines))
    assert verify(only_record(tmp_path)).finished
