"""Confinement on real processes: what holds is attacked, and what is missing is refused in a clear sentence.

Where a machine lacks a mechanism, its tests hold that nobody is let in without it.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from time import monotonic

import pytest

import calza
from calza.agents import needs
from calza.agents.confine import apart, confine
from calza.agents.entry import check_entry, parse_entry
from calza.agents.jail import CANNOT, Mechanism, lacking
from calza.agents.launch import JailError, Launch
from calza.agents.limits import Limits
from calza.agents.probe import QUICK, attacked, available, probe, refusal
from calza.agents.site import site
from calza.matches.host import Clock
from tests.agents.tables import adversary, left_behind, meet

SLOW = Clock(move=20.0)
SMALL = Limits(output_mb=2)


def refused(mechanism: Mechanism, folder: Path) -> bool:
    """Whether this machine lacks a mechanism; then it must be refused in so many words."""
    why = refusal(mechanism)
    if why is None:
        return False
    with pytest.raises(JailError) as error:
        confine(["python3", "bot.py"], folder, "jail", mechanism=mechanism)
    assert str(error.value) == f"no jail holds on this machine: {mechanism}: {why}"
    return True


def test_the_best_jail_that_holds_is_named_with_the_reason(folder: Path) -> None:
    chosen, why = available()
    held = [mechanism for mechanism in Mechanism if refusal(mechanism) is None]
    assert chosen == (held[0] if held else None)
    if chosen:
        assert why.endswith(f"{chosen} was tried and holds")
        assert confine(["python3"], folder, "jail").holds == chosen
    else:
        assert all(f"{mechanism}: {refusal(mechanism)}" in why for mechanism in Mechanism)
        with pytest.raises(JailError, match="no jail holds on this machine"):
            check_entry(parse_entry(adversary("prints", folder), isolation="jail"))


@pytest.mark.parametrize("mechanism", Mechanism)
def test_every_attack_is_held(mechanism: Mechanism, folder: Path) -> None:
    if refused(mechanism, folder):
        return
    outcomes = probe(mechanism)
    assert len(outcomes) == len(QUICK) + 9
    assert {outcome.about: outcome.saw for outcome in outcomes if not outcome.held} == {}
    assert CANNOT[mechanism]  # what it is not for is said as well


def test_the_attacks_succeed_where_nothing_holds_them() -> None:
    """Else a jail that holds them would prove nothing. Nobody's rights are needed, so root's are given away."""

    def loose(argv: Sequence[str], folder: Path, limits: Limits) -> Launch:
        return apart([*stranger(), *argv] if os.geteuid() == 0 else argv, folder, limits)

    with site(Mechanism.LANDLOCK if os.geteuid() == 0 else None) as place:
        open_doors = {outcome.attack for outcome in attacked(loose, place) if not outcome.held}
    least = {"shadow", "beside", "outside", "processes", "network", "sockets", "setuid", "kernel", "shared", "forks"}
    assert least <= open_doors


def stranger() -> list[str]:
    """What makes a program another user's."""
    return [
        shutil.which("setpriv") or "setpriv",
        "--reuid",
        "1879048199",
        "--regid",
        "1879048199",
        "--clear-groups",
        "--",
    ]


PROBE = """
import json
from pathlib import Path
from tempfile import TemporaryDirectory
from calza import CATALOG, Game
from calza.agents.entry import launch_of, parse_entry
from calza.agents.house import HouseAgent, parse_agent
from calza.agents.inline import InlinePlayer
from calza.agents.jail import Mechanism
from calza.agents.probe import probe, refusal
from calza.agents.process import BotProcess
from calza.matches.host import Host

temporary = TemporaryDirectory()
folder = Path(temporary.name)
(folder / "bot.py").write_text("class Bot:\\n  def act(self, view):\\n    return 'liar' if view.bid else '1x6'\\n")

def faults(isolation, mechanism=None):
    bot = BotProcess(launch_of(parse_entry(str(folder / "bot.py"), "", isolation), mechanism), folder / "log")
    plain = InlinePlayer(HouseAgent(parse_agent("cautious"), 1))
    hosted = Host(Game(CATALOG["perudo"], 2, seed=1), [bot, plain], ["bot", "plain"]).play()
    bot.close()
    return [fault.why for fault in hosted.faults]

found = {"process": faults("process")}
for mechanism in Mechanism:
    open_doors = lambda: [f"{one.about} ({one.saw})" for one in probe(mechanism) if not one.held]
    found[mechanism] = refusal(mechanism) or open_doors() + faults("jail", mechanism)
temporary.cleanup()
print(json.dumps(found))
"""


