"""Playing over HTTP: the order of checks, repeats, waiting, coming back, and the end."""

from typing import Any

import pytest

from calza.arena.views import PLAYED
from tests.arena.house import LIAR, RESIGN, bid

from .web import Player, Web, called

STALE, TURN, OVER = (409, "stale_sequence"), (409, "not_your_turn"), (409, "game_already_over")
SHAPE, RULES = (400, "invalid_input"), (400, "invalid_action")
VIEW = {
    "you", "myDice", "opponents", "currentBid", "recentBids", "totalDiceInPlay", "round", "isYourTurn", "currentPlayer",
    "legalActions", "lastReveal", "players", "turnEndsAt",
}  # fmt: skip
ENVELOPE = {
    "status", "matchId", "gameId", "gameType", "sequence", "reason", "results", "rating", "newBadges", "suggestions",
    "shareText", "replayUrl", "replayMarkdownUrl", "messaging", "view",
}  # fmt: skip


async def seated(web: Web, many: int = 2, **more: Any) -> tuple[str, list[Player]]:
    """A match, and its players in the order of their turns."""
    players = [await web.join(name) for name in ("Ann", "Bob", "Cid", "Dee", "Eve", "Fay")[:many]]
    match = await web.table(*players, **more)
    return match, await web.turns(match, *players)


# --- the order of checks


def test_the_first_check_that_fails_answers_and_nothing_changes() -> None:
    async def do(web: Web) -> None:
        match, (first, other) = await seated(web)
        nonsense = {"type": "fold"}
        got = await other.act(match, 99, nonsense)
        assert (got.error, got.json["currentSequence"]) == (TURN, 0)
        got = await first.act(match, 99, nonsense)
        assert (got.error, got.json["currentSequence"]) == (STALE, 0)
        assert (await first.act(match, 0, nonsense)).error == SHAPE
        assert (await first.act(match, 0, LIAR)).error == RULES
        assert (await first.state(match)).json["sequence"] == 0
        assert (await first.act(match, 0, bid(1, 2))).status == 200
        got = await first.act(match, 0, nonsense)
        assert (got.error, got.json["currentSequence"]) == (TURN, 1)
        await other.act(match, 1, RESIGN)
        for who in (first, other):
            assert (await who.act(match, 99, nonsense)).error == OVER

    called(do)


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{}", b"[]", b"null", b"{", b"\xff", b"[" * 4000, b'{"sequence":0}', b'{"action":{"type":"challenge"}}',
        b'{"sequence":"0","action":{"type":"challenge"}}', b'{"sequence":-1,"action":{"type":"challenge"}}',
        b'{"sequence":0,"action":{"type":"challenge"},"say":5}', b'{"sequence":0,"action":{"type":"challenge","x":1}}',
        b'{"sequence":0,"action":{"type":"challenge"},"usage":{"tokens":1e999}}',
        b'{"sequence":1e400,"action":{"type":"challenge"}}',
    ],
)  # fmt: skip
def test_a_body_that_cannot_be_read_is_checked_in_the_same_order(body: bytes) -> None:
    async def do(web: Web) -> None:
        match, (first, other) = await seated(web)
        stranger, address = await web.join("Cid"), f"/api/matches/{match}/action"
        assert (await first.post(address, raw=body)).error == SHAPE
        got = await other.post(address, raw=body)
        assert (got.error, got.json["currentSequence"]) == (TURN, 0)
        assert (await stranger.post(address, raw=body)).error == (403, "not_a_player")
        assert (await first.post("/api/matches/nosuch/action", raw=body)).error == (404, "match_not_found")
        await first.act(match, 0, RESIGN)
        assert (await first.post(address, raw=body)).error == OVER

    called(do)


def test_a_stale_sequence_is_told_before_a_wrong_shape() -> None:
    async def do(web: Web) -> None:
        match, (first, _) = await seated(web)
        got = await first.post(f"/api/matches/{match}/action", {"sequence": 3, "action": LIAR, "say": 5})
        assert (got.error, got.json["currentSequence"]) == (STALE, 0)

    called(do)


# --- repeats


def test_an_exact_repeat_gets_the_stored_answer_byte_for_byte() -> None:
    async def do(web: Web) -> None:
        match, (first, other) = await seated(web)
        sent = await first.act(match, 0, bid(2, 3))
        assert (await first.act(match, 0, bid(2, 3))).body == sent.body
        await other.act(match, 1, bid(3, 3))
        call = await first.act(match, 2, LIAR)
        assert (await first.act(match, 0, bid(2, 3))).body == sent.body
        assert (await first.act(match, 2, LIAR)).body == call.body
        assert (await other.act(match, 0, bid(2, 3))).error in (TURN, STALE)  # another's action is no repeat
        assert (await first.act(match, 0, bid(2, 4))).error in (TURN, STALE)  # and another action neither
        left = await other.act(match, 3, RESIGN)
        assert (await other.act(match, 3, RESIGN)).body == left.body
        assert (await first.act(match, 0, bid(2, 3))).body == sent.body

    called(do)


