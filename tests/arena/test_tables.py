"""Matches in the arena: what is checked, in which order, and what is answered."""

import asyncio
import gc
from pathlib import Path
from typing import Any

import msgspec
import pytest

from calza.arena.course import Played, Stand
from calza.arena.errors import ArenaError, StoreFault
from calza.arena.messages import GameOver, State, Usage
from calza.arena.store.actions import Act
from calza.arena.store.done import Done
from calza.arena.store.matches import Finish, RecordOf, Start
from calza.arena.store.ratings import Habits
from calza.arena.store.store import Store
from calza.arena.tables import Tables
from calza.matches import read_record, verify
from calza.rules import CATALOG

from .house import LIAR, RESIGN, Place, bid, played


async def refused(doing: Any) -> ArenaError:
    with pytest.raises(ArenaError) as error:
        await doing
    return error.value


def test_two_agents_play_to_the_end_and_the_record_is_proved() -> None:
    async def do(place: Place) -> None:
        a, b = await place.agent("Ann"), await place.agent("Bob")
        match = await place.match(a, b)
        sequence = 0
        while True:
            turn = await place.to_act(match, a, b)
            move = LIAR if sequence % 2 else bid(5, 6)
            answer = await place.act(turn, match, sequence, move)
            sequence += 1
            assert answer.sequence == sequence
            if isinstance(answer, GameOver):
                break
        assert {one.outcome for one in answer.results} == {"win", "loss"}
        assert answer.reason == "completed"
        assert answer.rating
        record = read_record(await place.arena.store.read(RecordOf(match)) or b"")
        verify(record)
        assert {player.name for player in record.players} == {"Ann", "Bob"}
        for one in (a, b):
            assert isinstance(await place.state(one, match), GameOver)

    played(do)


def test_checks_come_in_the_contracts_order() -> None:
    async def do(place: Place) -> None:
        a, b = await place.agent("Ann"), await place.agent("Bob")
        match = await place.match(a, b)
        first = await place.to_act(match, a, b)
        other = b if first is a else a
        error = await refused(place.act(other, match, 99, {"nonsense": 1}))
        assert (error.status, error.code, error.more) == (409, "not_your_turn", {"currentSequence": 0})
        error = await refused(place.act(first, match, 99, {"nonsense": 1}))
        assert (error.status, error.code, error.more) == (409, "stale_sequence", {"currentSequence": 0})
        error = await refused(place.act(first, match, 0, {"nonsense": 1}))
        assert (error.status, error.code) == (400, "invalid_input")
        error = await refused(place.act(first, match, 0, LIAR))
        assert (error.status, error.code) == (400, "invalid_action")
        assert "there is no bid yet" in error.details
        assert (await place.state(first, match)).sequence == 0
        await place.act(first, match, 0, RESIGN)
        error = await refused(place.act(first, match, 99, {"nonsense": 1}))
        assert (error.status, error.code) == (409, "game_already_over")

    played(do)


def test_an_exact_repeat_gets_the_stored_answer() -> None:
    async def do(place: Place) -> None:
        a, b = await place.agent("Ann"), await place.agent("Bob")
        match = await place.match(a, b)
        first = await place.to_act(match, a, b)
        other = b if first is a else a
        answer = await place.act(first, match, 0, bid(2, 3))
        await place.act(other, match, 1, bid(3, 3))
        await place.act(first, match, 2, LIAR)
        assert await place.act(first, match, 0, bid(2, 3)) == answer
        error = await refused(place.act(first, match, 0, bid(2, 4)))
        assert error.code in ("stale_sequence", "not_your_turn")

    played(do)


def test_of_two_racing_actions_one_is_acknowledged() -> None:
    async def do(place: Place) -> None:
        a, b = await place.agent("Ann"), await place.agent("Bob")
        match = await place.match(a, b)
        first = await place.to_act(match, a, b)
        both = await asyncio.gather(
            place.act(first, match, 0, bid(2, 3)), place.act(first, match, 0, bid(2, 4)), return_exceptions=True
        )
        assert sorted(type(one).__name__ for one in both) == ["ArenaError", "State"]

    played(do)


