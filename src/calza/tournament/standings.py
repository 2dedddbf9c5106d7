"""From what was counted to what is told: the standings, with an interval at every number that chance had a hand in."""

from collections.abc import Sequence
from functools import cached_property
from itertools import combinations
from math import isfinite, sqrt
from typing import TYPE_CHECKING

import numpy as np

from calza.matches import read_record

from .audit import evidence, gifts
from .formats import Past, eliminated
from .plan import Plan
from .play import Kept
from .ratings import Rating, Resampled, islands, redraw, share_of
from .results import Failure, Habits, Interval, Pair, Results, Share, Shown, SoftPlay, Standing, Time
from .run import Ended
from .tally import FAULTS, SCALE, Tally
from .watch import ACTS

if TYPE_CHECKING:
    from .openranks import Skill

RESAMPLES = 1000
TWINS = 3  # pairs that are named
Z95 = 1.959964  # the standard normal's 97.5 % point


def results_of(plan: Plan, ended: Ended, kept: Sequence[Kept] = (), *, name: str = "", seconds: float = 0.0) -> Results:
    """Everything that is known of a tournament so far."""
    tally = ended.tally
    games, rounds, actions, unfinished = map(int, tally.totals)
    counted = Counted(plan, tally, ended.skills)
    order = counted.order(ended.past)
    return Results(
        name=name or f"{plan.rules.shown} tournament",
        rules=plan.rules.shown,
        rules_id=plan.rules.rules_id,
        format=plan.format,
        scoring=plan.scoring,
        players=plan.players,
        dice=plan.dice or plan.rules.dice,
        seed=plan.seed,
        games=games,
        planned=ended.planned,
        unfinished=unfinished,
        seconds=seconds,
        rounds=rounds / max(1, games),
        actions=actions / max(1, games),
        standings=tuple(counted.standing(rank, one, ended.past) for rank, one in enumerate(order, 1)),
        pairs=tuple(tuple(counted.pair(i, j) for j in order) for i in order),
        seats=tuple(
            seat_share(behind, row[0], row[1], plan.players) for behind, row in enumerate(tally.seats.tolist())
        ),
        round_counts=tuple(map(int, tally.watched.rounds)),
        winner_dice=tuple(map(int, tally.watched.left.sum(axis=0))),
        watched=int(tally.watched.games[0]),
        soft_play=tuple(soft_play(plan, tally)),
        shown=tuple(shown(one) for one in kept),
        notes=tuple(counted.notes(games)),
    )


