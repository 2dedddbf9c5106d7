"""Rules as people read them: Markdown in plain words, made from the data alone.

Whoever has never seen the game, person or program, should be able to play from this text. Examples of raises are read
off the charts that the game itself uses, so they cannot differ from it.
"""

from collections.abc import Iterable, Iterator

from .actions import Bid, bid_name, face_name, number
from .charts import MET, NEVER, PLAIN, SPECIAL, draw_charts, raising_in
from .rules import CallRule, Outcome, Raise, Raising, Rules, Starter

LEAST = {
    Raise.BARRED: "not allowed",
    Raise.ANY: "any number of dice",
    Raise.SAME: "as many dice or more",
    Raise.MORE: "at least one die more",
    Raise.HALF: "at least half as many dice, rounded up",
    Raise.OVER_HALF: "more than half as many dice",
    Raise.DOUBLE_PLUS_ONE: "at least twice as many dice and one more",
}
HALVING = {Raise.HALF, Raise.OVER_HALF}  # an example is then worth two, an even and an odd one
USUAL = Bid(4, 3)  # an example's bid, where it is possible
ORDER = {  # where a new face stands against the old one
    ("same",): "the same face",
    ("higher",): "a higher face",
    ("lower",): "a lower face",
    ("same", "higher"): "the same or a higher face",
    ("same", "lower"): "the same or a lower face",
    ("higher", "lower"): "another face",
    ("same", "higher", "lower"): "any face",
}
STARTER = {
    Starter.CALLER: "the caller",
    Starter.BIDDER: "the bidder",
    Starter.LEFT_OF_CALLER: "the player to the left of the caller",
    Starter.LEFT_OF_BIDDER: "the player to the left of the bidder",
}


