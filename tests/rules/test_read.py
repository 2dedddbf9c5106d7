"""A user's variant as text: what is read, and what every mistake is told."""

import json
from typing import Any

import jsonschema
import msgspec
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from calza.rules import CATALOG, Raise, Rules, RulesError, Special
from calza.rules.read import legal_name, read_rules, rules_schema
from calza.rules.rules import data
from tests.strategies import any_rules, catalog

JUDGE = jsonschema.Draft202012Validator(rules_schema())
PERUDO = CATALOG["perudo"]
FEW = settings(max_examples=30)  # whether rules are playable takes long to find out
LIAR = """
[[calls]]
name = "liar"
short = { bidder = -1, starts = "bidder" }
exact = { caller = -1 }
over = { caller = -1 }
"""


def toml(value: Any) -> str:
    """Plain data as a TOML value; TOML has no null, so what is null is left out."""
    match value:
        case dict():
            return "{ " + ", ".join(f"{key} = {toml(one)}" for key, one in value.items() if one is not None) + " }"
        case list() | tuple():
            return f"[{', '.join(map(toml, value))}]"
    return json.dumps(value)


def document(values: dict[str, Any]) -> str:
    """Plain data as a TOML document."""
    return "\n".join(f"{key} = {toml(one)}" for key, one in values.items() if one is not None)


def error_of(text: str, name: str = "mine") -> RulesError:
    with pytest.raises(RulesError) as caught:
        read_rules(text, name)
    return caught.value


def problem_of(text: str) -> str:
    """What is wrong with a document; empty when nothing is."""
    try:
        read_rules(text, "mine")
    except RulesError as error:
        return str(error)
    return ""


# --- what is read


@given(any_rules)
@FEW
def test_a_variant_written_in_full_reads_back_equal(rules: Rules) -> None:
    assert read_rules(document(msgspec.to_builtins(rules))) == rules


@given(any_rules)
@FEW
def test_a_variant_written_without_its_defaults_reads_back_equal(rules: Rules) -> None:
    assert read_rules(document(data(rules))) == rules


@given(any_rules)
@FEW
def test_json_with_every_field_and_its_rules_id_reads_back_equal(rules: Rules) -> None:
    whole = msgspec.to_builtins(rules) | {"rulesId": rules.rules_id}
    assert read_rules(json.dumps(whole)) == rules


@given(catalog, st.integers(1, 15), st.integers(2, 6), st.sampled_from(["all", "matching"]))
@FEW
def test_extending_a_variant_overrides_the_fields_that_are_given(
    parent: Rules, dice: int, seats: int, reveal: str
) -> None:
    text = f'extends = "{parent.name}"\ndice = {dice}\nmin_players = 2\nmax_players = {seats}\nreveal = "{reveal}"'
    bare = replace(parent, name="mine", title="", about="", notes=())
    assert read_rules(text, "mine") == replace(bare, dice=dice, min_players=2, max_players=seats, reveal=reveal)


def test_a_table_of_an_extending_document_overrides_key_by_key() -> None:
    rules = read_rules('extends = "perudo"\nraising.lower = "barred"\nspecial.raising.higher = "same"', "mine")
    assert rules.raising == replace(PERUDO.raising, lower=Raise.BARRED)
    assert rules.special == Special(raising=replace(Special().raising, higher=Raise.SAME))


def test_a_table_may_be_added_to_a_variant_that_has_none() -> None:
    assert read_rules('extends = "liars-dice"\n[special]\nmin_players = 4', "mine").special == Special(min_players=4)


def test_the_calls_of_an_extending_document_replace_the_list() -> None:
    assert [call.words for call in read_rules('extends = "perudo"' + LIAR, "mine").calls] == [()]


def test_false_takes_away_what_a_variant_need_not_have() -> None:
    text = 'extends = "perudo"\nspecial = false\nwild = false\nopen_on_wild = true\nraising.to_wild = false'
    rules = read_rules(text, "mine")
    assert (rules.special, rules.wild, rules.raising.to_wild) == (None, None, None)


def test_title_about_and_notes_of_the_parent_are_not_inherited() -> None:
    rules = read_rules('extends = "perudo"', "mine")
    assert (rules.title, rules.about, rules.notes) == ("", "", ())


@pytest.mark.parametrize(
    ("name", "legal"),
    [("My Rules (2)", "my-rules-2"), ("a" * 39 + "-bc", "a" * 39), ("--", ""), ("Ünï", "n")],
)
def test_a_file_name_is_made_into_a_legal_name(name: str, legal: str) -> None:
    assert legal_name(name) == legal


