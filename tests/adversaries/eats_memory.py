"""Wants all of the memory."""


class Bot:
    def act(self, view):
        hoard = []
        while True:
            hoard.append(bytearray(1 << 20))