def test_the_action_that_ends_a_match_is_answered_with_the_envelope_and_so_are_its_repeats() -> None:
    async def do(web: Web) -> None:
        match, (first, other) = await seated(web)
        got = await first.act(match, 0, RESIGN)
        state = got.json["state"]
        assert set(state) >= ENVELOPE
        assert (state["status"], state["reason"], state["matchId"], state["sequence"]) == (
            "game_over", "resigned", match, 1,
        )  # fmt: skip
        assert state["results"] == [
            {"agentId": other.id, "outcome": "win", "place": 1, "diceLeft": 5},
            {"agentId": first.id, "outcome": "loss", "place": 2, "diceLeft": 0},
        ]
        assert state["rating"]["after"] < state["rating"]["before"]
        assert "nextGameAssigned" not in state
        assert set(state["suggestions"]) < set(PLAYED)
        assert state["replayMarkdownUrl"].endswith(f"/api/matches/{match}/replay.md")
        assert (await first.act(match, 0, RESIGN)).body == got.body
        assert (await first.state(match)).json == state
        await web.clock.turn(10_000)
        assert (await first.state(match, "?wait=true")).json == state

    called(do)


def test_resigning_is_taken_out_of_turn_with_any_sequence_up_to_the_current_one() -> None:
    async def do(web: Web) -> None:
        match, (first, second, third) = await seated(web, 3)
        await first.act(match, 0, bid(2, 3))
        assert (await third.act(match, 2, RESIGN)).error == STALE
        got = await third.act(match, 0, RESIGN)
        assert (got.status, got.json["state"]["sequence"], got.json["state"]["status"]) == (200, 2, "waiting")
        assert (await second.state(match)).json["sequence"] == 2

    called(do)


# --- coming, waiting and being out


def test_a_match_begins_when_everybody_has_come() -> None:
    async def do(web: Web) -> None:
        players = [await web.join("Ann"), await web.join("Bob")]
        match = await web.table(*players, come=False)
        assert (await players[0].state(match)).json["status"] == "not_started"
        got = await players[0].act(match, 0, bid(1, 2))
        assert got.error == TURN
        await web.clock.turn(100_000)
        assert (await players[1].state(match)).json["status"] in ("your_turn", "waiting")
        await web.clock.turn(119_000)  # the first player's clock has started only now
        assert {(await one.state(match)).json["status"] for one in players} == {"your_turn", "waiting"}
        await web.clock.turn(2_000)
        assert {(await one.state(match)).json["reason"] for one in players} == {"timeout"}

    called(do)


def test_who_never_comes_is_out_after_the_first_window() -> None:
    async def do(web: Web) -> None:
        ann, bob, cid = [await web.join(name) for name in ("Ann", "Bob", "Cid")]
        match = await web.table(ann, bob, cid, come=False)
        for one in (ann, bob):
            assert (await one.state(match)).json["status"] == "not_started"
        await web.clock.turn(121_000)
        assert {(await one.state(match)).json["status"] for one in (ann, bob)} == {"your_turn", "waiting"}
        assert (await cid.state(match)).json["view"]["myDice"] == []

    called(do)


def test_a_player_who_is_out_waits_and_may_queue_and_has_finished_in_its_own_list() -> None:
    async def do(web: Web) -> None:
        match, (first, second, _) = await seated(web, 3)
        await web.clock.turn(1_000)
        await first.act(match, 0, RESIGN)
        state = (await first.state(match)).json
        assert (state["status"], state["view"]["myDice"], state["view"]["isYourTurn"]) == ("waiting", [], False)
        assert (await first.act(match, 1, bid(1, 2))).error == TURN
        address = "/api/matchmaking/status?gameId=liars-dice"
        assert (await first.get(address)).json == {"status": "not_queued"}
        assert (await second.get(address)).json == {"status": "matched", "matchId": match}
        assert (await first.post("/api/matchmaking/queue", {"gameId": "liars-dice"})).json["status"] == "queued"
        mine = (await web.get(f"/api/agents/{first.id}/matches")).json["matches"][0]
        assert (mine["status"], mine["finishedAt"]) == ("completed", "2023-11-14T22:13:21.000Z")
        theirs = (await web.get(f"/api/agents/{second.id}/matches")).json["matches"][0]
        assert (theirs["status"], theirs["finishedAt"]) == ("active", None)
        await second.act(match, 1, RESIGN)
        assert (await first.state(match)).json["status"] == "game_over"

    called(do)


def test_nobody_in_a_match_is_paired_into_another_unless_it_can_hold_more() -> None:
    async def do(web: Web) -> None:
        match, (first, second) = await seated(web)
        cid, dee = await web.join("Cid"), await web.join("Dee")
        queue = "/api/matchmaking/queue"
        assert (await first.post(queue, {"gameId": "perudo"})).json["status"] == "queued"
        assert (await cid.post(queue, {"gameId": "perudo"})).json["status"] == "queued"
        assert (await second.post(queue, {"gameId": "exact", "matches": 2})).json["status"] == "queued"
        assert (await dee.post(queue, {"gameId": "exact"})).json["status"] == "matched"
        assert (await second.get("/api/matchmaking/status?gameId=liars-dice")).json["matchId"] == match

    called(do)


