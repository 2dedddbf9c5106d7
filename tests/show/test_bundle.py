"""The player's modules, and the one script that is made of them."""

import re
import subprocess
from importlib.resources import files

import pytest

from calza.show.bundle import EXPORT, IMPORT, MODULES, read, script


def test_every_script_of_the_player_is_in_the_bundle() -> None:
    folder = files("calza.show") / "static"
    assert {one.name for one in folder.iterdir() if one.name.endswith(".js")} == set(MODULES)


@pytest.mark.parametrize("name", MODULES)
def test_a_module_keeps_to_the_form_that_the_bundle_reads(name: str) -> None:
    text = read((name,))
    assert len(re.findall(r"^import\b", text, re.MULTILINE)) == len(IMPORT.findall(text))
    assert len(re.findall(r"^export\b", text, re.MULTILINE)) == len(EXPORT.findall(text)) <= 1
    before = MODULES[: MODULES.index(name)]
    for taken, other in IMPORT.findall(text):
        assert f"{other}.js" in before
        exported = EXPORT.findall(read((f"{other}.js",)))[0]
        assert set(re.findall(r"\w+", taken)) <= set(re.findall(r"\w+", exported))


def test_no_two_modules_export_the_same_name() -> None:
    names = [name for one in MODULES for found in EXPORT.findall(read((one,))) for name in re.findall(r"\w+", found)]
    assert len(names) == len(set(names)) > 20


def test_a_script_gives_what_its_modules_export_to_those_after_it() -> None:
    run = f"{script(('dice.js', 'referee.js', 'proof.js'))}console.log(Object.keys(calza).join(' '))"
    done = subprocess.run(["node", "-e", run], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "HmacDice MixDice misplayed prove\n"
