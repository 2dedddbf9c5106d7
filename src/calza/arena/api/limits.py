"""How much may be asked: buckets of tokens per key, per address, and for registering.

A bucket is kept as one number, the time at which it would be full again (the generic cell rate algorithm): a refused
request takes nothing, so one that is repeated after the time it was told is let through.
"""

import ipaddress

from calza.arena.clock import Clock
from calza.arena.errors import ArenaError
from calza.arena.settings import Settings

MANY = 50_000  # buckets that are kept before the full ones are thrown away


class Buckets:
    """One bucket for everybody: `many` tokens, which fill up again in `span_ms`."""

    def __init__(self, many: int, span_ms: int) -> None:
        self.span, self.drop = span_ms, span_ms / many  # milliseconds until full, and for one token
        self.full: dict[str, float] = {}  # by whom: when the bucket is full again

    def take(self, who: str, now_ms: int) -> int:
        """Take a token; returns the milliseconds to wait for one, 0 if there was one."""
        full = max(self.full.get(who, 0.0), now_ms) + self.drop
        wait = full - now_ms - self.span
        if wait > 0.01:  # sums of floats of this size are off by less
            return int(wait) + 1
        if len(self.full) >= MANY and who not in self.full:
            self.sweep(now_ms)
        self.full[who] = full
        return 0

    def give(self, who: str) -> None:
        """Give a token back."""
        if who in self.full:
            self.full[who] -= self.drop

    def sweep(self, now_ms: int) -> None:
        """Forget full buckets: a new one is full too. If none is, everybody starts again: memory is bounded first."""
        self.full = {who: full for who, full in self.full.items() if full > now_ms}
        if len(self.full) >= MANY:
            self.full.clear()


class Limits:
    """All buckets of an arena."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self.clock = clock
        self.keys = Buckets(settings.requests_per_minute, 60_000)
        self.addresses = Buckets(settings.address_per_minute, 60_000)
        self.registrations = Buckets(settings.registrations_per_hour, 3_600_000)

    def of_address(self, address: str) -> None:
        """A request comes from an address."""
        self.check(self.addresses, network(address), "requests from your address")

    def of_key(self, agent: str, address: str = "") -> None:
        """A request comes from an agent. One that is refused takes nothing from its address either."""
        self.check(self.keys, agent, "requests with your key", address)

    def of_registration(self, address: str) -> None:
        """Somebody registers an agent."""
        self.check(self.registrations, network(address), "registrations from your address", address)

    def check(self, buckets: Buckets, who: str, what: str, address: str = "") -> None:
        """429 with the time to wait, if too much is asked."""
        if wait := buckets.take(who, self.clock.now_ms()):
            if address:
                self.addresses.give(network(address))
            raise ArenaError(429, "rate_limited", f"too many {what}; wait {spoken(wait)}", retryAfterMs=wait)


def spoken(ms: int) -> str:
    """A time to wait as people say it, never too short."""
    return f"{-(-ms // 1000)} s" if ms <= 120_000 else f"{-(-ms // 60_000)} min"


def network(address: str) -> str:
    """Whose address this is: of the sixth version one person has a whole network."""
    if ":" not in address:
        return address
    try:
        return str(ipaddress.ip_network((address.partition("%")[0], 64), strict=False))
    except ValueError:
        return address
