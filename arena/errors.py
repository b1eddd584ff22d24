"""What can go wrong in the arena, apart from matches (faults.py) and games (engine/errors.py).

ArenaError
├── FileError       a file from outside is not there, not an ordinary file, too large, or not what it should be
├── RosterError     a bot is not described well
├── SettingError    a match cannot be played with this setting
├── RecordError     a file is no whole, unaltered record, or cannot be played by this arena
├── StoreError      the results of a league cannot be read or written
├── LaunchError     the arena could not start or watch a process: not the bot's doing
│   └── HostError   and it never will, on this machine as it is
└── Interrupted     somebody wants the arena to stop
"""


class ArenaError(Exception):
    """Base of all; the text says what, where, and the way out."""


class FileError(ArenaError):
    """A file from outside cannot be used. The text names it."""


class FileMissing(FileError):
    """It is not there."""


class FormError(FileError):
    """It can be read, and is not what it should be."""


class RosterError(ArenaError):
    """A bot is not described well."""


class SettingError(ArenaError):
    """A match cannot be played with this setting."""


class RecordError(ArenaError):
    """A file is no whole, unaltered record, or cannot be played by this arena."""


class StoreError(ArenaError):
    """The results of a league cannot be read or written."""


class LaunchError(ArenaError):
    """The arena could not start or watch a process: not the bot's doing."""


class HostError(LaunchError):
    """This machine does not let this bot start, however often it is tried."""


class Interrupted(ArenaError):
    """Somebody wants the arena to stop."""
