"""The rulebook's own tests: what is wrong must fail, no page may be missing, and raises follow from their words."""

import re
from collections.abc import Callable
from itertools import pairwise, product
from pathlib import Path

import pytest

from calza.rules import CATALOG, Bid, Game, Refusal, Setup
from tests.rulebook import FORMS, RulebookError, Sentence, Step, follow, read_example, read_page, read_step

pytest_plugins = ["pytester"]

RULEBOOK = Path(__file__).parent.parent / "docs" / "rules"
JOKER = CATALOG["joker"]


# --- pages as pytest sees them


@pytest.fixture
def play_page(pytester: pytest.Pytester) -> Callable[..., pytest.RunResult]:
    """Run pytest on a rulebook of one page."""
    pytester.makeconftest("from tests.rulebook import pytest_collect_file")

    def run(text: str, name: str = "joker") -> pytest.RunResult:
        (pytester.path / f"{name}.md").write_text(text)
        return pytester.runpytest_inprocess("-p", "no:xdist", "-p", "no:cacheprovider")

    return run


def test_every_sentence_is_a_test_with_its_number_and_words(play_page, pytester):
    play_page("# Joker\n\n1. Bids rise.\n\n        A 3x4; B 4x4\n\nMore.\n\n2. Calls end.\n\n        A 3x4; B liar\n")
    items, _ = pytester.inline_genitems()
    assert [item.nodeid for item in items] == ["joker.md::1. Bids rise.", "joker.md::2. Calls end."]


def test_a_page_that_is_right_passes_and_its_readme_is_no_page(play_page, pytester):
    (pytester.path / "README.md").write_text("1. No sentence of a game.\n")
    play_page("1. Bids rise.\n\n        A 3x4; B 4x4\n        A 3x4; B 4x3 refused\n").assert_outcomes(passed=1)


def test_a_sentence_without_an_example_fails(play_page):
    result = play_page("1. Bids rise.\n\n        A 3x4; B 4x4\n\n2. Bids are loud.\n")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["2. Bids are loud.", "*joker.md:5: the sentence has no example"])


def test_a_wrong_claim_fails_with_the_example_its_line_and_the_truth(play_page):
    result = play_page("# Joker\n\n1. Liars win.\n\n        cups A:22 B:33; A 1x3; B liar; A=1 B=2\n")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["1. Liars win.", "joker.md:5: cups A:22 B:33; A 1x3; B liar; A=1 B=2", "*A=1 B=2: no, A=2 B=1"]
    )


def test_an_unknown_step_fails_with_page_line_and_what_is_understood(play_page):
    result = play_page("1. Bids rise.\n\n        A 3x4; B dances\n")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["joker.md:3: A 3x4; B dances", "*'B dances' cannot be understood. Steps are: 3 players | *"]
    )


def test_a_page_that_no_variant_has_is_an_error(play_page):
    result = play_page("1. Bids rise.\n\n        A 3x4; B 4x4\n", name="poker")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*poker.md: the catalogue has no variant 'poker'"])


@pytest.mark.parametrize(
    ("page", "why"),
    [
        ("1. One.\n\n    A 3x4\n", "joker.md:3: an indented line is an example, eight spaces in*"),
        ("1. One.\n\nBut:\n\n        A 3x4\n", "joker.md:5: an indented line is an example*below a numbered sentence"),
        ("1. One.\n\n        A 3x4\n\n3. Three.\n", "joker.md:5: sentence 3 stands where 2 should"),
    ],
)
def test_a_page_that_cannot_be_read_is_an_error_with_its_line(play_page, page, why):
    result = play_page(page)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([why])


# --- examples


