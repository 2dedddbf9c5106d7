"""Writes a gigabyte, in lines that are nearly answers."""

import wire

wire.hello()
wire.asked()
for _ in range(1 << 14):
    wire.say(b'{"action":"liar","sequence":-1}\n' * 2048)
