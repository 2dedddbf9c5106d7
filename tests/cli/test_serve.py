"""`calza serve`: what it says when it starts, and when it cannot."""

import os
import socket
import sqlite3
import subprocess
from pathlib import Path
from typing import Protocol

import httpx
import pytest

from calza.cli import main
from tests.arena.server import running
from tests.cli.terminal import piped


class Told(Protocol):
    def __call__(self, *words: str) -> str: ...


@pytest.fixture
def refused(capsys: pytest.CaptureFixture[str]) -> Told:
    """What a `calza serve` says that ends before it serves anything: one sentence, and exit status 2."""

    def told(*words: str) -> str:
        status = main(["serve", *words])
        return sentence(status, *capsys.readouterr())

    return told


def sentence(status: int, out: str, err: str) -> str:
    """The one sentence of a command that was wrong."""
    assert (status, out) == (2, "")
    [line] = err.splitlines()
    assert line.startswith("calza: ")
    return line.removeprefix("calza: ")


def test_it_says_where_to_look(tmp_path: Path) -> None:
    with running(tmp_path) as server:
        assert server.said[0] == f"The arena is open: http://127.0.0.1:{server.port}  http://localhost:{server.port}"
        for place in ("127.0.0.1", "localhost"):
            assert httpx.get(f"http://{place}:{server.port}/healthz").text == "ok\n"
        [guide] = [line.split()[-1] for line in server.said if "for agents" in line]
        assert httpx.get(guide).status_code == 200


def test_the_line_that_connects_a_bot_works_as_it_is_printed(tmp_path: Path) -> None:
    with running(tmp_path) as server:
        [line] = [line for line in server.said if "let a bot play" in line]
        typed = line.removeprefix("  let a bot play").strip() + " --matches 1"
        home = {name: str(tmp_path) for name in ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME")}
        done = subprocess.run(
            typed, shell=True, capture_output=True, text=True, timeout=60, env=os.environ | home, cwd=tmp_path
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert "registered as my-bot" in done.stdout


def test_a_port_that_is_taken_is_named(tmp_path: Path, refused: Told) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        said = refused("--port", port, "--data", str(tmp_path))
    assert said == f"port {port} of 127.0.0.1 is taken by another program; choose another with --port, or 0 for any"


def test_the_port_of_the_tcp_game_too(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = piped("serve", "--port", "0", "--tcp", port, "--data", str(tmp_path))
    said = sentence(done.returncode, done.stdout, done.stderr)
    assert said == f"port {port} of 127.0.0.1 is taken by another program; choose another with --tcp, or 0 for any"


def test_the_tcp_game_says_its_port(tmp_path: Path) -> None:
    with running(tmp_path, tcp="0") as server:
        socket.create_connection(("127.0.0.1", server.tcp), timeout=10).close()


@pytest.mark.parametrize("host", ["203.0.113.7", "no.such.host.invalid", "::zz", "x" * 300])
def test_an_address_that_is_not_ours_is_named(tmp_path: Path, refused: Told, host: str) -> None:
    assert refused("--port", "0", "--host", host, "--data", str(tmp_path)).startswith(f"--host {host}")


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path, refused: Told) -> None:
    (tmp_path / "file").write_text("")
    folder = f"{tmp_path}/file/data"
    said = refused("--port", "0", "--data", folder)
    assert said == f"the store cannot be kept in {folder}: Not a directory; choose another folder with --data"


def test_two_servers_do_not_share_an_sqlite_store(tmp_path: Path, refused: Told) -> None:
    with running(tmp_path) as server:
        said = refused("--port", "0", "--data", server.options["--data"])
    assert said == (
        f"another calza serve uses {tmp_path}/data/arena.sqlite; stop that one, or choose another folder with --data"
    )


def test_a_store_of_a_newer_calza_is_left_alone(tmp_path: Path) -> None:
    with running(tmp_path) as server:
        server.stop()
    revision(tmp_path, "9999")
    done = piped("serve", "--port", "0", "--data", f"{tmp_path}/data")
    said = sentence(done.returncode, done.stdout, done.stderr)
    assert said == "this store was made by a newer calza; install that one, or go back to a backup"


def test_several_workers_need_postgresql(tmp_path: Path, refused: Told) -> None:
    said = refused("--port", "0", "--workers", "2", "--data", str(tmp_path))
    assert said.startswith("--workers above 1 needs PostgreSQL (--db postgresql://user@host/name): SQLite lets one")
    assert not list(tmp_path.iterdir())


def test_a_setting_that_cannot_be_is_named_with_its_source(refused: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    assert refused("--port", "x") == "--port: expected int, got str"
    monkeypatch.setenv("CALZA_PROXIES", "here")
    assert refused() == ("CALZA_PROXIES: here is no address and no network; write one like 127.0.0.1 or 10.0.0.0/8")


def test_settings_are_shown_with_their_sources(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "my.toml").write_text("fill-after = 5\nport = 1\n")
    config = str(tmp_path / "my.toml")
    monkeypatch.setenv("CALZA_DB", "postgresql://me:secret@here/name")
    monkeypatch.setenv("CALZA_PORT", "2")
    assert main(["serve", "--show-settings", "--config", config, "--host", "0.0.0.0"]) == 0
    lines = {line.split()[0]: line.split()[1:] for line in capsys.readouterr().out.splitlines()}
    assert lines["fill_after"] == ["5.0", config]
    assert lines["port"] == ["2", "CALZA_PORT"]
    assert lines["host"] == ["0.0.0.0", "--host"]
    assert lines["db"] == ["postgresql://me:***@here/name", "CALZA_DB"]
    assert lines["workers"] == ["1", "default"]


def revision(folder: Path, number: str) -> None:
    """Make a store look as if another calza had made it."""
    with sqlite3.connect(folder / "data" / "arena.sqlite") as db:
        db.execute("UPDATE calza_schema SET version_num = ?", [number])
    db.close()
