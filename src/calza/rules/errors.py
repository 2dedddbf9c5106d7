"""Everything that can be wrong, each with one sentence for whoever caused it."""

from enum import IntEnum


class Refusal(IntEnum):
    """Why an action may not be played; `FINE` when it may."""

    FINE = 0
    TOO_LOW = 1
    TOO_MANY = 2
    FACE_BARRED = 3
    NO_SUCH_FACE = 4
    NO_SUCH_CALL = 5
    NOTHING_TO_CALL = 6
    CALL_BARRED = 7
    NOTHING_LOST = 8
    NOT_YOUR_TURN = 9
    OUT = 10
    GAME_OVER = 11
    NOT_AN_ACTION = 12

    @property
    def word(self) -> str:
        """The refusal as one lower-case word for wires and logs."""
        return self.name.lower()


class CalzaError(Exception):
    """What every error of this package is."""


class RulesError(CalzaError):
    """These rules make no game."""

    def __init__(self, field: str, why: str) -> None:
        super().__init__(f"{field}: {why}" if field else why)
        self.field, self.why = field, why

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.field, self.why)


class NotationError(CalzaError):
    """This text cannot be read."""

    def __init__(self, text: str, why: str, position: int = 0) -> None:
        super().__init__(f"cannot read {text[:40]!r}: {why}")
        self.text, self.why, self.position = text, why, position

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.text, self.why, self.position)


class SetupError(CalzaError):
    """This position cannot be set up."""


class IllegalAction(CalzaError):
    """The action was read, and the rules refuse it."""

    def __init__(self, refusal: Refusal, seat: int, action: object, sentence: str, instead: object = None) -> None:
        super().__init__(sentence)
        self.refusal, self.seat, self.action = refusal, seat, action
        self.sentence, self.instead = sentence, instead

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.refusal, self.seat, self.action, self.sentence, self.instead)


class RecordError(CalzaError):
    """A record cannot be read or does not verify; `sequence` is the action at fault, if it is one."""

    def __init__(self, why: str, sequence: int | None = None) -> None:
        super().__init__(why if sequence is None else f"action {sequence}: {why}")
        self.why, self.sequence = why, sequence

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.why, self.sequence)


class AgentFault(CalzaError):
    """An agent failed: `timeout`, `crash`, `malformed`, `illegal`, or `benched`. The host's policy says what follows.

    `detail` is for the agent's author: a traceback, a log, or what the agent wrote.
    """

    def __init__(self, kind: str, why: str, detail: str = "") -> None:
        super().__init__(why)
        self.kind, self.why, self.detail = kind, why, detail

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.kind, self.why, self.detail)
