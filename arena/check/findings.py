"""The findings: what each id means, why it matters, and how to fix it.

FINDINGS has them all; the table in docs/check.md is made from it. advice.py has the fixes for single languages.
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
    """One row: the level, what it is, why it matters, how to fix it."""

    level: Level
    what: str
    why: str
    fix: str


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to fix."""

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


_ENDS = "The arena loses its place in the stream, so it ends the conversation and disqualifies the bot."
_STRIKE = "The arena refuses the message and counts a strike; three strikes disqualify."
_LEFT = "A bot that exits during a match is disqualified, whatever its score was."
MORE_MEMORY = (
    "The maximum is 256 MB; only a league's own file can allow more (memory_mb), to bots that ask for it. Examine such "
    "a bot with --memory-mb."
)
WRITING = (
    "Its folder is read-only: write temporary files to $TMPDIR, in tier full only; in lite a bot cannot write any file."
)
_STRANGE = "Arenas may send this at any time within revision 1, so a bot that fails here fails in a later arena."

FINDINGS: Mapping[str, Meaning] = {
    # Protocol kinds (SPEC.md, section 6)
    "text": _error(
        "text on stdout, among the messages",
        f"Stdout carries only messages (SPEC 2.1). {_ENDS}",
        "Print to stderr, and look for libraries that print.",
    ),
    "unframed": _error(
        "MessagePack without a length in front",
        f"The arena cannot know where a message ends (SPEC 3.1). {_ENDS}",
        "Write the length of the payload as 4 bytes, big-endian, before each message; or use JSON lines.",
    ),
    "unknown-codec": _error(
        "the first byte does not belong to any codec",
        "The first byte chooses the codec (SPEC 2.2). With another byte the arena cannot read anything.",
        "Begin with 00 (framed MessagePack) or { (JSON lines): no byte order mark, no space, no empty line.",
    ),
    "too-long": _error(
        "a message of more than 1 MiB",
        f"No payload may be longer (SPEC 3). {_ENDS}",
        "Send less. Most often the length is wrong: write it as 4 bytes, big-endian, and do not count these 4 bytes.",
    ),
    "undecodable": _error(
        "a payload that is not one value of the codec",
        f"The arena cannot read it (SPEC 6). {_ENDS}",
        "Write exactly one value per frame. In JSON: one line per message, UTF-8, no NaN, no line feed inside.",
    ),
    "too-deep": _error(
        "arrays and maps nested more than 32 deep", _STRIKE, "Send flatter values; nothing in SPEC 4 needs depth."
    ),
    "not-a-map": _error("a message that is not a map", _STRIKE, "Send a map with a `type` (SPEC 4)."),
    "unknown-message": _error(
        "a message of an unknown type",
        f"There are eight messages (SPEC 4). {_STRIKE}",
        "Send only hello, ready and move. For remarks use the `note` of a move, or stderr.",
    ),
    "missing-field": _error(
        "a message with a missing field", _STRIKE, "Add the field that is named above (SPEC 4 lists all fields)."
    ),
    "wrong-type": _error(
        "a field with a value of the wrong type",
        _STRIKE,
        'Send the types of SPEC 4. Copy `id` as an integer: 1.0 and "1" are not 1.',
    ),
    "wrong-time": _error(
        "a message at the wrong time",
        f"The table in SPEC 2.4 says which message is allowed when. {_STRIKE}",
        "Send hello once at the start, ready once after each start, one move after each decide, and nothing else.",
    ),
    "wrong-id": _error(
        "a move with an id that was not asked", _STRIKE, "Copy `id` from the decide that you answer; do not count."
    ),
    "wrong-revision": _error(
        "another revision of the protocol",
        "The arena uses revision 1, and ends the conversation (SPEC 7).",
        "Write `protocol: 1` in hello, or use an SDK for revision 1.",
    ),
    "truncated": _error(
        "an incomplete message at the end of the stream",
        f"An incomplete message does not count. {_LEFT}",
        "Write whole frames and flush them. In JSON lines every message ends with a line feed.",
    ),
    # How it starts
    "build-failed": _error(
        "the build command failed",
        "Without a build the bot cannot start, so nothing else can be examined.",
        "Fix the first error above; those after it may follow from it. The build command runs in the bot's folder.",
    ),
    "not-built": _error(
        "it has not been built",
        "Without its build the bot cannot start, so nothing else can be examined.",
        "Let the arena build it: leave out --no-build, or add --build sandboxed (without a network) or --build "
        "(outside the sandbox, with your rights). Or run the build command in its folder.",
    ),
    "cannot-start": _error(
        "the command cannot be executed",
        "The arena cannot start the bot, and disqualifies it before the first move.",
        "Check `command` in bot.toml; it runs in the bot's folder. Does the file exist, was it built (see `build`), "
        "is it executable (chmod +x), does its #! line name a program that exists?",
    ),
    "exits-early": _error(
        "the process exits before hello",
        "A bot that does not say hello is disqualified.",
        "Fix what its output shows, which is above. If there is none, run the command by hand in the bot's folder; the "
        "bot must write hello before it does anything else.",
    ),
    "silent": _error(
        "no hello",
        "The bot sends the first message (SPEC 2.2). Without hello within 10 s it is disqualified.",
        "Write hello at once, before you read anything, and flush.",
    ),
    "not-flushed": _error(
        "a message stays in a buffer",
        "A message in a buffer has not been sent (SPEC 2.1): the arena waits, and the bot loses on time.",
        "Flush stdout after each message.",
    ),
    "slow-start": _warning(
        "a slow start",
        "The arena waits 10 s for hello; on a busy machine this start may be too slow.",
        "Send hello first, and load large things after it or at `start`.",
    ),
    "name-differs": _warning(
        "hello and bot.toml give different names",
        "Standings show the name in bot.toml, logs the name in hello: readers will think these are two bots.",
        "Use the same name in both.",
    ),
    "games-differ": _warning(
        "hello and bot.toml list different games",
        "The arena only starts games that hello lists, and leagues read bot.toml.",
        "List the same games in hello and in bot.toml.",
    ),
    # In a match
    "no-ready": _error(
        "no ready after start",
        "Without ready within the time given in `start`, the bot is disqualified.",
        "Answer every start with one ready, also in the second match of a process.",
    ),
    "crash": _error(
        "the process ended during a match",
        _LEFT,
        "Its stderr is above: fix that. If your code can still fail, catch it and answer the first action of `legal`.",
    ),
    "hang": _error(
        "no answer to a question",
        "When the time is up, the arena plays for the bot and counts a strike; three strikes disqualify.",
        "Answer every decide. Look for loops that do not end, for reads that wait for more bytes than were sent, and "
        "for threads that wait for each other.",
    ),
    "slow": _error(
        "an answer comes too late",
        "An answer after the clock has run out is a strike; three strikes disqualify.",
        "Plan with `clock` in each decide: answer within increment_ms + bank_ms, divide the bank among all "
        "decisions of the match, and leave a margin for the pipe.",
    ),
    "illegal-action": _error(
        "an action that is not legal",
        "The arena plays another action for the bot and counts a strike; three strikes disqualify.",
        "Send a string from `legal` exactly as it is; do not build your own.",
    ),
    "double-answer": _warning(
        "two answers to one question",
        "The first answer counts and the second is ignored. If they differ, the bot may play the wrong one.",
        "Write one move for each decide.",
    ),
    "stderr-flood": _warning(
        "too much output on stderr",
        "The arena keeps 64 KiB per match, so you lose your own messages; a bot that writes more than 16 MiB is "
        "disqualified.",
        "Write less, or only if an environment variable of your own asks for it.",
    ),
    # Special messages
    "split-frames": _error(
        "it fails when a message arrives in pieces",
        "A pipe may deliver bytes in any pieces (SPEC 2.1), and does so with long messages and on busy machines.",
        "Read until the whole frame has arrived: 4 bytes of length, then as many bytes as the length says; or up to "
        "the line feed.",
    ),
    "merged-frames": _error(
        "it fails when two messages arrive at once",
        "Two messages may arrive in one read (SPEC 2.1). A bot that drops the rest of its buffer loses the second.",
        "Keep what is left in the buffer after a message, and look there before you read again.",
    ),
    "unknown-fields": _error(
        "it fails when a message has an unknown field",
        f"Bots must ignore unknown fields (SPEC 2.3). {_STRANGE}",
        "Read the fields that you know by name, and ignore all others, also in nested maps.",
    ),
    "null-fields": _error(
        "it fails when an optional field is null",
        f"An optional field that is null means the same as a missing one (SPEC 2.3). {_STRANGE}",
        "Treat a null `last` or `void` as if the field were missing.",
    ),
    "large-message": _error(
        "it fails when a message is long",
        "A message may have up to 1 MiB (SPEC 3), for example after a long wait with many events.",
        "Let the buffer grow with the frame, up to 1 MiB and 4 bytes, and read until all of it has arrived.",
    ),
    "ids": _error(
        "it fails when ids have gaps or are large",
        "Ids rise, but not in steps of one (SPEC 4.5), and they keep rising through all matches of a process.",
        "Copy `id` from each decide as a 64-bit integer; do not count.",
    ),
    "order-of-legal": _error(
        "it fails if `legal` is reordered, or has one action",
        "The order of `legal` may change. A bot that chooses by position then plays an action that it did not mean.",
        "Choose by the action's text, not by its position; accept a list with one action.",
    ),
    "low-clock": _error(
        "it fails when its time is nearly used up",
        "In a long match the bank runs out; a bot that divides by it or waits for it then crashes or hangs.",
        "With little time left, answer at once with any legal action. Avoid divisions by zero and negative times.",
    ),
    "after-fault": _error(
        "it fails after an answer that did not count",
        "After a late or bad answer the arena plays another action and reports it in `last`; the match goes on.",
        "Trust the new view. If you keep track of your own moves, take `played` from `last`.",
    ),
    # Several matches
    "second-match": _error(
        "it fails in a later match of the same process",
        "One process plays many matches (SPEC 2.5): in other seats, with other numbers of players, in other games.",
        "Create all state of a match at `start`, and keep reading after `end`.",
    ),
    "owed-ready": _error(
        "no ready for a match that ended early",
        "If `end` arrives before ready, the bot must still send ready (SPEC 2.4); without it the bot never gets "
        "another match.",
        "Answer every start with one ready, whatever follows.",
    ),
    "remembers": _error(
        "it plays differently after an earlier match",
        "Bots must forget the previous match (SPEC 2.5); one that does not plays badly, and its results mean little.",
        "Create the player, its random numbers (from bot_seed) and all caches again at `start`.",
    ),
    "nondeterministic": _warning(
        "equal matches, different answers",
        "A match that cannot be repeated is hard to debug: `arena ask` will not show what happened.",
        "Seed your random numbers with `bot_seed`. If the bot thinks as long as its clock allows, this is expected.",
    ),
    # Memory and the end
    "memory-growth": _error(
        "its memory grows with every match",
        "A league plays hundreds of matches in one process; at its memory limit the bot is killed.",
        "Look for lists and caches that outlive a match, and clear them at `start` or `end`.",
    ),
    "memory-limit": _error(
        "it ran out of the memory that it may use",
        "A bot that reaches its limit gets no more memory, or is killed: it is disqualified in the middle of a match.",
        f"Use less. {MORE_MEMORY}",
    ),
    "bye-ignored": _error(
        "it does not exit after bye",
        "The arena kills it half a second later: the bot cannot save anything, and every match ends with a wait.",
        "Exit with status 0 as soon as you read bye, also during a match.",
    ),
    "eof-ignored": _error(
        "it does not exit when its stdin is closed",
        "If the arena itself is killed, it cannot send bye; a bot that keeps reading in a loop then uses a core for "
        "ever.",
        "Treat an empty read as the end, and exit with status 0.",
    ),
    "exit-status": _error(
        "an exit status other than 0",
        "A bot that exits as asked returns 0 (SPEC 2.5); any other status looks like a crash.",
        "Leave the main loop normally at bye and at end-of-file.",
    ),
    "children-left": _error(
        "it leaves processes behind",
        "They slow down later matches. In a sandbox a bot cannot start processes at all.",
        "End them, and wait for them, before you exit; better, use threads.",
    ),
    "sandbox": _error(
        "it fails in the sandbox, and only there",
        "Leagues run bots in a sandbox: no network, no other processes, no files but its own folder.",
        f"{WRITING} Put everything it needs into its folder, start no processes, open no sockets. `arena docs sandbox` "
        "lists what a bot may do.",
    ),
}
ONLY_IN_LITE = _error(
    "it plays in the tier full of the sandbox, but not in lite",
    "Where a machine does not allow namespaces, leagues run bots in lite. A bot cannot write any file there: $TMPDIR "
    "and /tmp exist only in full.",
    "Work without temporary files, or continue when they cannot be created. Lite also refuses signals to other "
    "processes, and changes to modes, owners and times of files (`arena docs sandbox`).",
)
"""What `sandbox` means if only lite fails."""


def meaning(finding: str, where: Mapping[str, Any]) -> Meaning:
    """What a finding means at the place where it was seen."""
    return ONLY_IN_LITE if finding == "sandbox" and where.get("plays_in") == "full" else FINDINGS[finding]
