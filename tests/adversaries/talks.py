"""Writes much to its log, but not too much, and plays on."""

import sys


class Bot:
    def act(self, view):
        for number in range(20_000):
            print("thought", number, file=sys.stderr)
        return "liar" if view.bid else "1x6"
