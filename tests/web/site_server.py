"""A site for tests: the real server on a free port of this machine, in a thread, and leagues that were really refereed."""

import http.client
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from arena.league import run as league
from arena.league.executor import Hire
from arena.league.run import Manner
from arena.league.tournament import read_tournament
from arena.running import run
from arena.web.app import application
from arena.web.serving import bound, server_of
from arena.web.site.exhibit import EAGER
from arena.web.site.hall import Hall
from tests.league.small_league import Refereed, small_league, watch_nothing


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()


@dataclass(frozen=True)
class SiteClient:
    """Asks a server over real connections."""

    port: int
    hall: Hall

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def get(
        self, path: str, method: str = "GET", headers: Mapping[str, str] | None = None, body: bytes = b""
    ) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.putrequest(method, path, skip_host="host" in {key.lower() for key in headers or ()})
        given = {**(headers or {}), **({"content-length": str(len(body))} if body else {})}
        for key, value in given.items():
            connection.putheader(key, value)
        connection.endheaders(body or None)
        answer = connection.getresponse()
        found = Answer(answer.status, {key.lower(): value for key, value in answer.getheaders()}, answer.read())
        connection.close()
        return found

    def raw(self, data: bytes) -> bytes:
        """Everything that the server says to these bytes until it closes the connection."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as talk:
            with suppress(OSError):  # it may refuse before it has read everything
                talk.sendall(data)
                talk.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: received(talk), b""))


@contextmanager
def served(*sources: Path, names: tuple[str, ...] = ()) -> Iterator[SiteClient]:
    """A site that looks at its leagues whenever it is asked."""
    hall = Hall(sources, EAGER)
    listening = bound("127.0.0.1", 0)
    server = server_of(application(hall, names), hall.close)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        yield SiteClient(listening.getsockname()[1], hall)
    finally:
        server.should_exit = True
        thread.join()
        listening.close()


def played_league(folder: Path, hire: Hire | None = None, **keys: object) -> Path:
    """The folder of a league whose matches were refereed without processes, with records."""
    file = small_league(folder, **{"seats": [2], "blocks": 6, **keys})  # type: ignore[arg-type]
    place = folder / "leagues" / "small"
    way = Manner(hire=hire or Refereed())
    run(lambda: league.run(read_tournament(file), place, watch_nothing, way))
    return place


def received(talk: socket.socket) -> bytes:
    """What comes next; nothing at the end. A server that does not read all that was sent resets the connection."""
    try:
        return talk.recv(1 << 16)
    except ConnectionResetError:
        return b""
