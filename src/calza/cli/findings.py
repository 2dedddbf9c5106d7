"""What a check found, as a page for people or as JSON."""

from typing import Any

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from calza.agents.findings import WORDS, Difference, Findings, Problem, Row, many, remarks, share, span, verdict
from calza.agents.trials import Trial
from calza.agents.watched import Answer
from calza.rules.actions import seat_name

from .screen import Screen

SHOWN = 5  # problems
TRACE = 20  # lines of a bot's log
DICE = 12  # of a hand, and bids of a round
WIDEST = 400  # letters of a line
MARK = "\N{REPLACEMENT CHARACTER}"
SHARES = {"median": 0.5, "p99": 0.99, "most": 1.0}


def draw(found: Findings) -> None:
    """Print what was found; the verdict is the last line."""
    screen = Screen()
    if found.seconds:
        screen.show(table(found))
        screen.gap()
    for remark in remarks(found):
        screen.say(remark)
    if found.started is not None:
        screen.gap()
    for number, problem in enumerate(found.problems[:SHOWN], 1):
        show_problem(screen, number, problem)
        screen.gap()
    if more := found.problems[SHOWN:]:
        screen.say(f"{many(len(more), 'problem')} more; --json has them all.")
        screen.gap()
    screen.say(verdict(found), "bold green" if found.fit else "bold red")


def table(found: Findings) -> Table:
    """A line for each set of rules."""
    drawn = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    drawn.add_column("rules", overflow="fold")
    for column in ("matches", "moves", "faults", "median", "99 %"):
        drawn.add_column(column, justify="right", no_wrap=True)
    for row in found.rows:
        drawn.add_row(*cells(row), style="red" if sum(row.faults.values()) else "")
    return drawn


def cells(row: Row) -> tuple[str, ...]:
    """What is said of one set of rules."""
    times = [span(share(row.seconds, part)) if row.seconds else "-" for part in (0.5, 0.99)]
    faults = sum(row.faults.values())
    return row.rules.name, f"{row.matches:,}", f"{len(row.seconds):,}", f"{faults:,}" if faults else "-", *times


def show_problem(screen: Screen, number: int, problem: Problem) -> None:
    """What went wrong, where it did first, and what the bot's log says of it."""
    often = f", {problem.times:,} times, first" if problem.times > 1 else ""
    screen.say(f"{number}. {WORDS[problem.kind].capitalize()}{often} {place(problem)}: {clean(problem.why)}", "bold")
    if problem.answer:
        screen.show(Padding(Text(position(problem.answer)), (0, 0, 0, 3), expand=False))
    log = problem.detail.rstrip().splitlines() if problem.detail.strip() != problem.why else []
    for line in log[-TRACE:]:
        screen.copyable(f"   | {clean(line)}")


def place(problem: Problem) -> str:
    """Which match it was in."""
    return f"in {problem.trial.where}" if problem.trial else "at its start"


def position(answer: Answer) -> str:
    """What the bot saw, and what it said."""
    view = answer.view
    cup = " ".join(map(str, view.cup[:DICE])) + (" ..." if len(view.cup) > DICE else "")
    bids = [f"{seat_name(seat)} {bid}" for seat, bid in view.bids]
    standing = ("..., " if len(bids) > DICE else "") + ", ".join(bids[-DICE:])
    said = f"it answered {clean(answer.said)}" if answer.said else "it gave no answer"
    return (
        f"It was {seat_name(view.seat)} with {cup}; dice {' '.join(map(str, view.dice))}; "
        f"{'bids ' + standing if bids else 'no bid yet'}; {said}."
    )


def clean(text: str) -> str:
    """Text of a bot's: it may hold anything, codes for the terminal included."""
    return "".join(sign if sign.isprintable() else MARK for sign in text[:WIDEST]) + "..." * (len(text) > WIDEST)


# --- for programs


def summary(found: Findings) -> dict[str, Any]:
    """All that was found, as JSON."""
    return {
        "bot": found.entry.name,
        "entry": found.entry.text,
        "isolation": found.entry.isolation,
        "seed": found.settings.seed,
        "fit": found.fit,
        "verdict": verdict(found),
        "remarks": list(remarks(found)),
        "planned": found.planned,
        "stopped": found.stopped or None,
        "start": found.started,
        "move": found.settings.move,
        "memory": found.memory,
        "processes": found.others,
        "refused": found.refused,
        "repeated": found.stubborn,
        "askedTwice": found.twice,
        "deterministic": found.deterministic,
        "difference": difference(found.difference) if found.difference else None,
        **figures(found.matches, found.seconds, found.faults),
        "rules": [
            {"rules": row.rules.name, "rulesId": row.rules.rules_id, "ended": row.ended}
            | figures(row.matches, row.seconds, row.faults)
            for row in found.rows
        ],
        "problems": [problem_json(problem) for problem in found.problems],
    }


def figures(matches: int, seconds: list[float], faults: dict[str, int]) -> dict[str, Any]:
    """Counts and times, in seconds."""
    times = {name: share(seconds, part) if seconds else None for name, part in SHARES.items()}
    return {"matches": matches, "moves": len(seconds), "faults": faults, "seconds": times}


def difference(one: Difference) -> dict[str, Any]:
    """Where it did not play the same twice."""
    return trial_json(one.trial) | {"first": one.first, "second": one.second}


def problem_json(problem: Problem) -> dict[str, Any]:
    """One kind of fault, with what the bot was asked as it travels."""
    return {
        "kind": problem.kind,
        "times": problem.times,
        "why": problem.why,
        "detail": problem.detail,
        **(trial_json(problem.trial) if problem.trial else {}),
        "request": problem.request,
        "answer": problem.answer.said or None if problem.answer else None,
    }


def trial_json(trial: Trial) -> dict[str, Any]:
    """Which match it was."""
    return {
        "rules": trial.rules.name,
        "players": trial.seats,
        "stage": trial.stage,
        "about": trial.about,
        "match": trial.number,
        "setup": trial.setup,
    }
