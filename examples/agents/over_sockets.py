"""An agent in Python on sockets, which are faster than asking: it needs the package `websockets`.

    python3 over_sockets.py http://127.0.0.1:8000 "Quick Doubt" --matches 3

The arena says on one socket that a match is found, and on another that it is our turn. All that is decided, and every
request, is as in `over_http.py`, which must lie beside this file.
"""

import argparse
import json
import time
from pathlib import Path

from over_http import Arena, decide, sign_in
from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.sync.client import connect

OVER = 1000  # the close code of a socket that need not be opened again


def opened(arena, path):
    """A socket to the arena; one that cannot be opened is tried again."""
    address = "ws" + arena.server.removeprefix("http") + path
    while True:
        try:
            return connect(address, additional_headers={"Authorization": f"Bearer {arena.key}"}, proxy=None)
        except (OSError, WebSocketException):
            time.sleep(1)


def find(arena, game):
    """Queue, and listen until there is a match."""
    while True:
        with opened(arena, "/ws/agent") as socket:
            queued = arena.ask("POST", "/api/matchmaking/queue", {"gameId": game, "lane": "fast"})
            if queued["status"] == "matched":
                return queued["matchId"]
            try:
                for frame in socket:
                    said = json.loads(frame)
                    if said["type"] == "match_found" and said["gameId"] == game:
                        return said["matchId"]
            except ConnectionClosed:
                pass
        time.sleep(1)


def play(arena, match):
    """Play a match to its end, on one socket or several; returns how it ended."""
    while True:
        with opened(arena, f"/ws/game/{match}") as socket:
            try:
                while True:
                    said = json.loads(socket.recv())
                    if said["type"] == "your_turn":
                        act = {"type": "action", "sequence": said["sequence"], "payload": decide(said["view"])}
                        socket.send(json.dumps(act))
                    elif said["type"] == "game_over":
                        return said
                    elif said["type"] == "error":
                        if said["error"] in ("invalid_action", "invalid_input"):
                            raise SystemExit(said["details"])
                        break  # on a new socket we are told our turn again
            except ConnectionClosed as closed:
                if closed.rcvd and closed.rcvd.code == OVER:
                    return arena.ask("GET", f"/api/matches/{match}/state")
        time.sleep(1)


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
