"""Markdown as HTML: ours is formatted, and what users write into it stays text."""

import pytest

from calza.rules import CATALOG
from calza.rules.describe import describe
from calza.web.markdown import html


def test_printed_rules_become_headings_and_lists_below_those_of_the_page() -> None:
    text = html(describe(CATALOG["perudo"]), 2)
    assert text.startswith("<p>Ones are wild")
    assert "<h3>Players and dice</h3>" in text
    assert "<h4>Dudo (<code>liar</code>)</h4>" in text
    assert "<h1" not in text
    assert "<h2" not in text
    assert text.count("<ul>") == text.count("</ul>") > 8


@pytest.mark.parametrize(
    "evil",
    [
        "<script>x</script>", "<img src=x onerror=x>", "[x](javascript:x)", "![x](http://evil.example/x.png)",
        "<http://evil.example>", "[x]: http://evil.example\n\n[x]", "&lt;script&gt;", "<!-- x -->", "```html\n<b>x</b>",
    ],
)  # fmt: skip
def test_what_somebody_wrote_into_rules_is_no_markup(evil: str) -> None:
    text = html(f"# Title\n\n- {evil}\n- &{evil}")
    for sign in ("<script", "<img", "<a ", "href=", "<!--", "<b>"):
        assert sign not in text


def test_a_wide_table_can_be_scrolled_by_keys() -> None:
    text = html("# Title\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n")
    assert '<div class="scroll" role="group" tabindex="0" aria-label="A table"><table>' in text
    assert "</table></div>" in text