class Counted:
    """A tally with what can be said of it by resampling; entries by their numbers."""

    def __init__(self, plan: Plan, tally: Tally, skills: Sequence["Skill"] = ()) -> None:
        """`skills` are those of a league, by entry."""
        self.plan, self.tally, self.skills = plan, tally, skills
        used = tally.games.any(axis=1)
        self.games, self.points = tally.games[used], tally.points[used] / SCALE
        self.times = redraw(len(self.games), np.random.default_rng(plan.seed), RESAMPLES)

    @cached_property
    def resampled(self) -> Resampled:
        """Who was ahead of whom, and what that might as well have been."""
        return Resampled(self.tally.ahead, np.random.default_rng(self.plan.seed), RESAMPLES)

    @cached_property
    def ratings(self) -> Sequence[Rating | None]:
        """By entry."""
        return self.resampled.ratings if self.tally.ahead.any() else [None] * len(self.plan.entries)

    def share(self, one: int) -> Interval:
        """The share of the points that an entry won, of those that it could have won."""
        games, points = self.games[:, one], self.points[:, one]
        if not games.sum():
            return Interval(0.0, None, None)
        bins = np.stack([points, games - points], axis=1)
        won, missed = map(float, bins.sum(axis=0))
        share = share_of(won, missed, self.times @ bins, int((games > 0).sum()))
        return told(share.share, share.low, share.high)

    def order(self, past: Sequence[Past]) -> list[int]:
        """The entries, best first: in a league by skill, for there who meets the weak has the most points."""
        entries = range(len(self.plan.entries))
        if self.skills:
            return sorted(entries, key=lambda one: (-self.skills[one].rank, one))
        shares = [self.share(one).value for one in entries]
        out = eliminated(past) if self.plan.format == "knock-out" else {}
        return sorted(entries, key=lambda one: (-out.get(one, len(past)), -shares[one], one))

    def standing(self, rank: int, one: int, past: Sequence[Past]) -> Standing:
        """An entry's line."""
        plan, tally, entry = self.plan, self.tally, self.plan.entries[one]
        rating = self.ratings[one]
        faults = {kind: int(often) for kind, often in zip(FAULTS, tally.faults[one], strict=True) if often}
        return Standing(
            rank=rank,
            name=entry.name,
            bot=entry.text,
            isolation=entry.isolation,
            games=int(tally.games[:, one].sum()),
            points=self.share(one),
            rating=None if rating is None else told(rating.elo, rating.low, rating.high),
            skill=told(self.skills[one].mu, *self.skills[one].interval) if self.skills else None,
            wins=int(tally.wins[one]),
            faults=faults,
            benched=one in benched_in(past),
            habits=habits(tally, one),
            time=time_of(tally, one),
            stage=last_stage(one, past) if plan.format == "knock-out" else "",
        )

    def pair(self, i: int, j: int) -> Pair | None:
        """One entry against another."""
        share = self.resampled.share(i, j) if i != j else None
        if share is None:
            return None
        met = self.tally.ahead[:, i, j].sum() + self.tally.ahead[:, j, i].sum()
        return Pair(int(met) // 2, told(share.share, share.low, share.high), self.resampled.superiority(i, j))

    def notes(self, games: int) -> list[str]:
        """What one should know."""
        said = []
        if self.plan.foreign:
            said.append("Foreign bots played, so each group of games has a secret key: no bot can foretell its dice.")
        if not islands(self.tally.ahead.sum(axis=0)).all():
            said.append("Not all bots met, not even through others: ratings compare only among those that did.")
        if unfinished := int(self.tally.totals[3]):
            limit = f"the limit of {self.plan.limit:,} actions"
            said.append(f"{unfinished:,} of {games:,} games reached {limit}: nobody won them.")
        return [*said, *self.twins()]

    def twins(self) -> list[str]:
        """Bots that may play the same: with the same dice a change of code that changes no move shows as this."""
        pairs = [pair for pair in combinations(range(len(self.plan.entries)), 2) if self.resampled.even(*pair)]
        names = [" and ".join(self.plan.names[one] for one in pair) for pair in pairs[:TWINS]]
        more = [f"{len(pairs) - TWINS:,} more pairs came out so."] if len(pairs) > TWINS else []
        return [
            f"{both} came out even in every group of games: they may well play just the same." for both in names
        ] + more


def told(value: float, low: float, high: float) -> Interval:
    """An interval whose ends may be unknown."""
    return Interval(value, low if isfinite(low) else None, high if isfinite(high) else None)


# --- stages


def last_stage(one: int, past: Sequence[Past]) -> str:
    """The last stage in which an entry played."""
    names = [over.stage.name for over in past if any(one in table for table in over.stage.tables)]
    return names[-1] if names else ""


def benched_in(past: Sequence[Past]) -> set[int]:
    """Who was benched in some stage."""
    return {one for over in past for one in over.benched}


# --- single figures


def habits(tally: Tally, one: int) -> Habits | None:
    """How an entry played, where it was watched."""
    acts = dict(zip(ACTS, map(int, tally.watched.acts[one]), strict=True))
    if not acts["turns"]:
        return None
    return Habits(
        bids=acts["bids"],
        bluffs=acts["bluffs"],
        unsupported=acts["unsupported"],
        calls=acts["calls"],
        calls_right=acts["right"],
        exacts=acts["exacts"],
        exacts_right=acts["exacts_right"],
    )


def time_of(tally: Tally, one: int) -> Time | None:
    """What its moves took."""
    moves, total, slowest = map(int, tally.times[one])
    return Time(moves, total / moves / 1000, slowest / 1000) if moves else None


def seat_share(behind: int, games: int, wins: int, players: int) -> Share:
    """How often a seat won (Wilson 1927); the games of a group share their dice and count as one."""
    if not games:
        return Share(behind, Interval(0.0, None, None))
    share, groups = wins / games, games / players
    middle = (share + Z95**2 / (2 * groups)) / (1 + Z95**2 / groups)
    half = Z95 * sqrt(share * (1 - share) / groups + Z95**2 / (4 * groups**2)) / (1 + Z95**2 / groups)
    return Share(behind, Interval(share, min(share, middle - half), max(share, middle + half)))


def soft_play(plan: Plan, tally: Tally) -> list[SoftPlay]:
    """Every pair that could be compared."""
    return [
        SoftPlay(
            giver=plan.names[gift.giver],
            taker=plan.names[gift.taker],
            way=gift.way,
            decisions=gift.decisions,
            often=gift.often,
            usual=gift.usual,
            dice=told(gift.given, gift.low, gift.high),
            flagged=gift.flagged,
            evidence=evidence(gift, plan.names),
        )
        for gift in gifts(tally.watched)
    ]


def shown(kept: Kept) -> Shown:
    """A kept match as a report shows it."""
    record = read_record(kept.record)
    names = [player.name for player in record.players]
    failures = tuple(Failure(name, fault.kind, fault.why, fault.detail, fault.sequence) for name, fault in kept.faults)
    return Shown(f"{' against '.join(names)}, group {kept.unit}, rotation {kept.rotation + 1}", kept.record, failures)
