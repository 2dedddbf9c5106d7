"""Is a candidate better, decided as early as the games allow: a sequential test over groups of rotations.

One sample is the candidate's mean score over a group, which holds all that the group's shared dice do to it; games
are not samples. A score is the candidate's share of a win: 1, or 1/k when k share the first place. Chess engines are
tested in the same way on pairs of games ("pentanomial", fishtest).

The test is Wald's (1945), on a quasi-likelihood (Wedderburn 1974): a share s varies as s(1 - s) does, times a
dispersion that the groups themselves tell, so that the log likelihood ratio is the binomial one divided by it. A
normal likelihood with the variance that was seen would do for two players. For six, who seldom win, low scores come
with a low variance, and it said "H0" at elo1 in 7 to 12 of 100 tests instead of 5 (`benchmarks/honesty.py` measures
it). Sums suffice, so tallies can feed the test.

What score to expect: under Plackett-Luce, the model behind the ratings, a player of strength w = 10^(elo/400) wins
against n - 1 others of strength 1 with chance w / (w + n - 1). That is Elo's own curve for two players, and an even
1/n for anybody among equals. A field of unequal others counts as one of equals with the same sum of strengths.

When a test stops depends on the order in which it is fed. Feed groups in the order of their numbers and not as
processes finish them: then any number of processes stops at the same group.
"""

from collections.abc import Iterable
from math import inf, isfinite, log, log10, sqrt
from typing import Any, Literal

import numpy as np
from msgspec import Struct

from calza.rules import CalzaError

from .limits import limits, student
from .ratings import ALIKE, RARE

LEAST = 32  # groups: with fewer, the dispersion that the test goes by is itself a guess
KNOWN = 4  # groups, counted as one game each, from which the dispersion sets out
MOST_ELO = 1000  # beyond it nearly every game is won, and no test is needed
SETTINGS = {"elo0": 0, "elo1": 10, "alpha": 0.05, "beta": 0.05}  # as an example

Decision = Literal["H0", "H1"]


class SprtError(CalzaError):
    """A test that cannot be made."""


class Sums(Struct, frozen=True):
    """Groups, and the sums of their scores and squared scores; they add."""

    groups: int = 0
    total: float = 0.0
    squares: float = 0.0

    def __add__(self, other: "Sums") -> "Sums":
        return Sums(self.groups + other.groups, self.total + other.total, self.squares + other.squares)


class Verdict(Struct, frozen=True):
    """Where a test stands: undecided while `llr` lies between the bounds."""

    llr: float
    lower: float
    upper: float
    decided: Decision | None
    elo: float  # against the field; infinite when every game was won, or none
    low: float  # its 95 % interval; early stopping makes it and `elo` look a little better than they are
    high: float


class Stop(Struct, frozen=True):
    """Where a test stands once fed: `index` is that of the group that decided it, or None if none did.

    `sums` are those of the groups that counted, up to the one that decided; feed on from them.
    """

    index: int | None
    verdict: Verdict
    sums: Sums


