"""A record as a film."""

from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from calza.agents.chances import chances
from calza.matches import read_record, replay
from calza.rules import CATALOG, Game, Player, Record, RecordError, Setup
from calza.rules.events import BidMade, Called, RoundBegan
from calza.show import cast_of, told
from calza.show.film import Film, Mixed, Moment, film_of
from calza.show.hindsight import Decision

TESTS = Path(__file__).parents[1]
RECORDS = sorted((TESTS / "records").glob("*.json"))


def golden(name: str) -> Record:
    """A golden record."""
    return read_record((TESTS / "records" / f"{name}.json").read_bytes())


def test_a_short_match_is_the_film_that_is_written_down() -> None:
    record = golden("openspiel-reset-quantity")
    written = msgspec.json.decode((TESTS / "show" / "film.json").read_bytes(), type=Film)
    assert film_of(record, chances(record)) == written


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_a_film_has_every_moment_of_its_match_and_all_dice(path: Path) -> None:
    record = read_record(path.read_bytes())
    film = film_of(record, chances(record))
    cast = cast_of(record)
    said = [says for _, step in replay(record) for _, says in told(step.events, cast, record.rules)]
    if not record.setup:
        assert [one.says for one in film.moments] == said
    assert len(film.rounds) == sum(isinstance(one.event, RoundBegan) for one in film.moments)
    assert {one.action for one in film.moments} == {-1, *range(len(record.actions))}
    assert tuple(seat.place for seat in film.seats) == record.places
    assert not film.wrong
    for one in film.moments:
        assert isinstance(film.moments[film.rounds[one.round].first].event, RoundBegan)
        check(film, one)


def check(film: Film, one: Moment) -> None:
    """What a moment says of the dice is true of those that lie under the cups."""
    round = film.rounds[one.round]
    if isinstance(one.event, RoundBegan | BidMade):
        assert one.left == tuple(map(len, round.cups))
        assert one.turn >= 0
    if isinstance(one.event, BidMade):
        face = one.event.face
        assert one.there == sum(die in (face, round.wild or face) for cup in round.cups for die in cup)
        assert (one.chance is not None) == (one.action >= 0)
        assert [odds is not None for odds in one.odds] == [left > 0 for left in one.left] or one.action < 0
    if isinstance(one.event, Called):
        assert all(set(shown) <= set(cup) for shown, cup in zip(one.event.shown, round.cups, strict=True))
        assert one.turn == -1


def test_whose_turn_it_is_follows_the_bids() -> None:
    film = film_of(golden("perudo"))
    for one, after in zip(film.moments, film.moments[1:], strict=False):
        if isinstance(after.event, BidMade | Called):
            assert one.turn == after.event.seat


def test_a_match_that_starts_from_a_position_shows_the_bids_that_led_to_it() -> None:
    setup = Setup(dice=(2, 2, 2), cups=((1, 2), (), (3, 3)), bids=((2, "1x3"), (0, "2x3")))
    record = Game.at(CATALOG["exact"], setup, seed=1).record()
    film = film_of(record)
    assert [one.says for one in film.moments] == [["C opens round 1."], ["C bids one three."], ["A bids two threes."]]
    assert [one.turn for one in film.moments] == [2, 0, 1]
    assert film.rounds[0].cups[0] == (1, 2)
    assert film.proof.setup
    assert film.proof.given == (0, 2)


def test_a_damaged_match_is_a_film_as_far_as_it_goes() -> None:
    record = golden("perudo")
    actions = [*record.actions]
    actions[3] = msgspec.structs.replace(actions[3], action="99x1")
    film = film_of(replace(record, actions=tuple(actions)))
    whole = film_of(record)
    assert film.wrong.startswith("action 3: '99x1' of seat")
    assert film.moments == whole.moments[: len(film.moments)]
    assert max(one.action for one in film.moments) == 2
    assert not any(seat.place for seat in film.seats)


def test_there_is_no_film_of_dice_that_nobody_knows() -> None:
    record = Game(CATALOG["exact"], 2, seed=b"x" * 32).record()
    with pytest.raises(RecordError, match="the seed of the dice is not in the record"):
        film_of(record)


def test_numbers_too_large_for_a_page_are_texts() -> None:
    game = Game(CATALOG["exact"], 2, seed=2**63 - 1)
    assert film_of(game.record()).proof == Mixed(
        rules=CATALOG["exact"], start=(5, 5), seed="9223372036854775807", game="0"
    )


def test_a_name_cannot_turn_the_sentence_around_it() -> None:
    rules = CATALOG["exact"]
    players = (Player(name="הבוט"), Player(name="\u202eevil\n"))
    film = film_of(Game(rules, 2, seed=1).record(players))
    assert film.label == f"{rules.shown}: \u2068הבוט\u2069, \ufffdevil"
    assert [seat.name for seat in film.seats] == ["הבוט", "\ufffdevil"]


def test_what_is_not_certain_is_not_shown_as_certain() -> None:
    record = golden("openspiel-reset-quantity")
    film = film_of(record, [(1e-9, 1 - 1e-9), (0.0, 1.0), None])
    assert [one.odds for one in film.moments[1:3]] == [(0.0001, 0.9999), (0.0, 1.0)]


def test_a_film_has_the_decisions_that_it_reaches() -> None:
    record = golden("perudo")
    seen = Decision(5, 1, 1, "3x4", 0.1, 0.0, "liar", 0.2, 0.1, 0.0)
    later = replace(seen, action=6)
    assert film_of(record, review=[seen, later]).review == [seen, later]
    cut = replace(record, actions=(*record.actions[:6], replace(record.actions[6], action="99x1")))
    assert film_of(cut, review=[seen, later]).review == [seen]
