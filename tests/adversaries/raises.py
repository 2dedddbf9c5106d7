"""Fails in the middle of a move."""


class Bot:
    def act(self, view):
        return self.think(view)

    def think(self, view):
        return {}["lost"]
