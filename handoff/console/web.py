"""Web: what every page of the console shares: its language, who asks, what a form must carry, and strict headers.

Handlers are plain functions; they run in a worker thread, since the desk and the templates wait for disks. The form is
read before. A form that changes something must carry a token that belongs to its cookie and come from this origin.
"""

from __future__ import annotations

import json
import logging
import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any
from urllib.parse import quote, urlsplit

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from langgraph_readback.handoff.console.people import SESSION_SECONDS, People
from langgraph_readback.handoff.console.wording import Words, available, best

_LOG = logging.getLogger("langgraph_readback.handoff")
__all__ = ["Guarded", "Handler", "Refused", "Shell", "Visit"]

SESSION, LANGUAGE, VISIT = "readback_desk", "readback_language", "readback_visit"
_LONGEST = 20_000
"""Bytes of a form or a message; more is no turn and no answer."""

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)


class Refused(Exception):  # noqa: N818 - it is an answer, not a fault
    """A page that answers with a status of its own and one sentence, whose key this is."""

    def __init__(self, status: int, key: str) -> None:
        """Take the HTTP status and the key of the sentence."""
        super().__init__(key)
        self.status, self.key = status, key


@dataclass
class Visit:
    """One request: who asks, in which language, with which form. ``cookies``: what the answer sets."""

    request: Request
    words: Words
    person: str | None
    ours: str
    """The cookie that form tokens belong to: the session, else a random one made for this visit."""
    form: Mapping[str, str] = field(default_factory=dict)
    cookies: dict[str, tuple[str, int]] = field(default_factory=dict)

    @property
    def base(self) -> str:
        """Where this part of the console is mounted."""
        return str(self.request.scope.get("root_path", ""))

    @property
    def me(self) -> str:
        """The person. Raises Refused when nobody is signed in."""
        if self.person is None:
            raise Refused(401, "error.signed_out")
        return self.person

    @property
    def wants_json(self) -> bool:
        """Whether a script asks."""
        return "application/json" in self.request.headers.get("accept", "")

    def path(self, name: str) -> str:
        """A parameter of the route."""
        return str(self.request.path_params[name])


Handler = Callable[[Visit], Response]


