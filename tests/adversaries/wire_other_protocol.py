"""Speaks the protocol of another time."""

import wire

wire.say(b'{"protocol":99}\n')
wire.asked()
