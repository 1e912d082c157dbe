"""App: the desk below ``/desk`` and the try page below ``/try``, as one Starlette app that can stand beside others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from langgraph_readback.handoff.claims import LEASE
from langgraph_readback.handoff.console.desk_pages import DeskPages
from langgraph_readback.handoff.console.people import People
from langgraph_readback.handoff.console.signing import language_route, signing_routes
from langgraph_readback.handoff.console.trial import Trials
from langgraph_readback.handoff.console.try_pages import TryPages
from langgraph_readback.handoff.console.web import Guarded, Refused, Shell, Visit
from langgraph_readback.handoff.desk import SqlDesk
from langgraph_readback.handoff.exits.links import Links
from langgraph_readback.handoff.exits.web import link_routes

__all__ = ["PURPOSE", "console"]

PURPOSE = "console"
"""What the console's secret is for: ``sealer.secret(PURPOSE)``."""


def console(
    *,
    desk: SqlDesk,
    people: People,
    trials: Trials | None = None,
    answered: Callable[[str], None] | None = None,
    lease: float = LEASE,
    links: Links | None = None,
    lifespan: Any = None,
) -> Starlette:
    """The app.

    ``desk``      the queue. ``people``: who may sign in to it.
    ``trials``    the conversations of the try page; None: there is no try page.
    ``answered``  called with a ticket's id when somebody answered it: to wake its conversation.
    ``lease``     seconds a ticket stays with somebody whose page has stopped answering.
    ``links``     the page of mailed links, below ``/link``; None: there is none.
    ``lifespan``  what the app does from start to stop (``background.Background``).
    """
    shell = Shell(people)
    pages = DeskPages(shell, desk, answered=answered, lease=lease)
    routes = _mounted("/desk", shell, [*pages.routes(), *signing_routes(shell)], microphone=False)
    if trials is not None:
        trying = TryPages(shell, trials, secret=people.secret)
        routes += _mounted("/try", shell, trying.routes(), microphone=True)
    if links is not None:
        routes.append(Mount("/link", app=Guarded(Starlette(routes=link_routes(links)))))
    return Starlette(routes=routes, lifespan=lifespan)


def _mounted(path: str, shell: Shell, routes: list[Route], *, microphone: bool) -> list[BaseRoute]:
    """The routes below a path, with headers, scripts, languages and a page for what is not there."""

    def lost(_: Visit) -> Response:
        raise Refused(404, "error.not_found")

    static = Mount("/static", StaticFiles(packages=[(str(__package__), "static")]))
    inner = Starlette(routes=[*routes, language_route(shell), static, Route("/{rest:path}", shell.open(lost))])

    async def slash(request: Request) -> Response:
        return RedirectResponse(f"{request.url.path}/", 307)

    return [Route(path, slash), Mount(path, app=Guarded(inner, microphone=microphone))]
