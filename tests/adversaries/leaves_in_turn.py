"""Ends its process instead of moving."""

import sys


class Bot:
    def act(self, view):
        sys.exit(7)
