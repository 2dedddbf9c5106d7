"""Fails with words that no line can carry and that would paint a terminal."""


class Bot:
    def act(self, view):
        raise ValueError("\x1b[31m\ud83c")
