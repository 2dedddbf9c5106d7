"""Events as sentences for people: the one place where a match speaks English.

A sentence is plain text, for a terminal, a page or a report; its own words are ASCII. One seat may be spoken to as
"you", so that whoever plays it reads about themselves.
"""

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from calza.rules import CallRule, Event, Raise, Record, Rules
from calza.rules.actions import Bid, bid_name, face_name, number, seat_name
from calza.rules.describe import capital, dice, join, said
from calza.rules.events import BidMade, Called, DiceChanged, Forfeited, GameOver, Out, Penalized, RoundBegan
from calza.rules.read import printable

ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth"
).split()
FAULTS = {  # why a host rules on a seat
    "timeout": ("ran out of time", "ran out of time"),
    "illegal": ("played an illegal action", "played an illegal action"),
    "crash": ("stopped working", "stopped working"),
    "malformed": ("gave an answer that nobody can read", "gave an answer that nobody can read"),
    "benched": ("sits out after too many failures", "sit out after too many failures"),
    "resign": ("resigns", "resign"),
}


class Cast(Struct, frozen=True):
    """Whom sentences are about: the name of every seat, and the seat that is spoken to, if one is."""

    names: tuple[str, ...]
    you: int = -1

    def of(self, *seats: int) -> str:
        """The seats as they stand in a sentence."""
        # Whoever is spoken to comes last: "Ann and you".
        others = [self.names[seat] for seat in seats if seat != self.you]
        return join([*others, *(["you"] * (self.you in seats))])

    def whose(self, seat: int) -> str:
        """`Ann's`, or `your`."""
        return "your" if seat == self.you else f"{self.names[seat]}'s"

    def verb(self, seats: Sequence[int], one: str, many: str) -> str:
        """The form of a verb that fits the seats; "you" takes that of many."""
        return one if len(seats) == 1 and seats[0] != self.you else many

    def does(self, seats: Sequence[int], one: str, many: str) -> str:
        """The seats and what they do."""
        return f"{self.of(*seats)} {self.verb(seats, one, many)}"


def cast_of(record: Record, you: int = -1) -> Cast:
    """The names of a record by seat. They are made printable, and a seat without one goes by its letter."""
    seats = len(record.setup.dice) if record.setup else len(record.players)
    order = record.seats if len(record.seats) == seats else range(seats)
    named = [record.players[player].name if player < len(record.players) else "" for player in order]
    return Cast(tuple(printable(name.strip()) or seat_name(seat) for seat, name in enumerate(named)), you)


def tell(events: Iterable[Event], cast: Cast, rules: Rules) -> list[str]:
    """What happened, a sentence or two for each thing that people would say at the table."""
    return [sentence for _, sentences in told(events, cast, rules) for sentence in sentences]


def told(events: Iterable[Event], cast: Cast, rules: Rules) -> Iterator[tuple[Event, list[str]]]:
    """Each thing that happened with its sentences, for whoever draws between them; a call has two."""
    waiting = list(events)
    while waiting:
        first = waiting.pop(0)
        changes = take(waiting, DiceChanged) if isinstance(first, Called | Penalized) else []
        more = take(waiting, Out) if isinstance(first, Out | Forfeited) else []
        yield first, [address(one) for one in sentences(first, changes, more, cast, rules)]


def take(waiting: list[Event], kind: type[DiceChanged] | type[Out]) -> list[Event]:
    """The events of a kind that come next, taken off."""
    taken = []
    while waiting and isinstance(waiting[0], kind):
        taken.append(waiting.pop(0))
    return taken


def address(sentence: str) -> str:
    """A sentence with its "you" in front as a capital; a name in front stays as it is written."""
    return capital(sentence) if sentence.startswith(("you ", "your ")) else sentence


def sentences(event: Event, changes: Sequence[Event], more: Sequence[Event], cast: Cast, rules: Rules) -> Iterator[str]:
    """One thing that happened, with what followed from it."""
    match event:
        case RoundBegan(round=round, seat=seat, special=special):
            yield f"{cast.does([seat], 'opens', 'open')} round {round}.{explained(rules) if special else ''}"
        case BidMade(seat=seat, quantity=quantity, face=face):
            yield f"{cast.does([seat], 'bids', 'bid')} {bid_name(Bid(quantity, face))}."
        case Called():
            yield spoken(event, cast, rules)
            yield f"{counted(event, rules)}: {verdict(event, changes, cast, rules)}."
        case DiceChanged(seat=seat):
            yield f"{cast.of(seat)} {changed([event], cast)}."
        case Forfeited(seat=seat, reason=reason):
            yield f"{fault(seat, reason, cast)} and {cast.verb([seat], 'is', 'are')} out."
        case Penalized(seat=seat, reason=reason):
            yield f"{fault(seat, reason, cast)}{''.join(f' and {changed([one], cast)}' for one in changes)}."
        case Out(seat=seat):
            seats = [seat, *(other.seat for other in more if isinstance(other, Out))]
            yield f"{cast.does(seats, 'is', 'are')} out."
        case GameOver(places=places):
            yield f"The game is over: {join(list(ranking(places, cast)))}."


