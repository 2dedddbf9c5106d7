"""Writes without end to its log."""

import os


class Bot:
    def act(self, view):
        while True:
            os.write(2, b"x" * 65536)
