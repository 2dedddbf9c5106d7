"""What one reader may know of a match, as it travels. A view is made from the public state and one cup."""

from functools import lru_cache

from msgspec import UNSET, Struct

from calza.rules import CATALOG
from calza.rules.charts import SPECIAL
from calza.rules.events import Called, DiceChanged, shown_of
from calza.rules.table import Table as Laid
from calza.rules.view import Legal
from calza.show.words import Cast, tell

from .clock import iso
from .live import Live
from .messages import (
    BidHeard,
    BidSeen,
    Change,
    Encouragement,
    GameOver,
    LegalActions,
    Loss,
    Opponent,
    Outcome,
    PlayerLine,
    Reveal,
    Said,
    State,
    Table,
    View,
)
from .names import shown

TALK = 10  # lines of table talk that a view holds
EXACT = "exact"


class Round(Struct, frozen=True):
    """What views say that stays the same for a whole round. Everybody may know it: no cup is in it."""

    players: tuple[PlayerLine, ...]
    opponents: tuple[tuple[Opponent, ...], ...]  # [seat]: as it sees them; the last as a spectator does
    dice: tuple[int, ...]
    start: tuple[int, ...]
    special: bool
    used: tuple[int, ...]
    reveal: Reveal | None  # how the round before ended


def state_of(live: Live, seat: int) -> State:
    """Where a match stands for the player at `seat`."""
    status = "your_turn" if acts(live, seat) else "waiting" if live.started else "not_started"
    view = view_of(live, seat)
    match, ends = live.match, view.turn_ends_at or UNSET
    return State(
        status=status, match_id=match.id, game_id=match.game, sequence=live.sequence, view=view, turn_ends_at=ends
    )


def acts(live: Live, seat: int) -> bool:
    """Whether `seat` is to act now."""
    return seat >= 0 and live.game.turn == seat and live.started and not live.finished


def ends_of(live: Live) -> str | None:
    """When the turn to act ends; None where nobody is to act."""
    due = live.due_ms
    return iso(due) if due is not None and not live.game.over and not live.finished else None


def view_of(live: Live, seat: int) -> View:
    """What `seat` sees; seat -1 sees what everybody may."""
    game, told = live.game, round_of(live)
    s, mine, turn = game.state, acts(live, seat), live.to_act()
    return View(
        you=live.rows[seat].agent if seat >= 0 else "",
        my_dice=shown_of(game.hands[seat], ()) if seat >= 0 and s.dice[seat] else (),
        opponents=told.opponents[seat],
        current_bid=standing(live),
        recent_bids=tuple(recent(live, seat)),
        total_dice_in_play=s.total,
        round=s.round,
        is_your_turn=mine,
        current_player=turn.agent if turn else None,
        legal_actions=spelt(game.table, game.legal(seat)) if mine else None,
        last_reveal=told.reveal,
        players=told.players,
        talk=talk(live) if live.talk else (),
        turn_ends_at=ends_of(live),
        table=Table(
            seat=seat, dice=told.dice, start=told.start, special=told.special, used=told.used, bids=tuple(live.said),
            turn=game.turn, round=s.round,
        ),
    )  # fmt: skip


def round_of(live: Live) -> Round:
    """What is said of this round, made once."""
    if live.told is None:
        live.told = made_round(live)
    told: Round = live.told
    return told


def made_round(live: Live) -> Round:
    """The same, made."""
    s, rows, n = live.game.state, live.rows, len(live.rows)
    in_play = [Opponent(id=row.agent, dice_count=s.dice[row.seat]) if s.dice[row.seat] else None for row in rows]
    clockwise = [[in_play[(seat + step) % n] for step in range(1, n)] for seat in range(n)]
    return Round(
        players=tuple(
            PlayerLine(id=row.agent, name=shown(row.name), dice_count=s.dice[row.seat], house=bool(row.house))
            for row in rows
        ),
        opponents=tuple(tuple(one for one in others if one) for others in [*clockwise, in_play]),
        dice=tuple(s.dice),
        start=tuple(s.start),
        special=s.mode == SPECIAL,
        used=tuple(one for one, used in enumerate(s.used) if used),
        reveal=None if live.ended is None else reveal(live, *live.ended),
    )