def explained(rules: Rules) -> str:
    """What is different in a special round, as more sentences."""
    special = rules.special
    if not special:
        return ""
    told = []
    if rules.wild and not special.wild:
        told.append(f"{face_name(rules.wild)} are not wild")
    if special.raising.lower == special.raising.higher == Raise.BARRED:
        told.append("only the number may be raised")
    elif special.raising != rules.raising:
        told.append("other raises are legal")
    what = f": {join(told)}" if told else ""
    return f" It is a special round, since a player has fallen to one die{what}."


def fault(seat: int, reason: str, cast: Cast) -> str:
    """Who left or was punished, and why."""
    if reason in FAULTS:
        return cast.does([seat], *FAULTS[reason])
    return f"{cast.does([seat], 'is', 'are')} ruled against ({reason})"


def spoken(event: Called, cast: Cast, rules: Rules) -> str:
    """Who said what to which bid."""
    says = cast.does([event.seat], "says", "say")
    bid = bid_name(Bid(event.quantity, event.face))
    return f'{says} "{printable(said(rule_of(event, rules)))}" to {cast.whose(event.bidder)} {bid}.'


def rule_of(event: Called, rules: Rules) -> CallRule:
    """The call that was made."""
    return next(call for call in rules.calls if call.name == event.call)


def counted(event: Called, rules: Rules) -> str:
    """How many dice there are, against the bid."""
    there = f"here {'is' if event.count == 1 else 'are'} {number(event.count)} {face_name(event.face, event.count)}"
    # Whoever looks at the cups sees fewer of that face when wild ones have helped.
    helped = rules.wild and event.count > sum(cup.count(event.face) for cup in event.shown)
    there = f"With the {face_name(rules.wild)} t{there}" if rules.wild and helped else f"T{there}"
    off = event.count - event.quantity
    if not off:
        return f"{there}, exactly as bid"
    return f"{there}, {number(abs(off))} {'more' if off > 0 else 'fewer'} than bid"


def verdict(event: Called, changes: Sequence[Event], cast: Cast, rules: Rules) -> str:
    """Who was right, and what it costs or wins."""
    subject, why = judged(event, cast, rules)
    effects = [one for one in changes if isinstance(one, DiceChanged)]
    own = [one for one in effects if one.seat == subject]
    others = [one for one in effects if one.seat != subject]
    if own:
        why += f" and {changed(own, cast)}"
    if clauses := list(grouped(others, cast)):
        why += f", and {join(clauses)}"
    return why if effects else f"{why}{unchanged(event, rules)}"


def judged(event: Called, cast: Cast, rules: Rules) -> tuple[int, str]:
    """Whom the judgement is about, and the judgement."""
    rule, caller, bidder = rule_of(event, rules), event.seat, event.bidder
    short = event.count < event.quantity
    outcome = rule.short if short else rule.exact if event.count == event.quantity else rule.over
    if outcome.caller >= 0:
        if short and outcome.bidder < 0:
            return bidder, f"{cast.of(bidder)} lied"
        return caller, f"{cast.does([caller], 'is', 'are')} right"
    if not short and rule.short.caller >= 0:  # the call said that the bid was a lie
        return bidder, f"{cast.whose(bidder)} bid holds"
    return caller, f"{cast.does([caller], 'is', 'are')} wrong"


def unchanged(event: Called, rules: Rules) -> str:
    """Why a call neither cost nor won a die."""
    rule = rule_of(event, rules)
    if event.count == event.quantity and rule.exact.caller > 0:
        return ", but has as many dice as at the start"
    return ", and nobody loses a die"


def grouped(effects: Iterable[DiceChanged], cast: Cast) -> Iterator[str]:
    """Who gains or loses, those with the same change together."""
    kept = list(effects)
    for change in dict.fromkeys(one.change for one in kept):
        alike = [one for one in kept if one.change == change]
        yield f"{cast.of(*(one.seat for one in alike))} {changed(alike, cast)}"


def changed(alike: Sequence[Event], cast: Cast) -> str:
    """`loses a die`, for seats with the same change."""
    effects = [one for one in alike if isinstance(one, DiceChanged)]
    change, seats = effects[0].change, [one.seat for one in effects]
    verb = cast.verb(seats, "gains", "gain") if change > 0 else cast.verb(seats, "loses", "lose")
    if len(seats) > 1:
        return f"{verb} {a(change)} each"
    return f"{verb} {a(change) if effects[0].left else last(change)}"


def a(change: int) -> str:
    """`a die`, or `two dice`."""
    return "a die" if abs(change) == 1 else dice(abs(change))


def last(change: int) -> str:
    """`the last die`, or `the last two dice`."""
    return "the last die" if change == -1 else f"the last {dice(-change)}"


def ranking(places: Sequence[int], cast: Cast) -> Iterator[str]:
    """Every place with who has it."""
    for place in sorted(set(places)):
        seats = [seat for seat, one in enumerate(places) if one == place]
        if place == 1 and len(seats) == 1:
            yield cast.does(seats, "wins", "win")
        elif len(seats) == 1:
            yield f"{cast.does(seats, 'is', 'are')} {ORDINALS[place - 1]}"
        else:
            yield f"{cast.does(seats, 'shares', 'share')} {ORDINALS[place - 1]} place"
