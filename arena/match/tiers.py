"""Which sandbox a bot gets: the tier that was asked for, or with `auto` the best one that works here.

Whether a tier works is tried, not guessed. If none works, `auto` refuses every bot except the built-in ones: they can
be trusted as much as the referee, so they play without a sandbox, each seat for itself.
"""

import select
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from arena.errors import HostError, LaunchError
from arena.match.launch import Command, SpawnedProcess, SpawnerLauncher
from arena.roster.entries import Entry, is_built_in
from arena.sandbox.policy import AUTO, Policy, Tier
from arena.texts import SENTENCE, cut

TIERS = (Tier.FULL, Tier.LITE)
"""The sandboxes, the best first."""
PROBE_S = 5.0


class AutoLauncher:
    """Starts each bot in the best tier, and a built-in bot without a sandbox if no tier works for it."""

    def __init__(self, best: SpawnerLauncher | None, why_none: str, policy: Policy) -> None:
        self._best = best
        self._open = SpawnerLauncher(Tier.NONE, policy)
        self._why_none = why_none
        self.policy = policy
        self.tier = best.tier if best else Tier.NONE

    def start(self, command: Command) -> SpawnedProcess:
        if self._best is None:
            if not command.is_ours:
                raise HostError(refusal(command.argv[0], self._why_none))
            return self._open.start(command)
        try:
            return self._best.start(command)
        except HostError:  # it cannot reach its files in this tier
            if not command.is_ours:
                raise
            return self._open.start(command)

    def close(self) -> None:
        self._open.close()
        if self._best is not None:
            self._best.close()


class Trial:
    """A program that does nothing, started in a tier to see whether that works. Its spawner starts meanwhile."""

    def __init__(self, launcher: SpawnerLauncher) -> None:
        self.launcher = launcher
        self._process: SpawnedProcess | None = None
        self._why_not = ""
        try:
            self._process = launcher.start(Command(("/bin/true",), Path("/usr"), {}))
        except LaunchError as error:
            self._why_not = str(error)

    def result(self) -> tuple[Sequence[str], str | None]:
        """Wait for its end, once: the layers around it, and why it did not work, if it did not."""
        process, self._process = self._process, None
        if process is None:
            return (), self._why_not
        try:
            ended = None
            while ended is None:
                if not select.select([process.report], [], [], PROBE_S)[0]:
                    return (), f"a program in it did not end within {PROBE_S} s"
                ended = process.news()
            return process.reported or (), None if ended.status == 0 else f"a program in it {ended}"
        except LaunchError as error:
            return (), str(error)
        finally:
            process.close()

    def close(self) -> None:
        """End it, and all that its launcher has started."""
        if self._process is not None:
            self._process.close()
        self.launcher.close()


def why_no_sandbox(entry: Entry) -> str | None:
    """Why this bot cannot run in the best sandbox of this machine, or that there is none; None: it can."""
    best, reasons = _first_that_works(TIERS, Policy())
    if best is None:
        return f"no sandbox works here: {reasons}"
    try:
        return why_no_place(best, entry)
    finally:
        best.close()


def why_no_place(launcher: SpawnerLauncher, entry: Entry) -> str | None:
    """Why a bot cannot run in a launcher's tier, if it cannot."""
    try:
        launcher.check(Command(entry.command, entry.folder, {}))
    except HostError as error:
        return str(error)
    return None


def choose(
    word: str, entries: Iterable[Entry] = (), policy: Policy | None = None, trial: Trial | None = None
) -> SpawnerLauncher | AutoLauncher:
    """The launcher for `auto`, `full`, `lite` or `none`, tried now, for a match of these bots.

    HostError says why there is none, and what to do. A trial that has `begun` is not begun again.
    """
    if word != AUTO:
        return in_tier(Tier(word), policy, trial)
    policy = policy or Policy()
    best, reasons = _first_that_works(TIERS, policy, trial)
    strangers = [entry.name for entry in entries if not is_built_in(entry)]
    if best is None and strangers:
        raise HostError(refusal(", ".join(dict.fromkeys(strangers)), reasons))
    return AutoLauncher(best, reasons, policy)


def in_tier(tier: Tier, policy: Policy | None = None, trial: Trial | None = None) -> SpawnerLauncher:
    """The launcher of a tier, tried now. HostError says why it does not work here."""
    policy = policy or Policy()
    if tier is Tier.NONE:
        return SpawnerLauncher(tier, policy)
    launcher, reasons = _first_that_works((tier,), policy, trial)
    if launcher is None:
        raise HostError(refusal("bots", reasons))
    return launcher


def refusal(whom: str, reasons: str) -> str:
    """Why there is no sandbox, and what to do."""
    return (
        f"this machine has no sandbox for {cut(whom, SENTENCE)}. For your own bots, and others that you trust, add "
        f'--sandbox none, or sandbox = "none" in a tournament file. What is missing (more: arena doctor): {reasons}'
    )


def said_of(open_seats: Sequence[str]) -> str:
    """What people should know about these players, which `auto` has started without a sandbox."""
    *others, last = open_seats
    who, verb = (f"{', '.join(others)} and {last}", "play") if others else (last, "plays")
    return f"no sandbox here: {cut(who, SENTENCE)}, the arena's own, {verb} without one"


def _first_that_works(
    tiers: Iterable[Tier], policy: Policy, begun: Trial | None = None
) -> tuple[SpawnerLauncher | None, str]:
    """The first launcher that works, with its spawner; or why there is none. The trial of the first may have begun."""
    reasons = []
    for tier in tiers:
        if begun is not None and begun.launcher.tier is tier:
            launcher = begun.launcher
            launcher.layers, reason = begun.result()
        else:
            launcher = SpawnerLauncher(tier, policy)
            launcher.layers, reason = try_out(launcher)
        if reason is None:
            return launcher, ""
        launcher.close()
        reasons.append(f"{tier}: {reason}")
    return None, "; ".join(reasons)


def probe(tier: Tier, policy: Policy) -> tuple[Sequence[str], str | None]:
    """Whether this tier works here: its layers, and why it does not, if it does not."""
    launcher = SpawnerLauncher(tier, policy)
    try:
        return try_out(launcher)
    finally:
        launcher.close()


def try_out(launcher: SpawnerLauncher) -> tuple[Sequence[str], str | None]:
    """Start a program that does nothing: the layers around it, and why it did not work, if it did not."""
    return Trial(launcher).result()


@contextmanager
def begun(word: str, policy: Policy) -> Iterator[Trial | None]:
    """The trial of the tier that `choose` will try first, so that it goes on while we prepare the match."""
    first = next(iter(TIERS), Tier.NONE) if word == AUTO else Tier(word)
    if first is Tier.NONE:
        yield None
        return
    trial = Trial(SpawnerLauncher(first, policy))
    try:
        yield trial
    finally:
        trial.close()
