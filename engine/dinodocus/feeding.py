"""Natural selection: herbivores feed, then carnivores; the fed grow older, the others go extinct."""

from collections.abc import Iterator
from itertools import combinations
from typing import Final

from engine.dinodocus.state import Dino, State, is_fed, pool
from engine.dinodocus.table import age, extinct, fern, tell, with_

DONE: Final = "done"


def own(s: State) -> list[Dino]:
    """The dinosaurs of the current player."""
    seat = s.current
    return [dino for dino in s.dinos if dino.owner == seat]


def hungry(s: State) -> list[Dino]:
    """The own herbivores without a fern (N-31)."""
    return [dino for dino in own(s) if not dino.fern and not dino.body.is_carnivore]


# Herbivores


def can_rob(thief: Dino, other: Dino) -> bool:
    """Strictly stronger in defence, and the other one holds a fern (N-33)."""
    return other.fern and thief.body.defence > other.body.strength


def herb_choices(s: State) -> tuple[str, ...]:
    """Who may take or steal a fern; () if none can."""
    unfed = hungry(s)
    if pool(s):
        return tuple([f"take:d{dino.id}" for dino in unfed])  # N-32
    steals = [(thief, other) for thief in unfed for other in s.dinos if can_rob(thief, other)]
    listed = tuple([f"steal:d{thief.id}:d{other.id}" for thief, other in steals])
    return listed if not steals or must_rob(s, steals) else (*listed, DONE)


def must_rob(s: State, steals: list[tuple[Dino, Dino]]) -> bool:
    """Opponents must be robbed; own dinosaurs need not be (M-10)."""
    return s.setup.herb_duty == "strict" and any(other.owner != s.current for _, other in steals)


def graze(s: State) -> bool:
    """Feed all hungry herbivores from the pool, if it has enough for all of them. Whether it had."""
    unfed = hungry(s)
    if len(unfed) > pool(s):
        return False
    for dino in unfed:
        take_fern(s, dino)
    return True


def take_fern(s: State, dino: Dino) -> None:
    fern(s, dino, True)
    tell(s, "take", dino.id, dino.owner)


def steal_fern(s: State, thief: Dino, other: Dino) -> None:
    """The robbed dinosaur stays on the table (N-34)."""
    fern(s, other, False)
    fern(s, thief, True)
    tell(s, "steal", thief.id, thief.owner, other.id, other.owner)


# Carnivores


def preys(s: State, eater: Dino) -> list[Dino]:
    """The dinosaurs that a carnivore can eat: all weaker ones, but not itself (N-36)."""
    attack = eater.body.attack
    return [dino for dino in s.dinos if dino.body.strength < attack and dino.id != eater.id]


def carn_choices(s: State) -> tuple[str, ...]:
    """Who may eat whom, and who may stay hungry; () if none can eat."""
    return tuple([choice for eater in own(s) if eater.body.is_carnivore for choice in _meals(s, eater)])


def _meals(s: State, eater: Dino) -> Iterator[str]:
    if eater.id in s.ate or eater.id in s.starving:
        return
    prey = preys(s, eater)
    for dino in prey:
        yield f"eat:d{eater.id}:d{dino.id}"
    if prey and may_starve(s, prey):
        yield f"starve:d{eater.id}"


def may_starve(s: State, prey: list[Dino]) -> bool:
    """Whether a carnivore may leave this prey alone (M-11)."""
    duty = s.setup.carn_duty
    return duty == "free" or (duty == "own_optional" and all(dino.owner == s.current for dino in prey))


def eat(s: State, eater: Dino, prey: Dino) -> None:
    """The prey's owner scores its period cards (N-37)."""
    extinct(s, prey)
    s.ate = with_(tuple([id_ for id_ in s.ate if id_ != prey.id]), eater.id)
    s.starving = tuple([id_ for id_ in s.starving if id_ != prey.id])
    tell(s, "eat", eater.id, eater.owner, prey.id, prey.owner, prey.periods)


# The end of the turn


def bury(s: State, unfed: list[Dino]) -> None:
    """These go extinct (N-38)."""
    for dino in unfed:
        extinct(s, dino)
        tell(s, "starve", dino.id, dino.owner, dino.periods)


def survive(s: State) -> bool:
    """The unfed die, the fed get a period card each; False if there are not enough and the player must choose."""
    fed: list[Dino] = []
    unfed: list[Dino] = []
    for dino in own(s):
        (fed if is_fed(s, dino) else unfed).append(dino)
    bury(s, unfed)
    if len(fed) > s.periods:
        if s.setup.final_allocation == "player":
            return False
        fed = oldest(s, fed)
    age(s, fed)
    return True


def oldest(s: State, fed: list[Dino]) -> list[Dino]:
    """As many of these as there are period cards left, those with the most cards first (M-15)."""
    by_age = sorted(fed, key=lambda dino: (-dino.periods, dino.id))
    return sorted(by_age[: s.periods], key=lambda dino: dino.id)


def alloc_choices(s: State) -> tuple[str, ...]:
    """Every way to spend the last period cards on own dinosaurs (N-53)."""
    return tuple([given(chosen) for chosen in combinations(own(s), s.periods)])


def given(dinos: tuple[Dino, ...] | list[Dino]) -> str:
    """The action that gives the last period cards to these dinosaurs."""
    return "give:" + ",".join([f"d{dino.id}" for dino in dinos])
