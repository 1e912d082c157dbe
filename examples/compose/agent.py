"""``create_agent`` with capture, gate and blindness as one middleware: ``python -m examples.compose.agent``."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph.state import CompiledStateGraph

from examples.compose.scripted import ScriptedModel
from langgraph_readback.context import CaptureContext
from langgraph_readback.fields import catalogue
from langgraph_readback.graph.middleware import ReadbackMiddleware
from langgraph_readback.tools import Action, Receipt, gated

EMAIL = catalogue["email"]
ORDER_ID = replace(catalogue["id"], name="order_id", label="order number", pattern=r"HL-\d{6}")
REFUNDS: list[tuple[str, str]] = []


@gated(EMAIL, ORDER_ID)
async def refund(email: str, order_id: str, *, action: Action) -> Receipt:
    """Refund an order."""
    REFUNDS.append((email, order_id))
    return Receipt(reference=f"R-{action.key[:8]}")


def build(model: BaseChatModel, **ports: Any) -> CompiledStateGraph[Any, Any, Any, Any]:
    """The agent. ``ports``: desk, sealer, ledger. Other tools and middleware go beside ours."""
    saver = InMemorySaver()
    readback = ReadbackMiddleware(
        [EMAIL, ORDER_ID], actions=[refund], checkpointer=saver, context=CaptureContext(channel="chat"), **ports
    )
    return create_agent(model, tools=[], middleware=[readback], checkpointer=saver)


def script(seen: Any) -> Any:
    """Asks for the details, then refunds, then says so."""
    if seen[-1].type == "tool":
        return f"The shop says: {seen[-1].text}"
    if "email: CONFIRMED; order_id: CONFIRMED" in seen[0].text:
        return ("refund", {})
    return ("capture_details", {"fields": ["email", "order_id"]})


def main() -> None:
    """One conversation."""
    agent = build(ScriptedModel(script=script))
    config: Any = {"configurable": {"thread_id": "1"}}
    for words in ("refund please, my email is kim.lee@example.com", "yes", "HL-204117", "yes"):
        state = agent.invoke({"messages": [("user", words)]}, config)
        print("you  ", words)
        print("agent", state["messages"][-1].text)


if __name__ == "__main__":
    main()