@pytest.mark.parametrize(
    ("example", "why"),
    [
        ("A 3x4; B 4x3", "B 4x3: refused face_barred: 4x3 is barred"),
        ("A 3x4; B 4x4 refused", "B 4x4 refused: the rules allow it"),
        ("A 3x4; B 4x3 refused too_low", "B 4x3 refused too_low: refused face_barred"),
        ("A 3x4; B 4x3 refused too_bad", "'B 4x3 refused too_bad' cannot be understood"),
        ("A 3x4; C starts", "C starts: no, B acts on a bid"),
        ("A resign; C starts", "C starts: no, B starts"),
        ("2 players; A resign; A wins", "A wins: no, B wins"),
        ("2 players; A resign; B starts", "B starts: no, the game is over"),
        ("A resign; B wins", "B wins: no, the game goes on"),
        ("2 players; A resign; places A=1 B=1", "places A=1 B=1: no, places A=2 B=1"),
        ("A 3x4; B may 4x4 liar", "B may 4x4 liar: no, B may 2x1 4x4 3x5 3x6 liar exact"),
        ("A 3x4; bids none", "bids none: no, bids A 3x4"),
        ("cups A:22 B:33; A 1x3; B liar; count 3", "count 3: no, count 2"),
        ("cups A:22 B:33; A 1x3; B liar; shown A:2", "shown A:2: no, shown A:22 B:33"),
        ("A 1x3; count 2", "count 2: no, no call was made just before"),
        ("cups A:22 B:33; A sees 23", "A sees 23: no, A sees 22"),
        ("cups A:22 B:33; A 1x3; B liar; cups A:22 B:33", "the cup of B shows 2 dice, and it has 1"),
        ("dice A=5 B=5; cups A:23; A 1x3", "the cup of A shows 2 dice, and it has 5"),
        ("dice A=5 B=5; cups C:23; A 1x3", "the cup of C shows 2 dice, and it has 0"),
        ("round 2", "round 2: no, round 1"),
        ("special round", "special round: no, plain round"),
        ("16 players", "joker is a game for 2 to 15 players, not 16"),
        ("2 players refused", "2 players refused: no, 2 players"),
        ("A 3x4; dice A=5 B=5", "dice A=5 B=5: belongs before the first action or claim"),
        ("dice A=5 B=5; cups A:23456", "nothing is played and nothing is claimed"),
        ("dice A=5 C=5; A 3x4", "dice A=5 C=5: name every seat in order"),
        ("dice A=5 B=0; A 3x4", "the game would be over already"),
        ("A 3x4; D 4x4", "seats are A to C"),
    ],
)
def test_an_example_that_is_wrong_says_what_is_so(example, why):
    with pytest.raises(RulebookError, match=re.escape(why)):
        follow(example, JOKER)


def test_an_example_that_is_true_only_by_luck_fails():
    with pytest.raises(RulebookError, match="A=5 B=4: no, A=4 B=5"):
        follow("2 players; A 4x3; B liar; A=5 B=4", JOKER)


def test_what_another_variant_calls_is_refused_and_what_none_does_is_not_understood():
    follow("A 3x4; B exact refused no_such_call", CATALOG["liars-dice"])
    with pytest.raises(RulebookError, match="Calls are: liar, challenge, resign"):
        follow("A 3x4; B calza refused", CATALOG["liars-dice"])


def test_cups_given_after_a_call_are_those_of_the_next_round():
    follow("cups A:22 B:33; A 1x3; B liar; cups A:46 B:5; A sees 46; B sees 5", JOKER)


def test_the_readme_shows_every_kind_of_step_and_all_of_them_can_be_read():
    rows = re.findall(r"^\| (`.+?) \|", (RULEBOOK / "README.md").read_text(), re.MULTILINE)
    steps = [read_step(code, JOKER) for row in rows for code in re.findall("`(.+?)`", row)]
    assert {step.kind for step in steps} == set(FORMS)
    assert [read_step(sample, JOKER).kind for sample, _ in FORMS.values()] == list(FORMS)


def test_the_readme_names_every_refusal_that_can_be_written():
    named = (RULEBOOK / "README.md").read_text().partition("The reasons of a refusal are")[2].partition("Sentences")[0]
    assert re.findall("`(.+?)`", named) == [
        one.word for one in Refusal if one not in (Refusal.FINE, Refusal.NOT_AN_ACTION)
    ]


