"""The desk's pages: the queue, a ticket, and what a person does with it. Everything needs a person who is signed in.

Each action is a form, so it works without scripts; what a script adds is in ``static/desk.js``. The desk decides who
wins a race and what is stale; a page only says so, loudly, and shows the ticket as it is now.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from langgraph_readback.errors import StaleTicketError, TicketClosedError, TicketError, TicketTakenError
from langgraph_readback.handoff.claims import LEASE
from langgraph_readback.handoff.console.judge import judge, why
from langgraph_readback.handoff.console.views import call_of, duration, evidence, line_of, trail_of
from langgraph_readback.handoff.console.web import Handler, Refused, Shell, Visit
from langgraph_readback.handoff.desk import SqlDesk
from langgraph_readback.handoff.records import CLOSED, WAITING, Filed, Row
from langgraph_readback.ports import AnswerKind

__all__ = ["DeskPages"]

_DONE = ("resolved", "returned", "declined", "released", "called", "later")
_MOST = 200
_DIGITS = 5


class DeskPages:
    """The pages over one desk. ``answered`` is called with a ticket's id when it was answered: to wake its thread."""

    def __init__(
        self, shell: Shell, desk: SqlDesk, *, answered: Callable[[str], None] | None = None, lease: float = LEASE
    ) -> None:
        """``lease``: seconds a ticket stays with somebody whose page has stopped answering."""
        self._shell, self._desk, self._answered, self._lease = shell, desk, answered, lease

    def routes(self) -> list[Route]:
        """All of them; paths are below where the desk is mounted."""
        gets: dict[str, Handler] = {"/": self._queue, "/rows": self._rows, "/tickets/{id}": self._ticket}
        posts: dict[str, Handler] = {
            "claim": self._claim, "release": self._release, "reveal": self._reveal, "heartbeat": self._heartbeat,
            "check": self._check, "resolve": self._resolve, "retry": self._retry, "decline": self._decline,
            "called": self._called, "later": self._later,
        }  # fmt: skip
        routes = [Route(path, self._shell.closed(handler)) for path, handler in gets.items()]
        return routes + [
            Route(f"/tickets/{{id}}/{name}", self._shell.closed(handler), methods=["POST"])
            for name, handler in posts.items()
        ]

    # -- the queue

    def _queue(self, visit: Visit) -> Response:
        self._desk.here(visit.me)
        done = visit.request.query_params.get("done", "")
        said = visit.words(f"done.{done}") if done in _DONE else ""
        return self._shell.page(visit, "queue.html", said=said, **self._lines(visit))

    def _rows(self, visit: Visit) -> Response:
        """The list alone, for the script that keeps it fresh."""
        self._desk.here(visit.me)
        return self._shell.page(visit, "rows.html", **self._lines(visit))

    def _lines(self, visit: Visit) -> dict[str, Any]:
        asked = visit.request.query_params
        wish = {name: asked.get(name, "").strip()[:100] for name in ("show", "field", "late", "q")}
        rows = self._search(wish, visit.me)
        every = self._desk.search(status=None, limit=_MOST)
        return {
            "lines": [line_of(row, visit.person, visit.words) for row in rows],
            "fields": sorted({(row["field"], row["label"]) for row in every}),
            "wish": wish, "query": urlencode({k: v for k, v in wish.items() if v}),
            "present": len(self._desk.present()),
        }  # fmt: skip

    def _search(self, wish: dict[str, str], person: str) -> list[Row]:
        shown = {"closed": CLOSED, "all": None, "mine": ("CLAIMED",)}.get(wish["show"], WAITING)
        return self._desk.search(
            status=shown, field=wish["field"] or None, overdue=True if wish["late"] else None, text=wish["q"],
            by=person if wish["show"] == "mine" else None, limit=_MOST,
        )  # fmt: skip

    # -- a ticket

    def _ticket(self, visit: Visit) -> Response:
        return self._show(visit)

    def _show(
        self, visit: Visit, *, status: int = 200, alert: str = "", shown: Filed | None = None, typed: str = ""
    ) -> Response:
        """The page of a ticket as it is now. ``shown``: with its values, which were revealed for this very page."""
        ticket = shown or self._found(visit)
        words, now = visit.words, self._desk.now()
        held = ticket["status"] == "CLAIMED"
        mine = held and ticket.get("claimed_by") == visit.person
        outcome = ticket.get("outcome") or ""
        return self._shell.page(
            visit, "ticket.html", status=status, alert=alert, ticket=ticket, typed=typed, mine=mine,
            advice=visit.form.get("advice", ""), call=call_of(ticket, words), shown=shown is not None, held=held,
            left=max(0, round((ticket.get("lease_until") or now) - now)), beat=self._lease / 3,
            reason=why(ticket["reason"], ticket["label"], words),
            state=words(f"status.{ticket['status']}"), outcome=words.get(f"outcome.{outcome}") or outcome,
            channel=words.get(f"channel.{ticket.get('channel')}") or "",
            age=duration((ticket.get("closed_at") or now) - ticket["filed_at"], words),
            trail=trail_of(self._desk.trail(ticket["id"]), words),
            **evidence(ticket, words, shown=shown is not None),
        )  # fmt: skip

    def _found(self, visit: Visit) -> Filed:
        """The ticket of the path, masked. Raises Refused when there is none."""
        try:
            return self._desk.look(visit.path("id"))
        except TicketError:
            raise Refused(404, "error.no_ticket") from None

    # -- what a person does

    def _claim(self, visit: Visit) -> Response:
        id_ = self._found(visit)["id"]
        try:
            self._desk.claim(id_, visit.me, lease=self._lease)
        except TicketTakenError:
            return self._show(visit, status=409, alert=self._holder(visit, "done.lost_race", "ticket.claim"))
        except TicketClosedError:
            return self._show(visit, status=409, alert=visit.words("done.closed_race"))
        return self._again(visit, id_)

    def _release(self, visit: Visit) -> Response:
        id_ = self._found(visit)["id"]
        try:
            self._desk.release(id_, visit.me)
        except TicketError:  # lapsed, somebody else's or closed: either way it is not ours any more
            return self._again(visit, id_)
        return RedirectResponse(f"{visit.base}/?done=released", 303)

    def _reveal(self, visit: Visit) -> Response:
        id_ = self._found(visit)["id"]
        try:
            shown = self._desk.reveal(id_, visit.me)
        except TicketError:
            return self._show(visit, status=409, alert=self._holder(visit, "done.lost_race", "script.gone"))
        return self._show(visit, shown=shown)

    def _heartbeat(self, visit: Visit) -> Response:
        """Keep the hold while the page is open; 409 with what happened when it is gone."""
        id_ = self._found(visit)["id"]
        try:
            hold = self._desk.heartbeat(id_, visit.me, lease=self._lease)
        except TicketClosedError:
            return JSONResponse({"error": visit.words("script.closed")}, 409)
        except TicketTakenError:
            return JSONResponse({"error": visit.words("script.gone")}, 409)
        return JSONResponse({"left": round(hold["until"] - self._desk.now())})

    def _check(self, visit: Visit) -> Response:
        return JSONResponse(judge(self._held(visit), visit.form.get("value", ""), visit.words))

    def _resolve(self, visit: Visit) -> Response:
        typed = visit.form.get("value", "").strip()
        if not typed:
            return self._show(visit, status=422, alert=visit.words("answer.needed"))
        found = judge(self._found(visit), typed, visit.words)
        if found["value"] is None:
            alert = f"{visit.words('answer.bad')} {found['said']}"
            return self._show(visit, status=422, alert=alert, typed=typed)
        return self._answer(visit, "value", "resolved", value=found["value"])

    def _retry(self, visit: Visit) -> Response:
        return self._answer(visit, "retry", "returned", advice=visit.form.get("advice", "").strip() or None)

    def _decline(self, visit: Visit) -> Response:
        return self._answer(visit, "decline", "declined")

    def _called(self, visit: Visit) -> Response:
        return self._close(visit, "called", lambda ticket: self._desk.called(ticket, visit.me))

    def _later(self, visit: Visit) -> Response:
        typed = visit.form.get("minutes", "").strip()
        minutes = int(typed) if typed.isascii() and typed.isdecimal() and len(typed) <= _DIGITS else 0
        return self._close(visit, "later", lambda ticket: self._desk.postpone(ticket, visit.me, minutes=minutes))

    def _answer(
        self, visit: Visit, kind: AnswerKind, done: str, *, value: str | None = None, advice: str | None = None
    ) -> Response:
        """Write the answer, and wake its conversation."""
        seen = visit.form.get("revision", "")
        revision = int(seen) if seen.isdecimal() else -1

        def write(ticket: str) -> None:
            self._desk.resolve(ticket, kind=kind, by=visit.me, value=value, advice=advice, revision=revision)
            if self._answered is not None:
                self._answered(ticket)

        return self._close(visit, done, write)

    def _close(self, visit: Visit, done: str, write: Callable[[str], Any]) -> Response:
        """Do it, once; or say why it was not done, and show the ticket as it is now."""
        ticket = self._found(visit)
        id_ = ticket["id"]
        try:
            if ticket["status"] == "OPEN":  # held no more: whoever lost a hold looks again before answering
                raise TicketTakenError(id_)  # noqa: TRY301 - the same words as when the desk refuses
            write(id_)
        except TicketTakenError:
            alert = self._holder(visit, "done.taken", "done.lapsed")
        except TicketClosedError:
            alert = visit.words("done.closed")
        except StaleTicketError:
            alert = visit.words("done.stale")
        except ValueError as error:  # advice that repeats a value, a callback that is none: the desk's own words
            return self._show(visit, status=422, alert=str(error))
        else:
            return RedirectResponse(f"{visit.base}/?done={done}", 303)
        return self._show(visit, status=409, alert=alert)

    def _held(self, visit: Visit) -> Filed:
        """The ticket, for its holder alone. Raises Refused for anybody else."""
        ticket = self._found(visit)
        if ticket["status"] != "CLAIMED" or ticket.get("claimed_by") != visit.person:
            raise Refused(409, "script.gone")
        return ticket

    def _holder(self, visit: Visit, taken: str, lapsed: str) -> str:
        """Who was faster; other words when nobody holds it."""
        ticket = self._found(visit)
        who = ticket.get("claimed_by") if ticket["status"] == "CLAIMED" else None
        return visit.words(taken, name=who) if who and who != visit.person else visit.words(lapsed)

    def _again(self, visit: Visit, id_: str) -> Response:
        return RedirectResponse(f"{visit.base}/tickets/{id_}", 303)
