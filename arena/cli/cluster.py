"""The option --cluster: a league's matches are played by the workers of a Dask cluster."""

from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated

import typer

from arena.errors import LaunchError, SettingError

if TYPE_CHECKING:
    from arena.cluster.place import ClusterPlace
    from arena.league.executor import Hire
    from arena.league.tournament import Tournament

ClusterOption = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Play on a Dask cluster: tcp://HOST:PORT of its scheduler, or local:4 for four workers on this machine.",
    ),
]


def workers_at(cluster: str | None, workers: int | None) -> "ClusterPlace | None":
    """Where the cluster is, if there is one. Mistakes are reported before anything is built or played."""
    if cluster is None:
        return None
    from arena.cluster.place import located

    if workers is not None:
        raise typer.BadParameter("--workers is for this machine, and --cluster for others. Use one of them.")
    try:
        place = located(cluster)
    except SettingError as error:
        raise typer.BadParameter(str(error)) from None
    if find_spec("distributed") is None:
        raise LaunchError("--cluster needs Dask. Install it: pip install 'dino-arena[cluster]'")
    return place


def hired(place: "ClusterPlace | None", tournament: "Tournament") -> "Hire | None":
    """What plays the league; None: the usual workers on this machine."""
    if place is None:
        return None
    from arena.cluster.workers import on_cluster

    return on_cluster(place, max(tournament.seats))
