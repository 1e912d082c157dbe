"""``readback desk``: the hand-off desk and the try page in a browser, on this machine."""

from __future__ import annotations

import os
import secrets
from contextlib import closing
from typing import Annotated

import typer

from langgraph_readback.cli.lines import fail
from langgraph_readback.cli.stores import sealer, usable


def desk(
    *,
    name: Annotated[str, typer.Option(help="Who sits at the desk.", envvar=["USER", "LOGNAME"])] = "desk",
    host: Annotated[str, typer.Option(help="Address to listen on; keep to loopback without a proxy.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="0: any free one.", min=0, max=65535)] = 2025,
    database: Annotated[str | None, typer.Option(help="sqlite:///FILE or postgresql://...")] = None,
) -> None:
    """Open the hand-off desk and the try page in a browser.

    Example: readback desk --name ana

    Prints a link that signs you in. With READBACK_DESK_TOKENS set, the people named there sign in with their tokens.
    """
    from langgraph_readback.checkpoints import open_saver
    from langgraph_readback.handoff import SqlDesk
    from langgraph_readback.handoff.console import PURPOSE, Background, People, Trials, console
    from langgraph_readback.handoff.console.people import TOKENS_VARIABLE, parse_tokens

    keys = sealer(database)
    try:
        tokens = parse_tokens(os.environ.get(TOKENS_VARIABLE, ""))
        made = "" if tokens else secrets.token_urlsafe(18)
        people = People(secret=keys.secret(PURPOSE), tokens=tokens or parse_tokens(f"{name}:{made}"))
    except ValueError as error:
        fail(str(error))
    with usable(), open_saver(database) as saver, closing(SqlDesk.from_url(database, sealer=keys)) as opened:
        opened.waiting()  # a database that cannot be used says so now
        trials, watched = Trials(saver=saver, desk=opened), Background(opened).lifespan
        serve(console(desk=opened, people=people, trials=trials, lifespan=watched), host, port, made)


def serve(app: object, host: str, port: int, token: str) -> None:
    """Serve until Ctrl-C. Says where, once the port is open; exits with code 2 when it is taken."""
    import socket

    import uvicorn

    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
        except OSError as error:
            fail(f"cannot listen on {host} port {port}: {error.strerror}. Choose another with --port")
        where = f"http://{f'[{host}]' if ':' in host else host}:{listener.getsockname()[1]}"
        typer.echo(f"Desk    {where}/desk/{f'sign-in#token={token}' if token else ''}")
        typer.echo(f"Try it  {where}/try/")
        typer.echo("Ctrl-C stops.")
        config = uvicorn.Config(app, log_level="warning", access_log=False)  # type: ignore[arg-type]
        uvicorn.Server(config).run(sockets=[listener])
