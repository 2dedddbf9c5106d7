"""Answers a request that has not been made."""

import wire

wire.hello()
wire.asked()
wire.say(b'{"action":"liar","sequence":12345}\n')
wire.asked()
