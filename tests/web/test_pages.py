"""Every page: that it is there, reads well without scripts, and shows nobody's words as markup."""

import re
from html import unescape
from pathlib import Path

import httpx
import pytest

from calza.arena.errors import StoreFault
from calza.arena.store.matches import Joining
from calza.rules import CATALOG
from calza.web import site as sites
from calza.web.fields import Entry, entries
from calza.web.texts import english
from tests.arena.house import Place

from .pages import EVIL, HERE, Filled, Page, fill, visited

FIXED = (
    "/", "/about", "/claim", "/connect", "/fairness", "/games", "/games/liars-dice", "/games/spot-on", "/leaderboard",
    "/leaderboard?by=model", "/leaderboard?game=joker&size=3-6", "/matches", "/matches?status=live", "/news",
    "/rules/new", "/rules/new?from=perudo", "/tutorial",
)  # fmt: skip
LARGEST = 100_000  # bytes of a page over the wire, with everything that it loads


def own(filled: Filled) -> list[str]:
    """The pages that only a filled arena has."""
    agents = [f"/agents/{one.agent.id}" for one in filled.agents]
    matches = [f"/matches/{one}" for one in [*filled.finished, filled.live]]
    return [
        *agents,
        *matches,
        f"/matches?agent={filled.agents[0].agent.id}",
        f"/claim?agent={filled.agents[1].agent.id}",
    ]


def check(page: Page) -> None:
    """What holds for every page, for whoever reads it with whatever."""
    assert page.all("html")[0]["lang"] == "en"
    for landmark in ("header", "main", "title"):
        assert len([one for one in page.all(landmark) if not one.get("class", "").startswith("title")]) == 1, landmark
    assert len([one for one in page.all("footer") if one.get("class") == "foot"]) == 1
    assert len({one["aria-label"] for one in page.all("nav")}) == len(page.all("nav")) >= 2
    assert page.headings[0] == 1
    assert page.headings.count(1) == 1
    assert all(later <= before + 1 for before, later in zip(page.headings, page.headings[1:], strict=False))
    ids = page.ids()
    assert len(ids) == len(set(ids))
    assert page.all("a")[0]["href"] == "#main"
    check_references(page, set(ids))
    for tag, attrs in page.tags:
        assert not {name for name in attrs if name == "style" or name.startswith("on")}, tag
        assert tag != "style"
        assert tag != "script" or "src" in attrs or attrs["type"] == "application/json"
    for table in page.all("svg"):
        assert table["aria-hidden"] == "true"


def check_references(page: Page, ids: set[str]) -> None:
    """Labels have their fields, fields their labels, and links into the page lead somewhere."""
    labelled = {one["for"] for one in page.all("label")}
    assert labelled <= ids
    for field in page.all("input", "select", "textarea"):
        assert field.get("type") == "hidden" or field["id"] in labelled
    for attrs in (attrs for _, attrs in page.tags):
        for name in ("aria-labelledby", "aria-describedby"):
            assert set(attrs.get(name, "").split()) <= ids, attrs
        assert not attrs.get("href", "").startswith("#die") or attrs["href"][1:] in ids
    assert {link[1:] for link in page.links() if link.startswith("#")} <= ids


def test_the_pages_of_an_empty_arena_read_well() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        for path in FIXED:
            reply = await client.get(path)
            assert reply.status_code == 200, path
            check(Page(reply.text))

    visited(do)


def test_the_pages_of_a_filled_arena_read_well_and_every_link_leads_somewhere() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        filled = await fill(place)
        links: set[str] = set()
        for path in [*FIXED, *own(filled)]:
            reply = await client.get(path)
            assert reply.status_code == 200, path
            page = Page(reply.text)
            check(page)
            assert EVIL not in reply.text, path
            links |= {link.partition("#")[0] for link in page.links()}
        assert len(links) > 60
        for link in sorted(links - {""}):
            assert link.startswith("/"), link
            assert (await client.get(link)).status_code == 200, link

    visited(do)


