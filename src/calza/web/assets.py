"""Static files: each under a name that changes with its content, so that a browser may keep it for ever."""

import gzip
import hashlib
from functools import cache
from importlib.resources import files

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from calza.show.bundle import read, script

from . import element

MEDIA = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
KEPT = "public, max-age=31536000, immutable"
OWN = ("site.css", "editor.js", "copy.js", "filling.js", "die.svg")


class Asset(Struct, frozen=True):
    """A file as it is served."""

    path: str
    body: bytes
    packed: bytes
    media: str


class Assets:
    """All static files, by name and by path."""

    def __init__(self) -> None:
        contents = {name: own(name) for name in OWN}
        contents["site.css"] = read(("paper.css", "charts.css")) + contents["site.css"]
        contents["player.css"] = read(("marks.css", "player.css"))
        contents["player.js"] = script()
        contents["table.css"] = read(("marks.css",)) + own("table/table.css")
        contents["table.js"] = element.script()
        self.named = {name: asset(name, text.encode()) for name, text in contents.items()}
        self.served = {one.path: one for one in self.named.values()}

    def path(self, name: str) -> str:
        """Where a file is."""
        return self.named[name].path

    async def answer(self, request: Request) -> Response:
        """Serve a file; one of another content has another name."""
        found = self.served.get(request.url.path)
        if found is None:
            return Response("there is no such file\n", 404, media_type="text/plain")
        headers = {"cache-control": KEPT, "vary": "accept-encoding", "x-content-type-options": "nosniff"}
        if packs(request):
            return Response(found.packed, headers=headers | {"content-encoding": "gzip"}, media_type=found.media)
        return Response(found.body, headers=headers, media_type=found.media)


@cache
def assets() -> Assets:
    """The static files of this process."""
    return Assets()


def own(name: str) -> str:
    """A file of `static/`."""
    return (files(__package__) / "static" / name).read_text(encoding="utf-8")


def asset(name: str, body: bytes) -> Asset:
    """A file under the name of its content."""
    stem, _, kind = name.rpartition(".")
    mark = hashlib.sha256(body).hexdigest()[:12]
    return Asset(f"/static/{stem}-{mark}.{kind}", body, gzip.compress(body, 9, mtime=0), MEDIA[kind])


def packs(request: Request) -> bool:
    """Whether whoever asks can unpack."""
    return "gzip" in request.headers.get("accept-encoding", "")
