"""The capture under ``langgraph-supervisor``: ``python -m examples.compose.supervisor``.

A supervisor's model speaks after every agent, and would talk over a question that the capture has just asked. So the
capture blocks (``turns="interrupt"``): each question is the payload of an interrupt, each answer a resume, and the
supervisor hears of it once everything is settled. What its model sees goes through ``blind_hook``.
"""

from __future__ import annotations

import warnings
from typing import Annotated, Any

from langchain_core.language_models import BaseChatModel
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import MessagesState
from langgraph.graph.state import CompiledStateGraph
from langgraph.managed import RemainingSteps
from langgraph.types import Command

from examples.compose.scripted import ScriptedModel
from langgraph_readback.fields import catalogue
from langgraph_readback.graph import build_capture_graph
from langgraph_readback.state import Record, forward
from langgraph_readback.tools import blind_hook

EMAIL = catalogue["email"]
PROMPT = "You lead a team. When you need the user's email, transfer to capture. You never see it and never ask for it."


class Team(MessagesState):
    """The supervisor's state, with the records."""

    remaining_steps: RemainingSteps
    captures: Annotated[dict[str, Record], forward]


def build(model: BaseChatModel, **ports: Any) -> CompiledStateGraph[Any, Any, Any, Any]:
    """A supervisor with one agent. ``ports``: desk, sealer, highwater."""
    with warnings.catch_warnings():  # langgraph-supervisor 0.0.31 is built on what LangGraph 1 calls deprecated
        warnings.simplefilter("ignore", DeprecationWarning)
        from langgraph_supervisor import create_supervisor  # noqa: PLC0415 - inside, for its warnings

        capture = build_capture_graph([EMAIL], embedded=True, turns="interrupt", name="capture", **ports)
        team = create_supervisor(
            [capture], model=model, prompt=PROMPT, state_schema=Team, pre_model_hook=blind_hook([EMAIL])
        )
    return team.compile(checkpointer=InMemorySaver())


def script(seen: Any) -> Any:
    """Transfers once, then says what it has."""
    back = any(message.name == "transfer_back_to_supervisor" for message in seen)
    return f"Thank you, noted. (I saw: {seen[-3].text})" if back else ("transfer_to_capture", {})


def main() -> None:
    """One conversation."""
    team = build(ScriptedModel(script=script))
    config: Any = {"configurable": {"thread_id": "1"}}
    state = team.invoke({"messages": [("user", "please send me the offer")]}, config)
    for words in ("kim.lee@example.com", "yes"):
        print("agent", " ".join(state["__interrupt__"][0].value["told"]))
        print("you  ", words)
        state = team.invoke(Command(resume=words), config)
    print("agent", state["messages"][-1].text)


if __name__ == "__main__":
    main()
