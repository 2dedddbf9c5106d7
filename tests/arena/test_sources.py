"""Where settings come from, and which of them cannot be."""

from pathlib import Path
from typing import Any

import pytest

from calza.arena.settings import Settings, address
from calza.arena.sources import SettingsError, gather, shown


def test_an_option_counts_for_more_than_a_variable_and_that_for_more_than_a_file(tmp_path: Path) -> None:
    file = tmp_path / "my.toml"
    file.write_text(
        'port = 1\nhost = "1.1.1.1"\nfill-after = 1\nhouse = ["cautious", "honest", "random", "bluffer", "listener"]'
    )
    found = gather({"port": "3", "talk": None}, {"CALZA_PORT": "2", "CALZA_HOST": "2.2.2.2", "PORT": "9"}, str(file))
    assert (found.settings.port, found.settings.host, found.settings.fill_after) == (3, "2.2.2.2", 1.0)
    sources = found.sources
    assert (sources["port"], sources["host"], sources["fill_after"]) == ("--port", "CALZA_HOST", str(file))
    assert (sources["talk"], sources["house"]) == ("default", str(file))


def test_without_any_the_defaults_apply() -> None:
    found = gather({}, {})
    assert found.settings == Settings()
    assert set(found.sources.values()) == {"default"}


def test_words_become_what_a_setting_wants() -> None:
    found = gather({}, {"CALZA_TALK": "false", "CALZA_TCP": "0", "CALZA_PROXIES": " 127.0.0.1 , 10.0.0.0/8,"})
    assert (found.settings.talk, found.settings.tcp) == (False, 0)
    assert found.settings.proxies == ("127.0.0.1", "10.0.0.0/8")


@pytest.mark.parametrize(
    ("options", "environ", "toml", "why"),
    [
        ({"port": "65536"}, {}, "", "--port: expected int <= 65535"),
        ({}, {"CALZA_WORKERS": "0"}, "", "CALZA_WORKERS: expected int >= 1"),
        ({}, {"CALZA_FILLAFTER": "1"}, "", "there is no CALZA_FILLAFTER; did you mean CALZA_FILL_AFTER?"),
        ({}, {}, "prot = 1", "{file}: there is no setting 'prot'; did you mean port?"),
        ({}, {}, "port = true", "{file}: expected int, got bool"),
        ({}, {}, "port =", "{file}: this is not TOML: Invalid value (at end of document)"),
        ({"log_level": "loud"}, {}, "", "--log-level: invalid enum value 'loud'"),
        ({"db": "mysql://x"}, {}, "", "--db: a store cannot be kept in mysql; write an address like "
         "sqlite:///arena.sqlite or postgresql://user@host/name"),
        ({"house": "cautious"}, {}, "", "--house: 5 house bots or more, no two alike: a table of 6 may need them"),
        ({"proxies": "me"}, {}, "", "--proxies: me is no address and no network; write one like 127.0.0.1 or "
         "10.0.0.0/8"),
        ({"public_url": "arena.example"}, {}, "", "--public-url: agents cannot use arena.example; write an address "
         "like https://arena.example"),
        ({"public_url": "https://arena.example/dice"}, {}, "", "--public-url: agents cannot use "
         "https://arena.example/dice: an arena is at the root of its address; write one like https://arena.example"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_named_with_its_source(
    tmp_path: Path, options: dict[str, Any], environ: dict[str, str], toml: str, why: str
) -> None:
    file = tmp_path / "my.toml"
    file.write_text(toml)
    with pytest.raises(SettingsError) as error:
        gather(options, environ, str(file))
    assert str(error.value) == why.replace("{file}", str(file))


@pytest.mark.parametrize(
    "url", ["ftp://x", "https://", "http://a b", "http://x:99999", "http://me:secret@x", "http://x?a"]
)
def test_an_address_that_agents_cannot_use_is_not_told_to_them(url: str) -> None:
    with pytest.raises(SettingsError, match=r"--public-url: agents cannot use .*write"):
        gather({"public_url": url}, {})


@pytest.mark.parametrize("url", ["", "https://arena.example/", "http://localhost:8000", "http://[::1]:8000"])
def test_an_address_that_agents_can_use_is_told_to_them(url: str) -> None:
    assert gather({"public_url": url}, {}).settings.public_url == url


def test_a_file_that_is_named_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        gather({}, {}, str(tmp_path / "none.toml"))


def test_a_file_that_is_none_of_ours_is_not_read_to_its_end(tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(b"#" * 200_000)
    with pytest.raises(SettingsError, match="this is too long for settings"):
        gather({}, {}, str(tmp_path / "big"))


def test_a_password_is_not_shown() -> None:
    assert shown("db", "postgresql://me:secret@here/name") == "postgresql://me:***@here/name"


@pytest.mark.parametrize(
    ("host", "url"),
    [("127.0.0.1", "http://127.0.0.1:1"), ("0.0.0.0", "http://127.0.0.1:1"), ("::", "http://[::1]:1"), ("::1", "http://[::1]:1")],
)  # fmt: skip
def test_an_address_is_one_that_can_be_opened(host: str, url: str) -> None:
    assert address(host, 1) == url
    assert Settings(host=host, port=1).base == url
    assert Settings(public_url="https://arena.example/").base == "https://arena.example"
