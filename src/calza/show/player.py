"""Films as one HTML file that plays them: it opens from disk, needs no network and nothing else beside it.

What the page runs and how it looks stands in `static/`. Names and other texts of players are not trusted: they reach
the page as JSON in a block that they cannot close, the page puts them up as text only, and its content security policy
runs the script that stands in `static/` and nothing else.

All dice are in the file: a view of one cup hides the others from the eye, not from whoever reads the source.
"""

import base64
import hashlib
from collections.abc import Sequence
from functools import lru_cache
from html import escape
from importlib.resources import files
from string import Template

import msgspec

from .film import Film

# One classic script, in this order.
SCRIPTS = ("marks.js", "draw.js", "river.js", "story.js", "dice.js", "proof.js", "player.js", "page.js")
STYLES = ("paper.css", "player.css")
CLOSED = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}  # JSON for the same signs, which end no block
ALL = -1  # the view of all cups

WHOLE = Template("""\
<header>
<h1>$title</h1>
</header>
<main>
<h2 class="calza-spoken">Replay</h2>
$films
</main>
<footer>
<p>All dice are in this file: a view of one cup hides the others from the eye, not from whoever reads the source.</p>
</footer>""")


def replay_html(films: Sequence[Film], view: int = ALL) -> str:
    """A page that plays `films`, the first one first, as the seat `view` saw them."""
    title = films[0].label if len(films) == 1 else f"{len(films)} matches"
    return page(title, WHOLE.substitute(title=escape(title), films=theatre(films, view, keys=True)))


def theatre(films: Sequence[Film], view: int = ALL, keys: bool = False) -> str:
    """The part of a page in which films play. `keys` that nothing else takes are the player's."""
    blocks = "\n".join(block(film, number) for number, film in enumerate(films, 1))
    own = " data-calza-keys" if keys else ""
    return (
        f'<div data-calza-films data-view="{view}"{own}>\n'
        "<noscript><p>JavaScript is off: no match can play here. In a terminal, calza replay plays it.</p></noscript>\n"
        f"{blocks}\n</div>"
    )


def block(film: Film, number: int) -> str:
    """A film as a block of JSON. The page reads it when it is asked for."""
    json = msgspec.json.encode(film).decode()
    for sign, written in CLOSED.items():
        json = json.replace(sign, written)
    label = f"{number}. {film.label}{f' ({film.note})' if film.note else ''}"
    return f'<script type="application/json" data-label="{escape(label)}">{json}</script>'


def page(title: str, body: str, style: str = "") -> str:
    """A whole page around `body`, which is markup, with the player's script and styles and `style` after them."""
    script, look = read(SCRIPTS), f"{read(STYLES)}{style}"
    return Template(read(("page.html",))).substitute(
        title=escape(title), policy=policy(script, look), style=look, script=script, body=body
    )


def policy(script: str, style: str) -> str:
    """The content security policy of a page that may load nothing and run only this script."""
    return (
        f"default-src 'none'; script-src '{digest(script)}'; style-src '{digest(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def digest(text: str) -> str:
    """A text as a content security policy names it."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


@lru_cache(maxsize=8)
def read(names: tuple[str, ...]) -> str:
    """Files of `static/`, one after the other."""
    folder = files(__package__) / "static"
    return "".join((folder / name).read_text(encoding="utf-8") for name in names)
