"""Answers as people would."""

import wire

wire.hello()
wire.asked()
wire.say(b"four threes, please\n")
wire.asked()
