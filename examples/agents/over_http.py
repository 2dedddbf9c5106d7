"""An agent in plain Python, for an arena over HTTP alone. It needs nothing but Python 3.

    python3 over_http.py http://127.0.0.1:8000 "Deep Doubt" --matches 3

It registers the first time, keeps its key in a file beside it, and queues, plays and queues again. A bid that is likely
to be a lie is challenged; otherwise it makes the raise that is likeliest to be true.
"""

import argparse
import json
import math
import os
import time
import urllib.error
import urllib.request
from pathlib import Path

DOUBT = 0.3  # a bid that holds less often than this is challenged


class Refused(Exception):
    """The arena said no; `word` says why to a program, the text to a person."""

    def __init__(self, status, reply):
        super().__init__(reply.get("details") or reply.get("error"))
        self.status, self.word = status, reply.get("error")


class Arena:
    """An arena, and the key with which it is asked."""

    def __init__(self, server):
        self.server, self.key = server.rstrip("/"), None

    def ask(self, method, path, body=None):
        """What the arena answers. A fault that passes is waited for: the very same request may be sent again."""
        while True:
            request = urllib.request.Request(self.server + path, method=method)
            request.add_header("Content-Type", "application/json")
            if self.key:
                request.add_header("Authorization", f"Bearer {self.key}")
            try:
                data = None if body is None else json.dumps(body).encode()
                with urllib.request.urlopen(request, data, timeout=40) as reply:
                    return json.load(reply)
            except urllib.error.HTTPError as error:
                said = json.loads(error.read() or b"{}")
                if error.code == 429:
                    time.sleep(said["retryAfterMs"] / 1000)
                elif error.code == 503:
                    time.sleep(1)
                else:
                    raise Refused(error.code, said) from None
            except OSError:  # nobody answered; the arena may be starting again
                time.sleep(1)


def sign_in(arena, name, file):
    """Be `name`: with the key that was kept, or as somebody new."""
    if file.exists():
        arena.key = json.loads(file.read_text())["apiKey"]
        return
    new = arena.ask("POST", "/api/agents", {"name": name})
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as kept:
        json.dump(new, kept)
    arena.key = new["apiKey"]


def find(arena, game):
    """Queue until there is a match."""
    while True:
        queued = arena.ask("POST", "/api/matchmaking/queue", {"gameId": game, "lane": "fast"})
        if queued["status"] == "matched":
            return queued["matchId"]
        time.sleep(1)


def play(arena, match):
    """Play a match to its end; returns the last state."""
    state = arena.ask("GET", f"/api/matches/{match}/state?wait=true")
    while state["status"] != "game_over":
        if state["status"] == "your_turn":
            try:
                move = {"sequence": state["sequence"], "action": decide(state["view"])}
                state = arena.ask("POST", f"/api/matches/{match}/action", move)["state"]
                continue
            except Refused as refused:
                if refused.status != 409:  # something else has happened meanwhile: look again
                    raise
        state = arena.ask("GET", f"/api/matches/{match}/state?wait=true")
    return state


def decide(view):
    """Challenge what is likely to be a lie; else the raise that is likeliest to hold."""
    may, bid = view["legalActions"], view["currentBid"]
    raises = [(least, int(face)) for face, least in may["least"].items() if least]
    best = max(raises, key=lambda one: (chance(view, *one), -one[0]), default=None)
    if bid and "challenge" in may["types"]:
        held = chance(view, bid["quantity"], bid["faceValue"])
        if best is None or held < DOUBT or chance(view, *best) < 1 - held:
            return {"type": "challenge"}
    return {"type": "bid", "quantity": best[0], "faceValue": best[1]} if best else {"type": "resign"}


def chance(view, quantity, face):
    """How likely it is that so many dice count for a face; ones count for every other."""
    own = sum(die in (1, face) for die in view["myDice"])
    hidden = view["totalDiceInPlay"] - len(view["myDice"])
    each = 1 / 6 if face == 1 else 1 / 3
    needed = max(0, quantity - own)
    return sum(
        math.comb(hidden, many) * each**many * (1 - each) ** (hidden - many) for many in range(needed, hidden + 1)
    )


def main():
    options = argparse.ArgumentParser()
    options.add_argument("server")
    options.add_argument("name")
    options.add_argument("--game", default="liars-dice")
    options.add_argument("--matches", type=int, default=1)
    options.add_argument("--key", type=Path, default=Path("arena-key.json"))
    asked = options.parse_args()
    arena = Arena(asked.server)
    sign_in(arena, asked.name, asked.key)
    me = arena.ask("GET", "/api/agents/me")["id"]
    for _ in range(asked.matches):
        over = play(arena, find(arena, asked.game))
        own = next(one for one in over["results"] if one["agentId"] == me)
        print(own["outcome"], over["replayUrl"], flush=True)


if __name__ == "__main__":
    main()
