"""Records: written, read, replayed and proved; and what is said of one that is damaged."""

import json
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from calza.matches import game_of, read_record, record_schema, replay, run, verify, write_record
from calza.rules import CATALOG, Game, HmacDice, MixDice, Player, Record, RecordError, Rules
from calza.rules.events import GameOver
from calza.rules.record import Entry
from calza.rules.rules import data
from tests.strategies import any_rules, games, low_bids, seeds

RECORDS = sorted((Path(__file__).parents[1] / "records").glob("*.json"))
GOLDEN = next(path for path in RECORDS if path.stem == "spot-on").read_text()


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_a_golden_record_plays_as_it_did(path: Path) -> None:
    record = read_record(path.read_bytes())
    verdict = verify(record)
    assert verdict.finished
    assert verdict.actions == len(record.actions)
    assert write_record(record) == path.read_bytes()
    *_, (game, last) = replay(record)
    assert last.events[-1] == GameOver(places=record.places)
    assert [(seat, str(ply)) for seat, ply in game.plies] == [(one.seat, one.action) for one in record.actions]


def test_every_variant_has_a_golden_record_by_its_present_rules() -> None:
    for name, rules in CATALOG.items():
        path = next(path for path in RECORDS if path.stem == name)
        assert read_record(path.read_bytes()).rules_id == rules.rules_id


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_a_record_fits_its_schema(path: Path) -> None:
    jsonschema.validate(json.loads(path.read_bytes()), record_schema())


@given(games(), st.booleans())
def test_a_record_of_any_game_is_proved(game: Game, whole: bool) -> None:
    if whole:
        while not game.over:
            game.forfeit(game.turn, "resign")
    record = read_record(write_record(game.record(reveal=True)))
    assert verify(record).finished == game.over
    *_, (again, _) = replay(record)
    assert (again.state, again.hands, again.plies) == (game.state, game.hands, game.plies)
    assert again.record(reveal=True) == record


@given(games(), st.booleans())
def test_a_record_is_written_as_the_data_that_it_is(game: Game, timed: bool) -> None:
    record = game.record(reveal=True)
    if timed:
        record = replace(
            record, actions=tuple(Entry(one.seat, one.action, at) for at, one in enumerate(record.actions))
        )
    written = json.loads(write_record(record))
    slowly = {"format": 1, **data(record)}
    assert written == {"actions": [], **slowly}
    assert [name for name in written if name != "actions"] == [name for name in slowly if name != "actions"]


@given(any_rules, seeds, st.integers(0, 99), st.data())
def test_drawn_seats_are_proved(rules: Rules, seed: int, game: int, data: st.DataObject) -> None:
    seats = data.draw(st.integers(rules.min_players, min(rules.max_players, 6)))
    source = MixDice(seed, game, data.draw(st.integers(0, seats - 1)))
    started = Game(rules, seats, seed=source)
    players = [Player(name=f"p{n}") for n in range(seats)]
    assert verify(started.record(players, source.seating(seats))).seated
    other = [*source.seating(seats)[1:], source.seating(seats)[0]]
    with pytest.raises(RecordError, match="seats: the dice seat the players as"):
        verify(started.record(players, other))


def changed(**fields: object) -> Record:
    """The golden record with some fields changed."""
    return read_record(json.dumps({**json.loads(GOLDEN), **fields}))


ACTIONS = json.loads(GOLDEN)["actions"]
DICE = json.loads(GOLDEN)["dice"]


@pytest.mark.parametrize(
    ("fields", "why", "sequence"),
    [
        ({"rulesId": "0" * 64}, "rulesId does not belong to these rules", None),
        ({"dice": {**DICE, "seed": "0" * 64}}, "the seed is not the one committed to", None),
        ({"dice": {**DICE, "commitment": "0" * 64}}, "the seed is not the one committed to", None),
        ({"dice": {"stream": "hmac-1", "commitment": "0" * 64}}, "the seed of the dice is not in the record", None),
        ({"seats": [0, 1, 2, 2]}, "does not seat each of 4 players once", None),
        ({"seats": [0, 1]}, "does not seat each of 4 players once", None),
        ({"players": [{"name": "alone"}], "seats": []}, "spot-on is a game for 2 to 15 players, not 1", None),
        ({"setup": {"dice": [1, 1, 1, 1]}, "start": [2, 2, 2, 2]}, "start: a setup says itself how many", None),
        ({"setup": {"dice": [1, 1]}}, "seats: 4 players for a setup of 2 seats", None),
        ({"setup": {"dice": [1, 1, 0, 0], "turn": 3}}, "D has no dice", None),
        ({"places": [1, 2, 3, 4]}, "places: the record says", None),
        ({"places": []}, "after its actions the places are", None),
        ({"actions": ACTIONS[:-1]}, "after its actions the match is not over", None),
        ({"actions": [*ACTIONS, [0, "resign"]]}, "the game is over", len(ACTIONS)),
        ({"actions": [*ACTIONS[:2], [ACTIONS[2][0], "banana", ACTIONS[2][2]], *ACTIONS[3:]]}, "cannot read", 2),
        ({"actions": [*ACTIONS[:2], [ACTIONS[2][0], "1x2", 0], *ACTIONS[3:]]}, "is timed at 0 ms, before", 2),
        ({"actions": [[14, "forfeit:x"], *ACTIONS[1:]]}, "there is no seat 14", 0),
    ],
)  # fmt: skip
def test_the_first_wrong_thing_is_named(fields: dict[str, object], why: str, sequence: int | None) -> None:
    with pytest.raises(RecordError) as error:
        verify(changed(**fields))
    assert why in str(error.value)
    assert error.value.sequence == sequence


