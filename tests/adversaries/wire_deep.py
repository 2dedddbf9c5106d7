"""Answers with lists in lists in lists."""

import wire

wire.hello()
wire.asked()
wire.say(b'{"action":' + b"[" * 30000 + b"]" * 30000 + b"}\n")
wire.asked()
