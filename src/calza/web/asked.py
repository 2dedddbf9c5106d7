"""What somebody asked of a page: words of the query, and forms."""

from collections.abc import Collection
from urllib.parse import parse_qsl

from starlette.requests import Request

from calza.arena.errors import ArenaError

LONGEST = 64_000  # bytes of a form
MOST = 500  # fields of one


def chosen(request: Request, name: str, known: Collection[str], default: str = "") -> str:
    """What was chosen from a list; the default for anything that is not in it."""
    value = request.query_params.get(name, default)
    return value if value in known else default


def whole(request: Request, name: str, most: int = 10**9) -> int | None:
    """A number of the query; None for none."""
    text = request.query_params.get(name, "")
    return min(int(text), most) if text.isascii() and text.isdigit() and len(text) < 12 else None


async def form(request: Request) -> dict[str, str]:
    """The fields of a form that was sent; 413 for one that is too long."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > LONGEST:
            raise ArenaError(413, "too_large", "the form is too long")
    try:
        return dict(parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=MOST))
    except ValueError:
        raise ArenaError(400, "invalid_input", "the form cannot be read") from None
