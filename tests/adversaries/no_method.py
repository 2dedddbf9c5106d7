"""Has a class, but not the method."""


class Bot:
    def play(self, view):
        return "liar"
