"""House rules: a form made from the rules' types, the printed rules that it makes, and a link and a file to share them.

The form is sent; rules that make a game are then at an address of their own, which is the link to share. With scripts
the page does the same while one types.
"""

import asyncio
import re
from urllib.parse import quote

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from calza.arena.errors import ArenaError
from calza.rules import CATALOG, Rules, RulesError
from calza.rules.describe import describe
from calza.rules.read import read_rules, rules_from
from calza.rules.rules import PROSE, data

from . import asked
from .fields import MOST_CALLS, SEVERAL, Entry, document, entries, entries_of, flat
from .site import SAFE, Site
from .toml import written

FIRST = "liars-dice"
NEW_CALL = {  # an exact call, as most who add one mean it
    "name": "exact",
    "words": ["exact"],
    "short": {"caller": -1},
    "exact": {"caller": 1},
    "over": {"caller": -1},
}
ADD, REMOVE = "add", re.compile(r"remove-(\d)")


class Draft(Struct, frozen=True):
    """What stands in the form, and what it comes to."""

    form: tuple[Entry, ...]
    rules: Rules | None = None
    field: str = ""  # that is wrong, and why
    why: str = ""
    toml: str = ""  # that was pasted


async def page(site: Site, request: Request) -> Response:
    """The form with the rules that it makes."""
    if request.method == "POST":
        return await sent(site, request)
    text = request.query_params.get("rules", "")
    draft = await asyncio.to_thread(opened, text) if text else of_rules(own(CATALOG[start_of(request)]))
    return shown(site, request, draft)


async def sent(site: Site, request: Request) -> Response:
    """Whatever a button of the page asks for."""
    said = await asked.form(request)
    do = said.get("do", "")
    if do == "open":
        draft = await asyncio.to_thread(opened, said.get("toml", ""))
    elif do == ADD or REMOVE.fullmatch(do):
        return shown(site, request, Draft(entries_of(changed(said, do))))
    else:
        draft = await asyncio.to_thread(made, said)
    if draft.rules is None:
        return shown(site, request, draft)
    return RedirectResponse(f"{link(draft.rules)}#preview", 303, headers=SAFE)


def start_of(request: Request) -> str:
    """The variant that somebody starts from."""
    return asked.chosen(request, "from", CATALOG, FIRST)


def shown(site: Site, request: Request, draft: Draft) -> Response:
    """The page."""
    rules = draft.rules
    plain = tuple(one.word for one in draft.form if one.kind not in SEVERAL and one.word not in PROSE)
    printed, toml = (describe(rules), written(rules)) if rules else ("", "")
    status = 422 if draft.why and request.method == "GET" else 200  # half a form is no mistake: somebody is typing
    return site.page(
        request, "editor.html", status, draft=draft, variants=CATALOG, most_calls=MOST_CALLS,
        prose=PROSE, plain=plain, start=start_of(request),
        printed=printed, toml=toml, link=link(rules) if rules else "", query=query(rules) if rules else "",
    )  # fmt: skip


async def download(site: Site, request: Request) -> Response:
    """House rules as a file."""
    draft = await asyncio.to_thread(opened, request.query_params.get("rules", ""))
    if draft.rules is None:
        raise ArenaError(400, "invalid_input", f"these rules make no game: {draft.why}")
    headers = SAFE | {"content-disposition": f'attachment; filename="{draft.rules.name}.toml"'}
    return Response(written(draft.rules), headers=headers, media_type="application/toml")


# --- from texts and forms to rules


def own(rules: Rules) -> Rules:
    """A variant as the start of somebody's own: what was said of the old one may not be true of the new one."""
    return replace(rules, name=f"my-{rules.name}"[:40].rstrip("-"), title=f"My {rules.shown}"[:60], about="", notes=())


def of_rules(rules: Rules) -> Draft:
    """Rules that make a game, in the form."""
    return Draft(entries(rules), rules)


def opened(text: str) -> Draft:
    """Rules that somebody has written down or been given, in the form."""
    try:
        return of_rules(read_rules(text, "my-rules"))
    except RulesError as error:
        return Draft(entries(own(CATALOG[FIRST])), field=error.field, why=str(error), toml=text)


def made(said: dict[str, str]) -> Draft:
    """The rules that a form makes, or the field that is wrong."""
    try:
        return of_rules(rules_from(document(said)))
    except RulesError as error:
        return Draft(entries_of(said), field=error.field, why=str(error))


def changed(said: dict[str, str], do: str) -> dict[str, str]:
    """A form with a call more, or without one of its calls."""
    calls = [
        {name[len(here) :]: value for name, value in said.items() if name.startswith(here)}
        for number in range(MOST_CALLS)
        if (here := f"calls[{number}]") + ".name" in said
    ]
    if do == ADD:
        calls.append(flat(NEW_CALL, "") | {"in_special": "on"})
        calls[-1] = {f".{name}": value for name, value in calls[-1].items()}
    else:
        del calls[int(do[-1]) : int(do[-1]) + 1]
    rest = {name: value for name, value in said.items() if not name.startswith("calls[")}
    return rest | {
        f"calls[{number}]{name}": value
        for number, call in enumerate(calls[:MOST_CALLS])
        for name, value in call.items()
    }


def query(rules: Rules) -> str:
    """Rules in an address."""
    return f"rules={quote(msgspec.json.encode(data(rules)).decode(), safe=':,')}"


def link(rules: Rules) -> str:
    """The address of house rules."""
    return f"/rules/new?{query(rules)}"