def test_a_user_without_privileges_has_jails_too() -> None:
    """As root this is tried as somebody else; who is not root has been tried above."""
    if os.geteuid() != 0:
        return
    with site(Mechanism.LANDLOCK) as place:
        python = str(place.python)
    packages = [str(Path(module.__file__ or "").parents[1]) for module in (calza, sys.modules["msgspec"])]
    env = {"PYTHONPATH": os.pathsep.join(packages), "PATH": os.environ["PATH"]}  # and no HOME
    done = subprocess.run([*stranger(), python, "-c", PROBE], env=env, capture_output=True, text=True, cwd="/")
    if "No module named" in done.stderr or "PermissionError" in done.stderr:
        pytest.skip(f"{python} cannot import us as somebody else: {done.stderr.splitlines()[-1]}")
    found = json.loads(done.stdout)
    assert found["process"] == []
    assert found["landlock"] == ([] if lacking(Mechanism.LANDLOCK) is None else lacking(Mechanism.LANDLOCK))
    # Namespaces may be closed to users; then it is said so, and no jail is claimed.
    assert found["bwrap"] == [] or isinstance(found["bwrap"], str)


# --- bots in a jail


def unreachable(mechanism: Mechanism, folder: Path) -> bool:
    """Whether our interpreter is in somebody's home, where root's stranger cannot go; then that must be said."""
    if mechanism is not Mechanism.LANDLOCK or os.geteuid() != 0:
        return False
    if not (closed := next(filter(None, map(needs.unreachable, needs.needed(Path(sys.executable)))), None)):
        return False
    with pytest.raises(JailError, match=f"a stranger's, who may not read {closed} .*; try chmod o.rX {closed}"):
        meet(adversary("prints", folder), folder, "jail", mechanism=mechanism)
    return True


@pytest.mark.parametrize("mechanism", Mechanism)
def test_a_program_plays_in_a_jail(mechanism: Mechanism, folder: Path) -> None:
    if not refused(mechanism, folder):
        end = meet(adversary("wire_deaf", folder), folder, "jail", clock=SLOW, mechanism=mechanism)
        assert end.hosted.finished
        assert not end.faults


@pytest.mark.parametrize("mechanism", Mechanism)
@pytest.mark.parametrize("name", ["spies", "prints"])
def test_a_class_plays_in_a_jail_and_finds_no_way_out(name: str, mechanism: Mechanism, folder: Path) -> None:
    (folder.parent / "secret").write_text("a secret")
    if refused(mechanism, folder) or unreachable(mechanism, folder):
        return
    end = meet(adversary(name, folder), folder, "jail", clock=SLOW, mechanism=mechanism)
    assert not end.faults
    assert ("from below" in end.log) == (name == "prints")


def test_without_a_jail_there_are_ways_out(folder: Path) -> None:
    (folder.parent / "secret").write_text("a secret")
    (fault,) = meet(adversary("spies", folder), folder, "process", clock=SLOW).faults
    assert fault.why == "RuntimeError: 3 ways out (spies.py, line 18)"