def describe(rules: Rules) -> str:
    """The printed rules, as Markdown."""
    parts = [
        f"# {flat(rules.shown)}",
        flat(rules.about),
        section("Players and dice", players(rules)),
        section("A round", a_round(rules)),
        section("Wild face" if rules.wild else "No wild face", wild_face(rules)),
        section("Bids", bids(rules)),
        section("Calls", calls(rules)),
        *(section(f"{capital(said(call))} (`{call.name}`)", one_call(call, rules), 3) for call in rules.calls),
        section("Special rounds", special(rules)),
        section("End and places", end(rules)),
        section("Leaving a game", leaving(rules)),
        section("Notation", notation(rules)),
        section("Notes", map(flat, rules.notes)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


# --- sections, each a list of sentences


def players(rules: Rules) -> Iterator[str]:
    """Who plays, and with what."""
    turns = "sit in a circle. Turns go clockwise, to the left" if rules.max_players > 2 else "take turns"
    yield f"{span(rules.min_players, rules.max_players)} players {turns}."
    yield f"Each player starts with {dice(rules.dice)} and a cup, unless the match sets another number of dice."
    yield f"Every die has the faces 1 to {rules.faces}."
    yield "Who sits where and who opens the first round is drawn by lot."


def a_round(rules: Rules) -> Iterator[str]:
    """How a round goes."""
    yield "Everybody rolls all their dice under their cup and looks at nobody else's."
    yield "One player opens the round with a bid."
    yield "After that each player in turn raises the standing bid, which is the last one made, or calls it."
    if rules.end == "round":
        yield "A call ends the round and the game."
    else:
        yield "A call ends the round: dice are lost or gained, and everybody who still has dice rolls for a new one."
    if rules.end == "last":
        yield "A player without dice is out and has no more turns."


def wild_face(rules: Rules) -> Iterator[str]:
    """What counts for a bid."""
    if rules.wild is None:
        yield "A die counts only for the face it shows."
        return
    wild = face_name(rules.wild)
    yield f"{capital(wild)} are wild: {a(face_name(rules.wild, 1))} counts for a bid on any face."
    yield f"Only {wild} count for a bid on {wild}."


def bids(rules: Rules) -> Iterator[str]:
    """What a bid says, how a round opens, and how a bid is raised."""
    bid = usual(rules)
    count = f"count{'s' * (bid.quantity == 1)} for {face_name(bid.face)}"
    yield (
        f"A bid names a number of dice and a face. `{bid}`, {bid_name(bid)}, claims that of the dice under all cups "
        f"together at least {number(bid.quantity)} {count}."
    )
    yield opening(rules, PLAIN)
    if rules.cap == "dice":
        yield "A bid names at most as many dice as are in play, those of all players together."
    else:
        yield f"A bid names at most {dice(rules.cap)}, whether or not so many are in play."
    yield from raising(rules, PLAIN)
    yield "A player who cannot raise must call."


def calls(rules: Rules) -> Iterator[str]:
    """What holds for every call."""
    yield (
        "Only the player whose turn it is may call, and only when there is a bid to call. "
        "The *caller* calls; the *bidder* made the standing bid."
    )
    if rules.reveal == "all":
        yield "After a call everybody shows all their dice, and those that count for the bid are counted."
    else:
        yield "After a call everybody shows the dice that count for the bid, and only those; they are counted."
    if rules.end != "round":
        yield "If the player who should open the next round has no dice left, the next one clockwise with dice does."
    changes = [(one, change) for call in rules.calls for one in outcomes(call) for change in changed(one, rules)]
    if any(amount < -1 or (amount < 0 and one.per_die) for one, (_, amount) in changes):
        yield "Nobody loses more dice than they have."
    if any(amount > 0 for _, (_, amount) in changes):
        if rules.gain == "start":
            yield "Nobody gains dice beyond the number they started with."
        else:
            yield "There is no limit to the dice that a player may gain."


def one_call(call: CallRule, rules: Rules) -> Iterator[str]:
    """When a call may be made and what it does."""
    if call.min_players > 2:
        yield f"Only with {number(call.min_players)} or more players still in."
    if call.needs_lost_die:
        yield "Only for a player who has fewer dice than at the start."
    if rules.special and not call.in_special:
        yield "Not in a special round."
    short, exact, over = (result(one, found, rules) for found, one in enumerate(outcomes(call)))
    if short == exact == over:
        yield f"However many dice there are, {short}."
    elif exact == over:
        yield f"If there are fewer dice than were bid, {short}."
        yield f"If there are as many or more, {exact}."
    elif short == exact:
        yield f"If there are more dice than were bid, {over}."
        yield f"If there are as many or fewer, {exact}."
    else:
        yield f"If there are exactly as many dice as were bid, {exact}."
        yield from (
            [f"Otherwise, {short}."]
            if short == over
            else [f"If there are fewer, {short}.", f"If there are more, {over}."]
        )


def special(rules: Rules) -> Iterator[str]:
    """When a round is special, and what is then different."""
    if rules.special is None:
        return
    enough = f", if at least {number(least)} players are still in" if (least := rules.special.min_players) > 2 else ""
    yield (
        "When a player falls to one die for the first time in the game, the next round is a special one, often called "
        f"palifico{enough}."
    )
    if rules.wild:
        yield f"In a special round {face_name(rules.wild)} {'stay' if rules.special.wild else 'are not'} wild."
    yield opening(rules, SPECIAL)
    if rules.special.raising == rules.raising and (rules.special.wild or not rules.wild):
        yield "Bids are raised as in any other round."
    else:
        yield from raising(rules, SPECIAL)
    for call in rules.calls:
        if not call.in_special:
            yield f"`{call.name}` is not allowed in a special round."


def end(rules: Rules) -> Iterator[str]:
    """When the game is over, and who then stands where."""
    shared = ", ".join(map(str, (1, 2, 2, 4)[: rules.max_players]))
    share = f" Players who go out with the same call share a place ({shared})." if rules.max_players > 2 else ""
    if rules.end == "last":
        yield "The last player with dice wins."
        yield f"The others are placed by when they went out: the later, the better.{share}"
        return
    if rules.end == "round":
        yield "The game ends with the first call."
    else:
        yield "The game ends as soon as a player has no dice left."
    yield (
        "Players who still have dice come first: the fewer they have lost on balance since the start, the better. "
        "Those who have lost equally many share a place."
    )
    yield f"Players without dice come after them: the later they went out, the better.{share}"


def leaving(rules: Rules) -> Iterator[str]:
    """What happens when somebody goes."""
    yield "A player may resign at any time, in turn or not, and is out at once. Their dice are not shown."
    if rules.end == "first-out":
        yield "That ends the game; nobody else loses a die."
    elif rules.max_players == 2:
        yield "The other player has then won."
    else:
        yield (
            "The round ends with it: nobody else loses a die, and the standing bid dies. The next player clockwise who "
            "still has dice opens a new round. If only one player is left, they have won."
        )
    yield "What a late or illegal move costs is for the host of the match to say: nothing, a die, or the game."


def notation(rules: Rules) -> Iterator[str]:
    """What to write, to do it."""
    bid = usual(rules)
    yield f"`{bid}` bids {bid_name(bid)}: the number, an x, the face."
    for call in rules.calls:
        words = [f'"{flat(word)}"' for word in call.words if word != call.name]
        yield f"{join([f'`{call.name}`', *words], 'or')} makes that call."
    yield "`resign` leaves the game."
    yield "Capital letters and punctuation make no difference to a call."


# --- raising


def opening(rules: Rules, mode: int) -> str:
    """The bids that open a round."""
    least = raising_in(rules, mode)[2]
    barred = [f" but {face_name(face)}" for face in range(1, rules.faces + 1) if least[face] == NEVER]
    what = "special round" if mode == SPECIAL else "round"
    return f"A {what} opens with {dice(rules.opening)} or more of any face{''.join(barred)}."


def raising(rules: Rules, mode: int) -> Iterator[str]:
    """Every relation of a new face to the old one with its least number, and what that means for some bids."""
    words, wild, _ = raising_in(rules, mode)
    wilds, used = face_name(wild), relations(words, wild, rules.faces)
    lines = [f"on {ORDER[names]}: {LEAST[getattr(words, names[0])]}" for names in alike(words, used)]
    if "to_wild" in used:
        lines.append(f"but on {wilds} after another face: {LEAST[words.to_wild or words.same]}")
    if "from_wild" in used:
        lines.append(f"but on another face after {wilds}: {LEAST[words.from_wild or words.same]}")
    yield "\n  - ".join(["A raise names at least this many dice, or any greater number up to the limit:", *lines])
    moving = {words.lower, words.higher} != {Raise.BARRED}
    if wild and moving and not {"to_wild", "from_wild"} & used:
        yield f"In raising, {wilds} are a face like any other."
    yield from examples(rules, mode, {getattr(words, name) for name in used}, bool({"to_wild", "from_wild"} & used))


def relations(words: Raising, wild: int, faces: int) -> set[str]:
    """The words of `words` that decide about any two faces."""
    used = set()
    for old in range(1, faces + 1):
        for new in range(1, faces + 1):
            name = "same" if new == old else "higher" if new > old else "lower"
            if new == wild != old and words.to_wild:
                name = "to_wild"
            if old == wild != new and words.from_wild:
                name = "from_wild"
            used.add(name)
    return used


def alike(words: Raising, used: set[str]) -> Iterator[tuple[str, ...]]:
    """The relations by the order of faces, those with equal words together."""
    names = [name for name in ("same", "higher", "lower") if name in used]
    for word in dict.fromkeys(getattr(words, name) for name in names):
        yield tuple(name for name in names if getattr(words, name) == word)


def examples(rules: Rules, mode: int, words: set[Raise], on_wild: bool) -> Iterator[str]:
    """The least raises after a plain bid or two, and after a wild one where that differs."""
    wild = raising_in(rules, mode)[1]
    plain = min((face for face in range(1, rules.faces + 1) if face != wild), key=lambda face: abs(face - USUAL.face))
    standing = [least_raises(rules, mode, quantity, plain) for quantity in ((4, 5) if words & HALVING else (4,))]
    standing += [least_raises(rules, mode, 2, wild)] if on_wild else []
    for bid, raises in dict(standing).items():
        listed = [f"`{one}`" for one in raises]
        are = "the least raises are" if len(raises) > 1 else "the least raise is"
        yield f"After `{bid}` {are} {join(listed)}." if raises else f"After `{bid}` no raise is possible."


def least_raises(rules: Rules, mode: int, wanted: int, face: int) -> tuple[Bid, list[Bid]]:
    """A bid of so many dice, or fewer where the limit is lower, and the least raise on every face that has one."""
    charts, width, limit = draw_charts(rules), rules.faces + 1, most(rules)
    for quantity in range(min(wanted, limit), 0, -1):
        row = (mode * (charts.cap + 1) * width + quantity * width + face) * width
        floors = [Bid(charts.floor[row + new], new) for new in range(1, width)]
        raises = [bid for bid in floors if bid.quantity <= limit]
        if len(raises) == sum(bid.quantity < NEVER for bid in floors):
            break
    return Bid(quantity, face), raises


def most(rules: Rules) -> int:
    """The greatest quantity that a bid can have."""
    return rules.max_players * rules.dice if rules.cap == "dice" else rules.cap


def usual(rules: Rules) -> Bid:
    """A bid that can be made, as an example."""
    return Bid(min(USUAL.quantity, most(rules)), min(USUAL.face, rules.faces))


# --- what a call does


def outcomes(call: CallRule) -> tuple[Outcome, Outcome, Outcome]:
    """In the order of SHORT, MET and OVER."""
    return call.short, call.exact, call.over


def result(outcome: Outcome, found: int, rules: Rules) -> str:
    """What an outcome does, and who opens next."""
    each = " for each die that the bid was off" if outcome.per_die and found != MET else ""
    changes = changed(outcome, rules)
    done = [f"{who} gains {dice(by)}" if by > 0 else f"{who} loses {dice(-by)}{each}" for who, by in changes]
    what = " and ".join(done) or "nobody loses a die"
    if rules.end == "round":
        return what
    opener = STARTER[outcome.starts]
    again = [who for who, _ in changes] == [opener]
    return f"{what} and opens the next round" if again else f"{what}; {opener} opens the next round"


def changed(outcome: Outcome, rules: Rules) -> list[tuple[str, int]]:
    """Who gains or loses dice, and how many."""
    caller, bidder = outcome.caller, outcome.bidder
    others = outcome.others if rules.max_players > 2 else 0
    parts = [("the caller", caller), ("the bidder", bidder), ("everybody else", others)]
    if others and caller == bidder == others:
        parts = [("everybody", others)]
    elif others and bidder == others:
        parts = [("everybody but the caller", others), ("the caller", caller)]
    elif others and caller == others:
        parts = [("everybody but the bidder", others), ("the bidder", bidder)]
    return [(who, by) for who, by in parts if by]


# --- words


def section(title: str, sentences: Iterable[str], level: int = 2) -> str:
    """A heading and its list; empty when there is nothing to list."""
    lines = [f"- {sentence}" for sentence in sentences]
    return "\n".join([f"{'#' * level} {title}", "", *lines]) if lines else ""


def said(call: CallRule) -> str:
    """A call as people say it."""
    return flat(call.words[0] if call.words else call.name)


def dice(many: int) -> str:
    """`one die`, or `two dice`."""
    return f"{number(many)} {'die' if many == 1 else 'dice'}"


def span(least: int, most: int) -> str:
    """`2 to 6`, or `2`."""
    return f"{least} to {most}" if most > least else str(least)


def a(noun: str) -> str:
    """A noun with its article."""
    return f"an {noun}" if noun in ("eight", "eleven", "18") else f"a {noun}"


def join(words: list[str], joint: str = "and") -> str:
    """Words as a list in a sentence."""
    *most, last = words
    return f"{', '.join(most)} {joint} {last}" if most else last


def flat(text: str) -> str:
    """Text on one line: a line break in it would end the heading or the list that it stands in."""
    return " ".join(text.split())


def capital(text: str) -> str:
    """Text as a sentence starts."""
    return text[:1].upper() + text[1:]
