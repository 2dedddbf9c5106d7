"""A PostgreSQL for the tests that need one."""

from tests.postgres import postgres

__all__ = ["postgres"]
