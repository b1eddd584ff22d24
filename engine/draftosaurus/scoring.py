"""What a zoo is worth, pen by pen."""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from engine.contract import Outcome, Seat, ranks
from engine.draftosaurus.boards import RV, Zoo
from engine.draftosaurus.options import Setup
from engine.draftosaurus.pieces import REX, SPECIES
from engine.draftosaurus.state import OVER, State

SAMENESS: Final = (0, 2, 4, 8, 12, 18, 24)  # D-30, and D-40 for the Well-Ordered Wood
DIFFERENCES: Final = (0, 1, 3, 6, 10, 15, 21)  # D-31
COUPLE: Final = 5  # D-32
KING: Final = 7  # D-34
SOLITARY: Final = 7  # D-35
BRIDGE_COUPLE: Final = 6  # D-41
PYRAMID: Final = (2, 2, 2, 4, 4, 7)  # D-43
LOOKOUT: Final = 2  # D-45


class Sight(NamedTuple):
    """A zoo and what its scoring looks at. Groups of dinosaurs are whole zoos as `zoo_scope` counts them (D-36)."""

    pens: Mapping[str, str]
    own: str
    others: tuple[str, ...]
    right: str
    trio_points: int


def forest(see: Sight) -> int:
    return SAMENESS[len(see.pens["FS"])]


def trio(see: Sight) -> int:
    return see.trio_points if len(see.pens["WT"]) == 3 else 0  # D-33


def king(see: Sight) -> int:
    dino = see.pens["KJ"]
    mine = see.own.count(dino)
    return KING if dino and all(other.count(dino) <= mine for other in see.others) else 0


def prairie(see: Sight) -> int:
    return COUPLE * sum(see.pens["PL"].count(dino) // 2 for dino in SPECIES)


def meadow(see: Sight) -> int:
    return DIFFERENCES[len(see.pens["MD"])]


def island(see: Sight) -> int:
    dino = see.pens["SI"]
    return SOLITARY if dino and see.own.count(dino) == 1 else 0


def wood(see: Sight) -> int:
    return SAMENESS[len(see.pens["WO"])]


def bridge(see: Sight) -> int:
    left, right = see.pens["BL"], see.pens["BR"]
    return BRIDGE_COUPLE * sum(min(left.count(dino), right.count(dino)) for dino in SPECIES)


def lookout(see: Sight) -> int:
    dino = see.pens["LO"]
    return LOOKOUT * see.right.count(dino) if dino else 0


def pyramid(see: Sight) -> int:
    return sum(points for points, dino in zip(PYRAMID, see.pens["PY"]) if dino != ".")


def river(see: Sight) -> int:
    return len(see.pens[RV])  # D-38


def rex(see: Sight) -> int:
    return sum(REX in contents for pen, contents in see.pens.items() if pen != RV)  # D-39


ZONES: Final[Mapping[str, Mapping[str, Callable[[Sight], int]]]] = {
    "summer": {
        "FS": forest, "WT": trio, "KJ": king, "PL": prairie, "MD": meadow, "SI": island, "RV": river, "rex": rex,
    },
    "winter": {"WO": wood, "bridge": bridge, "LO": lookout, "PY": pyramid, "RV": river, "rex": rex},
}  # fmt: skip


def breakdown(setup: Setup, game: int, zoos: tuple[Zoo, ...], seat: Seat) -> dict[str, int]:
    """The points of one zoo by zone (D-50)."""
    side = setup.boards[game]
    counted = [in_scope(setup, zoo) for zoo in zoos]
    see = Sight(
        pens=dict(zip(side.names, zoos[seat])),
        own=counted[seat],
        others=(*counted[:seat], *counted[seat + 1 :]),
        right=counted[seat - 1],  # seat 0's right neighbour is the last seat
        trio_points=setup.trio_points,
    )
    return {zone: points(see) for zone, points in ZONES[side.season].items()}


def in_scope(setup: Setup, zoo: Zoo) -> str:
    """The dinosaurs of a zoo that count for KJ, SI, LO and ties (D-36, X-14)."""
    return "".join(zoo if setup.zoo_scope == "all" else zoo[:-1])


def tally(state: State) -> Outcome:
    """Scores, ranks and breakdown as if the match ended here."""
    setup, game = state.stage.setup, state.stage.game
    games = [(0, state.stage.summer), (1, state.zoos)] if game else [(0, state.zoos)]
    prefixed = len(setup.boards) > 1
    parts = tuple(
        {
            f"{setup.boards[game].season}.{zone}" if prefixed else zone: points
            for game, zoos in games
            for zone, points in breakdown(setup, game, zoos, seat).items()
        }
        for seat in setup.everyone
    )
    scores = tuple(sum(part.values()) for part in parts)
    rexes = [sum(in_scope(setup, zoos[seat]).count(REX) for _, zoos in games) for seat in setup.everyone]
    if prefixed and setup.match_tiebreak == "shared":
        return Outcome(scores, ranks(scores), parts)
    return Outcome(scores, ranks([(score, -t) for score, t in zip(scores, rexes)]), parts)  # D-51


def outcome(state: State) -> Outcome | None:
    return tally(state) if state.phase is OVER else None
