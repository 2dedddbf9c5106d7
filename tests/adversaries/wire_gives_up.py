"""Says that it failed, in colour and in two lines."""

import wire

wire.hello()
wire.asked()
wire.say(b'{"error":"my opponent\\n is \\u001b[31mtoo good"}\n')
wire.asked()
