"""Computes for ever."""


class Bot:
    def act(self, view):
        while True:
            pass
