"""What axe-core, which reads a page as an auditor of accessibility would, finds wrong with it."""

import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Page

AXE = Path(__file__).parents[2] / ".venv" / "js" / "node_modules" / "axe-core" / "axe.min.js"
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
RUN = """async (tags) => (await axe.run(document, { runOnly: { type: "tag", values: tags } })).violations.map(
  (one) => `${one.id} (${one.help}): ${one.nodes.map((node) => node.html).slice(0, 3).join(" ")}`)"""


def violations(page: Page) -> list[str]:
    """What is wrong with a page as it stands; the test is skipped where npm is missing, and with it axe-core."""
    if not AXE.exists() and not shutil.which("npm"):
        pytest.skip("axe-core comes from npm, which is not here")
    assert AXE.exists(), "these tests need axe-core: scripts/setup tests installs it"
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate(RUN, TAGS)
    assert isinstance(found, list)
    return found