def test_resigning_needs_neither_the_turn_nor_the_latest_sequence() -> None:
    async def do(place: Place) -> None:
        agents = [await place.agent(name) for name in ("Ann", "Bob", "Cid")]
        match = await place.match(*agents)
        first = await place.to_act(match, *agents)
        await place.act(first, match, 0, bid(2, 3))
        await place.act(first, match, 0, RESIGN)
        state = await place.state(first, match)
        assert isinstance(state, State)
        assert (state.status, state.view.my_dice, state.view.is_your_turn, state.sequence) == ("waiting", (), False, 2)
        assert (await place.queue(first)).status == "queued"
        assert (await refused(place.act(first, match, 2, bid(1, 1)))).code == "not_your_turn"

    played(do)


def test_a_match_waits_until_everybody_has_come() -> None:
    async def do(place: Place) -> None:
        a, b = await place.agent("Ann"), await place.agent("Bob")
        match = await place.match(a, b, come=False)
        state = await place.state(a, match)
        assert state.status == "not_started"
        await place.clock.turn(60_000)
        state = await place.state(b, match)
        assert state.status in ("your_turn", "waiting")
        first = await place.to_act(match, a, b)
        await place.clock.turn(119_000)
        assert (await place.state(first, match)).status == "your_turn"
        await place.clock.turn(2_000)
        answer = await place.state(first, match)
        assert isinstance(answer, GameOver)
        assert (answer.reason, answer.rating is not None) == ("timeout", True)

    played(do)


def test_who_never_comes_is_out_when_the_first_window_is_over() -> None:
    async def do(place: Place) -> None:
        agents = [await place.agent(name) for name in ("Ann", "Bob", "Cid")]
        match = await place.match(*agents, come=False)
        await place.state(agents[0], match)
        await place.state(agents[1], match)
        await place.clock.turn(121_000)
        state = await place.state(agents[0], match)
        assert (state.sequence, state.status in ("your_turn", "waiting")) == (1, True)
        assert [one.dice_count for one in state.view.players if one.id == agents[2].id] == [0]

    played(do)


def test_a_match_that_nobody_comes_to_is_aborted() -> None:
    async def do(place: Place) -> None:
        a, b = await place.agent("Ann"), await place.agent("Bob")
        match = await place.match(a, b, come=False)
        await place.clock.turn(121_000)
        answer = await place.state(a, match)
        assert isinstance(answer, GameOver)
        assert (answer.reason, answer.rating) == ("aborted", None)
        assert {one.outcome for one in answer.results} == {"draw"}

    played(do)


@pytest.mark.parametrize("game", [name for name, rules in CATALOG.items() if rules.end == "last"])
def test_the_house_fills_the_table_and_plays_any_variant(game: str) -> None:
    async def do(place: Place) -> None:
        a = await place.agent("Ann")
        assert (await place.queue(a, game, players=3)).status == "queued"
        await place.clock.turn(11_000)
        match = str((await place.queue(a, game, players=3)).match_id)
        for _ in range(400):
            answer = await place.arena.tables.wait(a.id, match, None, 25.0)
            if isinstance(answer, GameOver):
                break
            may = answer.view.legal_actions
            assert may
            least = [(quantity, int(face)) for face, quantity in may.least.items() if quantity]
            move = LIAR if "challenge" in may.types else bid(*min(least))
            answer = await place.act(a, match, answer.sequence, move)
        assert isinstance(answer, GameOver)
        assert sum(one.house for one in answer.view.players) == 2

    played(do)


