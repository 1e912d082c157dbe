"""build_agent: what it refuses to build, the planner's conversations, hand-offs, stale records, and the model's port."""

from __future__ import annotations

import logging
from typing import Annotated, Literal

import pytest
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from langgraph_readback.fields import FieldSpec
from langgraph_readback.graph import CaptureContext, build_agent
from langgraph_readback.graph.model import model_from_env
from langgraph_readback.handoff import SqlDesk
from langgraph_readback.nodes.turns import paired
from langgraph_readback.seal import Sealer
from langgraph_readback.tools import Ledger, Receipt, gated

CODE = FieldSpec(name="code", label="code", pattern=r"[A-Z]{2}\d{4}", max_age=3600.0)
BOOKING = FieldSpec(name="booking", label="booking number", pattern=r"BK\d{4}", optional=True)
CHAT = CaptureContext(locale="en-US", channel="chat")
KEY = "k" * 32


class Talk:
    """An agent with one or two actions, and what ran."""

    def __init__(self, **ports):
        self.ran = []

        @gated(CODE)
        async def cancel(code: str, reason: str) -> Receipt:
            """Cancel a subscription."""
            self.ran.append(("cancel", code, reason))
            return Receipt(text="cancelled")

        @gated(CODE, BOOKING, once_per=("day",))
        def move(code: str, day: Annotated[Literal["monday", "friday"], "the day"], booking: str | None = None) -> str:
            """Move a booking to another day."""
            self.ran.append(("move", code, day, booking))
            return f"moved to {day}"

        self.ledger = Ledger.from_url()
        self.desk = SqlDesk.from_url("memory:", sealer=Sealer([KEY]))
        self.ports = {
            "actions": [cancel, move],
            "desk": self.desk,
            "ledger": self.ledger,
            "sealer": Sealer([KEY]),
        } | ports
        self.agent = build_agent([CODE, BOOKING], checkpointer=InMemorySaver(), **self.ports)
        self.config = {"configurable": {"thread_id": "t"}}

    def say(self, *turns):
        for turn in turns:
            given = {"messages": [HumanMessage(turn)]} if isinstance(turn, str) else turn
            before = len(self.agent.get_state(self.config).values.get("messages", []))
            self.result = self.agent.invoke(given, self.config, context=CHAT)
            lines = self.result["messages"][before:]
            self.said = [m.text for m in lines if isinstance(m, AIMessage) and m.text]
        return " ".join(self.said)

    def close(self):
        self.ledger.close()
        self.desk.close()


@pytest.fixture
def talk():
    made = []

    def start(**ports):
        made.append(Talk(**ports))
        return made[-1]

    yield start
    for one in made:
        one.close()


# -- what cannot be built


def _plain(code: str) -> None: ...


@pytest.mark.parametrize(
    ("fields", "actions", "error", "words"),
    [
        ([BOOKING], [gated(CODE)(_plain)], ValueError, "needs code"),
        ([CODE], [_plain], TypeError, "not gated"),
        ([CODE], [gated(CODE)(_plain), gated(CODE)(_plain)], ValueError, "same name"),
        ([], [], ValueError, "no fields"),
    ],
)
def test_what_cannot_be_built_is_explained(fields, actions, error, words):
    with pytest.raises(error, match=words):
        build_agent(fields, actions=actions, checkpointer=InMemorySaver())


# -- the planner


def test_a_run_with_no_message_greets(talk):
    one = talk()
    assert one.say({"messages": []}) == "Hello. I can help with: cancel, move. What would you like?"
    assert one.say("dunno") == "I can help with: cancel, move. Which of these would you like?"


def test_a_reason_is_taken_from_the_request_and_a_choice_is_asked_for(talk):
    one = talk()
    assert "code" in one.say("please cancel it, I moved away")
    assert one.say("AB1234", "yes").endswith("Done: cancelled.")
    assert one.say("now move my booking").endswith("your booking number, please?")
    one.say("I don't have one")
    assert one.said[-1] == "Please tell me: the day (monday, friday)."
    assert one.say("whenever").startswith("I couldn't do that")
    one.say("move it")
    assert one.say("on Friday then") == "Done: moved to friday."
    assert one.ran == [("cancel", "AB1234", "please cancel it, I moved away"), ("move", "AB1234", "friday", None)]


def test_what_was_done_is_not_done_again(talk):
    one = talk()
    one.say("cancel please", "AB1234", "yes")
    assert one.say("cancel it again").startswith("That was done already")
    assert len(one.ran) == 1


def test_a_volunteered_value_is_where_the_capture_starts(talk):
    one = talk()
    assert one.say("cancel please, my code is AB1234").startswith("I have AB1234")
    assert one.say("yes").endswith("Done: cancelled.")
    assert one.ran == [("cancel", "AB1234", "cancel please, my code is <code offered>")]


