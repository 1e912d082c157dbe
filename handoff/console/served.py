"""What ``http.app`` of langgraph.json names: the desk and the try page beside LangGraph server's own routes.

Tickets, answers and keys are those of ``READBACK_DATABASE_URL`` and ``READBACK_SEAL_KEYS``, as for the graphs. Whoever
``READBACK_DESK_TOKENS`` names may sign in; where the server's own authentication stands in front of these routes
(``http.enable_custom_route_auth``), whom it gives the permission ``desk`` is signed in. An answer wakes its
conversation on this server at once. Conversations of the try page live as long as the process. Defines no types.
"""

from __future__ import annotations

import os

from langgraph.checkpoint.memory import InMemorySaver

from langgraph_readback.handoff.console.app import PURPOSE, console
from langgraph_readback.handoff.console.background import Background, Here, every_from_env
from langgraph_readback.handoff.console.people import People
from langgraph_readback.handoff.console.trial import Trials
from langgraph_readback.handoff.desk import SqlDesk
from langgraph_readback.handoff.exits.links import Links
from langgraph_readback.handoff.wake import LoopbackWaker

_desk = SqlDesk.from_url()
_trials = Trials(saver=InMemorySaver(), desk=_desk)
_background = Background(_desk, lambda: Here(_trials, LoopbackWaker()), every=every_from_env())

app = console(
    desk=_desk,
    people=People.from_env(_desk.sealer.secret(PURPOSE)),
    trials=_trials,
    answered=_background.ring,
    links=Links(_desk, os.environ.get("READBACK_LINK_URL", "/link")),
    lifespan=_background.lifespan,
)
"""The Starlette app."""
