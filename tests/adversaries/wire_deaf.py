"""Ends for no signal that can be ignored, and not when it is told goodbye; it plays fairly."""

import signal
import time

import wire

for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE):
    signal.signal(number, signal.SIG_IGN)
wire.hello()
try:
    while True:
        wire.say(wire.fair(wire.asked()))
finally:
    time.sleep(3600)
