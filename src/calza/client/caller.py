"""What both clients have in common: where the arena is, who asks, and when to ask again. Nothing here waits."""

import ipaddress
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from email.utils import parsedate_to_datetime
from random import Random
from time import monotonic, time
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx

from calza import __version__

from .calls import Call
from .errors import ClientError, Unreached
from .retry import Retry, Tries

T = TypeVar("T")

SECONDS = 15.0  # for an answer, beyond what the arena may hold it back
UNSENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)  # faults before anything was sent


class Caller:
    """Asks one arena as one agent, or as nobody when `key` is empty. `seed` and `now` are for its retries."""

    def __init__(
        self,
        server: str,
        key: str = "",
        *,
        retry: Retry = Retry(),  # noqa: B008 - frozen
        seed: int | None = None,
        now: Callable[[], float] = monotonic,
    ) -> None:
        self.server, self.key, self.retry = server_of(server), key, retry
        self.chance, self.now = Random(seed), now
        self.ahead = 0.0  # seconds by which the arena's clock is ahead of ours

    def tries(self) -> Tries:
        """The tries of a new call."""
        return Tries(self.retry, self.chance, self.now)

    @property
    def local(self) -> bool:
        """Whether the arena is on this machine, where no proxy leads."""
        return is_local(httpx.URL(self.server).host)

    @property
    def settings(self) -> dict[str, Any]:
        """Arguments for httpx."""
        return {"base_url": self.server, "trust_env": not self.local, "follow_redirects": False}

    @property
    def headers(self) -> dict[str, str]:
        """Who asks."""
        agent = {"User-Agent": f"calza/{__version__}"}
        return agent | ({"Authorization": f"Bearer {self.key}"} if self.key else {})

    def request(self, call: Call[Any]) -> dict[str, Any]:
        """Arguments for httpx's `request`."""
        return {
            "method": call.method,
            "url": call.path,
            "params": call.query,
            "json": call.body,
            "headers": self.headers,
            "timeout": httpx.Timeout(SECONDS, read=SECONDS + call.hold),
        }

    def answer(self, call: Call[T], reply: httpx.Response) -> T:
        """What the arena answered; the time that it tells is noted."""
        if date := reply.headers.get("Date"):
            with suppress(ValueError):  # a proxy's nonsense; then our own clock will do
                self.ahead = parsedate_to_datetime(date).timestamp() - time()
        return call.answer(reply.status_code, reply.headers.get("Retry-After"), reply.content)

    def fault(self, error: httpx.RequestError) -> ClientError:
        """Why no answer came."""
        return Unreached(self.server, str(error).strip() or type(error).__name__, not isinstance(error, UNSENT))

    def left(self, ends: str | None) -> float | None:
        """Seconds until a time that the arena has told; None for none."""
        try:
            return datetime.fromisoformat(ends).timestamp() - time() - self.ahead if ends else None
        except ValueError:
            return None


def server_of(text: str) -> str:
    """An arena's address: scheme, host and port. The API lives at the root of its host, so a path is dropped."""
    text = text.strip()
    try:
        url = urlsplit(text if "://" in text else f"//{text}")
        host, port = url.hostname or "", url.port
    except ValueError as error:
        raise ClientError(f"{text[:80]!r} is no address of an arena: {error}") from None
    scheme = url.scheme or ("http" if is_local(host) else "https")
    if scheme not in ("http", "https") or not host.isprintable() or not host or " " in host:
        raise ClientError(f"{text[:80]!r} is no address of an arena; write http://127.0.0.1:8000")
    return str(httpx.URL(scheme=scheme, host=host, port=port))


def is_local(host: str) -> bool:
    """Whether a host is this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
