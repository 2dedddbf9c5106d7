"""Says that it failed."""

import wire

wire.hello()
wire.asked()
wire.say(b'{"error":"my opponent is too good"}\n')
wire.asked()
