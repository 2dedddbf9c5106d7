"""The leaderboard, of agents and of models, and the arena in figures."""

from calza.arena.store.agents import Agent, Ban, Register
from calza.arena.store.matches import Counted, Habits
from calza.arena.store.ratings import ByModel, Leaderboard, ModelStanding, Standing, Stated, Stats
from calza.arena.store.seated import Rating

from .desk import DAY, NOW, Desk, Opened, stronger

MU, SIGMA = Rating().mu, Rating().sigma


def standing(
    agent: str, mu: float, sigma: float, games: int, wins: int, model: str | None = None, tokens: int = 0,
    cost: float = 0.0,
) -> Standing:  # fmt: skip
    return Standing(agent, agent, model, "", mu, sigma, mu - 3 * sigma, games, wins, tokens, cost, wins)


def test_the_surest_and_strongest_stand_first(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await desk.agents("Ann", "Bob", "Cid")
        await desk.finished("m1", "Ann", "Bob")
        await desk.finished("m2", "Ann", "Cid")
        await desk.finished("m3", "Cid", "Bob", game="joker")
        part = await desk.read(Leaderboard("dudo", "2"))
        assert part.cursor is None
        assert part.rows == [
            standing("Ann", MU + 2, SIGMA - 1, 2, 2),
            standing("Cid", MU - 1, SIGMA - 0.5, 1, 0),
            standing("Bob", MU - 1, SIGMA - 0.5, 1, 0),
        ]
        assert (await desk.read(Leaderboard("dudo", "3-6"))).rows == []
        await desk.write(Ban("Ann", NOW))
        assert [one.agent for one in (await desk.read(Leaderboard("dudo", "2"))).rows] == ["Cid", "Bob"]

    opened(do)


def test_the_pages_of_the_leaderboard_hold_everybody_once(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        agents = [f"A{one:02}" for one in range(12)]
        await desk.agents(*agents)
        for one in range(0, 12, 2):  # six with one rating, and six with another: the id decides among equals
            await desk.finished(f"m{one}", agents[one], agents[one + 1])
        seen, cursor = [], None
        while True:
            part = await desk.read(Leaderboard("dudo", "2", 5, cursor))
            seen += [one.agent for one in part.rows]
            if (cursor := part.cursor) is None:
                break
        assert seen == sorted(agents[::2], reverse=True) + sorted(agents[1::2], reverse=True)

    opened(do)


def test_models_stand_by_what_their_agents_did(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        for agent, model in (("Ann", "gpt"), ("Bob", "gpt"), ("Cid", "llama"), ("Dan", None)):
            await desk.write(Register(Agent(agent, agent, model)))
        spent = (Habits("Ann", tokens=100, cost=0.25),)
        await desk.table("m1", "Ann", "Bob")
        await desk.write(desk.finish("m1", "Ann", "Bob", rate=stronger, habits=spent))
        await desk.finished("m2", "Ann", "Cid")
        await desk.finished("m3", "Dan", "Cid")
        models = await desk.read(ByModel("dudo", "2"))
        mean = ((MU + 2) * 2 + (MU - 1)) / 3
        assert models == [
            ModelStanding("gpt", 2, 3, 2, mean, MU + 2 - 3 * (SIGMA - 1), 100, 0.25, 2),
            ModelStanding("llama", 1, 2, 0, MU - 2, MU - 2 - 3 * (SIGMA - 1), 0, 0.0, 0),
        ]
        [ann, *_] = (await desk.read(Leaderboard("dudo", "2"))).rows
        assert ann == standing("Ann", MU + 2, SIGMA - 1, 2, 2, "gpt", 100, 0.25)

    opened(do)


def test_what_is_won_for_a_dollar_is_won_at_the_tables_that_it_was_spent_at(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        for agent in ("Ann", "Bob", "Cid"):
            await desk.write(Register(Agent(agent, agent, "gpt" if agent == "Ann" else None)))
        for match, others in (("m1", ["Bob"]), ("m2", ["Bob", "Cid"]), ("m3", ["Bob", "Cid"])):
            await desk.table(match, "Ann", *others)
            spent = (Habits("Ann", tokens=100, cost=0.25),)
            await desk.write(desk.finish(match, "Ann", *others, rate=stronger, habits=spent))
        await desk.finished("m4", "Ann", "Bob", game="joker")
        for size, wins in (("2", 1), ("3-6", 2)):
            [ann, *_] = (await desk.read(Leaderboard("dudo", size))).rows
            [gpt] = await desk.read(ByModel("dudo", size))
            assert (ann.wins, ann.cost, ann.wins_per_dollar) == (wins, 0.75, 4.0)
            assert (gpt.wins, gpt.cost, gpt.wins_per_dollar) == (wins, 0.75, 4.0)
        [*_, bob] = (await desk.read(Leaderboard("dudo", "2"))).rows
        assert (bob.agent, bob.wins_per_dollar) == ("Bob", None)

    opened(do)


def test_the_arena_in_figures(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await desk.agents("Ann", "Bob")
        await desk.write(Register(Agent("h", "House bluffer", house="bluffer")))
        assert await desk.read(Stats()) == Stated(2, Counted(0, 0), {}, {})
        await desk.finished("m1", "Ann", "Bob")
        await desk.finished("m2", "Ann", "Bob", at=NOW + DAY)
        await desk.finished("m3", "Ann", "Bob", at=NOW + DAY)
        await desk.table("m4", "Ann", "h")
        await desk.enter("Bob", "joker")
        days = {"2023-11-15": 2, "2023-11-14": 1}
        assert await desk.read(Stats()) == Stated(2, Counted(1, 3), {"joker": 1}, days)
        assert list((await desk.read(Stats(days=1))).days) == ["2023-11-15"]

    opened(do)
