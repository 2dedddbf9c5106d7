"""More than one machine: a cluster plays what one process plays, and goes on when a node dies."""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from msgspec.structs import replace

from calza import __version__
from calza.agents.entry import parse_entry
from calza.rules import CalzaError
from calza.tournament.cluster import HELD, Order, nodes, play_there
from calza.tournament.competition import versions
from calza.tournament.plan import Plan
from calza.tournament.run import play_tournament
from calza.tournament.stage import Chunk
from calza.tournament.store import Store
from tests.tournament.helpers import plan, same, stage

ROOT = Path(__file__).parents[2]
HIGH = """
class High:
    def act(self, view):
        face = max(range(2, 7), key=lambda face: view.matching[face])
        return "liar" if view.quantity else f"1x{face}"
"""


def tournament(folder: Path) -> Plan:
    """A small one, with a bot that has a process of its own."""
    path = folder / "high.py"
    if not path.exists():
        path.write_text(HIGH)
    return plan(entries=(parse_entry(str(path)), parse_entry("cautious"), parse_entry("random")), groups=20, chunk=5)


@pytest.fixture
def home() -> Iterator[Path]:
    """A folder for all that Ray leaves; short, for its sockets have names of at most 107 letters."""
    folder = Path(tempfile.mkdtemp(prefix="ray-"))
    yield folder
    shutil.rmtree(folder)


def result(script: str, home: Path, *words: str | Path) -> Any:
    """What a script says. Ray keeps its settings for good, so whoever uses it is a process of its own."""
    env = {**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(home), "RAY_TMPDIR": str(home)}
    command = [sys.executable, "-c", script, *map(str, words)]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 1, "Ray has said something where our JSON is"
    return json.loads(done.stdout)


OF_OUR_OWN = """
import json, sys
from pathlib import Path
from calza.agents.launch import children
from calza.tournament.cluster import nodes
from calza.tournament.run import play_tournament
from tests.tournament.test_cluster import tournament
from os import getpid

def words(run):
    seen.update(word for pid in children(getpid()) for word in Path(f"/proc/{pid}/cmdline").read_text().split("\\0"))

seen = set()
play_tournament(tournament(Path(sys.argv[1])), Path(sys.argv[2]), pool=nodes("auto"), progress=words)
print(json.dumps({"left": len(children(getpid())), "seen": [Path(word).name for word in seen]}))
"""


def test_a_cluster_plays_what_one_process_plays_and_is_gone_when_it_is_done(tmp_path: Path, home: Path) -> None:
    one = tournament(tmp_path)
    alone = play_tournament(one, tmp_path / "alone").tally
    told = result(OF_OUR_OWN, home, tmp_path, tmp_path / "cluster")
    assert same(tally_in(tmp_path / "cluster", one), alone)
    assert "raylet" in told["seen"]
    assert "dashboard.py" not in told["seen"], "it would ask the network which cloud this is"
    assert not told["left"]
    assert not (home / ".ray").exists()


# Two nodes of one core each. The second one dies when it is first seen playing.
TWO_NODES = """
import json, os, signal, socket, sys
from pathlib import Path
from calza.agents.launch import children
from calza.tournament.cluster import loaded, nodes
from calza.tournament.run import play_tournament
from tests.tournament.test_cluster import long_one
loaded("127.0.0.1:1")
from ray.cluster_utils import Cluster

HERE = "127.0.0.1"
cluster = Cluster()
with socket.create_server((HERE, 0)) as taken:
    cluster.add_node(node_ip_address=HERE, include_dashboard=False, dashboard_port=taken.getsockname()[1])
raylet = cluster.add_node(node_ip_address=HERE).all_processes["raylet"][0].process.pid
games = []

def playing(pid):
    return b"play_there" in Path(f"/proc/{pid}/cmdline").read_bytes()

def kill(run):
    if not games and any(map(playing, children(raylet))):
        for pid in [raylet, *children(raylet)]:
            os.kill(pid, signal.SIGKILL)
        games.append(int(run.total.totals[0]))

play_tournament(long_one(), Path(sys.argv[1]), pool=nodes(cluster.address), progress=kill)
cluster.shutdown()
print(json.dumps(games))
"""


