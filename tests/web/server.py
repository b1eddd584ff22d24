"""`arena serve --play` as a real process, and a browser's side of HTTP without a browser."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any

from tests.web.table import plan

HANGS_S = 120.0
"""After so long without an answer the server hangs."""


class PlayServer:
    """A running server."""

    def __init__(self, address: str) -> None:
        self.port = int(re.search(r":(\d+)/", address)[1])
        self.host = f"127.0.0.1:{self.port}"
        self.origin = f"http://{self.host}"

    @contextmanager
    def request(self, method: str, path: str, body: bytes | None = None, **headers: str) -> Iterator[HTTPResponse]:
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=HANGS_S)) as connection:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, body, named)
            with closing(connection.getresponse()) as response:
                yield response

    def get(self, path: str, **headers: str) -> tuple[int, bytes]:
        with self.request("GET", path, None, **headers) as response:
            return response.status, response.read()

    def post(self, path: str, asked: object, token: str | None = None, **headers: str) -> tuple[int, Any]:
        given = {"content-type": "application/json", "origin": self.origin}
        if token is not None:
            given["authorization"] = f"Bearer {token}"
        data = asked if isinstance(asked, bytes) else json.dumps(asked).encode()
        with self.request("POST", f"/play/api/{path}", data, **{**given, **headers}) as response:
            text = response.read()
            return response.status, json.loads(text) if text.startswith(b"{") else text.decode()

    def open(self, game: str, *places: object, **options: str) -> tuple[str, dict[int, str]]:
        """A new table, and the tokens of those at this screen."""
        status, answer = self.post("tables", {"plan": plan(game, *places, **options)})
        assert status == 200, answer
        return answer["table"], {int(seat): token for seat, token in answer["tokens"].items()}

    def answer(self, table: str, token: str, page: dict[str, Any], action: str | None = None) -> tuple[int, Any]:
        """Answer the open question, with the first choice if no other is named."""
        question = page["question"]
        chosen = question["choices"][0]["action"] if action is None else action
        return self.post(f"tables/{table}/answer", {"question": question["id"], "action": chosen}, token)

    @contextmanager
    def stream(self, table: str, *tokens: str) -> Iterator["PageStream"]:
        path, held = f"/play/api/tables/{table}/events", f"Bearer {' '.join(tokens)}"
        with self.request("GET", path, None, authorization=held) as response:
            yield PageStream(response)


class PageStream:
    """The pages of a seat, as they come."""

    def __init__(self, response: HTTPResponse) -> None:
        self.status = response.status
        self._response = response
        self.last: bytes = b""

    def next(self) -> dict[str, Any]:
        """The next page."""
        while not (line := self._response.readline()).startswith(b"data: "):
            assert line, "the stream ended"
        self.last = line
        return json.loads(line[6:])

    def until(self, *stages: str) -> dict[str, Any]:
        """The next page that is in one of these stages."""
        while (page := self.next())["stage"] not in stages:
            pass
        return page


@contextmanager
def playing(folder: Path, *words: str) -> Iterator[PlayServer]:
    """A server whose records go to this folder."""
    command = [sys.executable, "-m", "arena", "serve", "--play", "--port", "0", "--matches", str(folder), *words]
    repository = str(Path(__file__).parents[2])
    with subprocess.Popen(
        command,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": repository},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield PlayServer(process.stdout.readline())
        finally:
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=HANGS_S)
    assert "Traceback" not in errors