def test_a_page_with_all_it_loads_is_small() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        filled = await fill(place, 2)
        for path in ["/", "/rules/new", f"/matches/{filled.finished[1]}", f"/matches/{filled.live}"]:
            reply = await client.get(path)
            assert reply.headers["content-encoding"] == "gzip"
            page, bytes = Page(reply.text), reply.num_bytes_downloaded
            loaded = [one["src"] for one in page.all("script") if "src" in one] + [
                one["href"] for one in page.all("link")
            ]
            for file in loaded:
                bytes += (await client.get(file)).num_bytes_downloaded
            assert bytes < LARGEST, path

    visited(do)


def test_a_page_may_run_and_load_only_our_own_files() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        for path in ("/", "/rules/new", "/nowhere", "/claim"):
            headers = (await client.get(path)).headers
            policy = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
            assert policy["default-src"] == "'none'"
            assert policy["script-src"] == policy["style-src"] == policy["form-action"] == "'self'"
            assert policy["frame-ancestors"] == policy["base-uri"] == "'none'"
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["content-type"] == "text/html; charset=utf-8"

    visited(do)


def test_whatever_somebody_calls_themselves_stays_text() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        arena = place.arena
        guests = [await arena.accounts.guest(name) for name in (EVIL, "<b>bold</b>\x1b[31m\u202e", "x" * 300)]
        mine = await arena.accounts.register("Plain", "<i>model</i>")
        await arena.accounts.claim(mine.agent.id, mine.code, None, EVIL)
        joining = [Joining(one.id, one.name, "", queued=False) for one in [*guests, mine.agent]]
        match = str(await arena.lobby.open_match("joker", "fast", joining, rated=True))
        pages = [f"/agents/{one.agent}" for one in joining] + [f"/matches/{match}", "/matches", "/", "/games/joker"]
        for one in joining:
            await arena.tables.state(one.agent, match)
        for over in (False, True):
            for path in pages:
                text = (await client.get(path)).text
                assert not re.search(r"<script>|<b>bold|<i>model|\x1b|\u202e", text), path
                check(Page(text))
            for one in joining[:3] if not over else ():
                await arena.tables.act(one.agent, match, 0, {"type": "resign"})
        assert "window.hacked" in (await client.get("/")).text

    visited(do)


def test_a_live_match_shows_no_die_but_those_that_everybody_knows() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        agents = [await place.agent("Ann"), await place.agent("Ben")]
        match = await place.match(*agents)
        text = (await client.get(f"/matches/{match}")).text
        assert re.findall(r'href="#die-([1-6])"', text) == ["5"]  # the brand
        assert text.count('href="#die-0"') == 10
        first = await place.to_act(match, *agents)
        await place.act(first, match, 0, {"type": "bid", "quantity": 2, "faceValue": 3}, say="trust me")
        page = Page((await client.get(f"/matches/{match}")).text)
        assert "two threes" in page.text
        assert "trust me" in page.text
        assert "These are the players' own words." in page.text

    visited(do)


def test_a_finished_match_shows_everything() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        filled = await fill(place, 1)
        match = filled.finished[0]
        live = await place.arena.tables.live(match)
        text = (await client.get(f"/matches/{match}")).text
        page = Page(text)
        for part in (live.match.commitment, live.match.seed.hex(), live.match.signature or "?"):
            assert part in text
        assert f"{HERE}/api/matches/{match}/record" in text
        assert f"Round {live.game.state.round}" in page.text
        assert page.text.count(" won ") >= 1
        assert "data-calza-films" in text

    visited(do)


# --- figures, filters, parts


def test_a_game_has_no_figures_before_its_first_match_and_then_has() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        before = Page((await client.get("/games/liars-dice")).text)
        assert "Matches 0 Avg duration N/A Decisive 0%" in before.text
        await fill(place, 1)
        after = Page((await client.get("/games/liars-dice")).text)
        assert re.search(r"Matches 1 Avg duration \d[\d.]* (s|min) Decisive 100%", after.text)
        assert "Wild face" in after.text

    visited(do)


