"""What happens to a bot online, as lines: sentences for a person, JSON for a program."""

import click
import msgspec

from calza.client.events import (
    Away,
    Back,
    Dropped,
    Ended,
    Event,
    Failed,
    Fallback,
    Known,
    Matched,
    Queued,
    Registered,
    Stopping,
)

SHORT = 8  # letters of a match's id that are shown
WORDS = {"win": "won", "loss": "lost", "draw": "drawn"}
REASONS = {"resigned": "by resignation", "timeout": "by time-out", "aborted": "the match was aborted"}


class Told:
    """Prints every happening; what went wrong goes to standard error."""

    def __init__(self, as_json: bool) -> None:
        self.as_json = as_json

    def __call__(self, event: Event) -> None:
        if self.as_json:
            click.echo(msgspec.json.encode(event).decode())
        else:
            click.echo(printable(words(event)), err=isinstance(event, Failed | Dropped | Away | Fallback))


def words(event: Event) -> str:
    """A happening as a person reads it."""
    match event:
        case Registered(claim_url=url):
            claim = f"\nto claim it as yours: {url} (code {event.verification_code})" if url else ""
            return f"registered as {event.name} at {event.server}, key in {event.kept}{claim}"
        case Known(name=name, server=server):
            return f"connected as {name} to {server}"
        case Queued(game=game, position=position):
            return f"queued for {game}" + (f" (position {position})" if position else "")
        case Matched(match=match, against=against):
            return f"match {match[:SHORT]} against {', '.join(against)}"
        case Ended():
            return ended(event)
        case Failed():
            detail = "".join(f"\n  | {line}" for line in event.detail.rstrip().splitlines())
            return f"{event.kind}: {event.why}; {event.then}{detail}"
        case Dropped(match=match, why=why):
            return f"match {match[:SHORT]} cannot be played: {why}"
        case Away(why=why):
            return f"{why}; trying again"
        case Back():
            return "connected again"
        case Fallback(why=why):
            return f"no socket ({why}); playing over HTTP"
        case Stopping(match=str(match)):
            return f"finishing match {match[:SHORT]}, then stopping; Ctrl-C again to go at once"
    return "stopping"


def ended(event: Ended) -> str:
    """How a match ended for the bot."""
    parts = [WORDS.get(event.outcome, "ended")]
    if event.players > 2:
        parts.append(f"place {event.place} of {event.players}")
    if reason := REASONS.get(event.reason):
        parts.append(reason)
    if event.before is not None and event.after is not None:
        parts.append(f"rating {event.before:.1f} -> {event.after:.1f}")
    return ", ".join(parts)


def printable(text: str) -> str:
    """Text without signs that would do something to a terminal: some of it is the arena's."""
    return "".join(sign if sign.isprintable() or sign == "\n" else "?" for sign in text)
