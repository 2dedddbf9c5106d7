"""Answers its first request when the time is over, without saying which it answers; afterwards it is in time."""

import time

import wire

wire.hello()
late = wire.fair(wire.asked())
time.sleep(1.0)
wire.say(late)
while True:
    wire.say(wire.fair(wire.asked()))
