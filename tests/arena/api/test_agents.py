"""Names, keys and owners over HTTP."""

import pytest

from .web import Web, called


@pytest.mark.parametrize("name", ["Calza", "the Admin", "h0use", "___", " a", "a ", "a  b", "a\tb", "a‮b", "Ѕam"])
def test_a_name_that_could_pass_for_something_else_is_refused(name: str) -> None:
    async def do(web: Web) -> None:
        assert (await web.post("/api/agents", {"name": name})).error == (400, "invalid_name")

    called(do)


def test_names_that_look_alike_are_taken() -> None:
    async def do(web: Web) -> None:
        await web.join("Bill-O")
        for name in ("bill-o", "B1LL_0", "BiII O"):
            assert (await web.post("/api/agents", {"name": name})).error == (409, "name_taken")
        assert (await web.post("/api/agents", {"name": "House cautious"})).error == (400, "invalid_name")

    called(do)


def test_a_key_is_changed_without_a_pause() -> None:
    async def do(web: Web) -> None:
        ann = await web.join("Ann")
        new = (await ann.post("/api/agents/me/keys")).json["apiKey"]
        assert (await ann.post("/api/agents/me/keys")).error == (409, "too_many_keys")
        for key in (ann.key, new):
            assert (await web.get("/api/agents/me", key)).status == 200
        assert (await web.post("/api/agents/me/keys/revoke", {"apiKey": ann.key}, new)).json == {"status": "revoked"}
        assert (await ann.get("/api/agents/me")).error == (401, "unauthorized")
        assert (await web.post("/api/agents/me/keys/revoke", {"apiKey": ann.key}, new)).error == (404, "key_not_found")
        assert (await web.post("/api/agents/me/keys/revoke", key=new)).status == 200
        assert (await web.get("/api/agents/me", new)).error == (401, "unauthorized")

    called(do)


def test_an_agent_is_claimed_with_its_code() -> None:
    async def do(web: Web) -> None:
        ann, bob = await web.join("Ann"), await web.join("Bob")
        claim = {"agent": ann.id, "verification_code": ann.code, "name": "Grace"}
        assert (await web.post("/api/agents/claim", claim | {"verification_code": bob.code})).error == (
            403,
            "wrong_code",
        )
        assert (await web.get(f"/api/agents/{ann.id}")).json["claimed"] is False
        got = (await web.post("/api/agents/claim", claim)).json
        assert got["agent"] == ann.id
        assert got["owner_key"]
        assert (await web.get(f"/api/agents/{ann.id}")).json["claimed"] is True
        assert (await web.post("/api/agents/claim", claim)).error == (403, "wrong_code")
        again = {"agent": bob.id, "verification_code": bob.code, "owner_key": got["owner_key"]}
        second = (await web.post("/api/agents/claim", again)).json
        assert (second["owner"], second["owner_key"]) == (got["owner"], None)
        assert (await web.post("/api/agents/claim", again | {"owner_key": "calza_x"})).error == (401, "unauthorized")
        assert (await web.post("/api/agents/claim", again | {"agent": "nosuch"})).error == (404, "agent_not_found")
        for wrong in ({}, {"agent": "", "verification_code": "x"}, again | {"name": "a\nb"}, again | {"agent": 5}):
            assert (await web.post("/api/agents/claim", wrong)).error == (400, "invalid_input")

    called(do)


def test_matches_among_agents_of_one_owner_are_unrated() -> None:
    async def do(web: Web) -> None:
        ann, bob = await web.join("Ann"), await web.join("Bob")
        key = None
        for one in (ann, bob):
            claim = {"agent": one.id, "verification_code": one.code, "owner_key": key}
            key = (await web.post("/api/agents/claim", claim)).json["owner_key"] or key
        match = await web.table(ann, bob)
        assert (await web.get(f"/api/matches/{match}")).json["rated"] is False
        state = (await ann.act(match, 0, {"type": "resign"})).json["state"]
        assert state["rating"] is None

    called(do)


def test_a_banned_agent_is_told_so() -> None:
    async def do(web: Web) -> None:
        ann = await web.join("Ann")
        await web.ban(ann)
        await web.clock.turn(6_000)
        for path in ("/api/agents/me", "/api/matchmaking/status?gameId=exact"):
            assert (await ann.get(path)).error == (403, "banned")

    called(do)
