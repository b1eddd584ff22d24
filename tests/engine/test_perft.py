"""How many ways a game can go on: one number catches any change of the legal moves."""

import pytest

from engine.draftosaurus import GAME
from engine.playouts import perft

LAST_TURN = "summer round=2 turn=6 phase=roll | hand=D | hand=C | hand=S"
LAST_PAIR = "summer round=4 turn=3 phase=pick die=W | hand=DC | hand=TT"
WINTER = "winter round=2 turn=6 phase=roll | hand=D PY=D..... QZ=G | hand=C WO=DC BL=T | hand=S LO=S PY=SCDG.."
PICK = "summer round=4 turn=2 phase=pick die=E | hand=TDCS FS=DD | hand=DCGP KJ=T"
DRAFT = "winter round=2 turn=5 phase=draft die=X commit=pick_and_place | hand=DT BL=T | hand=CS PY=TCT... | hand=SG"


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        # 6 faces; forced picks; the roller (seat 2) has 7 placements, the others 4 under W G L R and 7 under E X.
        (LAST_TURN, [1, 6, 6, 4 * (4 * 4 * 7) + 2 * (7 * 7 * 7)]),
        # 2 x 1 picks; the roller (seat 1) has 7 placements, the other 4; then forced discards.
        (LAST_PAIR, [1, 2, 2 * 4 * 7, 2 * 4 * 7]),
    ],
)
def test_small_positions_count_as_by_hand(text, counts):
    assert [perft(GAME, GAME.parse(text), depth) for depth in range(len(counts))] == counts


def test_larger_positions_count_as_ever(golden):
    lines = []
    for text, deepest in ((WINTER, 3), (DRAFT, 2), (PICK, 3)):
        state = GAME.parse(text)
        lines.append(" ".join(str(perft(GAME, state, depth)) for depth in range(1, deepest + 1)) + f"  {text}")
    golden("draftosaurus/perft.txt", "\n".join(lines) + "\n")


def test_a_deal_cannot_be_counted():
    with pytest.raises(ValueError, match="too many actions to list"):
        perft(GAME, GAME.start(2, {}), 1)
