"""What can go wrong in the arena: for whoever asked it for something, and for whoever runs it."""

from calza.rules import CalzaError


class ArenaError(CalzaError):
    """The arena does not do what was asked: an HTTP status, a word for programs, a sentence for readers.

    `more` is what else the reply says, such as `currentSequence`.
    """

    def __init__(self, status: int, code: str, details: str = "", **more: object) -> None:
        super().__init__(details or code)
        self.status, self.code, self.details, self.more = status, code, details, more

    def __reduce__(self) -> tuple[object, ...]:
        return _again, (type(self), self.status, self.code, self.details, self.more)


class StoreFault(ArenaError):
    """The store cannot be asked just now, or it is not known whether it stored something: try again, unchanged."""

    def __init__(self, details: str = "the store cannot be reached just now; try again in a moment") -> None:
        super().__init__(503, "try_again", details)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.details,)


class StoreError(CalzaError):
    """This store cannot be used; its operator is told why, and what to do."""


def _again(kind: type[ArenaError], status: int, code: str, details: str, more: dict[str, object]) -> ArenaError:
    return kind(status, code, details, **more)
