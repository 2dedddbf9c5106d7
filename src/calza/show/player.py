"""Films as pages that play them: one HTML file that opens from disk, or part of a page that is served.

`replay_html` is the file: it needs no network and nothing else beside it. A page of one's own puts `theatre` where the
films play, and runs the player in one of three ways, which look and work the same:

- `page` around it writes script and styles into the file, and a content security policy that lets nothing else run;
- a server that serves each of `bundle.MODULES` and `bundle.STYLES` under its own name in one folder puts
  `linked(folder)` into the head: ES modules, nothing inline, `script-src 'self'; style-src 'self'` is policy enough;
- a server that names files by their content serves `bundle.script()` as one file, run with `defer`.

The films stand in the page as blocks of JSON, which are data to a policy and not script. What the page runs and how it
looks stands in `static/`. Names and other texts of players are not trusted: they reach the page in blocks that they
cannot close, the page puts them up as text only, and its policy runs the script that stands in `static/` and no other.

All dice are in the file: a view of one cup hides the others from the eye, not from whoever reads the source.
"""

import base64
import hashlib
from collections.abc import Sequence
from html import escape
from string import Template

import msgspec

from .bundle import MODULES, STYLES, read, script
from .film import Film

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
    run, look = script(), f"{read(STYLES)}{style}"
    return Template(read(("page.html",))).substitute(
        title=escape(title), policy=policy(run, look), style=look, script=run, body=body
    )


def linked(folder: str) -> str:
    """What the head of a page needs that serves the player's files in `folder`, such as `/static/player`."""
    styles = [f'<link rel="stylesheet" href="{escape(folder)}/{name}">' for name in STYLES]
    # All at once: else a browser learns of a module only from the one that imports it.
    early = [f'<link rel="modulepreload" href="{escape(folder)}/{name}">' for name in MODULES]
    return "\n".join([*styles, *early, f'<script type="module" src="{escape(folder)}/{MODULES[-1]}"></script>'])


def policy(script: str, style: str) -> str:
    """The content security policy of a page that may load nothing and run only this script."""
    return (
        f"default-src 'none'; script-src '{digest(script)}'; style-src '{digest(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def digest(text: str) -> str:
    """A text as a content security policy names it."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
