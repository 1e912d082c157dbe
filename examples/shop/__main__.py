"""The shop's agent in a terminal: ``python -m examples.shop``. No key, no network; an OpenAI key gives it a model.

Try "I'd like a refund", with rae.oneill@example.com and order HL-204815. An empty line ends it.
"""

from __future__ import annotations

import sys
import uuid
from dataclasses import replace

from langchain_core.messages import AIMessage, HumanMessage

from examples.shop.served import ACTIONS, FIELDS, LOOKUPS
from langgraph_readback.checkpoints import open_saver
from langgraph_readback.graph import CaptureContext, build_agent
from langgraph_readback.graph.model import model_from_env
from langgraph_readback.handoff import SqlDesk


def main() -> None:
    """One conversation."""
    offline = [
        replace(spec, lookup=None) for spec in FIELDS
    ]  # orders are looked up in the shop, nothing on the network
    context = CaptureContext(locale="en-US", channel="chat")
    config = {"configurable": {"thread_id": uuid.uuid4().hex}}
    ports = {"actions": ACTIONS, "lookups": LOOKUPS, "model": model_from_env(), "desk": SqlDesk.from_url()}
    with open_saver() as saver:
        agent = build_agent(offline, **ports, checkpointer=saver)
        seen: set[str | None] = set()
        given: dict[str, list[HumanMessage]] = {"messages": []}
        while True:
            result = agent.invoke(given, config, context=context)
            for message in result["messages"]:
                if isinstance(message, AIMessage) and message.text and message.id not in seen:
                    print(f"agent  {message.text}")
            seen = {message.id for message in result["messages"]}
            print("you    ", end="", flush=True)
            line = sys.stdin.readline().strip()
            if not line:
                return
            given = {"messages": [HumanMessage(line)]}


if __name__ == "__main__":
    main()
