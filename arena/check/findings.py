"""The findings: what each id means, why it matters, and the fix; advice.py has it for languages.

FINDINGS is the whole of it; the table in docs/check.md is made of it (advice.py).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple


class Level(StrEnum):
    """How bad a finding is."""

    ERROR = "error"
    WARNING = "warning"


class Meaning(NamedTuple):
    """One row: how bad, what it is, why it matters, what to do."""

    level: Level
    what: str
    why: str
    fix: str


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to mend."""

    id: str
    level: Level
    exam: str
    seen: str
    why: str
    fix: str
    also: tuple[str, ...] = ()
    where: Mapping[str, Any] = field(default_factory=dict)
    stderr: str = ""

    @property
    def what(self) -> str:
        return meaning(self.id, self.where).what


def _error(what: str, why: str, fix: str) -> Meaning:
    return Meaning(Level.ERROR, what, why, fix)


def _warning(what: str, why: str, fix: str) -> Meaning:
    return Meaning(Level.WARNING, what, why, fix)


_ENDS = "The arena loses its place in the stream, so it ends the conversation and the bot is disqualified."
_STRIKE = "The message is refused and counts as a strike; three strikes disqualify."
_LEFT = "A bot that leaves during a match is disqualified, whatever its score was."
MORE_MEMORY = "256 MB are the most; only a league's own file can allow more (memory_mb), to bots that ask for it."
WRITING = "Its folder is read-only: temporary files go to $TMPDIR, in tier full only; in lite no file can be written."
_STRANGE = "Arenas may send this at any time within revision 1, so a bot that fails here fails in a later arena."

