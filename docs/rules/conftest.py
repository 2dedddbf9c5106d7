"""The pages beside this file are tests; `tests/rulebook.py` reads and plays them."""

from tests.rulebook import pytest_collect_file

__all__ = ["pytest_collect_file"]
