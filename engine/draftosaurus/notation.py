"""Positions as one line of text, for tests, documents, bug reports and the command line.

    summer round=2 turn=5 phase=place die=W | hand=D pick=C FS=CC WT=T | hand=G pick=S RV=T | hand=P pick=P
    winter | WO=DCD LO=G BL=TP BR=TP PY=SCDG.. | RV=GGG

A head, then one part for each seat, separated by `|`. The head begins with the season. Then come, where they differ
from their usual value, `game` (2 in the winter half of summer_winter), `round`, `turn`, `phase`, `die`, `first` (who
rolled first in this game), `bag`, and options by name. Without a phase the game is over, which makes the second line
above a sum to work out: zoos need not be complete. A seat's part has `hand`, `pick`, `drop`, `box` and pens; after a
`+` follows its summer zoo, in the winter half of summer_winter; `-` is an empty part. Dinosaurs may be in any
order where order means nothing. The bag is all that no player has, unless it is written down.
"""

from dataclasses import replace
from typing import Final

from engine.contract import Seat, impossible, spell
from engine.draftosaurus.boards import QZ, Board, Zoo
from engine.draftosaurus.options import OPTIONS, SEATS, Setup, set_up
from engine.draftosaurus.pieces import FACES, SPECIES, census, in_order
from engine.draftosaurus.rules import ready
from engine.draftosaurus.state import (
    DEAL,
    DISCARD,
    DRAFT,
    FIRST,
    OVER,
    PICK,
    PLACE,
    QUARANTINE,
    ROLL,
    Phase,
    RoundStage,
    State,
    bag_size,
    boxed,
    hand_size,
    placed,
    quarantined,
)
from engine.errors import PositionSetupError, SetupError
from engine.positions import Part, in_words
from engine.positions import part as read_part
from engine.texts import quoted, shown

HEAD: Final = ("game", "round", "turn", "phase", "die", "first", "bag")
SEAT: Final = ("hand", "pick", "drop", "box")
IN_HEAD: Final = tuple(name for name in OPTIONS if name != "season")
IN_ROUND: Final = (DEAL, ROLL, PICK, PLACE, DRAFT, DISCARD)
WITH_DIE: Final = (PICK, PLACE, DRAFT)


def format(state: State) -> str:
    """The state as text, everything usual left out."""
    stage, setup, phase = state.stage, state.stage.setup, state.phase
    head = [setup.season]
    if phase in IN_ROUND:
        if stage.game:
            head.append(f"game={stage.game + 1}")
        head.append(f"round={stage.round + 1} turn={state.turn + 1}")
    if phase is not OVER:
        head.append(f"phase={phase}")
    if state.die:
        head.append(f"die={state.die}")
    if stage.first != _usual_first(setup):
        head.append(f"first={stage.first}")
    if stage.bag != _usual_bag(state):
        head.append(f"bag={stage.bag}")
    head += [f"{name}={spell(value)}" for name, value in setup.changed.items() if name != "season"]
    groups = [(key, g) for key, g in zip(SEAT, (state.hands, state.picks, state.drops, state.box)) if g]
    names = setup.boards[stage.game].names
    parts = [" ".join(head)]
    for seat, zoo in enumerate(state.zoos):
        words = [f"{key}={group[seat]}" for key, group in groups if group[seat]]
        words += [f"{pen}={dinos}" for pen, dinos in zip(names, zoo) if dinos]
        if stage.summer:
            words.append("+")
            words += [f"{pen}={dinos}" for pen, dinos in zip(setup.boards[0].names, stage.summer[seat]) if dinos]
        parts.append(" ".join(words) or "-")
    return " | ".join(parts)


def fingerprint(state: State) -> str:
    """What can differ between two states of a match, in a fixed order: a fifth of the time that `format` takes."""
    stage = state.stage
    groups = [*state.zoos, state.hands, state.picks, state.drops, state.box, *stage.summer]
    seats = ";".join(map(",".join, groups))
    return f"{state.phase} {stage.game} {stage.round} {state.turn} {stage.first} {state.die} {stage.bag} {seats}"


def _usual_first(setup: Setup) -> Seat:
    return setup.first_roller if isinstance(setup.first_roller, int) else 0