def standing(live: Live) -> BidSeen | None:
    """The standing bid."""
    s = live.game.state
    if not s.quantity or live.game.over:
        return None
    return BidSeen(player_id=live.rows[s.bidder].agent, quantity=s.quantity, face_value=s.face)


def recent(live: Live, seat: int) -> list[BidHeard]:
    """Others' bids since the last turn of `seat`, oldest first; to spectators those of this round."""
    own = live.last[seat] if seat >= 0 else -1
    heard = []
    for one in reversed(live.bids):
        if one.sequence <= own or (seat < 0 and one.bid.round < live.game.state.round):
            break
        heard.append(one.bid)
    return heard[::-1]


@lru_cache(maxsize=1 << 12)
def spelt(table: Laid, may: Legal) -> LegalActions:
    """What may be done, short; the same after the same bid, whatever the match."""
    names = {call: word for call, word in call_words(table).items() if call in may.calls}
    types = dict.fromkeys(["bid"] * bool(may.bids) + list(names.values()) + ["resign"])
    least = {str(face): one for face, one in enumerate(may.least) if face}
    return LegalActions(least=least, most=may.most, types=tuple(types))


def call_words(table: Laid) -> dict[str, str]:
    """The type of action by which each call of the rules travels: the first is the liar call, the others exact ones."""
    first, *others = table.names
    return {first: "challenge", **dict.fromkeys(others, EXACT)}


def reveal(live: Live, round_: int, sequence: int) -> Reveal:
    """How a round ended with an action."""
    done, events = live.done[sequence], live.events[sequence]
    ids = [row.agent for row in live.rows]
    first = events[0]
    called = first if isinstance(first, Called) else None
    shown = called.shown if called else ()
    return Reveal(
        round=round_,
        by=ids[done.seat],
        action=done.text,
        bid=BidSeen(player_id=ids[called.bidder], quantity=called.quantity, face_value=called.face) if called else None,
        count=called.count if called else None,
        shown={ids[seat]: dice for seat, dice in enumerate(shown) if dice},
        changes=tuple(
            Loss(player_id=ids[one.seat], change=one.change, left=one.left)
            for one in events
            if isinstance(one, DiceChanged)
        ),
        text=" ".join(tell(events[:-1], cast(live), live.game.table.rules)),
    )


def cast(live: Live) -> Cast:
    """The players by name."""
    return Cast(tuple(shown(row.name) for row in live.rows))


def talk(live: Live) -> tuple[Said, ...]:
    """What was said last at the table."""
    return tuple(Said(from_=live.rows[one.seat].agent, text=one.say or "") for one in live.talk[-TALK:])


# --- the end


def game_over(live: Live, seat: int, base: str) -> GameOver:
    """The end of a match for the player at `seat`; `base` is the address of the arena."""
    match, own = live.match, live.rows[seat]
    return GameOver(
        match_id=match.id,
        game_id=match.game,
        sequence=live.sequence,
        reason=match.reason or "completed",
        results=results(live),
        rating=Change(before=round(own.before.ordinal, 2), after=round(own.after.ordinal, 2))
        if own.before and own.after
        else None,
        suggestions=tuple(name for name in PLAYED if name != match.game)[:3],
        share_text=f"{own.name} {WORDS[own.outcome or 'draw']} a match of {live.game.table.rules.shown} on Calza",
        replay_url=f"{base}/matches/{match.id}",
        replay_markdown_url=f"{base}/api/matches/{match.id}/replay.md",
        messaging=Encouragement(encouragement=KIND[own.outcome or "draw"]),
        view=view_of(live, seat),
    )


PLAYED = tuple(name for name, rules in CATALOG.items() if rules.end == "last")  # those played to the end
WORDS = {"win": "won", "loss": "lost", "draw": "drew"}
KIND = {
    "win": "Well played.",
    "loss": "Your replay shows every cup: the next one is yours.",
    "draw": "Nobody lost this one.",
}


def results(live: Live) -> tuple[Outcome, ...]:
    """What the match came to, best first."""
    rows = sorted(live.rows, key=lambda row: (row.place or 0, row.seat))
    return tuple(
        Outcome(agent_id=row.agent, outcome=row.outcome or "draw", place=row.place or 1, dice_left=row.dice_left or 0)
        for row in rows
    )
