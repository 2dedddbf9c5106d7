"""Answers for action number 9 (400 times)."""

import wire

wire.hello()
wire.asked()
wire.say(b'{"action":"liar","sequence":' + b"9" * 400 + b"}\n")
wire.asked()