def test_a_held_request_ends_with_news_or_with_its_time() -> None:
    async def do(place: Place) -> None:
        a, b = await place.agent("Ann"), await place.agent("Bob")
        match = await place.match(a, b)
        first = await place.to_act(match, a, b)
        other = b if first is a else a
        held = asyncio.ensure_future(place.arena.tables.wait(other.id, match, None, 25.0))
        await asyncio.sleep(0)
        await place.act(first, match, 0, bid(2, 3))
        assert (await held).status == "your_turn"
        held = asyncio.ensure_future(place.arena.tables.wait(first.id, match, None, 25.0))
        await place.clock.turn(24_000)
        assert not held.done()
        await place.clock.turn(1_500)
        assert (await held).status == "waiting"
        assert (await place.arena.tables.wait(first.id, match, 0, 25.0)).sequence == 1

    played(do)


def test_only_its_players_see_a_match() -> None:
    async def do(place: Place) -> None:
        a, b, c = [await place.agent(name) for name in ("Ann", "Bob", "Cid")]
        match = await place.match(a, b)
        assert (await refused(place.state(c, match))).code == "not_a_player"
        assert (await refused(place.state(c, "nosuchmatch"))).code == "match_not_found"

    played(do)


def test_recent_bids_are_those_of_others_since_the_last_own_turn() -> None:
    async def do(place: Place) -> None:
        a, b = await place.agent("Ann"), await place.agent("Bob")
        match = await place.match(a, b)
        first = await place.to_act(match, a, b)
        other = b if first is a else a
        await place.act(first, match, 0, bid(1, 3))
        await place.act(other, match, 1, bid(2, 3))
        await place.act(first, match, 2, bid(9, 3))
        await place.act(other, match, 3, LIAR)
        view = (await place.state(first, match)).view
        assert view.recent_bids == ()
        assert view.last_reveal
        assert view.last_reveal.action == "liar"
        assert sum(map(len, view.last_reveal.shown.values())) == 10
        view = (await place.state(other, match)).view
        turn = await place.to_act(match, a, b)
        await place.act(turn, match, 4, bid(1, 1))
        heard = (await place.state(other if turn is first else first, match)).view.recent_bids
        assert [(one.quantity, one.face_value, one.round) for one in heard][-1] == (1, 1, 2)

    played(do)


def test_table_talk_is_marked_as_somebodys_words() -> None:
    async def do(place: Place) -> None:
        a, b = await place.agent("Ann"), await place.agent("Bob")
        match = await place.match(a, b)
        first = await place.to_act(match, a, b)
        answer = await place.act(first, match, 0, bid(1, 3), say="believe\nme")
        assert [(one.from_, one.text, one.untrusted) for one in answer.view.talk] == [(first.id, "believe me", True)]

    played(do)


# --- what survives


class Frail:
    """A store that fails when it is told to: after it has stored something, or before; and reads that take long."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.lose: tuple[type, ...] = ()  # writes whose acknowledgement is lost, once
        self.refuse: tuple[type, ...] = ()  # writes that are not done, once
        self.away = False  # nothing can be asked of it
        self.late: asyncio.Event | None = None  # what was read is had when this is set

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store, name)

    async def write(self, write: Any) -> Any:
        if self.away or isinstance(write, self.refuse):
            self.refuse = ()
            raise StoreFault
        value = await self.store.write(write)
        if isinstance(write, self.lose):
            self.lose = ()
            raise StoreFault
        return value

    async def read(self, question: Any) -> Any:
        if self.away:
            raise StoreFault
        value = await self.store.read(question)
        if self.late and isinstance(question, Stand):
            await self.late.wait()
        return value


def frail(place: Place) -> Frail:
    """From now on the arena's store is a frail one."""
    store = Frail(place.arena.store)
    place.arena.store = place.arena.tables.store = store  # type: ignore[assignment]
    return store


def test_a_restart_gives_the_time_back_to_who_was_to_act() -> None:
    async def do(place: Place) -> None:
        a, b = await place.agent("Ann"), await place.agent("Bob")
        match = await place.match(a, b)
        first = await place.to_act(match, a, b)
        await place.act(first, match, 0, bid(2, 3))
        second = b if first is a else a
        await place.restart(down_ms=600_000)
        state = await place.act(second, match, 1, bid(3, 3))
        assert isinstance(state, State)
        await place.restart(down_ms=600_000)
        await place.clock.turn(115_000)
        assert (await place.state(first, match)).status == "your_turn"
        await place.clock.turn(6_000)
        assert (await place.state(first, match)).status == "game_over"

    played(do)


