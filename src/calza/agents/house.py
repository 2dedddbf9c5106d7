"""The house bots by name: `cautious`, `cautious:call=0.35`, `bluffer:call=0.3:bluff=0.2`."""

from collections.abc import Callable
from difflib import get_close_matches

from msgspec import Struct

from calza.rules import Action, Call, CalzaError, View
from calza.rules.dice import M64, mix
from calza.rules.table import Table

from . import policies
from .odds import OddsChart, odds_chart, reach

Policy = Callable[..., int]
PARAMETERS = 2


class AgentError(CalzaError):
    """There is no such agent."""


class Parameter(Struct, frozen=True):
    """A number that sets how a bot plays."""

    name: str
    default: float
    about: str


class House(Struct, frozen=True):
    """A house bot: how it plays, and what may be set."""

    name: str
    about: str
    policy: Policy
    parameters: tuple[Parameter, ...] = ()


CALL = Parameter("call", 0.35, "calls a bid that is less likely to hold than this")

HOUSE: dict[str, House] = {
    one.name: one
    for one in (
        House("random", "any legal action, each as likely as another", policies.random),
        House("skeptic", "calls at once", policies.skeptic),
        House("believer", "raises as long as it can", policies.believer),
        House("honest", "never bids above what it expects", policies.honest),
        House("cautious", "calls an unlikely bid, else makes the likeliest least raise", policies.cautious, (CALL,)),
        House(
            "bluffer",
            "cautious, with a share of bids on nothing",
            policies.bluffer,
            (CALL, Parameter("bluff", 0.2, "the share of its bids that are on a face it has nothing of")),
        ),
        House(
            "listener",
            "cautious, with odds shifted by what others have bid",
            policies.listener,
            (CALL, Parameter("trust", 0.8, "dice that a seat's bid on a face is taken to stand for (0 to 1)")),
        ),
    )
}
KINDS = {name: kind for kind, name in enumerate(HOUSE)}


class Spec(Struct, frozen=True):
    """A house bot with its parameters set."""

    house: str
    params: tuple[float, ...] = ()

    @property
    def kind(self) -> int:
        """The bot's number in compiled code."""
        return KINDS[self.house]

    def __str__(self) -> str:
        parameters = zip(HOUSE[self.house].parameters, self.params, strict=False)
        return self.house + "".join(f":{one.name}={set_:g}" for one, set_ in parameters if set_ != one.default)


def parse_agent(text: str) -> Spec:
    """A house bot from its name and settings; AgentError says what there is."""
    name, *settings = text.strip().split(":")
    if name not in HOUSE:
        near = get_close_matches(name, HOUSE, 1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(HOUSE)}"
        raise AgentError(f"there is no house bot {name!r}; {hint}")
    house = HOUSE[name]
    values = {one.name: one.default for one in house.parameters}
    for setting in settings:
        key, _, value = setting.partition("=")
        if key not in values:
            known = " and ".join(values) or "none"
            raise AgentError(f"{name} has no setting {key!r}; it has {known}")
        values[key] = fraction(name, key, value)
    return Spec(name, tuple(values.values()))


def fraction(name: str, key: str, text: str) -> float:
    """A number from 0 to 1."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0.0 <= value <= 1.0:
        raise AgentError(f"{name}:{key} is a number from 0 to 1, not {text!r}")
    return value


NOISE = 0x6E6F697365  # apart from every key of dice


def noise_key(key: int) -> int:
    """The key of the bots' chance in a game, from the key of its dice."""
    return mix(key ^ NOISE)


class HouseAgent:
    """A house bot in a seat. `key` seeds its chance: the same key plays the same game."""

    def __init__(self, spec: Spec, key: int) -> None:
        house = HOUSE[spec.house]
        self.name = str(spec)
        self.key = key & M64
        self.policy = house.policy
        self.params = (*spec.params, *(0.0,) * PARAMETERS)[:PARAMETERS]
        self.listens = house.policy is policies.listener
        self.table: Table | None = None

    def act(self, view: View) -> Action:
        """What the policy says, as an action."""
        if self.table is not view.table:
            self.sit_down(view)
        charts = view.table.charts
        spoken = view.spoken if self.listens else ()
        code = self.policy(view, charts, self.odds, view.matching, spoken, self.params, self.key + view.sequence)
        return view.table.bids[code] if code > 0 else self.calls[-1 - code]

    def sit_down(self, view: View) -> None:
        """Get ready for a match by other rules than the last."""
        self.table = view.table
        self.odds: OddsChart = odds_chart(view.rules, reach(sum(view.start)))
        self.calls = [Call(name) for name in view.table.names]
