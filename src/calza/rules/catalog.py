"""The variants that come with Calza. A new one is a new value here and a page in docs/rules."""

from msgspec.structs import replace

from .rules import CallRule, Outcome, Raise, Raising, Rules, Special, Starter

# What one outcome of a call does. "Left" is the next seat clockwise.
CALLER_LOSES = Outcome(caller=-1)
BIDDER_LOSES = Outcome(bidder=-1, starts=Starter.BIDDER)
CALLER_LOSES_LEFT = Outcome(caller=-1, starts=Starter.LEFT_OF_CALLER)
BIDDER_LOSES_LEFT = Outcome(bidder=-1, starts=Starter.LEFT_OF_BIDDER)


def liar(*words: str) -> CallRule:
    """The usual liar call: whoever was wrong loses a die and opens the next round."""
    return CallRule(name="liar", words=words, short=BIDDER_LOSES, exact=CALLER_LOSES, over=CALLER_LOSES)


def exact(right: Outcome, *words: str, wrong: Outcome = CALLER_LOSES) -> CallRule:
    """An exact call: `right` when the bid is met to the die, else the caller loses one."""
    return CallRule(name="exact", words=words, short=wrong, exact=right, over=wrong)


LIAR = liar("liar")
BLUFF = CallRule(
    name="liar",
    words=("bluff",),
    short=Outcome(bidder=-1, starts=Starter.CALLER),
    exact=CALLER_LOSES,
    over=CALLER_LOSES,
)
LIAR_LEFT = CallRule(
    name="liar", words=("liar",), short=BIDDER_LOSES_LEFT, exact=CALLER_LOSES_LEFT, over=CALLER_LOSES_LEFT
)
EXACTLY_OTHERS_LOSE = exact(Outcome(bidder=-1, others=-1), "exact")
EXACTLY_WINS_A_DIE = exact(Outcome(caller=+1), "exactly")
LOSE_TWO = exact(
    Outcome(bidder=-2, starts=Starter.LEFT_OF_BIDDER), "spot on, lose two", "spot on", wrong=CALLER_LOSES_LEFT
)
GAIN_ONE = CallRule(
    name="exact-gain",
    words=("spot on, gain one",),
    short=CALLER_LOSES_LEFT,
    exact=Outcome(caller=+1, starts=Starter.LEFT_OF_BIDDER),
    over=CALLER_LOSES_LEFT,
    needs_lost_die=True,
)
CALZA = replace(exact(Outcome(caller=+1), "calza"), min_players=3, in_special=False)
BY_THE_DIFFERENCE = CallRule(
    name="liar",
    words=("liar",),
    short=Outcome(bidder=-1, per_die=True, starts=Starter.BIDDER),
    exact=CALLER_LOSES,
    over=Outcome(caller=-1, per_die=True),
)

HALF_AND_DOUBLE = Raising(to_wild=Raise.HALF, from_wild=Raise.DOUBLE_PLUS_ONE)

