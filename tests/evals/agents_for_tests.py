"""Agents for the tests: a graph that takes anything as a yes, as a builder might have one."""

import re
from typing import Annotated, TypedDict

from langchain_core.messages import AIMessage, AnyMessage
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages


class State(TypedDict, total=False):
    messages: Annotated[list[AnyMessage], add_messages]
    code: str
    captures: dict


def _listen(state):
    texts = [m.text for m in state["messages"] if m.type == "human"]
    if len(texts) == 1:
        return {"messages": [AIMessage("What is your code, please?")]}
    if len(texts) == 2:
        names = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
        words = [str(names.index(w)) if w in names else w for w in re.findall(r"[a-z0-9]+", texts[1].lower())]
        code = "".join(w for w in words if len(w) == 1 or w.isdigit()).upper()
        return {"messages": [AIMessage(f"I have {', '.join(code)}. Is that right?")], "code": code}
    return {
        "messages": [AIMessage("Thank you.")],
        "captures": {"code": {"status": "CONFIRMED", "value": state["code"]}},
    }


def build():
    """The graph, compiled without a saver."""
    builder = StateGraph(State)
    builder.add_node("listen", _listen)
    builder.add_edge(START, "listen")
    builder.add_edge("listen", END)
    return builder.compile()


graph = build()