def test_the_sample_in_the_readme_is_true():
    sample = (RULEBOOK / "README.md").read_text().split("```")[1].strip()
    examples = [text for sentence in read_page(sample) for _, text in sentence.examples]
    assert len(examples) == 3
    for text in examples:
        follow(text, CATALOG["liars-dice"])


# --- the pages as they are


def page(name: str) -> list[Sentence]:
    """The sentences of a variant's page."""
    return read_page((RULEBOOK / f"{name}.md").read_text())


def raises(steps: list[Step]) -> list[Step]:
    """The bids of an example that answer another bid."""
    pairs = pairwise(step for step in steps if step.kind == "deed")
    bids = [(before, after) for before, after in pairs if isinstance(before.ply, Bid) and isinstance(after.ply, Bid)]
    return [after for before, after in bids if not before.refused]


def test_every_variant_has_a_page_and_every_page_a_variant():
    assert {path.stem for path in RULEBOOK.glob("*.md")} - {"README"} == set(CATALOG)


@pytest.mark.parametrize("name", CATALOG)
def test_every_page_shows_a_raise_that_is_accepted_and_one_that_is_refused(name):
    shown = [
        deed.refused
        for sentence in page(name)
        for _, text in sentence.examples
        for deed in raises(read_example(text, CATALOG[name]))
    ]
    assert set(shown) == {True, False}


@pytest.mark.parametrize("name", CATALOG)
def test_every_call_of_a_variant_is_made_on_its_page(name):
    steps = [
        step
        for sentence in page(name)
        for _, text in sentence.examples
        for step in read_example(text, CATALOG[name])
        if step.kind == "deed" and not step.refused
    ]
    assert {call.name for call in CATALOG[name].calls} <= {str(step.ply) for step in steps}


# --- raises, by brute force


def plain_order(q: int, f: int, n: int, g: int) -> bool:
    """More dice, or as many of a higher face."""
    return (n, g) > (q, f)


def half_and_double(q: int, f: int, n: int, g: int) -> bool | None:
    """What ones cost where they are wild; None where no ones are bid."""
    if f == 1 and g == 1:
        return n > q
    if g == 1:
        return n + n >= q
    return n > q + q if f == 1 else None


def liars_dice(q: int, f: int, n: int, g: int) -> bool:
    """A raise from `q` dice of face `f` to `n` of face `g`, as the source of that variant puts it; so all below."""
    with_ones = half_and_double(q, f, n, g)
    return plain_order(q, f, n, g) if with_ones is None else with_ones


def joker(q: int, f: int, n: int, g: int) -> bool:
    with_ones = half_and_double(q, f, n, g)
    return (n >= q and g >= f and (n, g) != (q, f)) if with_ones is None else with_ones


def spot_on(q: int, f: int, n: int, g: int) -> bool:
    return n * (2 if g == 6 else 1) > q * (2 if f == 6 else 1)


@pytest.mark.parametrize(
    ("name", "raised", "cap", "seats"),
    [
        ("liars-dice", liars_dice, 30, 6),
        ("exact", plain_order, 40, 8),  # 40 dice in play
        ("joker", joker, 255, 2),
        ("spot-on", spot_on, 255, 2),
    ],
)
def test_the_raises_are_those_of_the_words_on_all_pairs_of_bids(name, raised, cap, seats):
    rules = CATALOG[name]
    quantities, faces = range(1, 41), range(1, 7)
    for q, f in product(range(1, min(cap, 40) + 1), faces):
        game = Game.at(rules, Setup(dice=(5,) * seats, bids=((0, f"{q}x{f}"),)), seed=0)
        legal, row = game.legal(1), game.state.row
        for n, g in product(quantities, faces):
            fine = raised(q, f, n, g) and n <= cap
            known = (
                game.refusal(1, Bid(n, g)) == Refusal.FINE,
                Bid(n, g) in legal,
                game.charts.floor[row + g] <= n <= cap,
            )
            assert known == (fine, fine, fine), f"{name}: {q}x{f}, then {n}x{g}"
