"""The page served, its views drawn when they are asked for."""

from __future__ import annotations

from errno import EADDRNOTAVAIL
from functools import lru_cache
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from eval.watch.page import Show

_NUM_KEPT = 20
"""Views that are kept for the next time; those of a long match take some megabytes each."""


def make_server(show: Show, host: str, port: int) -> ThreadingHTTPServer:
    """A server of the page at '/' and of its views at '/view/GAME/VIEW'.

    Port 0 is any that is free. Raises OSError, naming host and port, where it cannot listen.
    """
    views = {f"/view/{game}/{view}": (game, view) for game in range(len(show.records)) for view in show.views(game)}
    draw = lru_cache(_NUM_KEPT)(show.view)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/":
                self._send("text/html; charset=utf-8", show.page().encode())
            elif self.path in views:
                self._send("application/json", draw(*views[self.path]))
            else:
                self.send_error(HTTPStatus.NOT_FOUND)

        def _send(self, kind: str, content: bytes) -> None:
            self.send_response(HTTPStatus.OK)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:
            """Not of interest."""

    try:
        return ThreadingHTTPServer((host, port), Handler)
    except (OSError, OverflowError) as error:
        raise OSError(EADDRNOTAVAIL, f"cannot serve there: {error}", f"{host}:{port}") from error
