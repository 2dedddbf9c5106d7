"""What a hostile bot that speaks the protocol itself needs: to say hello, to be asked, to say anything at all."""

import os
import sys


def say(text: bytes) -> None:
    """Write all of it."""
    while text:
        text = text[os.write(1, text) :]


def hello() -> None:
    """Shake hands as one should."""
    sys.stdin.buffer.readline()
    say(b'{"protocol":1}\n')


def asked() -> bytes:
    """Wait for a request to act; the request."""
    for line in sys.stdin.buffer:
        if line.startswith(b'{"type":"act"'):
            return line
    raise SystemExit


def fair(request: bytes) -> bytes:
    """A legal action: a call if there is a bid, else one six."""
    return b'{"action":"1x6"}\n' if b'"bids":[]' in request else b'{"action":"liar"}\n'