def _usual_bag(state: State) -> str | None:
    """What the bag must hold if all dinosaurs of the set-up are somewhere; None if they are not."""
    size = bag_size(state.stage.setup, state.phase, state.stage.round)
    if size == 0:
        return ""
    in_zoos = "".join("".join(zoo) for zoo in state.zoos)
    out = census("".join([in_zoos, *state.hands, *state.picks, *state.box]))
    left = [have - gone for have, gone in zip(census(state.stage.setup.supply), out)]
    return "".join(dino * count for dino, count in zip(SPECIES, left)) if sum(left) == size and min(left) >= 0 else None


# Reading


def parse(text: str) -> State:
    """The state that a position text describes."""
    head_text, *seat_texts = text.split("|")
    season, _, rest = head_text.strip().partition(" ")
    head = read_part("head", rest)
    setup = _setup(head, season, len(seat_texts))
    stage, phase, turn, die = _clock(head, setup)
    parts = [_seat_parts(seat, text) for seat, text in enumerate(seat_texts)]
    zoos, summer = _zoos(stage, parts, placed(setup, phase, stage.round, turn))
    hands = tuple(in_order(_dinos(part, "hand", hand_size(setup, phase, turn))) for part, _ in parts)
    picks = tuple(_dinos(part, "pick", 1) for part, _ in parts) if phase is PLACE else ()
    drops = _drops(parts, hands) if phase is PLACE and setup.drops_with_pick else ()
    box = tuple(_box(part, boxed(setup, phase, stage.round, turn)) for part, _ in parts)
    for part, _ in parts:
        part.done(f"{in_words(SEAT)} when it is their time, or a pen of {in_words(setup.boards[stage.game].names)}")
    stage = replace(stage, summer=summer)
    state = State(stage, phase, turn, die, hands, zoos, picks, drops, box)
    state = replace(state, stage=replace(stage, bag=_bag(head, state)))
    head.done(f"{in_words(HEAD)}, or an option: {in_words(IN_HEAD)}")
    _check_supply(head, state)
    _check_quarantine(head, state)
    return ready(state)


def _dinos(part: Part, key: str, size: int) -> str:
    """Exactly `size` dinosaurs."""
    text = part.words.pop(key, "")
    if not set(text) <= set(SPECIES):
        raise part.error(f"{key}={shown(text)}: dinosaurs are {' '.join(SPECIES)}")
    if len(text) != size:
        raise part.error(f"{key}={shown(text)}: expected {size} of them at this point of the game, got {len(text)}")
    return text


def _setup(head: Part, season: str, seats: int) -> Setup:
    if season not in OPTIONS["season"].values:
        seasons = in_words(map(str, OPTIONS["season"].values))
        raise head.error(f"a position begins with a season, one of {seasons}, not {quoted(season)}")
    if seats not in SEATS:
        raise head.error(f"{impossible(seats)}: write 2 to 5 parts, each after a |")
    given = {name: OPTIONS[name].read(head.words.pop(name)) for name in IN_HEAD if name in head.words}
    try:
        return set_up(seats, {**given, "season": season})
    except SetupError as error:
        raise PositionSetupError(f"head: {error}") from None


def _clock(head: Part, setup: Setup) -> tuple[RoundStage, Phase, int, str]:
    """Stage, phase, turn and die."""
    name = head.words.pop("phase", OVER)
    possible = _phases(setup)
    if name not in possible:
        raise head.error(f"phase={shown(name)}: expected one of {in_words(possible)} with these options")
    phase = Phase(name)
    last_game, last_round, last_turn = len(setup.boards), setup.rounds, setup.turns
    if phase in IN_ROUND:
        last_turn = 1 if phase is DEAL else last_turn
        game = head.number("game", 1, last_game, 1)
        round_, turn = head.number("round", 1, last_round, 1), head.number("turn", 1, last_turn, 1)
    else:
        game, round_, turn = (1, 1, 1) if phase is FIRST else (last_game, last_round, last_turn)
    first = head.number("first", 0, setup.seats - 1, _usual_first(setup))
    die = head.words.pop("die", "") if phase in WITH_DIE else ""
    if phase in WITH_DIE and die not in FACES:
        raise head.error(f"die={shown(die)}: expected one of {in_words(FACES)} in phase {phase}")
    return RoundStage(setup, game - 1, round_ - 1, first, "", ()), phase, turn - 1, die