LIARS_DICE = Rules(
    name="liars-dice",
    title="Liar's Dice",
    about="Ones are wild and bid at half; the loser of a challenge loses a die and opens.",
    max_players=6,
    wild=1,
    raising=HALF_AND_DOUBLE,
    cap=30,
    calls=(liar("challenge"),),
    notes=(
        "A bid may name more dice than are in play, up to 30: it is legal, and false.",
        "From ones to ones a bid needs more dice.",
        "A round may open on ones.",
    ),
)
EXACT = Rules(
    name="exact",
    title="Liar's Dice with Exact",
    about="No wild face; a right exact call costs everybody else a die.",
    cap="dice",
    calls=(BLUFF, EXACTLY_OTHERS_LOSE),
    reveal="matching",
    notes=(
        "A bid may not name more dice than are in play: a higher one is certainly false, and the limit keeps rounds "
        "finite.",
        "A right exact call may take the last die of everybody else at once; the caller has then won.",
    ),
)
JOKER = Rules(
    name="joker",
    title="Joker",
    about='Ones are jokers; a right "exactly" wins a die, without a limit.',
    wild=1,
    raising=Raising(lower=Raise.BARRED, to_wild=Raise.HALF, from_wild=Raise.DOUBLE_PLUS_ONE),
    calls=(liar("liar"), EXACTLY_WINS_A_DIE),
    gain="none",
    notes=(
        "A raise lets neither number nor face go down, apart from the two rules for ones, taken literally; the game's "
        "public server is laxer (a lower number with a higher face) and refuses 3x1 to 7x4 against its own examples.",
        "Half and double plus one are the least numbers; any higher number is legal too.",
        'The loser opens the next round; after a right "exactly" the caller does.',
        "Nobody limits the bids; they are numbers from 1 to 255.",
    ),
)
SPOT_ON = Rules(
    name="spot-on",
    title="Spot On",
    about='Sixes are wild and worth double; a right "spot on" takes two dice or wins one back.',
    wild=6,
    raising=Raising(higher=Raise.MORE, to_wild=Raise.OVER_HALF, from_wild=Raise.DOUBLE_PLUS_ONE),
    calls=(LIAR_LEFT, LOSE_TWO, GAIN_ONE),
    notes=(
        "Sixes are worth double when bidding: after two sixes the next plain bid needs five. The source's own example "
        "says seven, which is right after three sixes and contradicts its rule; the rule decides.",
        'The choice travels with the call: "spot on" alone means that the bidder loses two.',
        "A player with one die who should lose two loses that one.",
        "Only a player who has lost a die may ask for one back.",
        'When a "spot on" is right the bidder is the loser.',
    ),
)
PERUDO = Rules(
    name="perudo",
    title="Perudo",
    about="Ones are wild but may not open; calza wins a die back; palifico rounds.",
    wild=1,
    raising=HALF_AND_DOUBLE,
    open_on_wild=False,
    cap="dice",
    calls=(liar("dudo"), CALZA),
    special=Special(),
    notes=(
        "Calza belongs to the player whose turn it is, needs three players or more, and is barred in a palifico round.",
        "In a palifico round ones are not wild, any face may open, and only the number may be raised.",
        "With two players left there is no palifico round. A player has one in a match.",
        "Calza never leads to more dice than at the start.",
    ),
)
DUDO = Rules(
    name="dudo",
    title="Dudo",
    about="Perudo without calza: ones are wild but may not open; palifico rounds.",
    wild=1,
    raising=HALF_AND_DOUBLE,
    open_on_wild=False,
    cap="dice",
    calls=(liar("dudo"),),
    special=Special(),
    notes=(
        "In a palifico round ones are not wild, any face may open, and only the number may be raised.",
        "With two players left there is no palifico round. A player has one in a match.",
    ),
)
DIFFERENCE = Rules(
    name="difference",
    title="Difference",
    about="Whoever was wrong loses as many dice as the bid was off.",
    wild=1,
    raising=HALF_AND_DOUBLE,
    cap="dice",
    calls=(BY_THE_DIFFERENCE,),
    notes=(
        "A bid that was exactly right is off by nothing; its caller loses one die, so that every call costs a die.",
        "Nobody loses more dice than the cup holds.",
    ),
)
TEXTARENA = Rules(
    name="textarena",
    title="TextArena Liar's Dice",
    about="No wild face; neither number nor face may go down.",
    raising=Raising(lower=Raise.BARRED),
    calls=(LIAR,),
    notes=("Nobody limits the bids; they are numbers from 1 to 255.",),
)
RESEARCH = "One round between two players; the dice of a seat are set with the match (1 against 2, say)."
OPENSPIEL = Rules(
    name="openspiel",
    title="OpenSpiel Liar's Dice",
    about="One round for research: the highest face is wild; as many of a higher face, or more.",
    max_players=2,
    dice=1,
    wild=6,
    cap="dice",
    calls=(LIAR,),
    end="round",
    notes=(RESEARCH, "Who opens is drawn; in OpenSpiel the first player does."),
)
OPENSPIEL_RESET_QUANTITY = Rules(
    name="openspiel-reset-quantity",
    title="OpenSpiel Liar's Dice, reset quantity",
    about="One round for research: the highest face is wild; any number of a higher face, or more of the same.",
    max_players=2,
    dice=1,
    wild=6,
    raising=Raising(lower=Raise.BARRED, higher=Raise.ANY),
    cap="dice",
    calls=(LIAR,),
    end="round",
    notes=(RESEARCH, "Who opens is drawn; in OpenSpiel the first player does."),
)
SNYD = Rules(
    name="snyd",
    title="Snyd",
    about="One round for research: ones are wild, bids in strict order of number, then face.",
    max_players=2,
    wild=1,
    cap="dice",
    calls=(LIAR,),
    end="round",
    notes=(RESEARCH, "Ones are the lowest face; a bid on ones counts only ones."),
)

CATALOG: dict[str, Rules] = {
    rules.name: rules
    for rules in (
        LIARS_DICE,
        EXACT,
        JOKER,
        SPOT_ON,
        PERUDO,
        DUDO,
        DIFFERENCE,
        TEXTARENA,
        OPENSPIEL,
        OPENSPIEL_RESET_QUANTITY,
        SNYD,
    )
}
