"""Ends at once."""

raise SystemExit(3)
