"""Numbers and times as people read them."""

from datetime import UTC, datetime

from markupsafe import Markup

from calza.arena.clock import iso

NONE = "N/A"


def number(value: float) -> str:
    """`12,345`."""
    return f"{value:,.0f}"


def share(value: float | None) -> str:
    """A share of all: `41%`."""
    return NONE if value is None else f"{value * 100:.0f}%"


def rating(value: float) -> str:
    """A rating, with a minus that is as wide as a plus."""
    return f"{value:.1f}".replace("-", "−")


def duration(ms: float | None) -> str:
    """How long: `1.4 s`, `12 min`."""
    if ms is None:
        return NONE
    seconds = ms / 1000
    if seconds < 1:
        return f"{ms:.0f} ms"
    if seconds < 60:
        return f"{seconds:.3g} s"
    return f"{seconds / 60:.3g} min" if seconds < 5400 else f"{seconds / 3600:.3g} h"


def money(dollars: float) -> str:
    """Dollars, with as many places as they need."""
    return f"${dollars:,.2f}" if dollars >= 0.1 or not dollars else f"${dollars:.2g}"


def when(ms: int) -> Markup:
    """A time, for people and programs."""
    at = datetime.fromtimestamp(ms / 1000, UTC)
    return Markup('<time datetime="{}">{} UTC</time>').format(iso(ms), f"{at.day} {at:%b %Y, %H:%M}")


def day(ms: int) -> Markup:
    """A day, for people and programs."""
    at = datetime.fromtimestamp(ms / 1000, UTC)
    return Markup('<time datetime="{}">{}</time>').format(f"{at:%Y-%m-%d}", f"{at.day} {at:%B %Y}")


def short(text: str) -> str:
    """The start of an id or a hash, where all of it says no more."""
    return text[:8]
