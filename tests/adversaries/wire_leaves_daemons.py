"""Ends in the middle of a match and leaves daemons: orphans, deaf, in a session of their own if they can."""

import os
import signal
import time
from contextlib import suppress

import wire


def daemon() -> None:
    """Be one, as far as that is possible."""
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    with suppress(OSError):
        os.setsid()
    with suppress(OSError):
        os.setpgid(0, 0)
    if not os.fork():
        os.chdir("/")
        os.closerange(0, 256)
        time.sleep(3600)
    os._exit(0)


wire.hello()
wire.asked()
for _ in range(3):
    if not os.fork():
        daemon()
    os.wait()
raise SystemExit(6)
