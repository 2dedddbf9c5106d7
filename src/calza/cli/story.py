"""What happened, told on a screen: sentences, the cups when they are lifted, and a line across for every new round."""

from collections.abc import Iterable

from calza.rules import Event, View
from calza.rules.events import Called, GameOver, RoundBegan
from calza.show import Cast, tell, told

from .cups import reveal
from .screen import Screen
from .table import heading


def narrate(events: Iterable[Event], before: View, after: View, cast: Cast, screen: Screen) -> None:
    """Everything that one action did, between two views of the table."""
    for event, sentences in told(events, cast, after.rules):
        if isinstance(event, RoundBegan):
            screen.gap()
            screen.rule(heading(after))
        if isinstance(event, GameOver):
            screen.gap()
            screen.say(sentences[0], "bold")
            continue
        if isinstance(event, Called):
            wild = before.charts.wild[before.mode]
            screen.say(sentences[0])
            screen.gap()
            screen.show(reveal(event, before.dice, wild, cast, screen))
            screen.gap()
            sentences = sentences[1:]
        for sentence in sentences:
            screen.say(sentence)


def narrate_shortly(events: Iterable[Event], after: View, cast: Cast, screen: Screen) -> None:
    """Only what ends a round, in one paragraph, and the end of the game."""
    happened = list(events)
    kept = [event for event in happened if not isinstance(event, RoundBegan | GameOver)]
    if len(happened) > 1:
        screen.say(" ".join(tell(kept, cast, after.rules)))
    if isinstance(happened[-1], GameOver):
        narrate(happened[-1:], after, after, cast, screen)