@given(st.text(max_size=60))
@FEW
def test_rules_without_a_name_take_any_file_name_that_leaves_something(stem: str) -> None:
    assume(legal_name(stem))
    assert read_rules(LIAR, stem).name == legal_name(stem)


def test_a_name_in_the_document_counts_before_that_of_the_file() -> None:
    assert read_rules('name = "own"' + LIAR, "file").name == "own"


def test_a_byte_order_mark_and_windows_line_ends_are_no_mistake() -> None:
    assert read_rules("\ufeff" + LIAR.replace("\n", "\r\n"), "mine").calls[0].name == "liar"


# --- what every mistake is told

ENUM = '"barred", "any", "same", "more", "half", "over-half" or "double-plus-one"'
MISTAKES = {
    "x": ("", "the end of the document is not TOML: expected '=' after a key in a key/value pair"),
    "dice = 4\nfaces = = 6": ("", "line 2, column 9 is not TOML: invalid value"),
    '{"dice": 4,}': ("", "this is not JSON: trailing comma in object (byte 11)"),
    "dice = " + "[" * 100_000: ("", "this is nested too deeply for rules"),
    "dice = " + "9" * 5000: (
        "",
        "this cannot be read: exceeds the limit (4300 digits) for integer string conversion: value has 5000 digits",
    ),
    'extends = "perdo"': ("extends", 'is "perdo", but must be a known variant: "liars-dice", "exact", "joker"'),
    "extends = 3": ("extends", "is 3, but must be a known variant"),
    'extends = "perudo"\ndise = 3': ("dise", "is not a key here; the keys are extends, name, title, about, notes"),
    'extends = "perudo"\nraising.lowr = "same"': (
        "raising.lowr",
        "is not a key here; the keys are lower, same, higher, to_wild and from_wild; did you mean lower?",
    ),
    'extends = "perudo"\n"" = 1': ('""', "is not a key here"),
    'extends = "perudo"\n"\\u001b" = 1': ("\N{REPLACEMENT CHARACTER}", "is not a key here"),
    'extends = "perudo"\nraising.lower = "sme"': (
        "raising.lower",
        f'is "sme", but must be {ENUM}; did you mean "same"?',
    ),
    'extends = "perudo"\nraising.to_wild = "x"': ("raising.to_wild", f'is "x", but must be {ENUM}, or false for none'),
    'extends = "perudo"\nreveal = "match"': (
        "reveal",
        'is "match", but must be "all" or "matching"; did you mean "matching"?',
    ),
    'extends = "perudo"\ndice = 99': ("dice", "is 99, but must be a whole number from 1 to 15"),
    'extends = "perudo"\ndice = 0': ("dice", "is 0, but must be a whole number from 1 to 15"),
    'extends = "perudo"\ndice = 5.0': ("dice", "is 5.0, but must be a whole number from 1 to 15"),
    'extends = "perudo"\ndice = true': ("dice", "is true, but must be a whole number from 1 to 15"),
    f'extends = "perudo"\ndice = 0x{"f" * 9999}': ("dice", "is a very large number, but must be a whole number"),
    '{"extends": "perudo", "dice": null}': ("dice", "is null, but must be a whole number from 1 to 15"),
    'extends = "perudo"\ndice = 2020-02-02': ("dice", "is a date or time, but must be a whole number from 1 to 15"),
    'extends = "perudo"\nwild = "one"': ("wild", 'is "one", but must be a whole number, or false for none'),
    'extends = "perudo"\nwild = 7': ("wild", "is 7, but must be a face from 1 to 6, or left out for none"),
    'extends = "perudo"\ncap = "dics"': (
        "cap",
        'is "dics", but must be a whole number from 1 to 255, or "dice"; did you mean "dice"?',
    ),
    'extends = "perudo"\ncap = false': ("cap", 'is false, but must be a whole number from 1 to 255, or "dice"'),
    'extends = "perudo"\nopen_on_wild = 1': ("open_on_wild", "is 1, but must be true or false"),
    'extends = "perudo"\nspecial = 3': ("special", "is 3, but must be a table, or false for none"),
    'extends = "perudo"\nspecial = []': ("special", "is an empty list, but must be a table, or false for none"),
    'extends = "perudo"\nraising = false': ("raising", "is false, but must be a table"),
    'extends = "perudo"\nnotes = "x"': ("notes", 'is "x", but must be a list of texts'),
    'extends = "perudo"\nnotes = [{}]': ("notes[0]", "is a table, but must be printable text"),
    f'extends = "perudo"\ntitle = "{"x" * 61}"': (
        "title",
        f'is "{"x" * 40}...", but must be printable text of at most 60 characters',
    ),
    'extends = "perudo"\ntitle = "\\u001b[31m"': ("title", 'is "\N{REPLACEMENT CHARACTER}[31m", but must be printable'),
    'name = "My Game"' + LIAR: (
        "name",
        'is "My Game", but must be small letters and digits, with single hyphens between them, at most 40 in all; '
        'did you mean "my-game"?',
    ),
    'name = "game\\n"' + LIAR: ("name", 'is "game\N{REPLACEMENT CHARACTER}", but must be small letters and digits'),
    "dice = 3": ("calls", "is missing, but must be a list of 1 to 8 tables: the calls; the first is the liar call"),
    "calls = []": ("calls", "is an empty list, but must be a list of 1 to 8 tables"),
    f"calls = [{'3,' * 9}]": ("calls", "is a list of 9, but must be a list of 1 to 8 tables"),
    "calls = [3]": ("calls[0]", "is 3, but must be a table"),
    '[[calls]]\nname = "liar"': (
        "calls[0].short",
        "is missing, but must be a table: when there are fewer dice than the bid",
    ),
    LIAR.replace('"bidder"', '"left"'): (
        "calls[0].short.starts",
        'is "left", but must be "caller", "bidder", "left-of-caller" or "left-of-bidder"',
    ),
    LIAR + LIAR: ("calls[1].name", "'liar' is taken; every call needs a name of its own"),
    f'extends = "perudo"\nrulesId = "{PERUDO.rules_id}"\ndice = 4': ("rulesId", "but these rules have"),
}


