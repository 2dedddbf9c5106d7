"""Closes its standard input and lives on."""

import os
import sys
import time

import wire

sys.stdin.buffer.readline()
os.close(0)
wire.say(b'{"protocol":1}\n')
time.sleep(3600)
