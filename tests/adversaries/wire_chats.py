"""Greets people, not hosts."""

import wire

wire.say(b"Hello, I am a bot!\n")
wire.asked()
