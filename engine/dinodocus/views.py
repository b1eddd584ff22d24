"""What each seat may know of a position, and a position that it cannot rule out.

Hidden are the cards in other hands that were never offered, the order of the decks (which is not even in the state),
and the period cards that others got for their offers. A view shows everything else, so a bot needs no memory.
"""

from collections.abc import Iterable

from engine.contract import Dice, Seat, View
from engine.dinodocus.cards import PARTS, Cards
from engine.dinodocus.notation import dino_number
from engine.dinodocus.options import Setup, set_up
from engine.dinodocus.rules import ready
from engine.dinodocus.state import NOBODY, OVER, Dino, Phase, State, pool, receiver
from engine.errors import NotationError


def view(state: State, seat: Seat | None) -> View:
    """All that a seat may know; None is a spectator."""
    return public(state) | private(state, seat)


def public(state: State) -> View:
    """What everybody may know."""
    setup = state.setup
    deck, hands = setup.cards, state.hands
    names = deck.names
    return {
        "phase": state.phase.value,
        "turn": state.turn,
        "current": state.current,
        "seats": setup.seats,
        "options": dict(setup.changed),
        "cards": deck.plain,
        "pool": pool(state),
        "periods": state.periods,
        "decks": {part: len(pile) for part, pile in zip(PARTS, state.decks)},
        "discards": {part: names(pile) for part, pile in zip(PARTS, state.discards)},
        "made": state.made,
        "dinos": [_dino(state, dino) for dino in state.dinos],
        "timelines": [{f"d{id_}": periods for id_, periods in line} for line in state.timelines],
        "hand_sizes": [len(hand) for hand in hands],
        "hand_parts": [_by_part(setup, hand) for hand in hands] if setup.hand_parts_public else None,
        "shown": [names(_common(hand, state.shown)) for hand in hands],
        "window": state.window or None,
        "round": state.round,
        "receiver": receiver(state) if state.window else None,
        "offers": _offers(state),
        "focus": f"d{state.focus}" if state.focus else None,
        "maker": None if state.maker == NOBODY else state.maker,
    }


def private(state: State, seat: Seat | None) -> View:
    """What only this seat may know, or not all others."""
    setup, all_known = state.setup, state.phase is OVER or not state.setup.advanced
    knows_draw = state.draw >= 0 and (setup.hand_parts_public or seat == state.current)
    return {
        "seat": seat,
        "hands": [setup.cards.names(hand) if other == seat else None for other, hand in enumerate(state.hands)],
        "hidden": [count if other == seat or all_known else None for other, count in enumerate(state.hidden)],
        "draw": PARTS[state.draw] if knows_draw else None,
    }


def _dino(state: State, dino: Dino) -> View:
    body = dino.body
    return {
        "id": f"d{dino.id}",
        "owner": dino.owner,
        "name": body.name,
        "cards": state.setup.cards.names(body.cards),
        "diet": "C" if body.is_carnivore else "H",
        "attack": body.attack,
        "defence": body.defence,
        "fern": dino.fern,
        "periods": dino.periods,
        "closed": dino.id in state.closed,
        "fed": dino.id in state.ate,
        "starving": dino.id in state.starving,
        "bonus": dino.bonus,
    }


def _by_part(setup: Setup, hand: Cards) -> dict[str, int]:
    counts, parts = dict.fromkeys(PARTS, 0), setup.cards.parts
    for card in hand:
        counts[PARTS[parts[card]]] += 1
    return counts


def _common(hand: Cards, shown: Cards) -> Cards:
    return tuple([card for card in hand if card in shown]) if shown else ()


def _offers(state: State) -> list[View]:
    ids, hands = state.setup.cards.ids, state.hands
    return [
        {"seat": seat, "card": ids[card]} for card in state.offers for seat, hand in enumerate(hands) if card in hand
    ]


# A position that fits


