"""`calza jail`: what holds foreign bots on this machine, and attack by attack whether it does."""

import json

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


def test_an_unknown_mechanism_is_refused_in_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = said(capsys, "--mechanism", "wishes")
    assert (status, out) == (2, "")
    assert "'wishes' is not one of 'bwrap', 'landlock'" in err
