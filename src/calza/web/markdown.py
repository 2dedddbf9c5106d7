"""Markdown as HTML: printed rules and advice. Whatever users wrote in it stays text."""

from functools import cache, lru_cache

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from .texts import english


@lru_cache(maxsize=100)
def html(text: str, below: int = 1) -> Markup:
    """Markdown as HTML, without the title on top; headings go `below` those of the page."""
    tokens = reader().parse(text)
    if tokens and tokens[0].tag == "h1":
        tokens = tokens[3:]
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            lower(token, below)
    return Markup(reader().renderer.render(tokens, reader().options, {}))


def lower(token: Token, below: int) -> None:
    """A heading further down."""
    token.tag = f"h{min(6, int(token.tag[1]) + below - 1)}"


@cache
def reader() -> MarkdownIt:
    """What reads Markdown: no HTML, no links and no pictures, which texts of users could abuse."""
    made = MarkdownIt("commonmark", {"html": False}).enable("table").disable(["link", "image", "autolink", "entity"])
    made.add_render_rule("table_open", opened)
    made.add_render_rule("table_close", lambda *_: "</table></div>\n")
    return made


def opened(*_: object) -> str:
    """A table that scrolls where it is too wide, by keys too."""
    return Markup('<div class="scroll" role="group" tabindex="0" aria-label="{}"><table>\n').format(
        english()("wide_table")
    )
