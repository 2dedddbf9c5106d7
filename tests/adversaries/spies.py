"""Looks for a file beside its folder and for a server, and keeps a diary; plays fairly only if it can do none of it."""

import os
import socket
from contextlib import suppress


class Bot:
    def act(self, view):
        found = []
        with suppress(OSError), open(os.path.join("..", "secret")) as file:
            found.append(file.read())
        with suppress(OSError), socket.create_server(("127.0.0.1", 0)):
            found.append("network")
        with suppress(OSError), open("diary", "w"):
            found.append("diary")
        if found:
            raise RuntimeError(f"{len(found)} ways out")
        return "liar" if view.bid else "1x6"
