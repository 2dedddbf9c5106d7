"""Tournaments: who is better, with an honest error.

Not here: how a bot is loaded, run and held (calza.agents); anything that prints.
May import: calza.sim, calza.agents, calza.show, calza.matches, calza.rules, and what the extra `tournament` brings.
Start reading: `plan.py` (what is played), `play.py` (one chunk), `run.py` (all of them), `results.py` (what comes out).
Tests: `tests/tournament/`.
"""
