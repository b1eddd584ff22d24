"""What if: matches that continue a recorded one from any of its steps.

    point = branch_point(record, step=14)
    setup = point.setup(entries, cards=2)      # hidden cards drawn anew from what seat 2 could know there
    match = await arena.match.play.play(setup)

Theory of operation. A branch is an ordinary match that begins in a position instead of the start of its game. Its
header has the position and cites the parent, so everything that plays a record again starts there. The bots are new
processes: they receive `start`, and their first question comes from the middle of the game. A view holds all that a
seat may know, so they need to have seen nothing before. Strikes and disqualifications of the parent do not count in a
branch, because other players may sit there. Clocks have what was left in the bank.

If hidden cards are drawn from a seat's view, nothing else of the parent's state is used, and neither its seed nor what
happened later. So no message of the branch can depend on what was hidden from that seat.
"""

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from arena.errors import RecordError, SettingError
from arena.match.bank import Clock
from arena.match.clock import TimeControl
from arena.match.person import CLOCK as PERSON_CLOCK
from arena.match.play import MatchSetup
from arena.match.record import OPEN, Cards, MatchRecord, Parent, Player
from arena.match.referee import digest
from arena.match.seeds import BITS
from arena.replay.moments import as_of_now, game_of, states
from arena.replay.verify import verify
from arena.roster.entries import MANIFEST, Entry, built_in, read, read_built_in, with_values
from arena.sandbox.policy import AUTO
from engine.contract import Game, changed, settle
from engine.dice import Seed


@dataclass(frozen=True, slots=True)
class BranchPoint:
    """A moment of a true record, from which it can be played on as often as wanted."""

    record: MatchRecord
    """As the current edition of its game would have written it."""
    step: int
    """The moment after this step; 0 is the beginning."""
    state: Any

    @property
    def game(self) -> Game[Any]:
        return game_of(self.record)

    @property
    def to_act(self) -> tuple[int, ...]:
        """The seats that act next; (-1,) is chance."""
        return self.game.to_act(self.state)

    @property
    def clocks(self) -> tuple[TimeControl, ...]:
        """What each seat had left. A person's time has no use for a bot, so that seat has the usual clock."""
        clocks = [Clock(player.clock) for player in self.record.header.players]
        for step in self.record.steps[: self.step]:
            for decision in step.decisions:
                clocks[decision.seat].spend(decision.used_us)
        return tuple(map(_left, self.record.header.players, clocks))

    def parent(self, cards: Cards, seed: int) -> Parent:
        """What the header of a branch with this seed says of its beginning."""
        game, here = self.game, digest(self.game, self.state)
        return Parent(
            self.record.header.match, self.step, here, cards, game.format(chosen(game, self.state, cards, seed))
        )

    def setup(
        self,
        entries: Sequence[Entry],
        cards: Cards = OPEN,
        seed: int | None = None,
        clocks: Sequence[TimeControl] | None = None,
        sandbox: str = AUTO,
    ) -> MatchSetup:
        """A match of these players, by seat, that begins here. Without `clocks` each seat has what was left."""
        header = self.record.header
        _check_seats(len(header.players), entries, cards)
        seed = secrets.randbits(BITS) if seed is None else seed
        setup = MatchSetup(
            entries,
            header.game,
            header.options,
            seed,
            self.clocks if clocks is None else clocks,
            header.strikes,
            header.ask_forced,
            sandbox=sandbox,
        )
        return replace(setup, parent=self.parent(cards, seed))


def branch_point(record: MatchRecord, step: int) -> BranchPoint:
    """The moment after a step of a record. RecordError if the record is not true, SettingError if nothing follows."""
    if step not in range(len(record.steps) + 1):
        raise SettingError(f"this match has steps 0 to {len(record.steps)}")
    points = branch_points(record)
    if step >= len(points):
        raise SettingError("the game is over there, and nothing can be played on")
    return points[step]


def branch_points(record: MatchRecord) -> list[BranchPoint]:
    """All moments at which the game goes on, by step. RecordError if the record is not true."""
    divergence = verify(record)
    if divergence is not None:
        raise RecordError(f"the record does not follow the rules: {divergence}")
    game, now = game_of(record), as_of_now(record)
    known = game.options()
    options = changed(known, settle(game.name, known, now.header.options))
    now = replace(now, header=replace(now.header, options=options))
    return [BranchPoint(now, step, state) for step, state in enumerate(states(record)) if game.to_act(state)]


def chosen(game: Game[Any], state: Any, cards: Cards, seed: int) -> Any:
    """The state in which a branch begins: this one, or one that the seat cannot tell from it, drawn by the seed."""
    return state if cards == OPEN else game.determinize(game.view(state, cards), Seed(seed))


