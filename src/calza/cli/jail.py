"""`calza jail`: what confines foreign bots on this machine, and whether it holds."""

from typing import Any

import click
import msgspec

from calza.agents.jail import CANNOT, Mechanism, lacking
from calza.agents.launch import JailError
from calza.agents.probe import Outcome, available, probe

KINDS = [kind.value for kind in Mechanism]
OPEN = 1  # exit status where something was not held


@click.command()
@click.option("--self-test", is_flag=True, help="Attack every kind of jail that this machine has.")
@click.option("--mechanism", type=click.Choice(KINDS), help="Test this kind only; the status is 1 where it is missing.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def jail(self_test: bool, mechanism: str | None, as_json: bool) -> None:
    """Say what confines foreign bots on this machine; with --self-test, attack it.

    The exit status is 1 when there is no jail, or when an attack was not held. Attacks are bounded, and aimed only at
    files, servers and processes made for them.
    """
    if self_test or mechanism:
        found = {kind: tested(kind) for kind in ([Mechanism(mechanism)] if mechanism else Mechanism)}
        print_json(found) if as_json else print_tests(found)
        holds = all_held(found)
    else:
        chosen, why = available()
        print_json({"mechanism": chosen, "why": why}) if as_json else click.echo(sentence(chosen, why))
        holds = chosen is not None
    if not holds:
        raise click.exceptions.Exit(OPEN)


def tested(mechanism: Mechanism) -> dict[str, Any]:
    """All that is known of one mechanism here."""
    if why := lacking(mechanism):
        return {"missing": why, "attacks": []}
    try:
        attacks = probe(mechanism)
    except (JailError, OSError) as error:
        return {"missing": str(error), "attacks": []}
    return {"missing": None, "attacks": attacks, "cannot": CANNOT[mechanism]}


def all_held(found: dict[Mechanism, dict[str, Any]]) -> bool:
    """Whether there is a jail, and none of those there are let anything through."""
    attacks: list[Outcome] = [attack for test in found.values() for attack in test["attacks"]]
    return bool(attacks) and all(attack.held for attack in attacks)


def sentence(chosen: Mechanism | None, why: str) -> str:
    return f"Bots are jailed by {chosen} ({why})." if chosen else f"No jail holds on this machine: {why}."


def print_tests(found: dict[Mechanism, dict[str, Any]]) -> None:
    """Print a line for each attack, and under it what the mechanism is not for."""
    for mechanism, test in found.items():
        if test["missing"]:
            click.echo(f"{mechanism}: not available: {test['missing']}")
            continue
        held = sum(attack.held for attack in test["attacks"])
        click.echo(f"{mechanism}: {held} of {len(test['attacks'])} attacks held")
        for attack in test["attacks"]:
            click.echo(f"  {'held' if attack.held else 'OPEN'}  {attack.about} ({attack.saw})")
        for what in test["cannot"]:
            click.echo(f"  cannot {what}")


def print_json(value: Any) -> None:
    """Print JSON that a person can read too."""
    click.echo(msgspec.json.format(msgspec.json.encode(value), indent=2))
