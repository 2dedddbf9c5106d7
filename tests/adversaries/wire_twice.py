"""Answers twice."""

import wire

wire.hello()
while True:
    wire.say(wire.fair(wire.asked()) * 2)
