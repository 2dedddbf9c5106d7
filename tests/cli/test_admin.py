"""`calza admin`, on the store of an arena that runs: it hears of everything, also on SQLite."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from calza.cli import main
from tests.arena.server import Server, running
from tests.arena.test_serve import Table
from tests.postgres import Server as Postgres

KEY = "apiKey"


class Office:
    """An arena that runs, and whoever looks after it."""

    def __init__(self, server: Server, store: list[str], capsys: pytest.CaptureFixture[str]) -> None:
        self.server, self.store, self.capsys = server, store, capsys

    def __call__(self, *words: str) -> list[str]:
        """The lines that a command of `calza admin` prints."""
        status = main(["admin", *words, *self.store])
        out, err = self.capsys.readouterr()
        assert (status, err) == (0, "")
        return out.splitlines()

    def refused(self, *words: str) -> str:
        """Why a command does nothing."""
        assert main(["admin", *words, *self.store]) == 2
        out, err = self.capsys.readouterr()
        assert out == ""
        return err.removeprefix("calza: ").rstrip("\n")

    def register(self, name: str) -> str:
        """The key of a new agent."""
        reply = httpx.post(f"{self.server.url}/api/agents", json={"name": name})
        assert reply.status_code == 201, reply.text
        return str(reply.json()[KEY])

    def status(self, key: str) -> int:
        return self.ask(key).status_code

    def ask(self, key: str) -> httpx.Response:
        return httpx.get(f"{self.server.url}/api/agents/me", headers={"authorization": f"Bearer {key}"})

    def until(self, key: str, status: int) -> httpx.Response:
        """Ask with a key until the answer is as it will soon be."""
        while (reply := self.ask(key)).status_code != status:
            pass
        return reply


@pytest.fixture(scope="module")
def on_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running(tmp_path_factory.mktemp("arena")) as server:
        yield server


@pytest.fixture
def office(on_sqlite: Server, capsys: pytest.CaptureFixture[str]) -> Office:
    return Office(on_sqlite, ["--data", on_sqlite.options["--data"]], capsys)


def test_agents_are_listed_and_shown(office: Office) -> None:
    office.register("Ann")
    lines = office("agents")
    assert lines[0].split() == ["id", "name", "model", "since", "standing"]
    [ann] = [line.split() for line in lines if " Ann " in line]
    assert ann[1:3] + ann[4:] == ["Ann", "-", "plays"]
    assert any("House cautious" in line and line.endswith("house") for line in lines)
    shown = dict(line.split(maxsplit=1) for line in office("agents", "ann"))
    assert (shown["id"], shown["name"], shown["standing"]) == (ann[0], "Ann", "plays")
    assert shown == dict(line.split(maxsplit=1) for line in office("agents", ann[0]))


def test_a_banned_agent_is_shut_out_until_it_is_let_in_again(office: Office) -> None:
    key = office.register("Bertha")
    assert office.status(key) == 200
    assert office("ban", "bertha") == ["Bertha is banned."]
    assert office.until(key, 403).json()["error"] == "banned"
    assert office("unban", "Bertha") == ["Bertha may play."]
    office.until(key, 200)


def test_keys_are_changed_without_a_pause(office: Office) -> None:
    first = office.register("Cleo")
    [line] = office("keys", "Cleo")[1:]
    [second] = office("new-key", "Cleo")
    assert [office.status(first), office.status(second)] == [200, 200]
    assert office.refused("new-key", "Cleo") == "an agent has at most two keys; revoke one first"
    assert office("revoke", "Cleo", line.split()[0]) == [f"revoked: {line.split()[0]}"]
    office.until(first, 401)
    assert office.status(second) == 200
    assert [line.split()[-1] == "-" for line in office("keys", "Cleo")[1:]] == [False, True]


def test_a_key_that_has_leaked_is_replaced(office: Office) -> None:
    old = office.register("Dora")
    [new] = office("new-key", "Dora", "--only")
    office.until(old, 401)
    assert office.status(new) == 200


def test_keys_are_shown_by_their_hashes_alone(office: Office) -> None:
    key = office.register("Edda")
    assert key.removeprefix("calza_")[:8] not in "".join(office("keys", "Edda"))


def test_announcements_are_told(office: Office) -> None:
    office("announce", "Closed on Sunday", "From eight to nine.")
    news = httpx.get(f"{office.server.url}/api/news").json()
    assert (news[0]["title"], news[0]["text"]) == ("Closed on Sunday", "From eight to nine.")
    assert office.refused("announce", "") == "TITLE: say what it is about"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("agents", "nobody"), "there is no agent with the name or id 'nobody'"),
        (("ban", "House cautious"), "House cautious is a house bot; the setting `house` says which of them play"),
        (("abort", "zzz"), "no matches that are on have an id that begins with 'zzz'"),
    ],
)
def test_what_cannot_be_done_is_said(office: Office, words: tuple[str, ...], why: str) -> None:
    assert office.refused(*words) == why


def test_a_store_that_is_not_there_is_not_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["admin", "agents", "--data", f"{tmp_path}/none"]) == 2
    assert "there is no store at" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def abort(office: Office) -> None:
    """Abort a match while somebody waits for news of it."""

    async def do() -> None:
        table = Table(office.server)
        async with table.http:
            await table.open()
            held = asyncio.create_task(table.state(1, wait="true"))
            [match] = [line.split()[0] for line in (await asyncio.to_thread(office, "matches"))[1:]]
            assert match == table.match
            assert await asyncio.to_thread(office, "abort", match[:6]) == [f"{match} is aborted."]
            over = await held
            assert (over["status"], over["reason"]) == ("game_over", "aborted")
            reply = await table.act(0, 0, type="challenge")
            assert (reply.status_code, reply.json()["error"]) == (409, "game_already_over")

    asyncio.run(asyncio.wait_for(do(), 60))
    assert office("matches") == ["id  game  lane  since  players"]


def test_a_match_is_aborted_under_the_arena(office: Office) -> None:
    abort(office)


def test_a_match_is_aborted_on_postgresql_too(
    tmp_path: Path, postgres: Postgres, capsys: pytest.CaptureFixture[str]
) -> None:
    url = postgres.database()
    with running(tmp_path, db=url) as server:
        abort(Office(server, ["--db", url], capsys))