def test_even_a_short_restart_costs_nobody_a_turn() -> None:
    async def do(place: Place) -> None:
        a, b = await place.agent("Ann"), await place.agent("Bob")
        match = await place.match(a, b)
        first = await place.to_act(match, a, b)
        await place.clock.turn(118_000)
        await place.restart(down_ms=4_000)
        assert isinstance(await place.act(first, match, 0, bid(2, 3)), State)

    played(do)


def test_the_time_in_which_the_store_was_away_is_given_back() -> None:
    async def do(place: Place) -> None:
        a, b = await place.agent("Ann"), await place.agent("Bob")
        match = await place.match(a, b)
        first = await place.to_act(match, a, b)
        await place.clock.turn(60_000)
        store = frail(place)
        store.away = True
        await place.clock.turn(600_000)
        store.away = False
        # Its time is over by the clock that nobody has set right yet; the first to ask is not punished for that.
        assert (await refused(place.act(first, match, 0, bid(2, 3)))).status == 503
        await place.clock.turn(1_000)
        assert isinstance(await place.act(first, match, 0, bid(2, 3)), State)
        second = b if first is a else a
        await place.clock.turn(119_000)
        assert (await place.state(second, match)).status == "your_turn"
        await place.clock.turn(2_000)
        assert (await place.state(second, match)).status == "game_over"

    played(do)


def test_nobody_is_given_time_back_that_it_never_lost() -> None:
    async def do(place: Place) -> None:
        a, b = await place.agent("Ann"), await place.agent("Bob")
        match = await place.match(a, b, lane="standard")
        first = await place.to_act(match, a, b)
        store = frail(place)
        store.away = True
        await place.clock.turn(600_000)
        store.away = False
        # The turn that this would begin must not be longer by what the store was away before.
        assert (await refused(place.act(first, match, 0, bid(2, 3)))).status == 503
        await place.clock.turn(1_000)
        answer = await place.act(first, match, 0, bid(2, 3))
        live = await place.arena.tables.live(match)
        assert isinstance(answer, State)
        assert live.due_ms == place.clock.now + 900_000

    played(do)


def test_an_action_whose_acknowledgement_was_lost_is_known_to_everybody() -> None:
    async def do(place: Place) -> None:
        a, b = await place.agent("Ann"), await place.agent("Bob")
        match = await place.match(a, b)
        first = await place.to_act(match, a, b)
        second = b if first is a else a
        store = frail(place)
        store.lose = (Act,)
        held = asyncio.ensure_future(place.arena.tables.wait(second.id, match, None, 25.0))
        assert (await refused(place.act(first, match, 0, bid(2, 3)))).status == 503
        await place.clock.turn(1_000)
        assert (held.done(), (await held).sequence) == (True, 1)
        assert (await place.act(first, match, 0, bid(2, 3))).sequence == 1

    played(do)


def test_who_goes_out_may_queue_again_whatever_becomes_of_the_process() -> None:
    async def do(place: Place) -> None:
        agents = [await place.agent(name) for name in ("Ann", "Bob", "Cid")]
        match = await place.match(*agents)
        store = frail(place)
        store.lose = (Act, Played)
        assert (await refused(place.act(agents[0], match, 0, RESIGN))).status == 503
        place.arena.store = place.arena.tables.store = store.store
        await place.restart()
        assert (await place.state(agents[0], match)).view.my_dice == ()
        assert (await place.queue(agents[0], players=4)).status == "queued"

    played(do)


def test_an_end_that_could_not_be_written_is_told_when_it_can() -> None:
    async def do(place: Place) -> None:
        a, b = await place.agent("Ann"), await place.agent("Bob")
        match = await place.match(a, b)
        store = frail(place)
        store.refuse = (Finish,)
        assert (await refused(place.act(a, match, 0, RESIGN))).status == 503
        assert isinstance(await place.act(a, match, 0, RESIGN), GameOver)
        assert isinstance(await place.state(b, match), GameOver)

    played(do)


