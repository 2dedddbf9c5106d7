"""The dice as the page rolls them: `static/dice.js` against the vectors, against Python, and against films."""

import json
import subprocess
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from calza.matches import read_record
from calza.rules import CATALOG, Game, HmacDice, MixDice, Player, Record, Setup
from calza.rules.record import HmacSource
from calza.show.bundle import script
from calza.show.film import Film, cup, film_of

TESTS = Path(__file__).parents[1]
VECTORS = json.loads((TESTS / "vectors" / "dice.json").read_bytes())
RECORDS = sorted((TESTS / "records").glob("*.json"))

ROLL = """
const roll = async ({ stream, seed, match, salts, game, rotation, players, faces, hands }) => {
  const secret = stream === "hmac-1";
  const { HmacDice, MixDice } = calza;
  const dice = secret ? new HmacDice(seed, match, salts, rotation) : new MixDice(seed, game, rotation);
  const cups = [];
  for (const [round, seat, many] of hands) cups.push(await dice.cup(round, seat, many, faces));
  const committed = secret ? await dice.commitment() : "";
  return [committed, await dice.shownKey(), await dice.seating(players), await dice.starter(players), cups];
};
"""


MODULES = ("dice.js", "referee.js", "proof.js")


def in_node(each: str, given: object) -> Any:
    """What the function `each` makes of `given`, an array, one by one."""
    run = (
        f"{script(MODULES)}{each}\n"
        "let text = ''; process.stdin.on('data', (part) => (text += part)).on('end', async () => {\n"
        "const made = []; for (const one of JSON.parse(text)) made.push(await each(one));\n"
        "process.stdout.write(JSON.stringify(made)); });"
    )
    done = subprocess.run(["node", "-e", run], input=json.dumps(given), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def asked(stream: str, vector: dict[str, Any]) -> dict[str, Any]:
    """A vector as the page would ask for it: large numbers as text."""
    rounds = [int(round) for round in vector["rounds"]]
    return {
        "stream": stream,
        **{name: vector.get(name) for name in ("match", "salts", "faces")},
        **{name: str(vector.get(name, 0)) for name in ("seed", "game", "rotation")},
        "players": len(vector["dice"]),
        "hands": [(round, seat, dice) for round in rounds for seat, dice in enumerate(vector["dice"])],
    }


@pytest.mark.parametrize("stream", ["hmac-1", "mix-1"])
def test_the_page_rolls_the_dice_of_the_vectors(stream: str) -> None:
    vectors = VECTORS[stream]
    rolled = in_node(f"{ROLL}const each = roll;", [asked(stream, one) for one in vectors])
    for vector, (committed, key, seating, starter, cups) in zip(vectors, rolled, strict=True):
        assert committed == vector.get("commitment", "")
        assert (key, seating, starter) == (vector["key"], vector["seating"], vector["starter"])
        assert cups == [list(cup((0, *hand))) for hands in vector["rounds"].values() for hand in hands]


def test_the_page_and_python_roll_the_same_dice() -> None:
    random = Random(1)
    cases, expected = [], []
    for case in range(60):
        players, faces, rotation = random.randint(2, 15), random.randint(2, 20), random.randrange(10**20)
        number, secret = random.randrange(2**63), random.randbytes(32)
        dice = HmacDice(secret, "é\0", ["", "ß"], rotation) if case % 2 else MixDice(number, 2**62 + case, rotation)
        held = [random.randint(0, 40) for _ in range(players)]
        round = random.randint(1, 5000)
        cases.append(
            {
                "stream": "hmac-1" if case % 2 else "mix-1", "seed": secret.hex() if case % 2 else str(number),
                "match": "é\0", "salts": ["", "ß"], "game": str(2**62 + case), "rotation": str(rotation),
                "players": players, "faces": faces,
                "hands": [(round, seat, many) for seat, many in enumerate(held)],
            }
        )  # fmt: skip
        expected.append(
            [dice.seating(players), dice.starter(players), [list(cup(one)) for one in dice.roll(round, held, faces)]]
        )
    assert [rolled[2:] for rolled in in_node(f"{ROLL}const each = roll;", cases)] == expected


# --- films


def proved(*films: Film) -> list[dict[str, Any]]:
    """What the page finds of films."""
    return list(in_node("const each = calza.prove;", [msgspec.to_builtins(film) for film in films]))


def golden(name: str) -> Record:
    """A golden record."""
    return read_record((TESTS / "records" / f"{name}.json").read_bytes())


def test_every_golden_match_is_verified() -> None:
    films = [film_of(read_record(path.read_bytes())) for path in RECORDS]
    for film, found in zip(films, proved(*films), strict=True):
        rolled = sum(len(cup) for round in film.rounds for cup in round.cups)
        assert found["verdict"] == "verified", found["says"]
        if not film.proof.given:
            assert f"rolled {rolled} dice" in found["says"] or rolled == 1


def test_what_is_claimed_of_a_seed_is_only_what_can_be_known() -> None:
    committed, mixed = proved(film_of(golden("perudo")), film_of(golden("liars-dice-mix")))
    assert "from the seed, which is the one in the commitment" in committed["says"]
    assert "to which nobody was committed" in mixed["says"]
    assert any("only they can tell who kept the commitment" in value for _, value in committed["facts"])


def test_cups_of_a_position_that_were_given_are_not_claimed_to_be_rolled() -> None:
    setup = Setup(dice=(2, 3), cups=((1, 2), ()))
    (found,) = proved(film_of(Game.at(CATALOG["exact"], setup, seed=1).record()))
    assert found["verdict"] == "verified"
    assert "rolled 3 dice in one round again" in found["says"]
    assert "2 dice of the first round apart, which the position gave" in found["says"]


@pytest.mark.parametrize("dice", [HmacDice(b"s" * 32, "", [""] * 3, 2), MixDice(7, 12, 2)], ids=["hmac-1", "mix-1"])
def test_a_match_of_a_tournament_is_verified_in_every_rotation(dice: HmacDice | MixDice) -> None:
    players = tuple(Player(name=name) for name in ("Ann", "Ben", "Cem"))
    seated = dice.seating(3)
    game = Game(CATALOG["exact"], 3, seed=dice)
    film = film_of(game.record(players, seated, reveal=True))
    turned = film_of(game.record(players, [*seated[1:], seated[0]], reveal=True))
    right, wrong = proved(film, turned)
    assert (right["verdict"], wrong["verdict"]) == ("verified", "wrong")
    assert ["Rotation", "2"] in right["facts"]


def test_a_forged_match_is_found_out_and_the_page_says_where() -> None:
    record = golden("perudo")
    film = film_of(record)
    source = record.dice
    assert isinstance(source, HmacSource)
    late = film_of(replace(record, dice=replace(source, commitment="0" * 64)))
    moved = film_of(replace(record, seats=(0, 1, 2, 3)))
    rounds = [*film.rounds]
    kind = (1, 1, 1, 1, 1)
    rounds[4] = replace(rounds[4], cups=(kind, *rounds[4].cups[1:]))
    swapped = replace(film, rounds=rounds)
    moments = [replace(film.moments[0], event=replace(film.moments[0].event, seat=0)), *film.moments[1:]]
    opened = replace(film, moments=moments)
    found = proved(late, moved, swapped, opened)
    assert [one["verdict"] for one in found] == ["wrong"] * 4
    says = [one["says"].removeprefix("Dice NOT verified: ") for one in found]
    assert says[0] == "the seed is not the one that was committed to."
    assert says[1] == "the dice seat the players in another order."
    assert says[2].startswith("in round 5 the cup of seat A shows 1 1 1 1 1, but the seed rolls ")
    assert says[3] == "the dice let seat C open the match."


def test_dice_whose_seed_is_still_secret_are_not_judged() -> None:
    film = msgspec.to_builtins(film_of(golden("perudo")))
    del film["proof"]
    (found,) = in_node("const each = calza.prove;", [film])
    assert (found["verdict"], found["says"]) == ("unknown", "The seed of these dice is not known yet.")