class Test(Struct, frozen=True):
    """What is asked: at most `elo0`, or at least `elo1`, against a field of `players` - 1 others."""

    elo0: float
    elo1: float
    players: int
    alpha: float = 0.05  # how often "H1" is said at elo0
    beta: float = 0.05  # how often "H0" is said at elo1
    least: int = LEAST  # groups before it may stop

    def __post_init__(self) -> None:
        if not (abs(self.elo0) <= MOST_ELO and abs(self.elo1) <= MOST_ELO):
            raise SprtError(
                f"elo0 and elo1 lie between -{MOST_ELO} and {MOST_ELO}, not at {self.elo0:g}, {self.elo1:g}"
            )
        if not self.elo0 < self.elo1:
            raise SprtError(f"elo0 must be less than elo1, not {self.elo0:g} and {self.elo1:g}")
        if self.players < 2:
            raise SprtError(f"a game takes two players or more, not {self.players}")
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise SprtError(f"alpha and beta lie between 0 and 0.5, not at {self.alpha:g} and {self.beta:g}")

    @property
    def bounds(self) -> tuple[float, float]:
        """Where the test is decided for H0, and for H1."""
        return log(self.beta / (1 - self.alpha)), log((1 - self.beta) / self.alpha)

    def ratio(self, groups: Any, total: Any, squares: Any) -> Any:
        """The log likelihood ratio of H1 to H0, from sums or from arrays of them."""
        score0, score1 = score_of(self.elo0, self.players), score_of(self.elo1, self.players)
        even = KNOWN * score0 * (1 - score1)
        missed, mean = groups - total, total / np.maximum(groups, 1)
        dispersion = (squares - total * mean + even) / (total - total * mean + even)
        return (total * log(score1 / score0) + missed * log((1 - score1) / (1 - score0))) / dispersion

    def verdict(self, sums: Sums) -> Verdict:
        """Where the test stands after these sums."""
        llr = float(self.ratio(sums.groups, sums.total, sums.squares))
        lower, upper = self.bounds
        decided: Decision | None = None
        if sums.groups >= self.least:
            decided = "H1" if llr >= upper else "H0" if llr <= lower else None
        if not sums.groups:
            return Verdict(llr, lower, upper, decided, 0.0, -inf, inf)
        return Verdict(llr, lower, upper, decided, *(elo_of(score, self.players) for score in interval(sums)))

    def feed(self, scores: Iterable[float], since: Sums | None = None) -> Stop:
        """Go on from `since` with the groups' scores, in the order of their numbers, until it is decided.

        A test that has ended takes no more. Feeding in portions or all at once ends at the same group.
        """
        sums = since or Sums()
        coming = iter(scores)
        while not (verdict := self.verdict(sums)).decided and (score := next(coming, None)) is not None:
            sums += Sums(1, score, score * score)
        return Stop(sums.groups - 1 if verdict.decided else None, verdict, sums)


def interval(sums: Sums) -> tuple[float, float, float]:
    """The mean score and its 95 % interval."""
    groups = sums.groups
    mean = sums.total / groups
    if groups < 2:
        return mean, 0.0, 1.0
    spread = sums.squares / groups - mean * mean
    # Groups that are all alike say nothing of how they may differ: each is one game then.
    variance = spread / (groups - 1) if spread > ALIKE else mean * (1 - mean) / groups
    low, high = (mean + side * student(groups - 1) * sqrt(variance) for side in (-1, 1))
    if min(sums.total, groups - sums.total) < RARE:
        least, most = limits(sums.total, groups)
        low, high = min(low, least), max(high, most)
    return mean, max(0.0, low), min(1.0, high)


def score_of(elo: float, players: int) -> float:
    """The share of games that a player so much better than each of its `players` - 1 equal opponents wins."""
    return 1 / (1 + (players - 1) * 10 ** (-elo / 400))


def elo_of(score: float, players: int) -> float:
    """How much better a player is that wins this share of its games."""
    if not 0 < score < 1:
        return -inf if score <= 0 else inf
    return 400 * log10(score * (players - 1) / (1 - score))


def parse_sprt(text: str, players: int) -> Test:
    """A test from `elo0=0 elo1=10` and, if wanted, `alpha=0.05 beta=0.05`; SprtError says what is wrong."""
    given: dict[str, float] = {}
    for word in text.replace(",", " ").split():
        name, _, value = word.partition("=")
        if name not in SETTINGS:
            raise SprtError(f"a test has no {name!r}: write elo0=0 elo1=10, and alpha=0.05 beta=0.05 if you like")
        if name in given:
            raise SprtError(f"{name} is given twice")
        given[name] = number(name, value)
    if missing := [name for name in ("elo0", "elo1") if name not in given]:
        raise SprtError(f"a test needs {' and '.join(missing)}: write elo0=0 elo1=10")
    alpha, beta = given.get("alpha", 0.05), given.get("beta", 0.05)
    return Test(given["elo0"], given["elo1"], players, alpha, beta)


def number(name: str, text: str) -> float:
    """The number of a setting."""
    try:
        value = float(text)
    except ValueError:
        value = inf
    if not isfinite(value):
        raise SprtError(f"{name} is a number, not {text!r}: write {name}={SETTINGS[name]}")
    return value
