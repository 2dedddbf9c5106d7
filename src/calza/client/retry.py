"""When a call is tried again: after faults that pass, later each time, for as long as patience lasts."""

from collections.abc import Callable
from random import Random

from msgspec import Struct

from .errors import ArenaRefusal, ClientError, Unreached


class Retry(Struct, frozen=True):
    """How often; all in seconds."""

    patience: float = 30.0  # after which a call gives up
    least: float = 0.25  # before the second try
    most: float = 10.0  # between any two, unless the arena asks for more

    def pause(self, tries: int, chance: Random, asked: float = 0.0) -> float:
        """What to wait after so many tries; half of it is chance, so that those thrown out together come one by one."""
        whole = min(self.most, self.least * 2.0 ** min(tries - 1, 16))
        return asked + whole * (0.5 + 0.5 * chance.random())


class Tries:
    """The tries of one call."""

    def __init__(self, retry: Retry, chance: Random, now: Callable[[], float]) -> None:
        self.retry, self.chance, self.now = retry, chance, now
        self.made, self.since = 0, now()

    def pause(self, fault: ClientError, repeatable: bool) -> float:
        """What to wait before the next one; raises `fault` when there is none."""
        if not passing(fault, repeatable):
            raise fault
        self.made += 1
        pause = self.retry.pause(self.made, self.chance, asked_for(fault))
        if self.now() - self.since + pause > self.retry.patience:
            raise fault
        return pause


def passing(fault: ClientError, repeatable: bool = True) -> bool:
    """Whether to try again after `fault`, for a call that may be heard twice or not."""
    if isinstance(fault, Unreached):
        return repeatable or not fault.sent
    # A proxy that gave up (502, 504) may have passed the call on; 429 and 503 say that nothing was done.
    return isinstance(fault, ArenaRefusal) and fault.passing and (repeatable or fault.status in (429, 503))


def asked_for(fault: Exception) -> float:
    """The seconds of patience that the arena asked for."""
    return (fault.retry_after or 0.0) if isinstance(fault, ArenaRefusal) else 0.0
