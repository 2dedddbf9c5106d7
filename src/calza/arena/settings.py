"""What an operator may set. Where a setting came from is `sources.py`'s to say."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

Seconds = Annotated[float, Meta(gt=0, le=86400.0)]
Port = Annotated[int, Meta(ge=0, le=65535)]
Level = Literal["debug", "info", "warning", "error"]


class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An arena's settings; the defaults are those of a single machine."""

    host: Annotated[str, Meta(description="The address to listen on.")] = "127.0.0.1"
    port: Annotated[Port, Meta(description="The port for HTTP and WebSocket; 0 for any free one.")] = 8000
    data: Annotated[str, Meta(description="The folder of the store, when no --db is given.")] = "calza-data"
    db: Annotated[str, Meta(description="The store's URL: sqlite:///FILE or postgresql://...")] = ""
    workers: Annotated[int, Meta(ge=1, le=64, description="Server processes; more than one needs PostgreSQL.")] = 1
    public_url: Annotated[str, Meta(description="The address that agents are told, behind a proxy.")] = ""
    proxies: Annotated[
        tuple[str, ...], Meta(description="Reverse proxies that are believed for whom they ask: addresses or networks.")
    ] = ()
    tcp: Annotated[Port | None, Meta(description="The port of the joker TCP game; unset for none.")] = None
    tcp_players: Annotated[int, Meta(ge=2, le=6, description="Seats of a lobby of the joker TCP game.")] = 2
    tcp_turn: Annotated[Seconds, Meta(description="Seconds for a turn in the joker TCP game.")] = 200.0
    fill_after: Annotated[
        float, Meta(ge=0, le=86400.0, description="Seconds in the queue after which house bots fill a table.")
    ] = 10.0
    house: Annotated[tuple[str, ...], Meta(description="The house bots that fill tables.")] = (
        "cautious", "bluffer", "listener", "honest", "random",
    )  # fmt: skip
    fast_turn: Annotated[Seconds, Meta(description="Seconds for a turn in the lane fast.")] = 120.0
    standard_turn: Annotated[Seconds, Meta(description="Seconds for a turn in the lane standard.")] = 900.0
    people_turn: Annotated[Seconds, Meta(description="Seconds for a turn where people play.")] = 120.0
    fast_queue: Annotated[Seconds, Meta(description="Seconds that an entry lives in the queue of the lane fast.")] = (
        1200.0
    )
    standard_queue: Annotated[Seconds, Meta(description="The same for the lane standard.")] = 3900.0
    hold: Annotated[
        float, Meta(ge=0, le=60.0, description="The longest that a waiting request is held, in seconds.")
    ] = 25.0
    talk: Annotated[bool, Meta(description="Whether an action may carry a line of table talk.")] = True
    requests_per_minute: Annotated[int, Meta(ge=1, description="Requests that a key may make in a minute.")] = 6000
    address_per_minute: Annotated[int, Meta(ge=1, description="Requests that an address may make in a minute.")] = 12000
    registrations_per_hour: Annotated[
        int, Meta(ge=1, description="Agents that an address may register in an hour.")
    ] = 60
    log_level: Annotated[Level, Meta(description="How much is logged: debug, info, warning or error.")] = "info"

    def turn_ms(self, lane: str) -> int:
        """Milliseconds for a turn."""
        turns = {
            "fast": self.fast_turn, "standard": self.standard_turn, "people": self.people_turn, "tcp": self.tcp_turn
        }  # fmt: skip
        seconds = turns[lane]
        return int(seconds * 1000)

    def queue_ms(self, lane: str) -> int:
        """Milliseconds that an entry lives in the queue."""
        return int((self.fast_queue if lane == "fast" else self.standard_queue) * 1000)

    @property
    def base(self) -> str:
        """The address under which agents find this arena, without a slash at its end."""
        return self.public_url.rstrip("/") or address(self.host, self.port)

    @property
    def store(self) -> str:
        """The store's URL."""
        return self.db or f"sqlite:///{self.data}/arena.sqlite"


def address(host: str, port: int) -> str:
    """Where a program on this machine finds what listens on `host`."""
    near = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://[{near}]:{port}" if ":" in near else f"http://{near}:{port}"
