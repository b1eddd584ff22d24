"""Which deal each match of a league has: what its secret decides, what the store keeps, and what a user reads about it.

Theory of operation. The schedule names the deal of each block. What is dealt under this name follows from the league's
secret (arena.league.secret), or from its seed if an older arena has begun it (arena.league.old_leagues).

    fresh    The rotation is part of the name, and so is the number of attempts that did not count. No bot meets a
             deal twice, so it cannot gain by remembering one from match to match.
    shared   The name is that of the block only. All rotations have one deal, which takes luck out of a duel between
             your own bots, and shows the hands to a bot that can remember.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from arena.errors import SettingError, StoreError
from arena.league.secret import Secret, drawn, is_secret, of_seed
from arena.league.store import MEETINGS
from arena.league.tournament import REMEMBERED, Tournament

SECRET, COMMITMENT, REVEALED = "secret", "commitment", "revealed"
"""Settings in a store. The secret itself is shown nowhere before it is published."""
SEED_NOTE = "a bot that guesses or knows it can find every deal. Leave it out, except to reproduce a league."
SHARED_NOTE = (
    "deals are shared: all matches of a block have one deal. This assumes that no bot can remember or recognise a deal "
    'between two matches. If other people wrote some of the bots, write deals = "fresh".'
)
PROCESSES_NOTE = (
    'processes = "{}": the process of a bot plays several matches. The bot can remember what it saw of its opponents, '
    "and what is left in its memory can change later matches."
)


# What is dealt


def seeds(tournament: Tournament, deal: str, rotation: int, attempt: int) -> dict[str, int]:
    """The seeds of a match: one for its deal, and one from which the bots' own seeds follow."""
    chance = tournament.chance
    if tournament.is_fresh:
        return {"seed": chance.deal([deal, rotation, attempt]), "bot_seed": chance.bot_seed([deal, rotation, attempt])}
    own: list[str | int] = [deal] if tournament.kind.pairs_settings else [deal, rotation]
    return {"seed": chance.deal([deal]), "bot_seed": chance.bot_seed(own)}


def dealt(tournament: Tournament, fixture: Mapping[str, Any], attempt: int) -> dict[str, Any]:
    """The fixture after `attempt` attempts that did not count. With fresh deals, no bot sees a deal of those again."""
    return {**fixture, **seeds(tournament, fixture["deal"], fixture["rotation"], attempt)}


# The beginning


def begun(tournament: Tournament, settings: Mapping[str, Any]) -> Tournament:
    """The tournament as the league with these settings plays it. Without settings the league begins, with a secret."""
    if not settings:
        secret = drawn() if tournament.seed is None else of_seed(tournament.seed)
        tournament = replace(tournament, secret=secret.digits, by_meetings=tournament.kind.may_change)
    elif SECRET in settings:
        deals, scheme = tournament.deals or settings.get("deals"), settings.get("scheme")
        secret = kept_secret(settings)
        tournament = replace(tournament, secret=secret.digits, deals=deals, by_meetings=scheme == MEETINGS)
    else:
        return _old(tournament, settings)
    if not tournament.is_fresh and tournament.processes != "match" and not tournament.kind.pairs_settings:
        raise SettingError(f"{tournament.path}: deals: {REMEMBERED.format(tournament.processes)}")
    return tournament


def _old(tournament: Tournament, settings: Mapping[str, Any]) -> Tournament:
    if tournament.deals == "fresh":
        raise SettingError(
            f"{tournament.path}: deals: an older arena began this league with shared deals, and the file says "
            '"fresh". Leave the key out to go on, or begin a new league: another name, or --folder.'
        )
    seed = settings.get("seed", 0) if tournament.seed is None else tournament.seed
    return replace(tournament, seed=seed, is_old=True, deals="shared")


def kept_secret(settings: Mapping[str, Any]) -> Secret:
    """The secret in a store."""
    secret = Secret(str(settings[SECRET]))
    if not is_secret(secret.digits) or secret.commitment != settings.get(COMMITMENT):
        raise StoreError(
            f"{settings.get('name', 'league')}: the secret in the store does not match its commitment: one of them was "
            "changed. Restore the store from a copy, or begin a new league: another name, or --folder."
        )
    return secret


def kept(tournament: Tournament) -> dict[str, str]:
    """What a store keeps of a league that has begun, in addition to its identity."""
    return {SECRET: tournament.secret} if tournament.secret else {}


# What a user reads


def notes(tournament: Tournament, settings: Mapping[str, Any]) -> Iterator[str]:
    """What the user who runs a league should know about its deals, one line each."""
    if tournament.is_old:
        yield (
            "an older arena began this league, and it goes on by the old rules: its deals follow from seed "
            f"{tournament.seed}, so bots can find them."
        )
    elif tournament.seed is not None:
        yield f"seed {tournament.seed} decides all deals: {SEED_NOTE}"
    elif REVEALED in settings:
        yield "the secret of this league is published: bots can find the deals of the remaining matches."
    else:
        yield f"a secret decides all deals. Its commitment: {Secret(tournament.secret).commitment}"
    if tournament.kind.pairs_settings:
        return
    if not tournament.is_fresh and not tournament.is_old:
        yield SHARED_NOTE
    if tournament.processes != "match":
        yield PROCESSES_NOTE.format(tournament.processes)
