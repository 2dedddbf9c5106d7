"""Calls itself without end."""


class Bot:
    def act(self, view):
        return self.act(view)