# --- held requests


def test_a_held_request_is_answered_when_the_agent_can_act_or_the_match_ends() -> None:
    async def do(web: Web) -> None:
        match, (first, other) = await seated(web)
        held = await other.hold(match)
        await web.clock.turn(20_000)
        assert not held.task.done()
        await first.act(match, 0, bid(2, 3))
        assert (await held.task).json["status"] == "your_turn"
        held = await first.hold(match)
        await other.act(match, 1, RESIGN)
        assert (await held.task).json["status"] == "game_over"

    called(do)


def test_a_held_request_without_news_is_answered_unchanged() -> None:
    async def do(web: Web) -> None:
        match, (_, other) = await seated(web)
        before = await other.state(match)
        held = await other.hold(match)
        await web.clock.turn(24_900)
        assert not held.task.done()
        await web.clock.turn(200)
        assert (await held.task).body == before.body

    called(do)


def test_after_sequence_makes_any_later_change_news() -> None:
    async def do(web: Web) -> None:
        match, (first, second, third) = await seated(web, 3)
        held = await third.hold(match, "&afterSequence=0")
        await first.act(match, 0, bid(2, 3))
        assert (await held.task).json["sequence"] == 1
        assert (await third.state(match, "?wait=true&afterSequence=0")).json["status"] == "waiting"
        held = await third.hold(match, "&afterSequence=1")
        await second.act(match, 1, bid(3, 3))
        assert (await held.task).json["status"] == "your_turn"

    called(do)


def test_whoever_hangs_up_is_waited_for_no_longer() -> None:
    async def do(web: Web) -> None:
        match, (_, other) = await seated(web)
        held = await other.hold(match)
        assert len(web.arena.tables.lives[match].waiters) == 1
        held.leave()
        await held.task
        await web.clock.turn(0)
        assert not web.arena.tables.lives[match].waiters

    called(do)


def test_held_requests_are_answered_when_the_arena_stops() -> None:
    async def do(web: Web) -> None:
        match, (_, other) = await seated(web)
        held = await other.hold(match)
        web.arena.dismiss()
        assert (await held.task).json["status"] == "waiting"

    called(do)


# --- the view


def test_a_view_has_every_field_of_the_contract() -> None:
    async def do(web: Web) -> None:
        match, (first, second, third) = await seated(web, 3)
        await first.act(match, 0, bid(2, 3))
        state = (await second.act(match, 1, bid(3, 3), say="three, I say")).json["state"]
        assert {"status", "matchId", "gameId", "sequence", "view", "turnEndsAt"} <= set(state)
        view = (await third.state(match)).json["view"]
        assert set(view) >= VIEW
        assert len(view["myDice"]) == 5
        assert view["opponents"] == [{"id": first.id, "diceCount": 5}, {"id": second.id, "diceCount": 5}]
        assert view["currentBid"] == {"playerId": second.id, "quantity": 3, "faceValue": 3}
        assert view["recentBids"] == [
            {"playerId": first.id, "quantity": 2, "faceValue": 3, "round": 1},
            {"playerId": second.id, "quantity": 3, "faceValue": 3, "round": 1},
        ]
        assert (view["totalDiceInPlay"], view["round"], view["isYourTurn"]) == (15, 1, True)
        assert view["currentPlayer"] == third.id
        assert view["legalActions"] == {
            "least": {"1": 2, "2": 4, "3": 4, "4": 3, "5": 3, "6": 3},
            "most": 30,
            "types": ["bid", "challenge", "resign"],
        }
        assert {one["id"] for one in view["players"]} == {first.id, second.id, third.id}
        assert view["talk"] == [{"from": second.id, "text": "three, I say", "untrusted": True}]
        await third.act(match, 2, LIAR)
        view = (await first.state(match)).json["view"]
        reveal = view["lastReveal"]
        assert (reveal["round"], reveal["by"], reveal["action"]) == (1, third.id, "liar")
        assert {len(dice) for dice in reveal["shown"].values()} == {5}
        assert [one["change"] for one in reveal["changes"]] == [-1]
        assert [one["quantity"] for one in view["recentBids"]] == [3]  # the end of a round does not clear it

    called(do)


def test_no_state_shows_anothers_dice() -> None:
    async def do(web: Web) -> None:
        match, players = await seated(web, 3)
        dice = {one.id: (await one.state(match)).json["view"]["myDice"] for one in players}
        for path in ("", "/state"):
            for who in players:
                body = (await who.get(f"/api/matches/{match}{path}")).json
                view = str(body["view"] | {"myDice": []})
                assert not any(str(one) in view for one in dice.values())

    called(do)
