"""`calza jail`: what holds foreign bots on this machine, and attack by attack whether it does."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from calza.agents.jail import Mechanism, lacking
from calza.agents.probe import QUICK, available, refusal
from calza.cli import main


def said(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    """Exit status, output and errors of the command."""
    status = main(["jail", *args])
    return status, *capsys.readouterr()


def test_it_says_in_a_sentence_what_jails_bots(capsys: pytest.CaptureFixture[str]) -> None:
    chosen, why = available()
    status, out, _ = said(capsys)
    assert status == (0 if chosen else 1)
    assert out == (f"Bots are jailed by {chosen} ({why}).\n" if chosen else f"No jail holds on this machine: {why}.\n")
    status, out, _ = said(capsys, "--json")
    assert json.loads(out) == {"mechanism": chosen, "why": why}


def test_the_self_test_prints_attack_by_attack(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = said(capsys, "--self-test")
    for mechanism in Mechanism:
        if missing := lacking(mechanism):
            assert f"{mechanism}: not available: {missing}\n" in out
        elif refusal(mechanism) is None:
            assert f"{mechanism}: {len(QUICK) + 9} of {len(QUICK) + 9} attacks held\n" in out
            assert "  held  reach a server on this machine, or open any socket (refused)\n" in out
            assert "  cannot limit the memory of all bots together" in out
    assert status == (0 if available()[0] and "OPEN" not in out else 1)


def test_one_mechanism_can_be_tested_alone_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = said(capsys, "--mechanism", "landlock", "--json")
    found = json.loads(out)
    assert list(found) == ["landlock"]
    if missing := lacking(Mechanism.LANDLOCK):
        assert (status, found["landlock"]) == (1, {"missing": missing, "attacks": []})
    elif refusal(Mechanism.LANDLOCK) is None:
        assert status == 0
        assert {attack["held"] for attack in found["landlock"]["attacks"]} == {True}


# A machine that lets nobody make namespaces, or has no Landlock: the kernel refuses both to this process.
WITHOUT = """
import sys
from errno import ENOSYS
from calza.agents import landlock, seccomp
from calza.cli import main

seccomp.CALLS["landlock"] = (landlock.CREATE, landlock.CREATE)
apart = [seccomp.Rule("clone", mask=1 << bit, value=1 << bit) for bit in range(32) if seccomp.NAMESPACES >> bit & 1]
rules = {
    "landlock": [seccomp.Rule("landlock", ENOSYS)],
    "namespaces": [seccomp.Rule("clone3", ENOSYS), seccomp.Rule("unshare"), seccomp.Rule("mount"), *apart],
}
seccomp.install(seccomp.program([rule for name in sys.argv[1].split("+") for rule in rules[name]]))
sys.exit(main(sys.argv[2:]))
"""
NO_NAMESPACES = lacking(Mechanism.BUBBLEWRAP) or "it starts no program here: bwrap: "
NO_LANDLOCK = "the kernel has no Landlock, or does not run it (Linux 5.13 and lsm=landlock)"


def without(what: str, *args: str) -> tuple[int, str, str]:
    """Exit status, output and errors of a command on a machine without `what`."""
    done = subprocess.run([sys.executable, "-c", WITHOUT, what, *args], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.skipif(refusal(Mechanism.LANDLOCK) is not None, reason="this machine has no Landlock")
def test_where_namespaces_are_blocked_landlock_jails_bots() -> None:
    status, out, _ = without("namespaces", "jail")
    assert status == 0
    assert out.startswith(f"Bots are jailed by landlock (bwrap: {NO_NAMESPACES}")
    assert out.endswith("; landlock was tried and holds).\n")
    status, out, _ = without("namespaces", "jail", "--self-test")
    assert status == 0
    assert f"bwrap: not available: {NO_NAMESPACES}" in out
    assert f"landlock: {len(QUICK) + 9} of {len(QUICK) + 9} attacks held\n" in out
    assert "OPEN" not in out


def test_where_nothing_holds_it_is_said_and_nothing_is_played(tmp_path: Path) -> None:
    status, out, _ = without("namespaces+landlock", "jail")
    assert status == 1
    assert out.startswith(f"No jail holds on this machine: bwrap: {NO_NAMESPACES}")
    assert out.endswith(f"; landlock: {NO_LANDLOCK}.\n")
    status, out, _ = without("namespaces+landlock", "jail", "--self-test")
    assert status == 1
    assert f"landlock: not available: {NO_LANDLOCK}\n" in out
    assert "held" not in out
    (tmp_path / "bot.py").write_text("class Bot:\n    def act(self, view):\n        return '1x6'\n")
    args = ["match", str(tmp_path / "bot.py"), "cautious", "--games", "2", "--isolation", "jail"]
    status, out, err = without("namespaces+landlock", *args)
    assert (status, out) == (2, "")
    assert err.startswith(f"calza: no jail holds on this machine: bwrap: {NO_NAMESPACES}")


def test_an_unknown_mechanism_is_refused_in_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = said(capsys, "--mechanism", "wishes")
    assert (status, out) == (2, "")
    assert "'wishes' is not one of 'bwrap', 'landlock'" in err
