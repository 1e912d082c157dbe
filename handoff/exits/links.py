"""Links: a page where the user types the value of one ticket. Signed, expiring, used once; no framework in here.

``Links.make`` gives the URL of a ticket; ``Links.page`` is what a web framework calls with the token of the URL and,
for a POST, the form's fields. A look (GET) changes nothing: mail scanners look too. The value is heard and checked
like a typed one; the page then shows it and asks to type it once more; both must be the same. Then the desk has an
answer by ``link:<id>``, and the conversation takes it through VALIDATE like any other. Nothing captured is shown.
"""

from __future__ import annotations

import hashlib
import html
import secrets
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, cast

import sqlalchemy as sa
from itsdangerous import BadData, URLSafeSerializer

from langgraph_readback.errors import TicketClosedError, TicketError
from langgraph_readback.fields import Reason, sentence
from langgraph_readback.handoff.checking import Checked, check_typed
from langgraph_readback.handoff.desk import SqlDesk
from langgraph_readback.handoff.records import WAITING, Filed
from langgraph_readback.handoff.tables import LINKS
from langgraph_readback.nodes.handoff import SELF

__all__ = ["PREFIX", "Links", "Page", "render", "words"]

PREFIX = SELF
"""How the name of who answered by a link begins: the value is then checked, but no colleague has vouched for it."""
_PURPOSE = "email-link"
_TRIES = 6
"""Wrong values a link takes; then it is of no more use."""
_LONGEST = 500
_NOT_PARAMS = ("locale", "key", "label", "n", "ticket")

Kind = Literal["ask", "confirm", "done", "closed", "expired", "taken", "tries", "forged"]
_STATUS: dict[str, int] = {"closed": 410, "expired": 410, "taken": 409, "tries": 429, "forged": 404}


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """What to show. ``kind``: ``ask`` for a value, ``confirm`` it, or nothing more to do. ``status``: of HTTP.

    ``says``   a sentence in the user's language; ``problem``: why the last try was none.
    ``value``  what was typed, to be sent again in the hidden field ``value`` with ``again``; ``shown``: read back.
    """

    kind: Kind
    locale: str
    says: str
    label: str = ""
    problem: str = ""
    value: str = ""
    shown: str = ""

    @property
    def status(self) -> int:
        """The status code of the answer."""
        return _STATUS.get(self.kind, 422 if self.problem else 200)