@pytest.mark.parametrize("mechanism", Mechanism)
@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("wire_exits", "its process ended with status 3"),
        ("wire_gigabyte", "it wrote a line of more than 65,536 bytes"),
        ("wire_killed", "its process was ended by SIGSEGV"),
        ("wire_leaves_children", "its process ended with status 1"),  # it may not even have any
    ],
)
def test_who_does_wrong_in_a_jail_is_told_so(name: str, why: str, mechanism: Mechanism, folder: Path) -> None:
    if not refused(mechanism, folder):
        end = meet(adversary(name, folder), folder, "jail", clock=SLOW, limits=SMALL, mechanism=mechanism)
        assert end.told == [("crash", why)]


@pytest.mark.parametrize("mechanism", Mechanism)
@pytest.mark.parametrize(("name", "status"), [("wire_leaves_children", 5), ("wire_leaves_daemons", 6)])
def test_who_may_have_children_in_a_jail_takes_them_with_it(
    name: str, status: int, mechanism: Mechanism, folder: Path
) -> None:
    limits = Limits(processes=8)
    if not refused(mechanism, folder):
        end = meet(adversary(name, folder), folder, "jail", limits=limits, clock=SLOW, mechanism=mechanism)
        assert end.told == [("crash", f"its process ended with status {status}")]


# --- what is asked for must be possible


def test_what_is_not_installed_is_refused_by_name(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    refusal.cache_clear()
    try:
        why = r"no jail holds on this machine: bwrap: bwrap is not installed \(apt-get install bubblewrap\)"
        with pytest.raises(JailError, match=why):
            confine(["/usr/bin/env"], folder, "jail", mechanism=Mechanism.BUBBLEWRAP)
    finally:
        refusal.cache_clear()


@pytest.mark.parametrize("level", ["process", "jail"])
def test_where_there_is_no_linux_there_is_no_process_to_confine(
    level: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(JailError, match="a bot gets a process of its own on Linux only; elsewhere Python bots play in"):
        confine(["python3"], folder, level)  # type: ignore[arg-type]


def test_a_home_is_no_folder_for_a_jail() -> None:
    if available()[0]:
        for folder in (Path.home(), Path("/")):
            with pytest.raises(JailError, match=f"{folder} is no folder for a jail"):
                confine(["python3"], folder, "jail")


def test_what_a_stranger_may_not_read_is_named(folder: Path) -> None:
    assert needs.unreadable(folder) is None
    folder.chmod(0o750)
    assert needs.unreadable(folder) == folder
    assert needs.unreachable(folder / "bot.py") == folder
    if os.geteuid() == 0 and available()[0]:
        with pytest.raises(JailError, match=f"{folder}: root's jail is a stranger's, who may not read {folder}"):
            confine(["python3"], folder, "jail")


@pytest.mark.parametrize("level", ["process", "jail"])
def test_a_missing_program_is_missed(level: str, folder: Path) -> None:
    if level == "process" or available()[0]:
        with pytest.raises(needs.NoProgram, match="there is no program nodee to start"):
            confine(["nodee", "bot.js"], folder, level)  # type: ignore[arg-type]


HOST = """
import sys, time
from pathlib import Path
from calza.agents.entry import launch_of, parse_entry
from calza.agents.jail import Mechanism
from calza.agents.process import BotProcess
entry = parse_entry(sys.argv[2], isolation="jail")
bot = BotProcess(launch_of(entry, Mechanism(sys.argv[3])), Path(sys.argv[1], "log"))
print("seated", flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize("mechanism", Mechanism)
def test_no_jail_outlives_a_host_that_is_killed(mechanism: Mechanism, folder: Path) -> None:
    if refused(mechanism, folder):
        return
    words = [sys.executable, "-c", HOST, str(folder), adversary("wire_deaf", folder), mechanism]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as host:
        assert host.stdout
        assert host.stdout.readline() == b"seated\n"
        assert left_behind(folder)
        host.kill()
    until = monotonic() + 10
    while left_behind(folder) and monotonic() < until:
        pass
    assert not left_behind(folder)
