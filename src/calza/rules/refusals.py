"""A refusal as a sentence: what is wrong, and what would have been legal."""

from .actions import RESIGN, Action, Bid, Call, bid_name, face_name, seat_name
from .errors import Refusal
from .rules import Rules
from .state import State
from .view import Legal


def instead_of(action: object, legal: Legal) -> Action | None:
    """A legal action near `action`; None when nothing is legal any more."""
    if isinstance(action, Bid) and any(legal.least):
        bids = [Bid(least, face) for face, least in enumerate(legal.least) if least]
        same_face = [bid for bid in bids if bid.face == action.face]
        return (same_face or sorted(bids, key=lambda bid: (bid.quantity, bid.face)))[0]
    if legal.calls:
        return Call(legal.calls[0])
    return next((one for one in legal if isinstance(one, Bid)), RESIGN if legal.resign else None)


def explain(refusal: Refusal, action: object, seat: int, state: State, rules: Rules, instead: Action | None) -> str:
    """One sentence for whoever tried `action`."""
    why = reason(refusal, action, seat, state, rules)
    return f"{why}; {instead} is legal" if instead is not None else why


def reason(refusal: Refusal, action: object, seat: int, state: State, rules: Rules) -> str:
    """What is wrong with `action`."""
    match refusal:
        case Refusal.GAME_OVER:
            return "the game is over, nothing more can be played"
        case Refusal.OUT if not 0 <= seat < state.seats:
            return f"there is no seat {seat}: seats are 0 to {state.seats - 1}"
        case Refusal.OUT:
            return f"{seat_name(seat)} is out of the game and cannot play"
        case Refusal.NOT_YOUR_TURN:
            return f"it is the turn of {seat_name(state.turn)}, and {seat_name(seat)} may only resign"
        case Refusal.NOT_AN_ACTION:
            return f"{quoted(action)} is not an action: bids are two whole numbers (4x3), calls a name"
        case Refusal.NO_SUCH_CALL:
            return f"this game has no call {quoted(action)}"
        case Refusal.NOTHING_TO_CALL:
            return f"there is no bid yet for {action} to call"
        case Refusal.CALL_BARRED:
            return f"{action} is not allowed {barred_when(action, state, rules)}"
        case Refusal.NOTHING_LOST:
            return f"{action} asks for a die back, and none has been lost"
    assert isinstance(action, Bid)
    return bid_reason(refusal, action, state, rules)


def quoted(action: object) -> str:
    """The start of an action, whatever an agent has put into it."""
    return repr(str(action.name if isinstance(action, Call) else action)[:60])


def barred_when(action: object, state: State, rules: Rules) -> str:
    """When a call is barred, of the two things that can bar it."""
    rule = next(call for call in rules.calls if call.name == str(action))
    if state.playing < rule.min_players:
        return f"with fewer than {rule.min_players} players"
    return "in a special round"


def bid_reason(refusal: Refusal, bid: Bid, state: State, rules: Rules) -> str:
    """What is wrong with a bid."""
    after = f"after {bid_name(Bid(state.quantity, state.face))}" if state.quantity else "to open a round"
    match refusal:
        case Refusal.NO_SUCH_FACE:
            return f"dice have faces 1 to {rules.faces}"
        case Refusal.FACE_BARRED:
            return f"{bid} is barred: no bid on {face_name(bid.face)} is legal {after}"
        case Refusal.TOO_MANY:
            what = "there are only that many dice in play" if rules.cap == "dice" else "the rules allow no more"
            return f"{bid} is too many: a bid names at most {state.most} dice, {what}"
    return f"{bid} is too low {after}"
