"""What can go wrong in the arena, apart from matches (faults.py) and games (engine/errors.py).

ArenaError
├── FileError       a file from outside is missing, not an ordinary file, too large, or not valid
├── RosterError     the description of a bot is wrong
│   ├── BotRefused  a bot did not get through its trial match, so it does not join the league
│   └── BuildFailed a bot that a league keeps does not run on this machine, and cannot be built here
├── SettingError    a match cannot be played with this setting
├── RecordError     a file is not a complete, unchanged record, or this arena cannot play it
├── StoreError      the results of a league cannot be read or written
│   └── LeagueError     there is no such league, or it is another one
├── LaunchError     the arena could not start or watch a process; the bot did not cause it
│   └── HostError   and it never can, on this machine as it is
└── Interrupted     a signal asks the arena to stop
"""


class ArenaError(Exception):
    """Base of all; the text says what, where, and how to fix it."""


class FileError(ArenaError):
    """A file from outside cannot be used. The text names it."""


class FileMissing(FileError):
    """It does not exist."""


class FormError(FileError):
    """It can be read, but is not valid."""


class RosterError(ArenaError):
    """The description of a bot is wrong."""


class BotRefused(RosterError):
    """A bot did not get through its trial match."""


class BuildFailed(RosterError):
    """A bot that a league keeps does not run on this machine, and cannot be built here."""

    def __init__(self, bot: str, why: str) -> None:
        super().__init__(f"{bot} {why}")
        self.bot = bot
        self.why = why


class SettingError(ArenaError):
    """A match cannot be played with this setting."""


class RecordError(ArenaError):
    """A file is not a complete, unchanged record, or this arena cannot play it."""


class StoreError(ArenaError):
    """The results of a league cannot be read or written."""


class LeagueError(StoreError):
    """There is no such league, or it is not the one that was meant."""


class LaunchError(ArenaError):
    """The arena could not start or watch a process. The bot did not cause it."""


class HostError(LaunchError):
    """This machine does not let this bot start, however often it is tried."""


class Interrupted(ArenaError):
    """A signal asks the arena to stop."""
