"""What a reader is told of a match: its own dice, everybody's numbers, and what was said and shown."""

from typing import Any

import msgspec
import pytest

from calza.arena.messages import GameOver, State, View
from calza.arena.store.agents import Agent
from calza.arena.views import PLAYED, view_of
from calza.rules import CATALOG, Bid
from tests.arena.house import LIAR, RESIGN, Place, bid, played


async def table(place: Place, many: int = 3, **more: Any) -> tuple[str, list[Agent]]:
    """A match, and its players in the order of their turns."""
    agents = [await place.agent(name) for name in ("Ann", "Bob", "Cid", "Dan")[:many]]
    match = await place.match(*agents, **more)
    live = await place.arena.tables.live(match)
    seats = [(live.game.turn + step) % many for step in range(many)]
    return match, [next(one for one in agents if one.id == live.rows[seat].agent) for seat in seats]


async def view(place: Place, agent: Agent, match: str) -> View:
    return (await place.state(agent, match)).view


def test_a_view_has_the_fields_of_the_contract() -> None:
    async def do(place: Place) -> None:
        match, (first, second, third) = await table(place)
        state = await place.state(first, match)
        assert isinstance(state, State)
        said = msgspec.json.decode(msgspec.json.encode(state))
        assert said.keys() == {
            "status", "matchId", "gameId", "gameType", "sequence", "view", "turnEndsAt",
        }  # fmt: skip
        assert (said["status"], said["gameType"], said["sequence"]) == ("your_turn", "sequential", 0)
        view = said["view"]
        assert view["you"] == first.id
        assert len(view["myDice"]) == 5
        assert view["myDice"] == sorted(view["myDice"])
        assert view["opponents"] == [{"id": second.id, "diceCount": 5}, {"id": third.id, "diceCount": 5}]
        assert (view["currentBid"], view["recentBids"], view["totalDiceInPlay"], view["round"]) == (None, [], 15, 1)
        assert (view["isYourTurn"], view["currentPlayer"], view["turnEndsAt"]) == (True, first.id, said["turnEndsAt"])
        assert said["turnEndsAt"].endswith("Z")
        assert set(view["legalActions"]["types"]) == {"bid", "resign"}
        assert view["legalActions"]["least"] == {str(face): 1 for face in range(1, 7)}

    played(do)


def test_opponents_are_told_clockwise_and_only_those_still_in() -> None:
    async def do(place: Place) -> None:
        match, (first, second, third, fourth) = await table(place, 4)
        assert [one.id for one in (await view(place, third, match)).opponents] == [fourth.id, first.id, second.id]
        await place.act(second, match, 0, RESIGN)
        assert [one.id for one in (await view(place, third, match)).opponents] == [fourth.id, first.id]
        assert (await view(place, third, match)).total_dice_in_play == 15

    played(do)


def test_whoever_is_out_waits_without_dice() -> None:
    async def do(place: Place) -> None:
        match, (first, second, third) = await table(place)
        await place.act(second, match, 0, RESIGN)
        state = await place.state(second, match)
        assert (state.status, state.view.my_dice, state.view.is_your_turn) == ("waiting", (), False)
        assert state.view.legal_actions is None
        await place.act(await place.to_act(match, first, third), match, 1, RESIGN)
        state = await place.state(second, match)
        assert isinstance(state, GameOver)
        assert state.view.my_dice == ()
        assert [(one.place, one.outcome) for one in state.results] == [(1, "win"), (2, "loss"), (3, "loss")]

    played(do)


def test_recent_bids_outlive_the_end_of_a_round() -> None:
    async def do(place: Place) -> None:
        match, (first, second, third) = await table(place)
        await place.act(first, match, 0, bid(1, 2))
        await place.act(second, match, 1, bid(1, 3))
        await place.act(third, match, 2, LIAR)
        heard = [(one.player_id, one.quantity, one.face_value, one.round) for one in
                 (await view(place, first, match)).recent_bids]  # fmt: skip
        assert heard == [(second.id, 1, 3, 1)]
        heard = [one.player_id for one in (await view(place, third, match)).recent_bids]
        assert heard == [], "the bids before its own call are answered"
        turn = await place.to_act(match, first, second, third)
        await place.act(turn, match, 3, bid(1, 1))
        for reader in (first, second, third):
            rounds = [one.round for one in (await view(place, reader, match)).recent_bids]
            assert rounds == ([1] if reader is first and reader is not turn else []) + (
                [2] if reader is not turn else []
            )

    played(do)


