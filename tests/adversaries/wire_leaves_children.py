"""Ends in the middle of a match and leaves children behind, which hold its pipes open."""

import os
import time

import wire

wire.hello()
wire.asked()
for _ in range(3):
    if not os.fork():
        time.sleep(3600)
raise SystemExit(5)