def test_without_actions_everything_is_captured(talk):
    one = talk(actions=[])
    one.say("hello", "AB1234", "yes", "I don't have one")
    assert {n: r["status"] for n, r in one.result["captures"].items()} == {"code": "CONFIRMED", "booking": "DECLINED"}
    assert one.said[-1] == "That's everything. Is there anything else?"


def test_a_hand_off_waits_and_then_the_action_runs(talk):
    one = talk()
    one.say("cancel please", "a person please")
    assert one.said[-1].startswith("A colleague still has your code.")
    (ticket,) = [t["ticket"] for t in one.result["__interrupt__"][0].value["tickets"]]
    assert one.ran == []
    one.desk.resolve(ticket, kind="value", value="AB1234", by="ana")
    one.say(Command(resume={"ticket": ticket}))
    assert one.ran == [("cancel", "AB1234", "cancel please")]


def test_a_hand_off_the_desk_declines(talk):
    one = talk()
    one.say("cancel please", "a person please")
    (ticket,) = [t["ticket"] for t in one.result["__interrupt__"][0].value["tickets"]]
    one.desk.resolve(ticket, kind="decline", by="ana")
    assert one.say(Command(resume=True)).endswith("Without your code I can't do that.")
    assert one.ran == []


# -- records that are not good any more


def test_a_confirmed_value_that_is_not_the_newest_is_captured_anew(talk):
    one = talk()
    one.say("cancel please", "AB1234", "yes")
    one.ledger.raise_to("t", "code", 7)
    assert "code" in one.say("now move it", "I don't have one", "monday")
    assert one.ran[1:] == []
    one.say("AB1234", "yes")
    assert one.ran[1:] == [("move", "AB1234", "monday", None)]
    assert one.result["captures"]["code"]["revision"] > 7


def test_a_confirmed_value_whose_key_is_lost_is_read_back_again(talk):
    one = talk()
    one.say("cancel please", "AB1234", "yes")
    other_key = one.ports | {"sealer": Sealer(["n" * 32])}
    one.agent = build_agent([CODE, BOOKING], checkpointer=one.agent.checkpointer, **other_key)
    assert "AB1234" in one.say("now move it")
    assert one.ran[1:] == []
    one.say("yes", "I don't have one", "monday")
    assert one.ran[1:] == [("move", "AB1234", "monday", None)]


# -- the model's port


def test_a_tool_call_that_was_never_answered_is_answered_for_the_provider():
    call = {"name": "x", "args": {}, "id": "1"}
    talk = [
        HumanMessage("a"),
        AIMessage("", tool_calls=[call]),
        HumanMessage("b"),
        ToolMessage("stray", tool_call_id="9"),
    ]
    assert [(m.type, m.text) for m in paired(talk)] == [
        ("human", "a"),
        ("ai", ""),
        ("tool", "not carried out"),
        ("human", "b"),
    ]


def test_a_model_that_cannot_call_tools_is_refused_when_the_agent_is_built(talk):
    with pytest.raises(NotImplementedError):
        talk(model=GenericFakeChatModel(messages=iter([])))


def test_values_are_in_no_log(talk, caplog):
    caplog.set_level(logging.DEBUG)
    one = talk()
    one.say("cancel please", "AB1234", "no", "AB1235", "yes", "a person please")
    ours = [r.getMessage() for r in caplog.records if r.name.startswith("langgraph_readback")]
    assert not [line for line in ours if "AB123" in line]


@pytest.mark.parametrize(
    ("env", "base"),
    [
        ({}, None),
        ({"OPENAI_API_KEY": "k"}, "https://api.openai.com/v1/"),
        ({"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}, "http://127.0.0.1:9/v1/"),
    ],
)
def test_the_model_of_the_environment(monkeypatch, env, base):
    for name, value in {**env, "READBACK_MODEL": "m"}.items():
        monkeypatch.setenv(name, value)
    model = model_from_env()
    assert (model is None) == (base is None)
    if model is not None:
        assert (model.model_name, model.max_retries, str(model.root_client.base_url)) == ("m", 2, base)
        model.root_client.close()


@pytest.mark.parametrize(
    ("said", "profile"), [("no", {"tool_calling": False}), ("0", {"tool_calling": False}), ("", None)]
)
def test_a_model_of_the_environment_that_calls_no_tools(monkeypatch, said, profile):
    for name, value in {"READBACK_MODEL": "m", "READBACK_MODEL_TOOLS": said, "OPENAI_API_KEY": "k"}.items():
        monkeypatch.setenv(name, value)
    model = model_from_env()
    assert model.profile == profile
    model.root_client.close()