def long_one() -> Plan:
    """Some seconds of games, so that the second node has time to begin."""
    return plan(groups=3000, chunk=200)


def test_a_node_that_is_killed_costs_no_game(tmp_path: Path, home: Path) -> None:
    one = long_one()
    killed_after = result(TWO_NODES, home, tmp_path / "cluster")
    alone = play_tournament(one, tmp_path / "alone").tally
    assert same(tally_in(tmp_path / "cluster", one), alone)
    assert len(killed_after) == 1
    assert killed_after[0] < stage(one).games


def tally_in(folder: Path, one: Plan) -> Any:
    """What is on disk."""
    store = Store(folder, one)
    try:
        return store.tally()
    finally:
        store.close()


# --- what cannot be


@pytest.mark.parametrize("address", ["", "here", "ray://", "ray://host", "host:port", "http://host:1", "a b:1"])
def test_an_address_that_is_none_says_what_one_is(address: str) -> None:
    with pytest.raises(CalzaError, match=r"there is no cluster .*; write auto, ray://HOST:PORT, or HOST:PORT"):
        nodes(address)


def joined(address: str, folder: Path) -> None:
    """Try to play there."""
    one = plan()
    with patch.dict(os.environ):
        next(nodes(address)(one, stage(one).chunks(), folder))


def test_a_cluster_that_is_not_there_is_said_to_be_so_at_once(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(CalzaError, match=rf"the cluster at 127.0.0.1:{port} cannot be joined: .*refused"):
        joined(f"127.0.0.1:{port}", tmp_path)
    with pytest.raises(CalzaError, match=r"there is no cluster at 127.0.0.1:99999: Port out of range"):
        joined("127.0.0.1:99999", tmp_path)


@pytest.mark.parametrize(("missing", "address"), [("ray", "127.0.0.1:1"), ("grpc", "ray://127.0.0.1:1")])
def test_without_ray_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str, address: str
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(CalzaError, match=r'pip install "calza\[cluster\]"'):
        joined(address, tmp_path)


def test_nothing_to_play_needs_no_cluster(tmp_path: Path) -> None:
    assert list(nodes("127.0.0.1:1")(plan(), [], tmp_path)) == []


# --- on a node


@pytest.fixture
def order(tmp_path: Path) -> Iterator[Order]:
    """A tournament as a node hears of it."""
    one = tournament(tmp_path)
    yield Order(one, tmp_path, Path.cwd(), versions(one), __version__)
    while HELD:
        HELD.pop()[1].close()


def first_chunk(order: Order) -> Chunk:
    """What is played first."""
    return stage(order.plan).chunks()[0]


def test_a_node_with_another_bot_by_that_name_does_not_play(order: Order, tmp_path: Path) -> None:
    play_there(order, first_chunk(order))
    path = tmp_path / "high.py"
    path.write_text(HIGH + "\n")
    again = replace(order, folder=tmp_path / "again")
    with pytest.raises(CalzaError, match=f"high is another one on {socket.gethostname()}"):
        play_there(again, first_chunk(again))
    path.unlink()
    with pytest.raises(CalzaError, match=r"high is not on .*No such file.*; put its files where they are here"):
        play_there(again, first_chunk(again))
    path.write_text(HIGH)
    play_there(again, first_chunk(again))


def test_a_node_with_another_calza_does_not_play(order: Order) -> None:
    with pytest.raises(CalzaError, match=rf"has calza {__version__}, but the tournament is played with 9"):
        play_there(replace(order, calza="9.9"), first_chunk(order))


def test_a_node_keeps_its_bots_from_chunk_to_chunk(order: Order) -> None:
    play_there(order, first_chunk(order))
    held = HELD[0][1]
    play_there(replace(order), first_chunk(order))
    assert HELD == [(order, held)]
