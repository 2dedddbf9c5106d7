"""What an agent is: one method that gets a view and returns an action."""

from typing import Protocol

from calza.rules import Action, View


class Agent(Protocol):
    """Plays one seat. Its view is a value: it may be kept, and nothing done to it changes the game."""

    def act(self, view: View) -> Action | str:
        """The action to play now, as a value or in notation."""
        ...
