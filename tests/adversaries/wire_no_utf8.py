"""Writes what is no UTF-8."""

import wire

wire.hello()
wire.asked()
wire.say(b'{"action":"\xff\xfe4x3"}\n')
wire.asked()
