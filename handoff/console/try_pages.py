"""The try page: a conversation with the loop, and each detail's state machine beside it. Anybody may open it."""

from __future__ import annotations

from typing import Any

from itsdangerous import BadData, Signer
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from langgraph_readback.fields import languages
from langgraph_readback.fields.prompts import label
from langgraph_readback.handoff.console.judge import why
from langgraph_readback.handoff.console.trial import DEFAULT, OFFERED, STEPS, Choice, Trials
from langgraph_readback.handoff.console.web import Refused, Shell, Visit

__all__ = ["TryPages"]

TALK = "readback_try"
_LONGEST = 4_000
"""Characters of one turn; ``hear`` takes half of it, so what is longer gets a reason and not an error."""


class TryPages:
    """The pages over the conversations of this process."""

    def __init__(self, shell: Shell, trials: Trials, *, secret: str, desk: str = "/desk/") -> None:
        """``secret`` signs which conversation a browser has; ``desk``: where the desk is."""
        self._shell, self._trials, self._desk = shell, trials, desk
        self._signer = Signer(secret, salt="readback.console.try")

    def routes(self) -> list[Route]:
        """All of them; paths are below where the page is mounted."""
        return [
            Route("/", self._shell.open(self._page)),
            Route("/start", self._shell.open(self._start), methods=["POST"]),
            Route("/say", self._shell.open(self._say), methods=["POST"]),
            Route("/state", self._shell.open(self._state)),
        ]

    def _page(self, visit: Visit) -> Response:
        speech = visit.words.language
        offered = [
            (name, visit.words("try.order_id") if name == "order_id" else label(speech, spec.type))
            for name, spec in OFFERED.items()
        ]
        return self._shell.page(
            visit, "try.html", offered=offered, default=DEFAULT, speeches=languages(), steps=STEPS, desk=self._desk,
            going=self._talk(visit) is not None, script=visit.words.group("try") | visit.words.group("node"),
        )  # fmt: skip

    def _start(self, visit: Visit) -> Response:
        form = visit.form
        fields = tuple(name for name in form.get("fields", "").split(",") if name) or DEFAULT
        channel: Any = form.get("channel", "chat")
        try:
            choice = Choice(fields=fields, language=form.get("speech", "en"), channel=channel)
        except ValueError:
            raise Refused(400, "error.form") from None
        name = self._trials.start(choice)
        visit.cookies[TALK] = (self._signer.sign(name).decode(), 86_400)
        return RedirectResponse(f"{visit.base}/", 303)

    def _say(self, visit: Visit) -> Response:
        return self._json(visit, self._trials.say(self._going(visit), visit.form.get("text", "")[:_LONGEST]))

    def _state(self, visit: Visit) -> Response:
        return self._json(visit, self._trials.look(self._going(visit)))

    def _json(self, visit: Visit, state: dict[str, Any]) -> Response:
        for one in state["fields"]:
            one["why"] = why(one["reason"], one["label"], visit.words)
        return JSONResponse(state)

    def _talk(self, visit: Visit) -> str | None:
        """The conversation of this browser, as long as it is remembered."""
        try:
            name = self._signer.unsign(visit.request.cookies.get(TALK, "")).decode()
        except BadData:
            return None
        return name if name in self._trials else None

    def _going(self, visit: Visit) -> str:
        name = self._talk(visit)
        if name is None:
            raise Refused(410, "error.no_talk")
        return name
