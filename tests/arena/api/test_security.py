"""The page of the ten risks: every test that it names exists, and the arena fetches nothing."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "reference" / "security.md").read_text()
CLIENTS = {"httpx", "urllib.request", "urllib3", "requests", "aiohttp", "http.client", "ftplib", "smtplib"}


def test_every_test_that_the_page_names_exists() -> None:
    parts = re.split(r"^## API(\d+)", PAGE, flags=re.MULTILINE)[1:]
    assert parts[::2] == [str(number) for number in range(1, 11)]
    for risk, text in zip(parts[::2], parts[1::2], strict=True):
        named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", text)
        assert named, f"no test holds API{risk}"
        for file, name in named:
            assert f"\ndef {name}(" in (ROOT / file).read_text(), f"{file} has no {name}"


def test_the_arena_fetches_nothing() -> None:
    found = set()
    for path in (ROOT / "src" / "calza" / "arena").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                found |= {one.name for one in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                found |= {node.module, *(f"{node.module}.{one.name}" for one in node.names)}
    assert "starlette.routing.BaseRoute" in found
    assert not {one for one in found for client in CLIENTS if one == client or one.startswith(client + ".")}
