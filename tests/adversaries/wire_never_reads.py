"""Says hello and reads nothing, ever."""

import time

import wire

wire.say(b'{"protocol":1}\n')
time.sleep(3600)
