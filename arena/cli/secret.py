"""`arena league reveal` and `arena league audit`: publish a league's secret, and check its deals against it."""

import json
import shlex
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.errors import SettingError
from arena.texts import counted

if TYPE_CHECKING:
    from arena.league.secret import Secret
    from arena.league.store import Store

Now = Annotated[bool, typer.Option("--now", help="Even if matches are missing. Bots can then find their deals.")]
SecretOption = Annotated[
    str | None,
    typer.Option("--secret", metavar="DIGITS", help="The secret that `reveal` printed. Default: the one in the store."),
]
CommitmentOption = Annotated[
    str | None,
    typer.Option(
        "--commitment",
        metavar="DIGITS",
        help="The commitment that `run` printed at the start. Default: the one in the store.",
    ),
]


def about(settings: dict[str, Any]) -> list[str]:
    """The lines of `status` about a league's deals."""
    seed = settings.get("seed")
    if "commitment" not in settings:
        return [f"an older arena began it: the deals follow from seed {seed}, and bots can find them"]
    origin = "a secret" if seed is None else f"seed {seed}: a bot that guesses or knows it can find every deal"
    shown = [f"{settings.get('deals', 'shared')} deals from {origin}", f"commitment: {settings['commitment']}"]
    return [*shown, f"published secret: {settings['secret']}"] if settings.get("revealed") else shown


def reveal_secret(store: "Store", is_urgent: bool, command: str, as_json: bool) -> None:
    """Publish the secret of a league that is over."""
    from arena.league.deals import REVEALED, kept_secret

    settings, place = store.settings(), store.path.parent
    if "secret" not in settings:
        raise SettingError(f"{place}: an older arena began this league: it has no secret.")
    if not settings.get("ended") and not is_urgent:
        raise SettingError(
            f"{place}: the league is not over: {store.count():,} of {counted(settings['planned'], 'match')} are played."
            " With the secret, bots can find the deals of the others. Wait for the end, or say --now."
        )
    secret = kept_secret(settings)
    store.settle({REVEALED: True})
    if as_json:
        typer.echo(json.dumps({"secret": secret.digits, "commitment": secret.commitment}, indent=2))
    else:
        typer.echo(f"secret {secret.digits}\ncommitment {secret.commitment}")
    typer.echo(f"\nAnyone who has the results can check them:  {command} --secret {secret.digits}", err=True)


def verify_deals(store: "Store", digits: str | None, commitment: str | None, as_json: bool) -> None:
    """Print whether all deals follow from the secret; exit code 1 if one does not."""
    from arena.league.audit import audit

    found = audit(store, _secret(store, digits), commitment)
    if as_json:
        typer.echo(json.dumps(asdict(found), indent=2))
        raise typer.Exit(1 if found.wrong else 0)
    if found.wrong:
        typer.echo(f"{store.path.parent}: {found.wrong}")
        raise typer.Exit(1)
    checked = f"{counted(found.matches, 'match')}, {counted(found.records, 'record')}"
    typer.echo(f"{store.path.parent}: {checked}: ", nl=False)
    typer.echo("the secret fits the commitment, and every deal, seat order and id follows from it")
    if found.again:
        typer.echo(f"{found.again:,} of them were dealt again, after attempts that did not count")
    if found.by_places:
        typer.echo(f"{found.by_places:,} older ones were not checked: an older arena planned them")
    if found.skipped:
        typer.echo(f"{counted(found.skipped, 'meeting')} missing before later ones of the same versions")


def _secret(store: "Store", digits: str | None) -> "Secret":
    from arena.league.secret import Secret, is_secret

    settings = store.settings()
    if digits is None and not settings.get("revealed"):
        raise SettingError(f"{store.path.parent}: its secret is not published yet. Name it: --secret DIGITS.")
    secret = Secret(digits if digits is not None else str(settings["secret"]))
    if not is_secret(secret.digits):
        raise SettingError("--secret: expected 32 hexadecimal digits, as `arena league reveal` prints them.")
    return secret


def command_of(place: Path) -> str:
    return f"arena league audit {shlex.quote(str(place))}"