def test_actions_need_no_times() -> None:
    assert verify(changed(actions=[[seat, action] for seat, action, _ in ACTIONS])).finished


@pytest.mark.parametrize(
    ("text", "why", "sequence"),
    [
        (GOLDEN[: len(GOLDEN) // 2], "this is not a whole JSON document", None),
        ("", "this is not a whole JSON document", None),
        (b"\xff\xfe", "this is not a whole JSON document", None),
        ("[" * 100_000, "this is not a whole JSON document", None),
        ("[]", "this is JSON, but not a record", None),
        ("{}", "this is JSON, but not a record", None),
        (GOLDEN.replace('"format": 1', '"format": 2'), "format 2 is newer than the formats", None),
        (GOLDEN.replace('"format": 1', '"format": 0'), "format 0 is not one of the formats", None),
        (GOLDEN.replace('"format": 1', '"format": true'), "format True is not one of the formats", None),
        (GOLDEN.replace('"format": 1', '"format": "new"'), "format new is not one of the formats", None),
        (GOLDEN.replace('"players"', '"playerz"'), "the record: Object contains unknown field `playerz`", None),
        (GOLDEN.replace('"hmac-1"', '"dev-random"'), "dice.stream: Invalid value 'dev-random'", None),
        (GOLDEN.replace('[1,"', '[1.5,"', 1), "Expected `int`, got `float`", "some"),
        (GOLDEN.replace('"wild": 6', '"wild": "six"'), "rules.wild: Expected `int | null`", None),
        (GOLDEN.replace('"name": "spot-on"', '"name": "spot-on\\n"'), "rules.name: Expected `str` matching", None),
        ("0" * (64 * 2**20 + 1), "a match needs fewer than", None),
    ],
)
def test_what_cannot_be_read_says_why(text: str | bytes, why: str, sequence: str | None) -> None:
    with pytest.raises(RecordError) as error:
        read_record(text)
    assert why in str(error.value)
    assert (error.value.sequence is not None) == (sequence is not None)


@given(st.integers(0, len(GOLDEN) - 1), st.integers(0, 255))
def test_no_damage_gives_anything_but_a_record_error(at: int, byte: int) -> None:
    damaged = bytearray(GOLDEN.encode())
    damaged[at % len(damaged)] = byte
    for text in (bytes(damaged), GOLDEN.encode()[:at]):
        try:
            verify(read_record(text))
        except RecordError:
            continue


def test_dice_of_a_match_cannot_be_changed_by_its_id_or_a_salt() -> None:
    """Either gives other dice: the seats, the actions or the places no longer fit."""
    for fields in ({"id": "other"}, {"players": [{"name": "x", "salt": "other"}, *json.loads(GOLDEN)["players"][1:]]}):
        with pytest.raises(RecordError):
            verify(changed(**fields))


def test_a_record_without_its_seed_cannot_be_replayed() -> None:
    game = Game(CATALOG["joker"], 2, seed=HmacDice(b"x" * 32, "id"))
    with pytest.raises(RecordError, match="it is given out when the match has ended"):
        game_of(game.record())


def test_rules_without_a_game_are_no_record() -> None:
    rules = {**json.loads(GOLDEN)["rules"], "wild": 9}
    with pytest.raises(RecordError, match="rulesId"):
        verify(changed(rules=rules))
    made = read_record(json.dumps({**json.loads(GOLDEN), "rules": rules}))
    with pytest.raises(RecordError, match="wild: is 9"):
        game_of(made)


def test_a_match_runs_to_its_end_or_to_its_limit() -> None:
    game = Game(CATALOG["liars-dice"], 3, seed=5)
    acts = [lambda view: "liar" if view.quantity else "3x6"] * 3
    assert run(game, acts)
    assert game.over
    again = Game(CATALOG["liars-dice"], 3, seed=5)
    assert not run(again, acts, limit=4)
    assert again.sequence == 4
    assert low_bids(again.legal(again.turn))
