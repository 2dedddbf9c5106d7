"""Bids 9 (400 times) sixes."""

import wire

wire.hello()
wire.asked()
wire.say(b'{"action":"' + b"9" * 400 + b'x6"}\n')
wire.asked()