FINDINGS: Mapping[str, Meaning] = {
    # Protocol kinds (SPEC.md, section 6)
    "text": _error(
        "text on stdout between the messages",
        f"Stdout carries only messages (SPEC 2.1). {_ENDS}",
        "Print to stderr, and look for libraries that print.",
    ),
    "unframed": _error(
        "MessagePack without a length before it",
        f"The arena cannot know where a message ends (SPEC 3.1). {_ENDS}",
        "Write the length of the payload as 4 bytes, big-endian, before each message; or use JSON lines.",
    ),
    "unknown-codec": _error(
        "a first byte that no codec begins with",
        "The first byte chooses the codec (SPEC 2.2); with another one nothing can be understood.",
        "Begin with 00 (framed MessagePack) or { (JSON lines): no byte order mark, no blank, no empty line.",
    ),
    "too-long": _error(
        "a message of more than 1 MiB",
        f"No payload may be longer (SPEC 3). {_ENDS}",
        "Send less. Much more often the length is wrong: write it as 4 bytes, big-endian, without its own 4 bytes.",
    ),
    "undecodable": _error(
        "a payload that is not one value of the codec",
        f"It cannot be read (SPEC 6). {_ENDS}",
        "Write one whole value to a frame. In JSON: one line for each message, UTF-8, no NaN, no line feed inside.",
    ),
    "too-deep": _error(
        "arrays and maps nested more than 32 deep", _STRIKE, "Send flatter values; nothing in SPEC 4 needs depth."
    ),
    "not-a-map": _error("a message that is not a map", _STRIKE, "Send a map with a `type` (SPEC 4)."),
    "unknown-message": _error(
        "a message of an unknown type",
        f"There are eight messages (SPEC 4). {_STRIKE}",
        "Send only hello, ready and move. For remarks there is the `note` of a move, and stderr.",
    ),
    "missing-field": _error(
        "a message that lacks a field", _STRIKE, "Add the field that is named above (SPEC 4 lists them)."
    ),
    "wrong-type": _error(
        "a field with a value of the wrong type",
        _STRIKE,
        'Send what SPEC 4 says. Copy `id` as the integer that it is: 1.0 and "1" are not 1.',
    ),
    "wrong-time": _error(
        "a message at the wrong time",
        f"The table of SPEC 2.4 says who may say what when. {_STRIKE}",
        "Say hello once at the start, ready once after each start, one move after each decide, and nothing else.",
    ),
    "wrong-id": _error(
        "a move with an id that was not asked", _STRIKE, "Copy `id` from the decide that you answer; do not count."
    ),
    "wrong-revision": _error(
        "another revision of the protocol",
        "The arena speaks revision 1, and ends the conversation (SPEC 7).",
        "Say `protocol: 1` in hello, or use an SDK of revision 1.",
    ),
    "truncated": _error(
        "half a message at the end of the stream",
        f"What is not whole has not been said. {_LEFT}",
        "Write whole frames and flush them. In JSON lines every message ends with a line feed.",
    ),
    # How it starts
    "build-failed": _error(
        "the build command failed",
        "Without a build there is nothing to start; no other exam could be held.",
        "Run the build command in the bot's folder and mend what it says. A compiler may be missing: `arena doctor`.",
    ),
    "cannot-start": _error(
        "the command cannot be executed",
        "The arena cannot start the bot at all, and it is disqualified before the first move.",
        "Check `command` in bot.toml: it is run in the bot's folder. Is the file there, was it built "
        "(see `build`), is it executable (chmod +x), does its #! line name a program that exists?",
    ),
    "exits-early": _error(
        "the process ends before it has said hello",
        "There is nobody to play with; the bot is disqualified.",
        "Start the command by hand in the bot's folder and read what it says; then let it write hello first.",
    ),
    "silent": _error(
        "no hello",
        "The bot speaks first (SPEC 2.2). Without hello within 10 s it is disqualified.",
        "Write hello at once, before you read anything, and flush.",
    ),
    "not-flushed": _error(
        "a message that stays in a buffer",
        "What stays in a buffer has not been said (SPEC 2.1): the arena waits, and the bot loses on time.",
        "Flush stdout after each message.",
    ),
    "slow-start": _warning(
        "a slow start",
        "The arena waits 10 s for hello; on a busy machine this start may be too slow.",
        "Say hello first, and load what is large after it or at `start`.",
    ),
    "name-differs": _warning(
        "another name than in bot.toml",
        "Standings show the name of bot.toml, and logs that of hello: people will not know that it is one bot.",
        "Use the same name in both.",
    ),
    "games-differ": _warning(
        "other games than in bot.toml",
        "What hello lists counts: a game that it does not list is never started, and leagues go by bot.toml.",
        "List the same games in hello and in bot.toml.",
    ),
    # In a match
    "no-ready": _error(
        "no ready after start",
        "Without ready within the time that `start` tells, the bot is disqualified.",
        "Answer every start with one ready, also in the second match of a process.",
    ),
    "crash": _error(
        "the process ended during a match",
        _LEFT,
        "Read the end of its stderr. If your code can fail, answer the first action of `legal` instead.",
    ),
    "hang": _error(
        "no answer to a question",
        "When the time is up the arena plays for the bot, and counts a strike; three disqualify.",
        "Answer every decide. Look for endless loops, for reads that wait for more than there is, and for a second "
        "thread that nobody wakes.",
    ),
    "slow": _error(
        "answers that come too late",
        "An answer beyond the clock is a strike, and three disqualify.",
        "Plan by `clock` in each decide: answer within increment_ms + bank_ms, share the bank among all "
        "decisions of the match, and leave a margin for the way through the pipe.",
    ),
    "illegal-action": _error(
        "an action that is not legal",
        "The arena plays another action for the bot, and counts a strike; three disqualify.",
        "Send a string from `legal`, character by character, instead of one put together anew.",
    ),
    "double-answer": _warning(
        "two answers to one question",
        "The first one counts and the second is dropped. If they differ, the bot plays what it did not want.",
        "Write one move for each decide.",
    ),
    "stderr-flood": _warning(
        "very much on stderr",
        "Of one match 64 KiB are kept, so your own messages are lost; beyond 16 MiB the bot is disqualified.",
        "Write less, or only if a variable of your own asks for it.",
    ),
    # Special messages
    "split-frames": _error(
        "it fails when a message comes in pieces",
        "A pipe may deliver bytes in any pieces (SPEC 2.1); with long messages and busy machines it does.",
        "Read on until the whole frame is there: 4 bytes of length, then as many as the length says; or up to the "
        "line feed.",
    ),
    "merged-frames": _error(
        "it fails when two messages come at once",
        "Two messages may arrive in one read (SPEC 2.1), and the second is lost if the rest of the buffer is.",
        "Keep what is left in the buffer after a message, and look there before you read again.",
    ),
    "unknown-fields": _error(
        "it fails at fields that it does not know",
        f"Unknown fields must be ignored (SPEC 2.3). {_STRANGE}",
        "Take the fields that you know by name, and ignore the rest, also in the maps inside.",
    ),
    "null-fields": _error(
        "it fails at an optional field that is null",
        f"An optional field that is null equals one that is absent (SPEC 2.3). {_STRANGE}",
        "Treat `last` and `void` that are null as if they were not there.",
    ),
    "large-message": _error(
        "it fails at a long message",
        "A message may have up to 1 MiB (SPEC 3), as after a long wait with many events.",
        "Let the buffer grow with the frame, up to 1 MiB and 4 bytes; read until all of it is there.",
    ),
    "ids": _error(
        "it fails at ids with gaps, or at large ones",
        "Ids rise, but not in steps of one (SPEC 4.5), and they go on through all matches of a process.",
        "Copy `id` from each decide, as an integer of 64 bits; do not count yourself.",
    ),
    "order-of-legal": _error(
        "it fails when `legal` has another order, or one action",
        "A bot that goes by positions in `legal` plays something else than it means as soon as a game lists anew.",
        "Choose by the action's text, not by its place; bear with a list of one.",
    ),
    "low-clock": _error(
        "it fails when its time is nearly used up",
        "In a long match the bank runs dry; then a bot that divides by it or waits for it is lost.",
        "With next to no time answer at once, with anything legal. Mind divisions by zero and negative times.",
    ),
    "after-fault": _error(
        "it fails after an answer that did not count",
        "After a late or bad answer the arena plays another action and says so in `last`; the match goes on.",
        "Take the new view as it is. If you remember your own moves, take `played` from `last`.",
    ),
    # Several matches
    "second-match": _error(
        "it fails in a later match of the same process",
        "One process plays many matches (SPEC 2.5), in other seats, with other numbers of players, in other games.",
        "Make all state of a match anew at `start`, and go on reading after `end`.",
    ),
    "owed-ready": _error(
        "no ready for a match that ended early",
        "If `end` comes before ready, the ready is still owed (SPEC 2.4), or the bot is never given another match.",
        "Answer every start with one ready, whatever follows.",
    ),
    "remembers": _error(
        "it plays differently when it has played before",
        "Bots must forget the old match (SPEC 2.5); one that does not plays badly, and its results mean little.",
        "Make the player, its random numbers (from bot_seed) and all caches anew at `start`.",
    ),
    "nondeterministic": _warning(
        "equal matches, different answers",
        "A match that cannot be played again is hard to debug: `arena ask` will not show what happened.",
        "Seed your random numbers with `bot_seed`. If it thinks by the clock, this is as it has to be.",
    ),
    # Memory and the end
    "memory-growth": _error(
        "its memory grows with every match",
        "A league plays hundreds of matches in one process; at its limit of memory the bot is ended.",
        "Look for lists and caches that outlive a match, and drop them at `start` or `end`.",
    ),
    "memory-limit": _error(
        "more memory than it may have",
        "In a sandbox a bot that wants more than its limit is ended, in the middle of a match.",
        f"Use less. {MORE_MEMORY}",
    ),
    "bye-ignored": _error(
        "it does not leave after bye",
        "The arena ends it by force half a second later: nothing is saved, and every match ends with a wait.",
        "Exit with status 0 as soon as bye is read, also when a match is on.",
    ),
    "eof-ignored": _error(
        "it does not leave when its stdin is closed",
        "When the arena itself ends, nobody says bye; a bot that reads on in a loop burns a core for ever.",
        "Take a read of nothing as the end, and exit with status 0.",
    ),
    "exit-status": _error(
        "another exit status than 0",
        "A bot that leaves as asked exits with 0 (SPEC 2.5); anything else looks like a crash to its author.",
        "Let bye and end-of-file lead out of the main loop in the ordinary way.",
    ),
    "children-left": _error(
        "processes that it leaves behind",
        "They take the processor from later matches. A sandbox allows no further processes at all.",
        "End them, and wait for them, before you exit; better, use threads.",
    ),
    "sandbox": _error(
        "it plays without a sandbox, but not in one",
        "Leagues are played in a sandbox: no network, no other processes, no files but its own folder, little memory.",
        f"{WRITING} Put everything it needs into its folder, start no processes, open no sockets. docs/sandbox.md says "
        "what a bot may do.",
    ),
}
ONLY_IN_LITE = _error(
    "it plays in the tier full of the sandbox, but not in lite",
    "Where a machine refuses namespaces, leagues are played in lite: no file can be written there, for $TMPDIR and "
    "/tmp are only in full.",
    "Do without temporary files, or go on when they cannot be made. Lite also refuses signals to others, and changes "
    "of modes, owners and times of files (docs/sandbox.md).",
)
"""What `sandbox` means where one tier only is the trouble."""


def meaning(finding: str, where: Mapping[str, Any]) -> Meaning:
    """What a finding means where it was seen."""
    return ONLY_IN_LITE if finding == "sandbox" and where.get("plays_in") == "full" else FINDINGS[finding]
