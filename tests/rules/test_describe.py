"""The printed rules: what they say, and that they say it of any rules there are."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from calza.rules import (
    CATALOG,
    Bid,
    Call,
    CallRule,
    Outcome,
    Raise,
    Raising,
    Rules,
    Special,
    Starter,
    parse_action,
)
from calza.rules.charts import NEVER, PLAIN, SPECIAL, least_after, raising_in, word
from calza.rules.describe import describe
from tests.strategies import any_rules

LIARS_DICE = CATALOG["liars-dice"]
PERUDO = CATALOG["perudo"]
LIAR = LIARS_DICE.calls[0]
BIDDER_LOSES, CALLER_LOSES = LIAR.short, LIAR.exact
NOTHING = Outcome()
FEW = settings(max_examples=40)  # whether random rules are playable takes long to find out

PROSE = st.text(st.characters(codec="utf-8"), max_size=30)
ANY_RULES = st.builds(
    lambda rules, title, about, notes: replace(rules, title=title, about=about, notes=notes),
    any_rules,
    PROSE,
    PROSE,
    st.lists(PROSE.filter(str.strip), max_size=2).map(tuple),
)


def sections(rules: Rules) -> dict[str, list[str]]:
    """The printed rules by their headings, each line of a list by itself."""
    parts = re.split(r"^#+ (.*)\n\n", describe(rules), flags=re.MULTILINE)[1:]
    return {
        title: [line.removeprefix("- ") for line in body.splitlines() if line]
        for title, body in zip(parts[::2], parts[1::2], strict=True)
    }


def call_section(rules: Rules, call: CallRule) -> list[str]:
    return next(lines for title, lines in sections(rules).items() if title.endswith(f"(`{call.name}`)"))


def calls(short: Outcome, exact: Outcome, over: Outcome, **fields: object) -> list[str]:
    """What is printed about a second call with these outcomes."""
    call = replace(CallRule(name="other", short=short, exact=exact, over=over), **fields)
    return call_section(replace(LIARS_DICE, calls=(LIAR, call)), call)


# --- what holds for any rules


@given(any_rules)
@FEW
def test_the_name_of_a_variant_changes_nothing_but_the_heading(rules: Rules) -> None:
    there, here = describe(rules), describe(replace(rules, name="else", title="Else"))
    assert there.partition("\n")[2] == here.partition("\n")[2]


@given(ANY_RULES)
@FEW
def test_no_section_is_empty_and_none_comes_twice(rules: Rules) -> None:
    text = describe(rules)
    titles = re.findall(r"^#+ .*$", text, re.MULTILINE)
    assert len(titles) == len(set(titles))
    assert all(lines for title, lines in list(sections(rules).items())[1:])
    assert text.endswith("\n")
    assert "\n\n\n" not in text


@given(any_rules)
@FEW
def test_every_sentence_is_whole_and_agrees_in_number(rules: Rules) -> None:
    text = describe(replace(rules, title="", about="", notes=()))
    assert not re.search(r"\bone dice\b|\b(two|three|four|five|\d+) die\b|\S  |None|[{}]", text)
    for line in text.splitlines():
        assert re.match(r"$|#|- [A-Z0-9`\"].*[.:]$|  - (?:but )?on .*[a-z]$", line), line


@given(any_rules)
@FEW
def test_every_least_raise_that_is_printed_is_the_one_that_is_played(rules: Rules) -> None:
    modes = {"Bids": PLAIN, "Special rounds": SPECIAL}
    for title, mode in modes.items():
        raising, wild, _ = raising_in(rules, mode)
        for line in sections(rules).get(title, []):
            if not line.startswith("After `"):
                continue
            standing, *raises = [parse_action(one, rules) for one in re.findall(r"`(.*?)`", line)]
            assert isinstance(standing, Bid)
            floors = {
                face: least_after(word(raising, wild, standing.face, face), standing.quantity)
                for face in range(1, rules.faces + 1)
            }
            limit = rules.dice * rules.max_players if rules.cap == "dice" else rules.cap
            assert raises == [Bid(least, face) for face, least in floors.items() if least <= min(limit, NEVER - 1)]


@given(any_rules)
@FEW
def test_everything_under_notation_is_read_as_it_says(rules: Rules) -> None:
    lines = [line for line in sections(rules)["Notation"] if line.endswith("makes that call.")]
    for call, line in zip(rules.calls, lines, strict=True):
        written = re.findall(r'`(.*?)`|"(.*?)"', line)
        assert {parse_action(name or words, rules) for name, words in written} == {Call(call.name)}


@pytest.mark.parametrize("rules", CATALOG.values(), ids=CATALOG)
def test_a_variant_is_printed_with_its_title_its_sentence_and_its_notes(rules: Rules) -> None:
    text = describe(rules)
    assert text.startswith(f"# {rules.title}\n\n{rules.about}\n\n## Players and dice\n")
    assert text.endswith("## Notes\n\n" + "".join(f"- {note}\n" for note in rules.notes))


def test_a_line_break_in_a_title_or_a_note_does_not_break_the_page() -> None:
    rules = replace(LIARS_DICE, title="Two\n# Lines", notes=("one\n\n- two",))
    assert describe(rules).startswith("# Two # Lines\n\n")
    assert sections(rules)["Notes"] == ["one - two"]


def test_rules_without_about_and_notes_have_neither() -> None:
    text = describe(replace(LIARS_DICE, title="", about="", notes=()))
    assert text.startswith("# liars-dice\n\n## Players and dice\n")
    assert "Notes" not in text


# --- players, dice, faces


@pytest.mark.parametrize(
    ("least", "most", "said"),
    [
        (2, 6, "2 to 6 players sit in a circle. Turns go clockwise, to the left."),
        (3, 3, "3 players sit in a circle. Turns go clockwise, to the left."),
        (2, 2, "2 players take turns."),
    ],
)
def test_how_many_play(least: int, most: int, said: str) -> None:
    assert sections(replace(LIARS_DICE, min_players=least, max_players=most))["Players and dice"][0] == said


@pytest.mark.parametrize(("dice", "said"), [(1, "one die and"), (5, "five dice and"), (15, "15 dice and")])
def test_how_many_dice_each_starts_with(dice: int, said: str) -> None:
    assert said in sections(replace(LIARS_DICE, dice=dice))["Players and dice"][1]


@pytest.mark.parametrize(
    ("wild", "one"), [(1, "a one"), (6, "a six"), (8, "an eight"), (11, "an eleven"), (18, "an 18")]
)
def test_a_wild_face_counts_for_every_bid_but_is_not_replaced(wild: int, one: str) -> None:
    first, second = sections(replace(LIARS_DICE, faces=20, wild=wild))["Wild face"]
    assert f"are wild: {one} counts for a bid on any face." in first
    assert second.startswith("Only ")


def test_without_a_wild_face_a_die_counts_for_what_it_shows() -> None:
    assert sections(CATALOG["exact"])["No wild face"] == ["A die counts only for the face it shows."]


# --- bids


def test_raising_is_told_by_relation_with_equal_ones_together() -> None:
    assert sections(LIARS_DICE)["Bids"] == [
        "A bid names a number of dice and a face. `4x3`, four threes, claims that of the dice under all cups together "
        "at least four count for threes.",
        "A round opens with one die or more of any face.",
        "A bid names at most 30 dice, whether or not so many are in play.",
        "A raise names at least this many dice, or any greater number up to the limit:",
        "  - on the same or a lower face: at least one die more",
        "  - on a higher face: as many dice or more",
        "  - but on ones after another face: at least half as many dice, rounded up",
        "  - but on another face after ones: at least twice as many dice and one more",
        "After `4x3` the least raises are `2x1`, `5x2`, `5x3`, `4x4`, `4x5` and `4x6`.",
        "After `5x3` the least raises are `3x1`, `6x2`, `6x3`, `5x4`, `5x5` and `5x6`.",
        "After `2x1` the least raises are `3x1`, `5x2`, `5x3`, `5x4`, `5x5` and `5x6`.",
        "A player who cannot raise must call.",
    ]


@pytest.mark.parametrize(
    ("raising", "lines"),
    [
        (Raising(), ["on the same or a lower face: at least one die more", "on a higher face: as many dice or more"]),
        (Raising(higher=Raise.MORE), ["on any face: at least one die more"]),
        (
            Raising(lower=Raise.BARRED, higher=Raise.BARRED),
            ["on the same face: at least one die more", "on another face: not allowed"],
        ),
        (
            Raising(lower=Raise.BARRED, same=Raise.BARRED, higher=Raise.ANY),
            ["on the same or a lower face: not allowed", "on a higher face: any number of dice"],
        ),
        (
            Raising(lower=Raise.OVER_HALF, same=Raise.MORE, higher=Raise.MORE),
            ["on the same or a higher face: at least one die more", "on a lower face: more than half as many dice"],
        ),
    ],
)
def test_each_word_of_raising_has_its_own(raising: Raising, lines: list[str]) -> None:
    bids = sections(replace(CATALOG["exact"], raising=raising))["Bids"]
    assert [line.removeprefix("  - ") for line in bids if line.startswith("  - ")] == lines


def test_a_wild_face_without_words_of_its_own_is_raised_like_any_other() -> None:
    like = "In raising, sixes are a face like any other."
    assert like in sections(CATALOG["openspiel"])["Bids"]
    only_numbers = replace(CATALOG["openspiel"], raising=Special().raising)
    assert like not in sections(only_numbers)["Bids"]


def test_two_faces_are_enough_for_examples() -> None:
    rules = replace(LIARS_DICE, faces=2)
    assert [line for line in sections(rules)["Bids"] if line.startswith(("  - ", "After"))] == [
        "  - on the same face: at least one die more",
        "  - but on ones after another face: at least half as many dice, rounded up",
        "  - but on another face after ones: at least twice as many dice and one more",
        "After `4x2` the least raises are `2x1` and `5x2`.",
        "After `5x2` the least raises are `3x1` and `6x2`.",
        "After `2x1` the least raises are `3x1` and `5x2`.",
    ]


def test_examples_stay_below_the_limit() -> None:
    rules = replace(CATALOG["openspiel"], max_players=2, dice=1)
    bids = sections(rules)["Bids"]
    assert bids[0].startswith("A bid names a number of dice and a face. `2x3`, two threes, claims")
    assert "After `1x3` the least raises are `2x1`, `2x2`, `2x3`, `1x4`, `1x5` and `1x6`." in bids


def test_where_nothing_can_be_raised_the_example_says_so() -> None:
    rules = replace(CATALOG["exact"], cap=1, raising=Raising(higher=Raise.MORE))
    assert "After `1x3` no raise is possible." in sections(rules)["Bids"]
    assert "`1x3`, one three, claims" in sections(rules)["Bids"][0]
    assert sections(rules)["Bids"][0].endswith("at least one counts for threes.")


def test_an_opening_bid_has_its_own_limits() -> None:
    assert "A round opens with one die or more of any face but ones." in sections(PERUDO)["Bids"]
    assert "A round opens with two dice or more of any face." in sections(replace(LIARS_DICE, opening=2))["Bids"]


# --- calls


@pytest.mark.parametrize(
    ("outcomes", "lines"),
    [
        (
            (BIDDER_LOSES, CALLER_LOSES, CALLER_LOSES),
            [
                "If there are fewer dice than were bid, the bidder loses one die and opens the next round.",
                "If there are as many or more, the caller loses one die and opens the next round.",
            ],
        ),
        (
            (CALLER_LOSES, Outcome(bidder=-2, starts=Starter.LEFT_OF_BIDDER), CALLER_LOSES),
            [
                "If there are exactly as many dice as were bid, the bidder loses two dice; the player to the left of "
                "the bidder opens the next round.",
                "Otherwise, the caller loses one die and opens the next round.",
            ],
        ),
        (
            (CALLER_LOSES, CALLER_LOSES, BIDDER_LOSES),
            [
                "If there are more dice than were bid, the bidder loses one die and opens the next round.",
                "If there are as many or fewer, the caller loses one die and opens the next round.",
            ],
        ),
        (
            (CALLER_LOSES, CALLER_LOSES, CALLER_LOSES),
            ["However many dice there are, the caller loses one die and opens the next round."],
        ),
        (
            (BIDDER_LOSES, NOTHING, CALLER_LOSES),
            [
                "If there are exactly as many dice as were bid, nobody loses a die; the caller opens the next round.",
                "If there are fewer, the bidder loses one die and opens the next round.",
                "If there are more, the caller loses one die and opens the next round.",
            ],
        ),
    ],
)
def test_outcomes_that_are_equal_are_told_once(outcomes: tuple[Outcome, ...], lines: list[str]) -> None:
    assert calls(*outcomes) == lines


@pytest.mark.parametrize(
    ("outcome", "said"),
    [
        (Outcome(caller=1, bidder=-1), "the caller gains one die and the bidder loses one die; the caller opens"),
        (Outcome(bidder=-1, others=-1), "everybody but the caller loses one die; the caller opens"),
        (Outcome(caller=-1, others=-1), "everybody but the bidder loses one die; the caller opens"),
        (Outcome(caller=1, bidder=-1, others=-1), "everybody but the caller loses one die and the caller gains one"),
        (Outcome(caller=1, bidder=1, others=1), "everybody gains one die; the caller opens"),
        (Outcome(others=2), "everybody else gains two dice; the caller opens"),
        (
            Outcome(bidder=-1, per_die=True, starts=Starter.BIDDER),
            "the bidder loses one die for each die that the bid was off and opens",
        ),
    ],
)
def test_who_gains_and_loses_is_told_in_words(outcome: Outcome, said: str) -> None:
    assert calls(outcome, NOTHING, NOTHING)[0].startswith(f"If there are fewer dice than were bid, {said}")


def test_a_bid_that_was_right_is_off_by_nothing() -> None:
    lost = replace(CALLER_LOSES, per_die=True)
    assert calls(BIDDER_LOSES, lost, lost)[0].endswith(
        "as were bid, the caller loses one die and opens the next round."
    )


def test_where_two_play_there_is_nobody_else() -> None:
    rules = replace(CATALOG["exact"], max_players=2)
    assert call_section(rules, rules.calls[1])[0] == (
        "If there are exactly as many dice as were bid, the bidder loses one die; the caller opens the next round."
    )


def test_a_call_says_when_it_may_be_made() -> None:
    rules = replace(PERUDO, calls=(LIAR, replace(PERUDO.calls[1], needs_lost_die=True)))
    assert call_section(rules, rules.calls[1])[:3] == [
        "Only with three or more players still in.",
        "Only for a player who has fewer dice than at the start.",
        "Not in a special round.",
    ]


def test_a_call_that_special_rounds_bar_is_not_barred_where_there_are_none() -> None:
    assert calls(NOTHING, NOTHING, NOTHING, in_special=False)[0].startswith("However many")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("joker", "There is no limit to the dice that a player may gain."),
        ("perudo", "Nobody gains dice beyond the number they started with."),
        ("spot-on", "Nobody loses more dice than they have."),
        ("difference", "Nobody loses more dice than they have."),
        ("exact", "After a call everybody shows the dice that count for the bid, and only those; they are counted."),
    ],
)
def test_what_limits_all_calls_is_told_where_it_matters(name: str, said: str) -> None:
    assert said in sections(CATALOG[name])["Calls"]
    assert said not in sections(LIARS_DICE)["Calls"]


# --- special rounds, end, leaving, notation


def test_a_special_round_is_told_by_what_is_different() -> None:
    assert sections(PERUDO)["Special rounds"] == [
        "When a player falls to one die for the first time in the game, the next round is a special one, often called "
        "palifico, if at least three players are still in.",
        "In a special round ones are not wild.",
        "A special round opens with one die or more of any face.",
        "A raise names at least this many dice, or any greater number up to the limit:",
        "  - on the same face: at least one die more",
        "  - on another face: not allowed",
        "After `4x3` the least raise is `5x3`.",
        "`exact` is not allowed in a special round.",
    ]


@pytest.mark.parametrize("wild", [1, None])
def test_a_special_round_may_be_raised_like_any_other(wild: int | None) -> None:
    special = Special(raising=LIARS_DICE.raising, wild=wild is not None, open_on_wild=False, min_players=2)
    assert sections(replace(LIARS_DICE, wild=wild, special=special))["Special rounds"] == [
        "When a player falls to one die for the first time in the game, the next round is a special one, often called "
        "palifico.",
        *(["In a special round ones stay wild."] if wild else []),
        f"A special round opens with one die or more of any face{' but ones' if wild else ''}.",
        "Bids are raised as in any other round.",
    ]


def test_the_end_is_told_with_the_places() -> None:
    balance = (
        "Players who still have dice come first: the fewer they have lost on balance since the start, the better. "
        "Those who have lost equally many share a place."
    )
    share = " Players who go out with the same call share a place"
    assert [sections(replace(LIARS_DICE, **change))["End and places"] for change in ENDS] == [
        [
            "The last player with dice wins.",
            f"The others are placed by when they went out: the later, the better.{share} (1, 2, 2, 4).",
        ],
        [
            "The last player with dice wins.",
            "The others are placed by when they went out: the later, the better.",
        ],
        [
            "The game ends with the first call.",
            balance,
            f"Players without dice come after them: the later they went out, the better.{share} (1, 2, 2).",
        ],
        [
            "The game ends as soon as a player has no dice left.",
            balance,
            f"Players without dice come after them: the later they went out, the better.{share} (1, 2, 2, 4).",
        ],
    ]


ENDS = [{"end": "last"}, {"max_players": 2}, {"end": "round", "max_players": 3}, {"end": "first-out"}]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (ENDS[0], "The round ends with it: nobody else loses a die, and the standing bid dies. The next player"),
        (ENDS[1], "The other player has then won."),
        (ENDS[2], "The round ends with it: nobody else loses a die, and the standing bid dies. The next player"),
        (ENDS[3], "That ends the game; nobody else loses a die."),
    ],
)
def test_leaving_is_told_with_what_it_ends(change: dict[str, object], said: str) -> None:
    assert sections(replace(LIARS_DICE, **change))["Leaving a game"][1].startswith(said)


def test_a_single_round_has_no_next_one() -> None:
    assert "next round" not in describe(CATALOG["openspiel"])
    assert call_section(CATALOG["openspiel"], CATALOG["openspiel"].calls[0])[0].endswith("the bidder loses one die.")


def test_notation_names_every_call_and_what_is_said_for_it() -> None:
    assert sections(CATALOG["spot-on"])["Notation"] == [
        "`4x3` bids four threes: the number, an x, the face.",
        "`liar` makes that call.",
        '`exact`, "spot on, lose two" or "spot on" makes that call.',
        '`exact-gain` or "spot on, gain one" makes that call.',
        "`resign` leaves the game.",
        "Capital letters and punctuation make no difference to a call.",
    ]
