"""Forms that change something: how other sites are kept from sending them in somebody's name.

A form carries a number that stands in a cookie as well, which other sites can neither read nor send; a browser that
says where it comes from must come from here. The number is masked anew on every page, so that the length of a page
that is packed tells nothing of it.
"""

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from urllib.parse import urlsplit

from starlette.requests import HTTPConnection

from calza.arena.errors import ArenaError
from calza.arena.keys import Draw

COOKIE = "calza_page"
BYTES = 32


def stale() -> ArenaError:
    """A form that is refused; a new error each time, since one that is raised again keeps all that led to it."""
    return ArenaError(403, "stale_form", "the form is too old, or was not sent from this site; open the page again")


def masked(number: str, mask: bytes) -> str:
    """The number as a form carries it."""
    return written(mask + crossed(mask, read(number)))


def check(request: HTTPConnection, said: str, base: str) -> None:
    """Refuse a form that was not sent from one of our pages."""
    if request.headers.get("sec-fetch-site", "same-origin") != "same-origin":
        raise stale()
    if (origin := request.headers.get("origin")) is not None and not is_ours(request, origin, base):
        raise stale()
    number, carried = read(request.cookies.get(COOKIE, "")), read(said)
    if len(number) != BYTES or len(carried) != 2 * BYTES:
        raise stale()
    if not hmac.compare_digest(crossed(carried[:BYTES], carried[BYTES:]), number):
        raise stale()


def is_ours(request: HTTPConnection, origin: str, base: str) -> bool:
    """Whether an Origin is this arena's: the address that it is known by, or the one at which it was asked."""
    # Behind a proxy that speaks TLS we may not know how the browser reached it.
    here = request.url.netloc
    parts = urlsplit(base)
    return origin in (f"{parts.scheme}://{parts.netloc}", f"http://{here}", f"https://{here}")


def written(number: bytes) -> str:
    """Bytes as they travel."""
    return urlsafe_b64encode(number).decode()


def read(text: str) -> bytes:
    """The same back; nothing for what was never written here."""
    try:
        return urlsafe_b64decode(text.encode("ascii"))
    except (Error, ValueError):
        return b""


def crossed(one: bytes, other: bytes) -> bytes:
    """Each bit of one turned by the other's."""
    return bytes(a ^ b for a, b in zip(one, other, strict=True))


class Number:
    """The number of a browser's forms: the one in its cookie, or a new one when a page is the first to have a form."""

    def __init__(self, request: HTTPConnection, draw: Draw) -> None:
        cookie = request.cookies.get(COOKIE, "")
        self.draw = draw
        self.number = cookie if len(read(cookie)) == BYTES else ""
        self.new = ""  # what the browser has to be given

    def __call__(self) -> str:
        """The number as the next form carries it."""
        if not self.number:
            self.number = self.new = written(self.draw(BYTES))
        return masked(self.number, self.draw(BYTES))
