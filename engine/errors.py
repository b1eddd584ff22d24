"""What can go wrong when a game is asked for something.

    EngineError
    ├── UnknownGame       no such game in the catalogue, or a plug-in that does not load
    ├── SetupError        a bad number of seats, an unknown option, a value it does not take
    ├── NotationError     a position text, or a view, that is not possible
    │   └── PositionSetupError   its options are wrong; also a SetupError
    └── ActionError       an action that cannot be played
        ├── MalformedAction   not written as the game's grammar says, or from the wrong seat
        └── IllegalAction     well formed, but against a rule; the rule is named

Every text is one line that says what is wrong, where, and how to fix it. It shows only the beginning of long values.
"""

from engine.texts import quoted, shown


class EngineError(Exception):
    """Base of all errors that a caller of the engine can cause."""


class UnknownGame(EngineError):
    """The catalogue has no such game."""


class SetupError(EngineError):
    """A game cannot start with these seats or options."""


class NotationError(EngineError):
    """A text, or a view, does not describe a position."""


class PositionSetupError(NotationError, SetupError):
    """A position text has options that the game does not take."""


class ActionError(EngineError):
    """An action cannot be played; `seat` and `action` are those it came from."""

    def __init__(self, seat: int, action: str, text: str) -> None:
        super().__init__(f"{'chance' if seat < 0 else f'seat {seat}'}: {text}")
        self.seat = seat
        self.action = action


class MalformedAction(ActionError):
    """The action is not written as an action of this phase."""

    def __init__(self, seat: int, action: str, expected: str, legal: tuple[str, ...] = ()) -> None:
        choices = f" Legal: {' '.join(legal)}." if legal else ""
        super().__init__(seat, action, f"{quoted(action)} is malformed, expected {expected}.{choices}")


class IllegalAction(ActionError):
    """The action is well formed, but `rule` forbids it here."""

    def __init__(self, seat: int, action: str, reason: str, rule: str, legal: tuple[str, ...] = ()) -> None:
        choices = f" Legal: {' '.join(legal)}." if legal else ""
        super().__init__(seat, action, f"{shown(action)} is not legal, {reason} ({rule}).{choices}")
        self.rule = rule
