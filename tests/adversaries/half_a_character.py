"""Answers with half a character, which no line can carry."""


class Bot:
    def act(self, view):
        return "\ud83c"