def test_a_reveal_says_who_called_what_was_shown_and_who_lost() -> None:
    async def do(place: Place) -> None:
        match, (first, second) = await table(place, 2)
        await place.act(first, match, 0, bid(10, 3))
        await place.act(second, match, 1, LIAR)
        views = [await view(place, one, match) for one in (first, second)]
        assert views[0].last_reveal == views[1].last_reveal
        told = views[0].last_reveal
        assert told
        assert (told.round, told.by, told.action, told.bid and told.bid.player_id) == (1, second.id, "liar", first.id)
        assert set(told.shown) == {first.id, second.id}
        counted = sum(die in (1, 3) for dice in told.shown.values() for die in dice)
        assert told.count == counted
        [loss] = told.changes
        assert (loss.player_id, loss.change, loss.left) == (first.id if counted < 10 else second.id, -1, 4)

    played(do)


def test_a_time_out_is_told_like_an_action() -> None:
    async def do(place: Place) -> None:
        match, (first, second, _) = await table(place)
        await place.clock.turn(121_000)
        told = (await view(place, second, match)).last_reveal
        assert told
        assert (told.by, told.action, told.shown, told.count) == (first.id, "forfeit:timeout", {}, None)

    played(do)


@pytest.mark.parametrize("game", PLAYED)
def test_the_legal_actions_told_are_those_of_the_rules(game: str) -> None:
    async def do(place: Place) -> None:
        match, _ = await table(place, 2, game=game)
        live = await place.arena.tables.live(match)
        for _ in range(4):
            seat = live.game.turn
            may, own = view_of(live, seat).legal_actions, live.game.legal(seat)
            assert may
            told = {Bid(quantity, int(face)) for face, least in may.least.items() if least
                    for quantity in range(least, may.most + 1)}  # fmt: skip
            assert told == {one for one in own if isinstance(one, Bid)}
            assert ("challenge" in may.types) == (CATALOG[game].calls[0].name in own.calls)
            assert ("exact" in may.types) == any(call.name in own.calls for call in CATALOG[game].calls[1:])
            least = min(told, key=lambda one: (one.quantity, one.face))
            player = next(one for one in live.rows if one.seat == seat)
            await place.arena.tables.act(player.agent, match, live.sequence, bid(least.quantity, least.face))

    played(do)


def test_spectators_see_nobodys_dice() -> None:
    async def do(place: Place) -> None:
        match, (first, _, _) = await table(place)
        await place.act(first, match, 0, bid(2, 3))
        seen = view_of(await place.arena.tables.live(match), -1)
        assert (seen.you, seen.my_dice, seen.is_your_turn, seen.legal_actions) == ("", (), False, None)
        assert [one.dice_count for one in seen.opponents] == [5, 5, 5]
        assert [(one.quantity, one.round) for one in seen.recent_bids] == [(2, 1)]

    played(do)


def test_the_end_has_the_fields_of_the_contract() -> None:
    async def do(place: Place) -> None:
        match, (first, second) = await table(place, 2)
        await place.act(second, match, 0, RESIGN)
        said = msgspec.json.decode(msgspec.json.encode(await place.state(second, match)))
        assert said.keys() >= {
            "status", "matchId", "gameId", "sequence", "reason", "results", "rating", "newBadges", "suggestions",
            "shareText", "replayUrl", "replayMarkdownUrl", "messaging", "view",
        }  # fmt: skip
        assert "nextGameAssigned" not in said
        assert (said["status"], said["reason"], said["sequence"], said["newBadges"]) == ("game_over", "resigned", 1, [])
        assert said["results"] == [
            {"agentId": first.id, "outcome": "win", "place": 1, "diceLeft": 5},
            {"agentId": second.id, "outcome": "loss", "place": 2, "diceLeft": 0},
        ]
        assert said["rating"]["after"] != said["rating"]["before"]
        assert said["messaging"]["encouragement"]

    played(do)
