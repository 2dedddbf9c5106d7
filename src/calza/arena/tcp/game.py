"""One game of the gateway: a match of the arena whose players came by TCP, and perhaps some of the house."""

from collections.abc import Iterable
from contextlib import suppress

from calza.arena.arena import Arena
from calza.arena.errors import ArenaError
from calza.arena.events import SILENCE, news
from calza.arena.live import Live
from calza.arena.store.matches import Joining
from calza.arena.store.seated import Seated
from calza.rules import Action

from .line import Player
from .messages import say
from .story import EVERYBODY, Story, Told

GAME, GATEWAY = "joker", "tcp"  # the latter is also the lane, which has the clock
LATER = 1.0  # seconds after which the store is asked again

UNABLE = say("UnableToSendMsgToGame")
NOT_YOUR_TURN = say("NotYourTurn")


class Game:
    """A game, and who plays it."""

    def __init__(self, arena: Arena, players: Iterable[Player], size: int) -> None:
        self.arena, self.players, self.size = arena, list(players), size
        self.match = ""
        self.story: Story | None = None
        self.over = False

    @classmethod
    def again(cls, arena: Arena, seated: Seated) -> "Game":
        """A match that went on while this process did not; its bots come back by their uuids."""
        guests = [Player(one.name, one.salt, one.agent) for one in seated.players if not one.house]
        game = cls(arena, guests, len(seated.players))
        game.match = seated.match.id
        return game

    @property
    def attended(self) -> bool:
        """Whether any of its bots is connected."""
        return any(player.lines for player in self.players)

    # --- from the lobby to the end

    async def run(self) -> None:
        """Open the match if need be, and tell its bots of it until it is over."""
        fresh = not self.match
        while (live := await self.opened()) is None:
            await self.arena.clock.sleep(LATER)
        story = Story(live)
        self.story = story
        if fresh:
            self.tell(story.begin())
        else:
            for _ in story.go_on():
                pass  # told before this process began
            for player in self.players:
                for said in story.again(player.seat):
                    player.tell(said)
        await self.follow(live, story)

    async def opened(self) -> Live | None:
        """The match, to which all have come; None when the store cannot say just now."""
        with suppress(ArenaError):
            if not self.match:
                self.match = await self.open() or ""
            if self.match:
                live = await self.arena.tables.live(self.match)
                for player in self.players:
                    player.seat = live.seats[player.agent]
                    await self.arena.tables.come(live, player.seat)
                return live
        return None

    async def open(self) -> str | None:
        """Open a match for the bots, and for so many of the house as are missing."""
        for player in self.players:
            player.agent = player.agent or (await self.arena.accounts.guest(player.name)).id
        joining = [Joining(one.agent, one.name, one.token, queued=False) for one in self.players]
        house = self.arena.lobby.house[: self.size - len(joining)]
        joining += [Joining(one.id, one.name, one.id, one.house, queued=False) for one in house]
        return await self.arena.lobby.open_match(GAME, GATEWAY, joining, rated=False, gateway=GATEWAY)

    async def follow(self, live: Live, story: Story) -> None:
        """Tell what happens."""
        live.followers += 1
        try:
            while not self.arena.tables.stopping:
                version = live.version
                self.over = live.finished
                # The end is told when it is settled: whoever has heard it may come into the next lobby.
                if self.over or not live.game.over:
                    self.tell(story.go_on())
                if self.over:
                    if not live.game.over:  # an operator has aborted it
                        self.tell([Told(say("GameEnded", winner=""))])
                    return
                await news(live, version, SILENCE)
        finally:
            live.followers -= 1

    def tell(self, told: Iterable[Told]) -> None:
        """Tell everybody, or one."""
        for one in told:
            for player in self.players:
                if one.seat in (EVERYBODY, player.seat):
                    player.tell(one.line)

    # --- what bots do

    def welcome(self, player: Player) -> Iterable[bytes]:
        """What a bot is told that has come back."""
        yield say("Reconnected")
        if self.story is not None:
            yield from self.story.again(player.seat)

    async def act(self, player: Player, action: Action) -> bytes | None:
        """Play for somebody; what is answered, if what happens does not answer it."""
        if self.story is None or self.over:
            return UNABLE
        try:
            await self.arena.tables.play(player.agent, self.match, self.story.sequence, action)
        except ArenaError as error:
            return NOT_YOUR_TURN if error.code in ("not_your_turn", "stale_sequence") else UNABLE
        return None
