"""A sitting: one person and some house bots at a table, the dice committed to, and the record of it all.

Everything that chance decides follows from one seed: the dice and the seats by `hmac-1`, the bots' own chance from keys
that tell nothing about the dice.
"""

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime

from msgspec import Struct

from calza.agents import HouseAgent
from calza.agents.house import Spec
from calza.rules import Game, HmacDice, Player, Record, Rules
from calza.rules.dice import commitment
from calza.show import Cast

from .bots import numbered

PERSON = "person"  # the salt of whoever plays: the dice do not hang on a name


class Luck(Struct, frozen=True):
    """Where chance comes from: the seed of everything, and the name of the match."""

    seed: bytes
    match: str

    @classmethod
    def named(cls, text: str) -> "Luck":
        """The same chance for the same text."""
        seed = hashlib.sha256(text.encode(errors="surrogateescape")).digest()
        return cls(seed, hashlib.sha256(b"calza match id 1" + seed).hexdigest()[:16])

    def bot_key(self, bot: int) -> int:
        """What a bot's chance comes from."""
        return int.from_bytes(hashlib.sha256(b"calza bot 1" + self.seed + bytes([bot])).digest()[:8], "big")


class Sitting:
    """Who sits where, and the game."""

    def __init__(self, rules: Rules, name: str, bots: Sequence[Spec], luck: Luck, dice: int | None = None) -> None:
        called = [name, *numbered(bot.house for bot in bots)]
        agents = ["", *map(str, bots)]
        salts = [PERSON, *numbered(map(str, bots))]
        self.players = [Player(name=n, salt=s, agent=a) for n, s, a in zip(called, salts, agents, strict=True)]
        self.luck = luck
        source = HmacDice(luck.seed, luck.match, salts)
        self.seats = source.seating(len(called))
        self.game = Game(rules, len(called), seed=source, dice=dice)
        self.person = self.seats.index(0)
        self.bots = {
            seat: HouseAgent(bots[player - 1], luck.bot_key(player))
            for seat, player in enumerate(self.seats)
            if player > 0
        }
        self.cast = Cast(tuple(called[player] for player in self.seats), self.person)

    @property
    def commitment(self) -> str:
        """What the dice are committed to by, before the first of them is seen."""
        return commitment(self.luck.seed)

    @property
    def playing(self) -> bool:
        """Whether the person is still in."""
        return not self.game.over and self.game.state.dice[self.person] > 0

    def record(self, started: int) -> Record:
        """The match so far, begun at `started` (milliseconds since 1970); its dice may be checked at once."""
        begun = datetime.fromtimestamp(started // 1000, UTC)
        return self.game.record(
            self.players, self.seats, id=self.luck.match, started=f"{begun:%Y-%m-%dT%H:%M:%SZ}", reveal=True
        )
