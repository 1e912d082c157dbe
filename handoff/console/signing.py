"""Signing in and out, and the language of the pages."""

from __future__ import annotations

from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from langgraph_readback.handoff.console.people import SESSION_SECONDS
from langgraph_readback.handoff.console.web import LANGUAGE, SESSION, Refused, Shell, Visit
from langgraph_readback.handoff.console.wording import available

__all__ = ["language_route", "signing_routes"]

_YEAR = 365 * 86_400


def signing_routes(shell: Shell) -> list[Route]:
    """``/sign-in`` and ``/sign-out``."""

    def show(visit: Visit) -> Response:
        if visit.person is not None:
            return RedirectResponse(_inside(visit, visit.request.query_params.get("next")), 303)
        return _page(visit, visit.request.query_params.get("next", ""))

    def enter(visit: Visit) -> Response:
        name = shell.people.who(visit.form.get("token", "").strip())
        if name is None:
            return _page(visit, visit.form.get("next", ""), status=401, alert=visit.words("sign_in.wrong"))
        visit.cookies[SESSION] = (shell.people.cookie(name), SESSION_SECONDS)
        return RedirectResponse(_inside(visit, visit.form.get("next")), 303)

    def leave(visit: Visit) -> Response:
        visit.cookies[SESSION] = ("", 0)
        return RedirectResponse(f"{visit.base}/sign-in", 303)

    def _page(visit: Visit, goal: str, *, status: int = 200, alert: str = "") -> Response:
        return shell.page(visit, "sign_in.html", status=status, goal=goal, alert=alert, anyone=shell.people.anyone)

    return [
        Route("/sign-in", shell.open(show)),
        Route("/sign-in", shell.open(enter), methods=["POST"]),
        Route("/sign-out", shell.open(leave), methods=["POST"]),
    ]


def language_route(shell: Shell) -> Route:
    """``/language``: remembers a choice, and goes back to the page it was made on."""

    def choose(visit: Visit) -> Response:
        if (wish := visit.form.get("language", "")) not in available():
            raise Refused(400, "error.form")
        visit.cookies[LANGUAGE] = (wish, _YEAR)
        return RedirectResponse(_inside(visit, visit.form.get("here")), 303)

    return Route("/language", shell.open(choose), methods=["POST"])


def _inside(visit: Visit, goal: str | None) -> str:
    """A place inside this part of the console; anything else is its first page."""
    home = f"{visit.base}/"
    return goal if goal and goal.startswith(home) and "\\" not in goal else home
