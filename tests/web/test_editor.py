"""House rules: the form, the rules that it makes, the file and the link."""

import re
from html import unescape

import httpx
import msgspec
import pytest
from hypothesis import given, settings

from calza.rules import CATALOG, Rules
from calza.rules.read import read_rules, rules_from
from calza.web.fields import Entry, document, entries, flat
from calza.web.toml import written
from tests.arena.house import Place
from tests.strategies import catalog, rules

from .pages import Page, visited


def said(rules: Rules) -> dict[str, str]:
    """The form of some rules, as a browser would send it."""
    return dict(fields(entries(rules)))


def fields(form: tuple[Entry, ...]) -> list[tuple[str, str]]:
    """The fields of a form that a browser sends."""
    found = []
    for one in form:
        if one.kind not in ("group", "list") and (one.value or one.kind not in ("check", "maybe")):
            found.append((one.path, one.value))
        found += fields(one.parts)
    return found


@given(rules())
@settings(max_examples=15, deadline=None)
def test_any_rules_go_through_form_and_file_and_come_out_the_same(rules: Rules) -> None:
    assert rules_from(document(said(rules))) == rules
    assert read_rules(written(rules)) == rules


@pytest.mark.parametrize("rules", CATALOG.values(), ids=list(CATALOG))
def test_every_variant_goes_through_form_and_file(rules: Rules) -> None:
    assert rules_from(document(said(rules))) == rules
    assert read_rules(written(rules)) == rules


def test_every_field_of_rules_is_in_the_form() -> None:
    full = {name for name in flat(msgspec.to_builtins(CATALOG["perudo"])) if not re.fullmatch(r"calls\[\d\].*", name)}
    assert full <= set(said(CATALOG["perudo"])) | {"raising", "special.raising"}
    assert {one.word for one in entries(CATALOG["dudo"])} == set(Rules.__struct_fields__)


@given(catalog)
@settings(max_examples=5, deadline=None)
def test_odd_texts_survive_the_file(rules: Rules) -> None:
    odd = msgspec.structs.replace(rules, title='a "quoted" \\ title', notes=("tab\there", "two\nlines", "π × 🎲"))
    assert read_rules(written(odd)) == odd


def test_a_form_that_makes_a_game_leads_to_its_link_and_its_file() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        form = said(CATALOG["perudo"]) | {"name": "harbour", "title": "Harbour <i>Rules</i>", "dice": "4", "do": "show"}
        reply = await client.post("/rules/new", data=form)
        assert reply.status_code == 303
        link = reply.headers["location"]
        page = await client.get(link)
        assert "Harbour &lt;i&gt;Rules&lt;/i&gt;" in page.text
        assert "Each player starts with four dice" in page.text
        file = unescape(re.findall(r'href="(/rules/new/[^"]+)"', page.text)[0])
        loaded = await client.get(file)
        assert loaded.headers["content-disposition"] == 'attachment; filename="harbour.toml"'
        made = read_rules(loaded.text)
        assert (made.dice, made.title, made.special) == (4, "Harbour <i>Rules</i>", CATALOG["perudo"].special)
        shared = unescape(re.findall(r'id="share" href="([^"]+)"', page.text)[0])
        assert (await client.get(shared)).text == page.text

    visited(do)


WRONG = (
    ({"wild": "9"}, "wild", "must be a face from 1 to 6"),
    ({"dice": "x"}, "dice", "must be a whole number from 1 to 15"),
    ({"dice": "99999999999999999999"}, "dice", "must be a whole number"),
    ({"dice": "²"}, "dice", "must be a whole number"),
    ({"dice": "٣"}, "dice", "must be a whole number"),
    ({"raising.lower": "any"}, "raising", "bids could go round in a circle"),
    ({"raising.same": "sometimes"}, "raising.same", "must be"),
    ({"calls[0].short.caller": "-16"}, "calls[0].short.caller", "must be a whole number from -15 to 15"),
    ({"calls[0].name": "A B"}, "calls[0].name", "did you mean &#34;a-b&#34;?"),
    ({"name": ""}, "name", "must be"),
)


def test_a_form_that_makes_no_game_says_which_field_is_wrong() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        for changed, field, why in WRONG:
            reply = await client.post("/rules/new", data=said(CATALOG["liars-dice"]) | changed)
            assert reply.status_code == 200
            assert why in reply.text
            assert 'role="alert"' in reply.text
            page = Page(reply.text)
            fields = page.all("input", "select", "textarea")
            assert [one["name"] for one in fields if "aria-invalid" in one] == [field] * (field != "raising")
            for name, value in changed.items():
                kept = [one.get("value") for one in page.all("input") if one.get("name") == name]
                assert kept in ([value], [])  # a list of choices has none

    visited(do)


def test_calls_come_and_go() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        form = said(CATALOG["liars-dice"])
        more = Page((await client.post("/rules/new", data=form | {"do": "add"})).text)
        names = {one["name"]: one.get("value", "") for one in more.all("input") if "calls[" in one.get("name", "")}
        assert names["calls[1].name"] == "exact"
        assert names["calls[1].exact.caller"] == "1"
        two = said(CATALOG["joker"])
        page = Page((await client.post("/rules/new", data=two | {"do": "remove-0"})).text)
        left = [one["value"] for one in page.all("input") if re.fullmatch(r"calls\[\d\]\.name", one.get("name", ""))]
        assert left == ["exact"]

    visited(do)


def test_a_file_can_be_pasted() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        reply = await client.post("/rules/new", data={"do": "open", "toml": 'extends = "perudo"\ndice = 3\n'})
        assert reply.status_code == 303
        assert "three dice" in (await client.get(reply.headers["location"])).text
        wrong = await client.post("/rules/new", data={"do": "open", "toml": "</textarea><script>"})
        assert wrong.status_code == 200
        assert "&lt;/textarea&gt;&lt;script&gt;" in wrong.text

    visited(do)


def test_a_link_that_makes_no_game_says_so() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        for query in ("rules=x", "rules={}", "rules=%7B%22name%22%3A%22a%22%7D", "rules=" + "[" * 5000):
            reply = await client.get(f"/rules/new?{query}")
            assert reply.status_code == 422
            assert "These rules make no game:" in reply.text

    visited(do)
