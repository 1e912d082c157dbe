"""The page of links as Starlette routes: ``Mount("/link", routes=link_routes(links))``.

Who has the token may answer, so there is no session and no form token. A page is neither cached nor named to others.
"""

from __future__ import annotations

from urllib.parse import parse_qsl

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route

from langgraph_readback.handoff.exits.links import Links, render

__all__ = ["link_routes"]

_LARGEST = 16_384
"""Bytes of a form; a value has at most 500 characters."""
_HEADERS = {"cache-control": "no-store", "referrer-policy": "no-referrer", "x-robots-tag": "noindex"}


def link_routes(links: Links) -> list[Route]:
    """``/{token}`` for GET and POST."""

    async def page(request: Request) -> Response:
        form: dict[str, str] | None = None
        if request.method == "POST":
            if (body := await _body(request)) is None:
                return PlainTextResponse("too large", 413, headers=_HEADERS)
            form = dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=None))
        locale = request.headers.get("accept-language", "").split(",")[0].split(";")[0].strip() or "en-US"
        shown = await run_in_threadpool(links.page, request.path_params["token"], form, locale=locale)
        return HTMLResponse(render(shown), shown.status, headers=_HEADERS)

    return [Route("/{token}", page, methods=["GET", "POST"])]


async def _body(request: Request) -> bytes | None:
    """The body; None when it is too large."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > _LARGEST:
            return None
    return body
