"""Paths of the table as a tree, in which an address is found segment by segment."""

from collections.abc import Iterable

from .route import Route

Calls = dict[str, Route]  # by method
ANY = ""  # the branch for a {name}: no address has an empty segment there


class Branch:
    """A place in the tree."""

    __slots__ = ("below", "calls", "name")

    def __init__(self) -> None:
        self.calls: Calls = {}
        self.below: dict[str, Branch] = {}
        self.name = ""  # of the segment that leads here, where it is any


class Paths:
    """All of them."""

    def __init__(self, routes: Iterable[Route]) -> None:
        self.root = Branch()
        for route in routes:
            branch = self.root
            for part in route.path.split("/")[1:]:
                named = part.startswith("{")
                branch = branch.below.setdefault(ANY if named else part, Branch())
                branch.name = part[1:-1] if named else ""
            branch.calls[route.method] = route

    def find(self, path: str) -> tuple[Calls | None, dict[str, str]]:
        """The calls at an address, and what stands for its names; None if there are none."""
        branch, params = self.root, {}
        for part in path.split("/")[1:]:
            further = branch.below.get(part) if part else None
            if further is None:
                further = branch.below.get(ANY) if part else None
                if further is None:
                    return None, {}
                params[further.name] = part
            branch = further
        return branch.calls or None, params
