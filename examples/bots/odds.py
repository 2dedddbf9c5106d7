#!/usr/bin/env python3
"""A bot in Python, from the standard library alone: it knows the odds, and makes the likeliest bid or calls.

It plays every variant, because it asks the host which bids are legal and reads the rules for what counts.
"""

import json
import sys
from math import exp, lgamma, log


def main():
    rules = {}
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            say({"protocol": 1, "name": "odds"})
        elif message["type"] == "match":
            rules = message["rules"]
        elif message["type"] == "act":
            action = act(rules, message["view"], message["legal"])
            say({"action": action, "sequence": message["sequence"]})
        elif message["type"] == "bye":
            break
        # Everything else is news, and may be ignored: the view has all that is known.


def say(message):
    print(json.dumps(message), flush=True)  # a line that is not flushed never leaves


def act(rules, view, legal):
    """The likeliest of the least raises, or a call when the standing bid is likelier to fail than that to hold."""

    def chance(bid):
        quantity, face = bid
        counting = {face, wild_face(rules, view["special"])} - {None}
        own = sum(die in counting for die in view["hand"])
        unknown = sum(view["dice"]) - len(view["hand"])
        return at_least(quantity - own, unknown, len(counting) / rules["faces"])

    raises = [(least, face) for face, least in enumerate(legal["least"]) if least]
    best = max(raises, key=chance, default=None)
    if view["bids"]:
        _, quantity, face = view["bids"][-1]
        if best is None or 1 - chance((quantity, face)) > chance(best):
            return legal["calls"][0]
    return f"{best[0]}x{best[1]}"


def wild_face(rules, special):
    """The face that counts as every face in this round, None for none."""
    return None if special and not rules["special"]["wild"] else rules["wild"]


def at_least(need, dice, p):
    """The chance that `need` of `dice` unknown dice count, each of them with chance `p`."""
    if need <= 0 or need > dice or p == 1:
        return float(need <= dice)

    def exactly(k):  # in logarithms, because cups can be large
        return exp(lgamma(dice + 1) - lgamma(k + 1) - lgamma(dice - k + 1) + k * log(p) + (dice - k) * log(1 - p))

    return sum(exactly(k) for k in range(need, dice + 1))


if __name__ == "__main__":
    main()
