"""Stops its process, and cannot go on by itself."""

import os
import signal

import wire

wire.hello()
wire.asked()
os.kill(os.getpid(), signal.SIGSTOP)
