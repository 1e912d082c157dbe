"""Console: the hand-off desk in the browser, and the page to try the loop on.

``console(desk=..., people=...)`` is a Starlette app with the desk below ``/desk`` and the try page below ``/try``;
``readback desk`` serves it, and ``langgraph.json`` mounts it beside the LangGraph server's own routes (``served.py``).
"""

from langgraph_readback.handoff.console.app import PURPOSE, console
from langgraph_readback.handoff.console.background import Background
from langgraph_readback.handoff.console.people import People
from langgraph_readback.handoff.console.trial import Trials

__all__ = ["PURPOSE", "Background", "People", "Trials", "console"]
