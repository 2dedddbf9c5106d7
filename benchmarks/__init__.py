"""How fast Calza is, beside the same game written by hand. `make bench` runs it; README.md says what the figures mean.

Start reading: `measure.py` (how two sides are compared), `floor_python.py` and `floor_numba.py` (the game by hand).
"""
