"""What holds for every test."""

import signal

from hypothesis import settings

# How long one example takes says more about a busy machine than about the code.
settings.register_profile("calza", deadline=None)
settings.load_profile("calza")

# A shell starts what it puts into the background deaf to Ctrl-C, and so would be every command that a test starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