def test_the_leaderboard_goes_by_game_size_and_model() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        filled = await fill(place, 3)
        two = Page((await client.get("/leaderboard?game=liars-dice&size=2")).text)
        many = Page((await client.get("/leaderboard?game=joker&size=3-6")).text)
        nobody = Page((await client.get("/leaderboard?game=dudo")).text)
        names = [one.agent.name for one in filled.agents]
        assert [name in two.text for name in names] != [name in many.text for name in names]
        assert "Nobody has been rated here yet." in nobody.text
        assert re.search(r"\d+\.\d ± \d+\.\d", two.text)
        models = Page((await client.get("/leaderboard?by=model")).text)
        assert "model Ada" in models.text
        said = (await client.get("/api/leaderboard?gameId=liars-dice&size=2")).json()
        worth = [one["winsPerDollar"] for one in said["agents"] if one["winsPerDollar"]]
        assert worth
        for page in (two, models):
            assert "Wins a dollar" in page.text
            assert f"{worth[0]:.3g}" in page.text

    visited(do)


def test_long_lists_come_in_parts_that_miss_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    from calza.web import fairness, matches, standings

    for module in (matches, standings, fairness):
        monkeypatch.setattr(module, "LINES", 2)

    async def walk(client: httpx.AsyncClient, path: str, what: str) -> list[str]:
        found: list[str] = []
        while path:
            text = (await client.get(path)).text
            body = text[text.index("<main") : text.index("</main")]
            part = re.findall(what, body)
            assert 1 <= len(part) <= 2
            found += part
            path = unescape(next(iter(re.findall(r'rel="next" href="([^"#]*)', body)), ""))
        return found

    async def do(client: httpx.AsyncClient, place: Place) -> None:
        filled = await fill(place)
        found = await walk(client, "/matches", r'class="match" href="/matches/(\w+)"')
        assert found == [filled.live, *filled.finished[::-1]]
        found = await walk(client, "/matches?status=finished&game=liars-dice", r'class="match" href="/matches/(\w+)"')
        assert found == [filled.finished[4], filled.finished[0]]
        ranked = await walk(client, "/leaderboard?game=joker&size=3-6", r'rank">(\d+)<')
        assert ranked == ["1", "2", "3"]
        seeds = await walk(client, "/fairness", r'<th scope="row" class="n">(\d+)<')
        assert seeds == [str(number) for number in range(12, 0, -1)]

    visited(do)


def test_choices_that_there_are_not_are_passed_over() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        for path in (
            "/leaderboard?game=chess&size=9&by=luck",
            "/matches?status=secret&game=chess",
            "/fairness?before=x",
            "/fairness?before=999999999999999999",
            "/rules/new?from=chess",
            "/leaderboard?cursor=~",
        ):
            assert (await client.get(path)).status_code == 200, path

    visited(do)


# --- what goes wrong


def test_what_is_not_there_is_a_page_too() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        for path, status in (
            ("/nowhere", 404),
            ("/matches/none", 404),
            ("/matches/a-b", 404),
            ("/agents/none", 404),
            ("/games/chess", 404),
            ("/games/openspiel", 404),  # one round, which the arena does not play
            ("/matches?agent=none", 404),
            ("/matches?cursor=x", 400),
            ("/leaderboard?cursor=1~x", 400),
            ("/rules/new/x.toml?rules=x", 400),
        ):
            reply = await client.get(path)
            assert reply.status_code == status, path
            check(Page(reply.text))

    visited(do)


def test_programs_are_not_answered_with_pages() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        for path, accept in (("/nowhere", "application/json"), ("/api/nowhere", "text/html")):
            reply = await client.get(path, headers={"accept": accept})
            assert reply.status_code == 404
            assert "<html" not in reply.text

    visited(do)


def failing(place: Place, error: Exception) -> None:
    """Let the store of an arena fail."""

    async def away(question: object) -> None:
        raise error

    place.arena.store.read = away  # type: ignore[method-assign,assignment]


