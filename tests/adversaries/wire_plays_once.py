"""Plays fairly, and ends after its first match."""

import sys

import wire

wire.hello()
for line in sys.stdin.buffer:
    if line.startswith(b'{"type":"act"'):
        wire.say(wire.fair(line))
    if line.startswith(b'{"type":"over"'):
        break
