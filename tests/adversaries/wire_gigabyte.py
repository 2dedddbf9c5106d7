"""Writes a gigabyte, in one line."""

import wire

wire.hello()
wire.asked()
for _ in range(1 << 14):
    wire.say(b"x" * 65536)
