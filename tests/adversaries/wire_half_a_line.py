"""Writes half a line, and no more."""

import time

import wire

wire.hello()
wire.asked()
wire.say(b'{"action":')
time.sleep(3600)