def test_a_fault_of_ours_is_a_page_that_tells_nothing_and_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        failing(place, RuntimeError("the secret words"))
        reply = await client.get("/games")
        assert reply.status_code == 500
        check(Page(reply.text))
        assert "Something broke on our side" in reply.text
        assert "secret words" not in reply.text

    visited(do)
    assert [str(one.exc_info[1]) for one in caplog.records if one.exc_info] == ["the secret words"]


def test_a_store_that_is_away_is_said_on_a_page() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        failing(place, StoreFault())
        reply = await client.get("/games")
        assert reply.status_code == 503
        assert reply.headers["retry-after"] == "1"
        assert "The store cannot be reached just now" in reply.text

    visited(do)


def test_who_asks_too_often_is_asked_to_wait() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        replies = [await client.get("/about") for _ in range(4)]
        assert [one.status_code for one in replies] == [200, 200, 200, 429]
        check(Page(replies[-1].text))

    visited(do, address_per_minute=3)


# --- files and texts


def test_files_are_kept_for_ever_under_the_name_of_their_content() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        page = Page((await client.get("/rules/new")).text)
        files = [one["src"] for one in page.all("script")] + [one["href"] for one in page.all("link")]
        for path in files:
            assert re.fullmatch(r"/static/[a-z]+-[0-9a-f]{12}\.(css|js|svg)", path)
            reply = await client.get(path)
            assert reply.headers["cache-control"] == "public, max-age=31536000, immutable"
            assert reply.headers["content-encoding"] == "gzip"
            plain = await client.get(path, headers={"accept-encoding": "identity"})
            assert "content-encoding" not in plain.headers
            assert plain.content == reply.content
        assert (await client.get("/static/site-000000000000.css")).status_code == 404

    visited(do)


def test_every_text_is_used() -> None:
    room = Path(sites.__file__).parent
    code = "".join(path.read_text() for path in [*room.glob("*.py"), *room.glob("templates/*.html")])
    exact = set(re.findall(r'(?:t|english\(\))\(\s*"([^"]+)"', code)) | set(
        re.findall(r't\.(?:all|parts)\("([^"]+)"', code)
    )
    made = tuple(re.findall(r'"((?:[a-z_]+\.)+)"', code))  # the rest of the key is put to it in the page
    for key in english().lines:
        listed = re.sub(r"(\.(one|many|\d+))+$|\.\d+\..*", "", key)
        assert {key, listed} & exact or key.startswith(made), key


def test_every_word_for_a_field_or_a_choice_is_of_one_that_there_is() -> None:
    every = [one for rules in CATALOG.values() for one in inside(entries(rules))]
    words = {one.word for one in every} | {one.key for one in every}
    choices = {option for one in every for option in one.options}
    for key in english().lines:
        kind, _, word = key.partition(".")
        assert kind != "field" or word in words, key
        assert kind != "choice" or word in choices, key


def inside(form: tuple[Entry, ...]) -> list[Entry]:
    """All fields of a form, those in others too."""
    return [found for one in form for found in (one, *inside(one.parts))]


def test_what_is_filled_into_a_text_is_escaped() -> None:
    assert english()("claim.found", name=EVIL) == "This is &lt;script&gt;window.hacked = 1&lt;/script&gt;."
    assert (english()("games.dice", n=1), english()("games.dice", n=5)) == ("one die each", "5 dice each")
    with pytest.raises(KeyError):
        english()("no.such.text")


def test_an_address_that_nobody_would_paste_is_not_put_into_commands() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        for host, base in (("arena.example", "http://arena.example"), ("x;rm -rf", "http://127.0.0.1:8000")):
            text = (await client.get("/connect", headers={"host": host})).text
            assert f"Read {base}/api/guide" in text
            assert "rm -rf" not in text

    visited(do)


def test_nothing_is_packed_that_holds_a_secret() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        reply = await client.get("/claim")
        assert "content-encoding" not in reply.headers
        assert reply.headers["cache-control"] == "no-store"

    visited(do)