def _phases(setup: Setup) -> tuple[Phase, ...]:
    """The phases that a match with this set-up can be in."""
    possible = {
        FIRST: setup.first_roller == "random",
        PICK: not setup.places_with_pick,
        PLACE: not setup.places_with_pick,
        DRAFT: setup.places_with_pick,
        DISCARD: setup.discards and not setup.drops_with_pick,
        QUARANTINE: setup.season != "summer",
    }
    return tuple(phase for phase in Phase if possible.get(phase, True))


def _seat_parts(seat: Seat, text: str) -> tuple[Part, Part]:
    """What a seat has, and its summer zoo behind the plus sign."""
    now, _, summer = ("" if text.strip() == "-" else text).partition("+")
    return read_part(f"seat {seat}", now), read_part(f"seat {seat}, summer", summer)


def _zoos(stage: RoundStage, parts: list[tuple[Part, Part]], most: int) -> tuple[tuple[Zoo, ...], tuple[Zoo, ...]]:
    boards, earlier = stage.setup.boards, stage.game > 0
    zoos = tuple(_zoo(part, boards[stage.game], most) for part, _ in parts)
    summer = (
        tuple(_zoo(part, boards[0], stage.setup.rounds * stage.setup.turns) for _, part in parts) if earlier else ()
    )
    for _, part in parts:
        part.done(f"pens of {in_words(boards[0].names)}" if earlier else "no + before the winter half of summer_winter")
    return zoos, summer


def _zoo(part: Part, side: Board, most: int) -> Zoo:
    texts = [(pen, part.words.pop(pen.name, "")) for pen in side.pens]
    for pen, text in texts:
        if text and not pen.reads(text):
            raise part.error(f"{pen.name}={shown(text)}: expected {pen.written}")
    # Before the first is placed: a board keeps all contents that its pens have ever had.
    if sum(len(text) - text.count(".") for _, text in texts) > most:
        raise part.error(f"a zoo holds at most {most} dinosaurs at this point of the game (D-06)")
    zoo, room = side.empty, side.room(side.empty)
    for pen, text in texts:
        for slot, dino in pen.spots(text):
            action = f"{dino}@{slot}"
            if action not in side.placements(room, dino, ""):
                reason, rule = side.why_not(zoo, dino, slot, "")
                raise part.error(f"{pen.name}={shown(text)} is not possible, {reason} ({rule})")
            zoo, room = side.placed(zoo, room, action)
    return zoo


def _drops(parts: list[tuple[Part, Part]], hands: tuple[str, ...]) -> tuple[str, ...]:
    drops = tuple(_dinos(part, "drop", 1) for part, _ in parts)
    for (part, _), drop, hand in zip(parts, drops, hands):
        if drop not in hand:
            raise part.error(f"drop={drop}: the dinosaur to discard is still in the hand, which is {hand} (D-15)")
    return drops


def _box(part: Part, most: int) -> str:
    size = len(part.words.get("box", ""))
    if size > most:
        raise part.error(f"a player has discarded at most {most} dinosaurs at this point of the game (D-15)")
    return _dinos(part, "box", size)


def _bag(head: Part, state: State) -> str:
    usual = _usual_bag(state)
    if usual is not None and "bag" not in head.words:
        return usual
    return in_order(_dinos(head, "bag", bag_size(state.stage.setup, state.phase, state.stage.round)))


def _check_supply(head: Part, state: State) -> None:
    """There are no more dinosaurs of a species than the bag held at first (D-04)."""
    supply = census(state.stage.setup.supply)
    now = ["".join(zoo) for zoo in state.zoos] + [*state.hands, *state.picks, *state.box, state.stage.bag]
    for dinos in ("".join(now), "".join("".join(zoo) for zoo in state.stage.summer)):
        for dino, have, most in zip(SPECIES, census(dinos), supply):
            if have > most:
                raise head.error(f"there are {have} {dino} on the table, but the bag began with {most} (D-04)")


def _check_quarantine(head: Part, state: State) -> None:
    held = quarantined(state)
    if state.phase is QUARANTINE and not held:
        raise head.error(f"phase=quarantine, but no zoo has a dinosaur in {QZ} (D-46)")
    if state.phase is OVER and held and state.stage.setup.quarantine_move == "must":
        ways = "Write phase=quarantine to see its moves, or quarantine_move=may"
        raise head.error(f"seat {held[0]} has a dinosaur in {QZ} after the end, but it must move (D-46). {ways}")
