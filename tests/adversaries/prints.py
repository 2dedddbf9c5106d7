"""Prints to standard output, in Python and below it, which is allowed: it is its log."""

import os


class Bot:
    def act(self, view):
        print('{"action":"99x9"}')
        os.write(1, b"from below\n")
        return "liar" if view.bid else "1x6"