class Shell:
    """Makes endpoints of handlers, and pages of templates."""

    def __init__(self, people: People) -> None:
        """Take who may sign in; their secret also signs form tokens."""
        self.people = people

    def open(self, handler: Handler) -> Callable[[Request], Awaitable[Response]]:
        """An endpoint for anybody."""
        return self._endpoint(handler, closed=False)

    def closed(self, handler: Handler) -> Callable[[Request], Awaitable[Response]]:
        """An endpoint for people of the desk; others are sent to sign in."""
        return self._endpoint(handler, closed=True)

    def page(self, visit: Visit, template: str, *, status: int = 200, **facts: Any) -> Response:
        """A page of a template."""
        html = _templates().get_template(template).render(
            t=visit.words, base=visit.base, person=visit.person, language=visit.words.language,
            languages=available(), form_token=self.people.form_token(visit.ours), here=visit.request.url.path, **facts,
        )  # fmt: skip
        return HTMLResponse(html, status)

    def _endpoint(self, handler: Handler, *, closed: bool) -> Callable[[Request], Awaitable[Response]]:
        async def endpoint(request: Request) -> Response:
            visit = self._visit(request)
            try:
                if request.method == "POST":
                    visit.form = await _form(request)
                    self._check(visit)
                if closed:
                    visit.me  # noqa: B018 - refuses whoever is not signed in
                answer = await run_in_threadpool(handler, visit)
            except Refused as refusal:
                answer = await run_in_threadpool(self._refuse, visit, refusal)
            except Exception as error:  # noqa: BLE001 - whatever the database raised: its words may quote a value
                _LOG.error("%s failed: %s", request.scope.get("route"), type(error).__name__)
                answer = await run_in_threadpool(self._refuse, visit, Refused(500, "error.failed"))
            for name, (value, seconds) in visit.cookies.items():
                secure = request.url.scheme == "https"
                answer.set_cookie(name, value, max_age=seconds, httponly=True, samesite="lax", secure=secure)
            return answer

        return endpoint

    def _visit(self, request: Request) -> Visit:
        cookies = request.cookies
        language = cookies.get(LANGUAGE) or best(request.headers.get("accept-language"))
        person = self.people.of_cookie(cookies.get(SESSION)) or _of_server(request)
        visit = Visit(request=request, words=Words(language), person=person, ours="")
        visit.ours = cookies[SESSION] if person and SESSION in cookies else cookies.get(VISIT, "")
        if not visit.ours:
            visit.ours = secrets.token_urlsafe(16)
            visit.cookies[VISIT] = (visit.ours, SESSION_SECONDS)
        return visit

    def _check(self, visit: Visit) -> None:
        """Raises Refused for a form that another site may have sent."""
        headers = visit.request.headers
        origin = headers.get("origin")
        foreign = origin is not None and urlsplit(origin).netloc != headers.get("host")
        if foreign or headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            raise Refused(403, "error.foreign")
        token = headers.get("x-form-token") or visit.form.get("form_token", "")
        if VISIT in visit.cookies or not self.people.is_form_token(token, visit.ours):
            raise Refused(403, "error.form")

    def _refuse(self, visit: Visit, refusal: Refused) -> Response:
        said = visit.words(refusal.key)
        if visit.wants_json:
            return JSONResponse({"error": said}, refusal.status)
        if refusal.status == 401 and visit.request.method == "GET":  # noqa: PLR2004
            return RedirectResponse(f"{visit.base}/sign-in?next={quote(visit.request.url.path)}", 303)
        return self.page(visit, "message.html", status=refusal.status, said=said)


def _of_server(request: Request) -> str | None:
    """Whom the server's own authentication knows, when it stands in front of this route and says ``desk``."""
    user, auth = request.scope.get("user"), request.scope.get("auth")
    if user is None or auth is None or "desk" not in getattr(auth, "scopes", ()):
        return None
    return str(getattr(user, "identity", "")) or None


async def _form(request: Request) -> dict[str, str]:
    """The fields of a form, or the texts of a JSON object. Raises Refused when it is too large or neither."""
    length = request.headers.get("content-length", "")
    if not length.isdigit() or int(length) > _LONGEST:
        raise Refused(413, "error.large")
    if request.headers.get("content-type", "").startswith("application/json"):
        try:
            given = json.loads(await request.body())
        except ValueError:
            raise Refused(400, "error.form") from None
        return {k: v for k, v in given.items() if isinstance(v, str)} if isinstance(given, dict) else {}
    async with request.form(max_files=0, max_fields=50) as form:
        pairs = form.multi_items()
    out: dict[str, str] = {}
    for name, value in pairs:
        if isinstance(value, str):
            out[name] = f"{out[name]},{value}" if name in out else value
    return out


@lru_cache(maxsize=1)
def _templates() -> Environment:
    return Environment(
        loader=PackageLoader(__package__), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip


class Guarded:
    """Lays strict headers over everything an app answers. Pages are never kept by a cache: they may show values."""

    def __init__(self, app: ASGIApp, *, microphone: bool = False) -> None:
        """Wrap an app. ``microphone``: whether its pages may ask for one."""
        self._app = app
        self._headers = {
            "content-security-policy": _POLICY,
            "x-content-type-options": "nosniff",
            "x-frame-options": "DENY",
            "referrer-policy": "same-origin",
            "cross-origin-opener-policy": "same-origin",
            "permissions-policy": f"camera=(), geolocation=(), microphone=({'self' if microphone else ''})",
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, with the headers."""

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers[name] = value
                headers["cache-control"] = "no-cache" if "/static/" in scope["path"] else "no-store"
            await send(message)

        await self._app(scope, receive, guarded)