def _left(player: Player, clock: Clock) -> TimeControl:
    if player.clock.increment_ms == PERSON_CLOCK.increment_ms:
        return TimeControl()
    return replace(player.clock, bank_ms=clock.bank_ms)


def _check_seats(seats: int, entries: Sequence[Entry], cards: Cards) -> None:
    if len(entries) != seats:
        raise SettingError(f"{len(entries)} players for a match with {seats} seats")
    if cards != OPEN and (type(cards) is not int or cards not in range(seats)):
        raise SettingError(f"cards: expected {OPEN!r}, or a seat from 0 to {seats - 1}, got {cards!r:.40}")


# Who plays on


def entry_of(player: Player, here: Path = Path()) -> Entry | None:
    """The bot that a record names, if there is one of this name: in a folder here that is called like it, or built in.

    Never a command line: the record may be a stranger's. If there are two, the one with the recorded files.
    """
    name = re.sub(r"#\d+$", "", player.name)  # a bot in several seats is numbered
    ours = re.sub(r"-\d+$", "", name)  # `arena demo` numbers its own like this
    path = here / name / MANIFEST
    found = [entry] if Path(name).name == name != ".." and path.is_file() and (entry := read(path)).name == name else []
    found += [read_built_in(ours)] if ours in built_in() else []
    best = next((entry for entry in found if entry.digest == player.digest), found[0] if found else None)
    return _as_recorded(best, player) if best is not None and player.tune else best


def _as_recorded(entry: Entry, player: Player) -> Entry:
    """With the recorded values of the parameters that it still has."""
    known = {one.name: one for one in entry.tunables}
    fitting = {name: value for name, value in player.tune.items() if name in known and not known[name].fault(value)}
    return with_values(entry, fitting)


def has_changed(player: Player, entry: Entry) -> bool:
    """Whether a bot's files are others than those that played; False if the digests are of different kinds."""
    return len(player.digest) == len(entry.digest) and player.digest != entry.digest


# Whether a branch begins where it says


def check_parent(branch: MatchRecord, parent: MatchRecord) -> str | None:
    """Why a true record is not a branch of this parent; None if it is one."""
    cited = branch.header.parent
    if cited is None:
        return "it is not a branch: it begins at the start of its game"
    try:
        point = branch_point(parent, cited.step)
    except RecordError as error:
        return f"the parent is not true: {error}"
    except SettingError as error:
        return f"step {cited.step} of the parent: {error}"
    header, own = point.record.header, branch.header
    facts = {
        "game": (own.game, header.game),
        "edition": (own.edition, header.edition),
        "options": (dict(own.options), dict(header.options)),
        "number of players": (len(own.players), len(header.players)),
        "parent": (cited.match, header.match),
        "digest of the state there": (cited.state, digest(point.game, point.state)),
    }
    for what, (said, due) in facts.items():
        if said != due:
            return f"the {what}: the branch says {said!r:.120}, its parent {due!r:.120}"
    return _wrong_cards(point, cited, own.seed)


def _wrong_cards(point: BranchPoint, cited: Parent, seed: int) -> str | None:
    game = point.game
    position = game.parse(cited.position)
    if cited.cards == OPEN:
        return None if position == point.state else "its position is not that of its parent, though its cards are open"
    if game.view(position, cited.cards) != game.view(point.state, cited.cards):
        return f"its position does not fit what seat {cited.cards} could know"
    if position != chosen(game, point.state, cited.cards, seed):
        return f"its position fits what seat {cited.cards} could know, but it is not what its seed draws"
    return None


# What came of it


@dataclass(frozen=True, slots=True)
class SeatSummary:
    """How one seat fared in several branches."""

    wins: int
    """First alone."""
    scores: tuple[int, ...]
    margins: tuple[int, ...]
    """Of its score over the best of the others."""


def summary(records: Sequence[MatchRecord]) -> list[SeatSummary]:
    """How each seat fared in these matches of one table; void ones do not count."""
    verdicts = [record.verdict for record in records if record.verdict.void is None]
    found = []
    for seat in range(len(records[0].header.players)):
        scores = tuple(verdict.scores[seat] for verdict in verdicts)
        wins = sum(verdict.ranks[seat] == 1 and verdict.ranks.count(1) == 1 for verdict in verdicts)
        found.append(SeatSummary(wins, scores, tuple(_margin(verdict.scores, seat) for verdict in verdicts)))
    return found


def _margin(scores: Sequence[int], seat: int) -> int:
    others = [score for other, score in enumerate(scores) if other != seat]
    return scores[seat] - max(others, default=0)
