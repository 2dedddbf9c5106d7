"""What can go wrong between an agent and the arena."""

from calza.rules import CalzaError


class ClientError(CalzaError):
    """The arena was not reached, or did not do what it was asked."""


class Unreached(ClientError):
    """No answer came; `sent` says whether the arena may have heard the question all the same."""

    def __init__(self, server: str, why: str, sent: bool = True) -> None:
        super().__init__(f"cannot reach {server}: {why}")
        self.server, self.why, self.sent = server, why, sent


class Unreadable(ClientError):
    """An answer came that is not the arena's."""

    def __init__(self, asked: str, why: str) -> None:
        super().__init__(f"the answer to {asked} cannot be read: {why}")
        self.asked, self.why = asked, why


class ArenaRefusal(ClientError):
    """The arena said no: `code` is its word for why, `retry_after` the seconds that it asks for patience."""

    def __init__(
        self,
        status: int,
        code: str,
        details: str = "",
        retry_after: float | None = None,
        current_sequence: int | None = None,
    ) -> None:
        super().__init__(details or f"the arena answered {status} {code}")
        self.status, self.code, self.details = status, code, details
        self.retry_after, self.current_sequence = retry_after, current_sequence

    @property
    def passing(self) -> bool:
        """Whether it may be otherwise in a while."""
        return self.status in (429, 502, 503, 504)


class Superseded(ClientError):
    """Somebody else has connected as the same agent."""
