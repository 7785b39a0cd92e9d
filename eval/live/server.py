"""The server of a live table: a page for each person's link, and the WebSocket behind it."""

from __future__ import annotations

import asyncio
import socket
from contextlib import suppress
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket, WebSocketDisconnect

from eval.live.room import Connection, Room
from eval.live.table import PlayError
from unoflip_env.pictures import card_symbols

STATIC = Path(__file__).parent / "static"
_MAX_FRAME = 64 * 1024  # bytes of a message, beyond which its sender is cut off unread
_MAX_PORT = 65535
_POLICY, _NOT_FOUND = 1008, 4404  # codes with which a WebSocket is closed
_HEADERS = {
    "Content-Security-Policy": "default-src 'self'; connect-src 'self' ws: wss:; img-src data:; "
    "style-src 'self' 'unsafe-inline'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",  # the link holds the token
    "X-Content-Type-Options": "nosniff",
}


def make_app(room: Room) -> Starlette:
    """The web application of a room: `/seat/TOKEN` is a person's page, `/live/TOKEN` its WebSocket."""
    page = (STATIC / "play.html").read_text(encoding="utf-8").replace("<!-- symbols -->", card_symbols())

    async def show(request: Request) -> Response:
        if request.path_params["token"] not in room.tokens:
            return PlainTextResponse("This link is for no seat at this table.\n", 404)
        return HTMLResponse(page, headers=_HEADERS)

    async def connect(websocket: WebSocket) -> None:
        await websocket.accept()
        seat = room.tokens.get(websocket.path_params["token"])
        if seat is None:
            await websocket.send_text('{"type":"error","message":"this link is for no seat at this table"}')
            await websocket.close(_NOT_FOUND)
        else:
            await _serve_seat(room, websocket, room.sit(seat))

    return Starlette(
        routes=[
            Route("/seat/{token}", show),
            WebSocketRoute("/live/{token}", connect),
            Mount("/static", StaticFiles(directory=STATIC)),
        ]
    )


async def _serve_seat(room: Room, websocket: WebSocket, connection: Connection) -> None:
    """Send and receive until either side ends it."""
    sender = asyncio.create_task(_send(room, websocket, connection))
    receiver = asyncio.create_task(_receive(room, websocket, connection))
    try:
        done, _ = await asyncio.wait({sender, receiver}, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    except WebSocketDisconnect:  # while something was being sent
        pass
    finally:
        sender.cancel()
        receiver.cancel()
        room.leave(connection)


async def _send(room: Room, websocket: WebSocket, connection: Connection) -> None:
    while True:
        await connection.has_news.wait()
        connection.has_news.clear()
        while connection.replies:
            await websocket.send_text(connection.replies.popleft().model_dump_json())
        if connection.is_closed:
            await websocket.close(_POLICY)
            return
        if connection.is_behind:
            connection.is_behind = False
            await websocket.send_text(room.state(connection.seat).model_dump_json())


async def _receive(room: Room, websocket: WebSocket, connection: Connection) -> None:
    while not connection.is_closed:
        event = await websocket.receive()
        if event["type"] == "websocket.disconnect":
            return
        await room.receive(connection, event.get("text"))
    await asyncio.Event().wait()  # the sender has the last word


def open_socket(host: str, port: int) -> socket.socket:
    """Where the server listens; port 0 takes one that is free. Raises PlayError where it cannot."""
    if not 0 <= port <= _MAX_PORT:
        raise PlayError(f"port {port}: expected 0 to {_MAX_PORT}")
    try:
        return socket.create_server((host, port))
    except OSError as error:
        raise PlayError(f"host {host}, port {port}: {error.strerror}") from error


def make_server(room: Room) -> uvicorn.Server:
    """The server of a room; setting its `should_exit` stops it."""
    config = uvicorn.Config(
        make_app(room),
        log_level="warning",
        lifespan="off",
        ws="websockets-sansio",
        ws_max_size=_MAX_FRAME,
        timeout_graceful_shutdown=1,
    )
    return uvicorn.Server(config)


def serve(server: uvicorn.Server, room: Room, listener: socket.socket) -> None:
    """Serve until Ctrl-C (KeyboardInterrupt). Raises AgentError where a bot breaks off the game, and RecordError."""
    asyncio.run(_serve(server, room, listener))


async def _serve(server: uvicorn.Server, room: Room, listener: socket.socket) -> None:
    clock = asyncio.create_task(room.run())
    clock.add_done_callback(lambda _: setattr(server, "should_exit", True))
    try:
        await server.serve(sockets=[listener])
    finally:
        clock.cancel()
    with suppress(asyncio.CancelledError):
        await clock