def determinize(seen: View, dice: Dice) -> State:
    """A full state that this view cannot rule out, every way to fill in what it hides being equally likely."""
    setup = set_up(seen["seats"], seen["options"])
    numbers = setup.cards.numbers
    dinos = tuple(_dino_of(setup, one) for one in seen["dinos"])
    discards = tuple(_cards(setup, seen["discards"][part]) for part in PARTS)
    held = [_cards(setup, shown if hand is None else hand) for hand, shown in zip(seen["hands"], seen["shown"])]
    known = {card for cards in (*held, *discards, *(dino.body.cards for dino in dinos)) for card in cards}
    decks, loose = _decks(setup, seen, known, dice)
    hands = _hands(setup, seen, held, loose, dice)
    return ready(
        State(
            setup,
            Phase(seen["phase"]),
            seen["turn"],
            seen["current"],
            hands,
            tuple(sorted(numbers[card] for shown in seen["shown"] for card in shown)),
            dinos,
            seen["made"],
            decks,
            discards,
            (0,) * len(PARTS),
            seen["periods"],
            tuple(tuple((dino_number(id_), count) for id_, count in line.items()) for line in seen["timelines"]),
            _hidden(setup, seen, dice),
            closed=_marked(seen, "closed"),
            ate=_marked(seen, "fed"),
            starving=_marked(seen, "starving"),
            window=seen["window"] or "",
            round=seen["round"],
            offers=tuple(sorted(numbers[offer["card"]] for offer in seen["offers"])),
            focus=dino_number(seen["focus"]) if seen["focus"] else 0,
            maker=NOBODY if seen["maker"] is None else seen["maker"],
            draw=_draw(seen, decks, dice),
        )
    )


def _cards(setup: Setup, names: Iterable[str]) -> Cards:
    return tuple(sorted(setup.cards.numbers[name] for name in names))


def _dino_of(setup: Setup, one: View) -> Dino:
    body = setup.cards.body(tuple(setup.cards.numbers[card] for card in one["cards"]))
    return Dino(dino_number(one["id"]), one["owner"], body, one["fern"], one["periods"], one["bonus"])


def _marked(seen: View, mark: str) -> tuple[int, ...]:
    return tuple(dino_number(one["id"]) for one in seen["dinos"] if one[mark])


def _decks(setup: Setup, seen: View, known: set[int], dice: Dice) -> tuple[tuple[Cards, ...], list[list[int]]]:
    """The unseen cards of each part are mixed, and the deck gets as many as it holds; the rest is in hands."""
    decks, loose = [], []
    for part, pile in zip(PARTS, setup.cards.piles):
        unseen = [card for card in pile if card not in known]
        mixed, size = dice.draw(f"determinize.{part}", unseen, len(unseen)), seen["decks"][part]
        if size > len(mixed):
            raise NotationError(f"this view has {size} cards in deck {part}, but only {len(mixed)} are left for it")
        decks.append(tuple(sorted(mixed[:size])))
        loose.append(mixed[size:])
    return tuple(decks), loose


def _hands(setup: Setup, seen: View, held: list[Cards], loose: list[list[int]], dice: Dice) -> tuple[Cards, ...]:
    """The hands, filled up from the loose cards: part by part where the parts are known (M-19)."""
    if seen["hand_parts"] is None:
        mixed = [card for cards in loose for card in cards]
        heaps = [dice.draw("determinize.hands", mixed, len(mixed))]
        wanted = [[size] for size in seen["hand_sizes"]]
        counted = [[len(hand)] for hand in held]
    else:
        heaps = loose
        wanted = [[counts[part] for part in PARTS] for counts in seen["hand_parts"]]
        counted = [list(_by_part(setup, hand).values()) for hand in held]
    hands = []
    for hand, sizes, have in zip(held, wanted, counted):
        for heap, size, count in zip(heaps, sizes, have):
            if size - count > len(heap):
                raise NotationError("this view has more cards in hands than are left for them")
            hand += tuple(heap.pop() for _ in range(size - count))
        hands.append(tuple(sorted(hand)))
    return tuple(hands)


def _hidden(setup: Setup, seen: View, dice: Dice) -> tuple[int, ...]:
    """The hidden period cards, given to seats that may have them."""
    hidden = [count or 0 for count in seen["hidden"]]
    secret = [seat for seat, count in enumerate(seen["hidden"]) if count is None]
    visible = sum(one["periods"] for one in seen["dinos"]) + sum(sum(line.values()) for line in seen["timelines"])
    for i in range(setup.periods - seen["periods"] - visible - sum(hidden) if secret else 0):
        hidden[secret[dice.roll("determinize.hidden", len(secret), i)]] += 1
    return tuple(hidden)


def _draw(seen: View, decks: tuple[Cards, ...], dice: Dice) -> int:
    """The deck from which chance draws; if that is hidden, any that has cards."""
    if seen["phase"] != Phase.CARD:
        return -1
    if seen["draw"]:
        return PARTS.index(seen["draw"])
    full = [part for part, deck in enumerate(decks) if deck]
    return full[dice.roll("determinize.draw", len(full), 0)]
