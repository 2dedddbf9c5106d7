"""Closes its standard output and lives on."""

import os
import time

import wire

wire.hello()
wire.asked()
os.close(1)
time.sleep(3600)