def test_news_that_are_older_than_what_is_known_change_nothing() -> None:
    async def do(place: Place) -> None:
        a, b = await place.agent("Ann"), await place.agent("Bob")
        match = await place.match(a, b)
        first = await place.to_act(match, a, b)
        second = b if first is a else a
        tables, store = place.arena.tables, frail(place)
        live = await tables.live(match)
        store.late = asyncio.Event()
        reading = asyncio.ensure_future(tables.catch_up(live))
        await asyncio.sleep(0)
        late, store.late = store.late, None
        await place.clock.turn(100_000)
        await place.act(first, match, 0, bid(2, 3))
        due = live.due_ms
        late.set()
        await reading
        assert live.due_ms == due
        await place.clock.turn(60_000)
        assert isinstance(await place.act(second, match, 1, bid(3, 3)), State), "its own turn has only begun"

    played(do)


def test_a_match_that_is_let_go_of_while_somebody_waits_wakes_them_all_the_same() -> None:
    async def do(place: Place) -> None:
        a, b = await place.agent("Ann"), await place.agent("Bob")
        match = await place.match(a, b)
        first = await place.to_act(match, a, b)
        second = b if first is a else a
        held = asyncio.ensure_future(place.arena.tables.wait(second.id, match, None, 25.0))
        await asyncio.sleep(0)
        place.arena.tables.kept.clear()
        await place.act(first, match, 0, bid(2, 3))
        assert (await asyncio.wait_for(held, 5)).status == "your_turn"
        del held
        place.arena.tables.kept.clear()
        gc.collect()
        assert match not in place.arena.tables.lives
        assert (await place.state(first, match)).sequence == 1

    played(do)


def test_one_match_that_cannot_be_read_does_not_stop_the_clocks_of_others() -> None:
    async def do(place: Place) -> None:
        agents = [await place.agent(name) for name in ("Ann", "Bob", "Cid", "Dan")]
        spoilt, sound = await place.match(*agents[:2]), await place.match(*agents[2:])
        await place.arena.store.write(Act(Done(spoilt, 0, 0, "gibberish", 0, 0, token=b"x")))
        await place.restart()
        await place.clock.turn(121_000)
        assert isinstance(await place.state(agents[2], sound), GameOver)

    played(do)


def test_what_another_process_does_to_a_match_is_noticed(tmp_path: Path) -> None:
    """Such as an operator's `calza admin`, beside an arena on SQLite, where nobody sends signals."""
    url = f"sqlite:///{tmp_path}/arena.sqlite"

    async def do(place: Place) -> None:
        a, b = await place.agent("Ann"), await place.agent("Bob")
        match = await place.match(a, b)
        first = await place.to_act(match, a, b)
        second = b if first is a else a
        held = asyncio.ensure_future(place.arena.tables.wait(second.id, match, None, 25.0))
        arena, store = place.arena, await Store.open(url)
        await arena.beat()
        outside = Tables(store, place.clock, arena.settings, arena.signer, arena.tables.token, "")
        await outside.abort(match)
        assert (await place.state(first, match)).status == "your_turn"
        await arena.beat()
        assert isinstance(await held, GameOver)
        assert isinstance(await place.state(first, match), GameOver)
        await store.close()

    played(do, url=url)


# --- what is answered


def test_a_stored_answer_stays_what_it_was() -> None:
    async def do(place: Place) -> None:
        a, b = await place.agent("Ann"), await place.agent("Bob")
        match = await place.match(a, b)
        first = await place.to_act(match, a, b)
        answer = await place.act(first, match, 0, bid(2, 3))
        assert await place.act(first, match, 0, bid(2, 3)) == answer
        await place.arena.tables.abort(match)
        assert await place.act(first, match, 0, bid(2, 3)) == answer
        assert (await refused(place.act(first, match, 0, bid(2, 4)))).code == "game_already_over"

    played(do)


