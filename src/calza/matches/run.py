"""Playing a game to its end with one function a seat: the loop that tournaments spend their time in."""

from collections.abc import Callable, Sequence

from calza.rules import Action, Game, View

Act = Callable[[View], Action | str]

LIMIT = 10_000  # actions; rules that give dice back let stubborn players go on for ever


def run(game: Game, acts: Sequence[Act], limit: int = LIMIT) -> bool:
    """Let `acts[seat]` play each seat to the end; False when `limit` actions were not enough.

    What an act raises, and an IllegalAction for what it returns, reaches the caller.
    """
    state, view, step = game.state, game.view, game.step
    for _ in range(limit - game.sequence):
        if state.over:
            return True
        seat = state.turn
        step(acts[seat](view(seat)))
    return game.over