@pytest.mark.parametrize(("text", "said"), MISTAKES.items(), ids=range(len(MISTAKES)))
def test_a_mistake_is_told_with_its_field_and_what_it_may_be(text: str, said: tuple[str, str]) -> None:
    error = error_of(text)
    assert (error.field, said[1] in error.why) == (said[0], True)


@pytest.mark.parametrize(
    ("text", "near"), [('extends = "perdo"', '"perudo"?'), ('extends = "perudo"\ndise = 3', "dice?")]
)
def test_the_nearest_known_word_ends_the_sentence(text: str, near: str) -> None:
    assert error_of(text).why.endswith(f"; did you mean {near}")


def test_rules_that_nothing_names_are_refused() -> None:
    error = error_of(LIAR, name="***")
    assert (error.field, error.why.partition(",")[0]) == ("name", "is missing")


SPECIAL = ("special",), ("special", "raising")
CALLS = ("calls", 0), ("calls", 0, "short"), ("calls", 1, "exact")
PATHS = st.sampled_from([(), ("raising",), *SPECIAL, *CALLS])
KEYS = st.sampled_from(
    "name title notes min_players dice wild raising cap calls gain special lower to_wild words per_die starts".split()
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(["same", "dice"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS | st.text(max_size=4), inner, max_size=3),
    max_leaves=4,
)


@given(PATHS, KEYS | st.text(max_size=4), VALUES)
def test_any_value_anywhere_is_read_or_refused_with_one_printable_line(
    path: tuple[str | int, ...], key: str, value: Any
) -> None:
    whole = json.loads(json.dumps(msgspec.to_builtins(PERUDO)))
    place = whole
    for step in path:
        place = place[step]
    place[key] = value
    problem = problem_of(json.dumps(whole))
    assert problem.isprintable()
    assert problem or JUDGE.is_valid(whole)


# --- the schema


@given(any_rules)
@FEW
def test_the_schema_takes_every_variant(rules: Rules) -> None:
    JUDGE.validate(json.loads(json.dumps(msgspec.to_builtins(rules))))


def test_the_schema_is_one_by_its_own_standard() -> None:
    jsonschema.Draft202012Validator.check_schema(rules_schema())


@pytest.mark.parametrize(
    "right", [{"extends": "perudo"}, {"extends": "perudo", "special": False}, {"extends": "joker", "rulesId": "0" * 64}]
)
def test_the_schema_takes_a_document_that_extends_a_variant(right: dict[str, Any]) -> None:
    JUDGE.validate(right)


@pytest.mark.parametrize("wrong", [{}, {"extends": "perdo"}, {"extends": "joker", "dise": 3}, {"calls": []}])
def test_the_schema_refuses_what_is_no_document(wrong: dict[str, Any]) -> None:
    assert not JUDGE.is_valid(wrong)


def test_the_schema_describes_every_field() -> None:
    schema = rules_schema()
    tables = [schema, *(part for part in schema["$defs"].values() if "properties" in part)]
    assert [name for table in tables for name, one in table["properties"].items() if not one.get("description")] == []