def test_a_resignation_is_answered_again_whatever_sequence_it_names() -> None:
    async def do(place: Place) -> None:
        agents = [await place.agent(name) for name in ("Ann", "Bob", "Cid")]
        match = await place.match(*agents)
        first = await place.to_act(match, *agents)
        await place.act(first, match, 0, bid(2, 3))
        assert (await refused(place.act(first, match, 2, RESIGN))).code == "stale_sequence"
        answer = await place.act(first, match, 0, RESIGN)
        second = await place.to_act(match, *agents)
        await place.act(second, match, 2, bid(1, 1))
        assert await place.act(first, match, 0, RESIGN) == answer
        assert await place.act(first, match, 1, RESIGN) == answer
        assert (await place.state(first, match)).sequence == 3

    played(do)


def test_nobody_is_to_act_in_a_match_that_was_aborted() -> None:
    async def do(place: Place) -> None:
        a, b = await place.agent("Ann"), await place.agent("Bob")
        match = await place.match(a, b)
        first = await place.to_act(match, a, b)
        await place.arena.tables.abort(match)
        answer = await place.state(first, match)
        assert isinstance(answer, GameOver)
        view = answer.view
        assert (view.is_your_turn, view.legal_actions, view.current_player, view.turn_ends_at) == (
            False,
            None,
            None,
            None,
        )

    played(do)


def test_who_resigns_before_all_have_come_does_not_prolong_the_wait() -> None:
    async def do(place: Place) -> None:
        agents = [await place.agent(name) for name in ("Ann", "Bob", "Cid", "Dan")]
        match = await place.match(*agents, come=False)
        await place.state(agents[0], match)
        await place.clock.turn(100_000)
        assert (await place.act(agents[1], match, 0, RESIGN)).status == "not_started"
        await place.clock.turn(21_000)
        answer = await place.state(agents[0], match)
        assert isinstance(answer, GameOver), "the two others never came"
        assert [one.agent_id for one in answer.results if one.outcome == "win"] == [agents[0].id]

    played(do)


def test_a_match_starts_though_the_process_died_when_the_last_had_come() -> None:
    async def do(place: Place) -> None:
        a, b = await place.agent("Ann"), await place.agent("Bob")
        match = await place.match(a, b, come=False)
        await place.state(a, match)
        store = frail(place)
        store.refuse = (Start,)
        assert (await refused(place.state(b, match))).status == 503
        assert (await place.state(b, match)).status in ("your_turn", "waiting")

    played(do)


# --- what is counted


def test_refused_tries_and_costs_are_summed_across_a_restart() -> None:
    async def do(place: Place) -> None:
        a, b = await place.agent("Ann"), await place.agent("Bob")
        match = await place.match(a, b)
        first = await place.to_act(match, a, b)
        second = b if first is a else a
        await refused(place.act(first, match, 0, LIAR))
        await refused(place.act(first, match, 0, {"nonsense": 1}))
        await refused(place.act(first, match, 9, LIAR))  # which is stale, and no illegal try
        await place.act(first, match, 0, bid(2, 3), usage=Usage(tokens=100, cost=0.5))
        await place.restart()
        await refused(place.act(second, match, 1, bid(1, 3)))
        await place.act(second, match, 1, bid(3, 3))
        await place.act(first, match, 2, bid(4, 3), usage=Usage(tokens=11, cost=0.25))
        await refused(place.act(second, match, 3, bid(1, 3)))
        await place.act(second, match, 3, RESIGN)
        sums = [(await place.arena.store.read(Habits(one.id)))["liars-dice"] for one in (first, second)]
        assert [(one.illegal, one.tokens, one.cost) for one in sums] == [(2, 111, 0.75), (2, 0, 0.0)]

    played(do)


@pytest.mark.parametrize("said", [{"tokens": 10**30}, {"tokens": -1}, {"cost": -0.5}, {"cost": 1e300}, {"token": 1}])
def test_costs_that_cannot_be_are_refused(said: Any) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(said, Usage)