class Links:
    """Makes and serves links of one desk."""

    def __init__(self, desk: SqlDesk, base_url: str, *, lasts: float = 900.0) -> None:
        """``base_url``: where ``page`` is served, without the token. ``lasts``: seconds until a link expires."""
        self._desk, self._base, self._lasts = desk, base_url.rstrip("/"), lasts
        self._signer = URLSafeSerializer(
            desk.sealer.secret(_PURPOSE), salt=_PURPOSE, signer_kwargs={"digest_method": hashlib.sha256}
        )

    @property
    def minutes(self) -> int:
        """How long a link lasts."""
        return max(1, round(self._lasts / 60))

    def make(self, ticket: str, by: str = "desk") -> str:
        """The URL of a new link. Raises TicketError when there is no such ticket, or it is closed."""
        if self._desk.ticket(ticket)["status"] not in WAITING:
            raise TicketClosedError(f"ticket {ticket!r} is closed already: it needs no link")
        name, now = secrets.token_urlsafe(9), self._desk.now()
        with self._desk.transaction() as db:
            db.execute(sa.insert(LINKS).values(id=name, ticket=ticket, made_at=now, expires_at=now + self._lasts))
            self._desk.note(db, ticket, by, "link made", name)
        return f"{self._base}/{self._signer.dumps([name, ticket])}"

    def page(self, token: str, form: Mapping[str, str] | None = None, *, locale: str = "en-US") -> Page:
        """What to show for a token, and for what was sent with it (``value``, then ``value`` and ``again``).

        ``locale``: of the browser, for a token that belongs to nothing. Never raises on what a user sends.
        """
        opened = self._open(token)
        if opened is None:
            return Page(kind="forged", locale=locale, says=words(locale, "forged"))
        name, ticket = opened
        if (over := self._over(name, ticket)) is not None:
            return self._says(over, ticket)
        if form is None:
            return self._says("ask", ticket)
        typed, again = form.get("value", "")[:_LONGEST], form.get("again")
        found = check_typed(ticket, typed)
        if found.value is None:
            return self._wrong(name, ticket, _sentence(found.reason, ticket))
        if again is None:
            return self._says("confirm", ticket, value=typed, shown=found.spoken or found.value)
        return self._confirmed(name, ticket, found, again[:_LONGEST])

    # -- how

    def _open(self, token: str) -> tuple[str, Filed] | None:
        try:
            name, ticket = self._signer.loads(token)
            return str(name), self._desk.ticket(str(ticket))
        except (BadData, TypeError, ValueError, TicketError):
            return None

    def _over(self, name: str, ticket: Filed) -> Kind | None:
        """Why a genuine link is of no more use."""
        with self._desk.transaction() as db:
            row = db.execute(sa.select(LINKS).where(LINKS.c.id == name)).mappings().first()
        if row is None:
            return "forged"
        if row["used_at"] is not None or ticket["status"] not in WAITING:
            return "closed"
        if row["expires_at"] <= self._desk.now():
            return "expired"
        if row["tries"] >= _TRIES:
            return "tries"
        return "taken" if ticket["status"] == "CLAIMED" else None

    def _confirmed(self, name: str, ticket: Filed, found: Checked, again: str) -> Page:
        """Typed twice: an answer, when both are the same value."""
        if check_typed(ticket, again).value != found.value:
            return self._wrong(name, ticket, words(ticket["locale"], "different", label=ticket["label"]))
        try:
            self._desk.resolve(
                ticket["id"], kind="value", value=found.value, by=PREFIX + name, revision=ticket["revision"]
            )
        except TicketClosedError:
            return self._says("closed", ticket)
        except TicketError:  # somebody at the desk was faster
            return self._says("taken", ticket)
        with self._desk.transaction() as db:
            db.execute(sa.update(LINKS).where(LINKS.c.id == name).values(used_at=self._desk.now()))
        return self._says("done", ticket)

    def _wrong(self, name: str, ticket: Filed, problem: str) -> Page:
        with self._desk.transaction() as db:
            db.execute(sa.update(LINKS).where(LINKS.c.id == name).values(tries=LINKS.c.tries + 1))
        over = self._over(name, ticket)
        return self._says(over, ticket) if over else self._says("ask", ticket, problem=problem)

    def _says(self, kind: Kind, ticket: Filed, **more: Any) -> Page:
        locale, label = ticket["locale"], ticket["label"]
        return Page(kind=kind, locale=locale, label=label, says=words(locale, kind, label=label), **more)


def _sentence(reason: Reason | None, ticket: Filed) -> str:
    """Why a value was refused, in the words of the conversation."""
    code, params = (reason.code, reason.params) if reason else ("not_understood", cast("Mapping[str, Any]", {}))
    kept = {key: value for key, value in params.items() if key not in _NOT_PARAMS}
    return sentence(ticket["locale"], f"reason.{code}", label=ticket["label"], **kept)


@cache
def _table() -> dict[str, dict[str, str]]:
    with Path(__file__).with_name("words.toml").open("rb") as file:
        return tomllib.load(file)


def words(locale: str, key: str, **params: Any) -> str:
    """A sentence of the page or the mail, in the locale's language, else in English."""
    table = _table()
    return table.get(locale.replace("_", "-").split("-")[0].lower(), table["en"])[key].format(**params)


def render(page: Page) -> str:
    """The page as HTML without script or style of its own. The form posts to where it is."""
    fields = ""
    label = html.escape(words(page.locale, "field", label=page.label))
    send = html.escape(words(page.locale, "send"))
    entry = 'autocomplete="off" autocapitalize="none" spellcheck="false" required maxlength="500" autofocus'
    if page.kind == "ask":
        fields = f'<label for="value">{label}</label> <input id="value" name="value" {entry}>'
    if page.kind == "confirm":
        again = html.escape(words(page.locale, "again"))
        fields = (
            f"<p><output>{html.escape(page.shown)}</output></p>"
            f'<input type="hidden" name="value" value="{html.escape(page.value)}">'
            f'<label for="again">{again}</label> <input id="again" name="again" {entry}>'
        )
    form = f'<form method="post">{fields} <button>{send}</button></form>' if fields else ""
    problem = f'<p role="alert">{html.escape(page.problem)}</p>' if page.problem else ""
    title = html.escape(page.label or page.says)
    return (
        f'<!doctype html><html lang="{html.escape(page.locale)}"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width"><meta name="robots" content="noindex">'
        f'<meta name="referrer" content="no-referrer"><title>{title}</title></head>'
        f"<body><main>{problem}<p>{html.escape(page.says)}</p>{form}</main></body></html>"
    )
