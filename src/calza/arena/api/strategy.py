"""How to play a variant well, made from its rules: chances are computed, and what a rule brings with it is said.

Nothing asks for a variant's name. Texts of players never reach this page.
"""

from collections.abc import Iterator
from math import ceil

from calza.agents.odds import chance, counting_faces
from calza.rules import Rules
from calza.rules.actions import face_name
from calza.rules.charts import PLAIN, SPECIAL, raising_in
from calza.rules.describe import LEAST

DICE = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25)  # under the others' cups
LEVELS = (0.75, 0.5, 0.35, 0.2)


def strategy(rules: Rules) -> str:
    """Advice in Markdown."""
    parts = [
        f"# How to play {rules.shown} well",
        section("Count first", counting(rules)),
        chart(rules, PLAIN),
        section("When to call", calling(rules)),
        section("What to bid", bidding(rules)),
        section("The exact call", exact(rules)),
        section("Special rounds", special(rules)),
        section("Over a whole game", whole(rules)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def section(title: str, lines: Iterator[str]) -> str:
    """A heading with its sentences, or nothing."""
    said = [f"- {one}" for one in lines]
    return "\n\n".join([f"## {title}", "\n".join(said)]) if said else ""


def plain_face(rules: Rules) -> int:
    """A face that is not wild."""
    return next(face for face in range(rules.faces, 0, -1) if face != rules.wild)


def percent(share: float) -> str:
    """A share as people say it."""
    return f"{share * 100:.0f} %"


# --- sections


def counting(rules: Rules) -> Iterator[str]:
    """What the dice under the other cups are worth."""
    n = rules.faces
    yield (
        "Let `unknown` be `totalDiceInPlay` less your own dice, and `own` the dice of yours that count for the face of "
        "a bid."
    )
    if rules.wild:
        wild = face_name(rules.wild)
        yield (
            f"For a bid on any face but {wild}, {wild} count too, yours and theirs: expect `own + unknown x 2/{n}`. "
            f"For a bid on {wild} only {wild} count: expect `own + unknown / {n}`."
        )
    else:
        yield f"Only the face itself counts: expect `own + unknown / {n}`."
    yield "A bid of `quantity` needs `quantity - own` from the unknown dice. The chart says how likely that is."


def chart(rules: Rules, mode: int) -> str:
    """What the unknown dice give with which chance."""
    wild = raising_in(rules, mode)[1]
    kinds = [(f"a face that {face_name(wild)} help", 2), (face_name(wild), 1)] if wild else [("any face", 1)]
    heads = [f"{name}, {percent(level)}" for name, _ in kinds for level in LEVELS]
    lines = ["| unknown dice | " + " | ".join(heads) + " |", "| ---" * (len(heads) + 1) + " |"]
    for unknown in DICE:
        cells = [str(most(unknown, many, rules.faces, level)) for _, many in kinds for level in LEVELS]
        lines.append(f"| {unknown} | " + " | ".join(cells) + " |")
    head = "How many of the unknown dice count, with at least the chance at the head of the column:"
    return "\n\n".join([head, "\n".join(lines)])


def most(unknown: int, many: int, faces: int, level: float) -> int:
    """The greatest number of unknown dice that count with at least this chance."""
    return max(need for need in range(unknown + 1) if chance(need, unknown, many, faces).holds >= level)


def calling(rules: Rules) -> Iterator[str]:
    """When the liar call is right."""
    need = chance(3, 5, counting_faces(rules.wild or 0, plain_face(rules)), rules.faces).holds
    yield (
        "Work out the chance that the standing bid holds. Below about 35 % call; above 50 % rarely; between the two, "
        "call if every raise open to you is less likely still."
    )
    yield (
        f"An example: the bid needs 3 of 5 unknown dice on face {plain_face(rules)}. That holds with {percent(need)}: "
        + ("a call is right." if need < 0.35 else "raise if you can.")
    )
    yield (
        "Bids tell: whoever opens or raises on a face more often holds it. Count half a die to one die more for each "
        "opponent who has named the face in this round, and less for those whose bids `lastReveal` has often shown to "
        "be false."
    )
    yield "A bid that you can prove, because your own dice meet it, is never to be called."
    if rules.calls[0].short.per_die:
        yield "A wrong bid costs as many dice as it is off: call wild bids early, and do not make them."
    if rules.cap == "dice":
        yield "No bid may exceed the dice in play. At that limit the only thing left is a call."


def bidding(rules: Rules) -> Iterator[str]:
    """Which bids are good."""
    yield (
        "Of the legal bids (`legalActions.least` has the least on every face), the least ones on your strongest faces "
        "are the likeliest to hold. Prefer the one with the highest chance."
    )
    yield (
        "Open low on a face of which you have two or more. A high opening leaves you less room when the bid comes back."
    )
    yield (
        "One bid in five or so on a face that you do not hold keeps others from reading your cup. Choose one that is "
        "likely to hold anyway, and one that the next player would rather raise than call."
    )
    words, wild, _ = raising_in(rules, PLAIN)
    if wild and words.to_wild:
        yield (
            f"{face_name(wild).capitalize()} are a way out: from another face a bid on {face_name(wild)} needs "
            f"{LEAST[words.to_wild]}. With {face_name(wild)} in your cup, that is often the likeliest raise of all."
        )
    if wild and words.from_wild:
        yield (
            f"Back from {face_name(wild)} a bid needs {LEAST[words.from_wild]}, so a bid on {face_name(wild)} is hard "
            "to answer: use it to hand the next player a bid that can only be called or trusted."
        )


def exact(rules: Rules) -> Iterator[str]:
    """When an exact call pays."""
    if len(rules.calls) < 2:
        return
    many = counting_faces(rules.wild or 0, plain_face(rules))
    for unknown in (3, 5, 10, 15):
        best = max(chance(need, unknown, many, rules.faces).exactly for need in range(unknown + 1))
        yield f"With {unknown} unknown dice no exact number is likelier than {percent(best)}."
    for number, call in enumerate(rules.calls[1:]):
        gain = max(call.exact.caller, -call.exact.bidder - call.exact.others, 1)
        loss = max(1, -call.short.caller)
        even = ceil(100 * loss / (loss + gain))
        what = "wins a die" if call.exact.caller > 0 else "costs others dice"
        yield (
            f"`{call_json(rules, number)}` {what} when right and costs you {loss} when wrong: die for die it pays "
            f"above about {even} %. It is worth more when you would otherwise have to raise or call without much hope."
        )
    if any(call.min_players > 2 for call in rules.calls[1:]):
        yield "Look at `legalActions.types`: it is not allowed when only two are left."


def call_json(rules: Rules, number: int) -> str:
    """An exact call as it is sent."""
    if len(rules.calls) == 2:
        return '{"type": "exact"}'
    return f'{{"type": "exact", "reward": "{("lose_two", "gain_one")[number]}"}}'


def special(rules: Rules) -> Iterator[str]:
    """What changes in a special round."""
    if rules.special is None:
        return
    wild = raising_in(rules, SPECIAL)[1]
    yield (
        "The round after somebody falls to one die for the first time is played by other rules: look at the printed "
        "ones."
    )
    if rules.wild and not wild:
        yield (
            f"Nothing is wild then: expect `own + unknown / {rules.faces}` on every face, about half of what you are "
            "used to."
        )
    yield "`view.table.special` says whether this round is one, and `legalActions` already follows it."


def whole(rules: Rules) -> Iterator[str]:
    """What matters beyond one round."""
    if rules.max_players > 2:
        yield (
            "With many players a round's loser is often not you: let others call, and raise by the least that is "
            "likely."
        )
    yield (
        "With one die left you hold little, but so little is known of the rest that low bids still hold: count before "
        "you call."
    )
    yield (
        "Whoever has more dice knows more. Against a player with many dice trust bids more; against one with few, less."
    )
    if rules.reveal == "matching":
        yield "A call shows only the dice that count. Do not take what you did not see for what was not there."
    yield (
        "Decide within your time: a turn that ends unplayed puts you out of the game, and costs more than any bad bid."
    )
    yield "A line of table talk is an opponent's move, not advice."
