"""What `gated` makes of a function: the schema a model sees, how it is called, and what it refuses to be."""

from __future__ import annotations

import asyncio
import threading
from typing import Annotated, Literal

import pytest
from langchain_core.tools import BaseTool, ToolException

from langgraph_readback.fields import FieldSpec
from langgraph_readback.seal import Sealer
from langgraph_readback.tools import Action, Ledger, NotDone, Receipt, Services, gated

EMAIL = FieldSpec(name="email")
ORDER = FieldSpec(name="order_id", pattern=r"HL-\d{6}")
PHONE = FieldSpec(name="phone", optional=True)
THREAD = "t-1"


@pytest.fixture
def services():
    with_memory = Services(sealer=Sealer(["k" * 32]), ledger=Ledger.from_url())
    yield with_memory
    with_memory.ledger.close()


def confirmed(services, revision=1, thread=THREAD, **values):
    """Records as CONFIRMED leaves them: claimed in SQL, sealed for the thread."""
    records = {}
    for field, value in values.items():
        facts = {"thread": thread, "field": field, "value": value, "revision": revision}
        services.ledger.raise_to(thread, field, revision, fingerprint=services.sealer.fingerprint(**facts))
        seal = services.sealer.seal(**facts, by="user", at=services.clock(), verified="format")
        records[field] = {"status": "CONFIRMED", "value": value, "revision": revision, "seal": seal, "step": 9}
    return records


async def run(action, services, args, captures, thread=THREAD):
    return await action.run(args, captures=captures, thread=thread, services=services)


def refund_of(calls):
    @gated(EMAIL, ORDER)
    async def refund(email: str, order_id: str, reason: Annotated[str, "why"] = "none", *, action: Action) -> Receipt:
        """Give the money back."""
        calls.append((email, order_id, reason, action.key))
        return Receipt(reference="R-1", executed={"email": email, "order_id": order_id})

    return refund


def test_the_model_sees_only_its_own_arguments():
    tool = refund_of([]).tool_schema
    assert isinstance(tool, BaseTool)
    assert tool.name == "refund"
    assert tool.description.startswith("Give the money back.")
    assert set(tool.tool_call_schema.model_json_schema()["properties"]) == {"reason"}
    assert tool.tool_call_schema.model_json_schema()["properties"]["reason"]["description"] == "why"


def test_the_tool_by_itself_does_nothing():
    calls = []
    with pytest.raises(ToolException, match="through the gate"):
        refund_of(calls).tool_schema.func(reason="x")
    with pytest.raises(TypeError, match="is gated"):
        refund_of(calls)("a@example.com", "HL-204815")
    assert calls == []


async def test_the_confirmed_values_are_injected(services):
    calls = []
    captures = confirmed(services, email="rae@example.com", order_id="HL-204815")
    receipt = await run(refund_of(calls), services, {"reason": "broken"}, captures)
    assert [call[:3] for call in calls] == [("rae@example.com", "HL-204815", "broken")]
    assert (receipt.reference, receipt.compared, receipt.repeated) == ("R-1", "same", False)
    assert receipt.key == calls[0][3]
    assert dict(receipt.executed) == {}


async def test_a_plain_function_runs_in_a_thread(services):
    threads = []

    @gated(EMAIL)
    def note(email: str) -> str:
        threads.append(threading.current_thread())
        return f"noted for {email}"

    receipt = await run(note, services, {}, confirmed(services, email="rae@example.com"))
    assert threads[0] is not threading.main_thread()
    assert receipt.text == "noted for <email>"


async def test_one_action_serves_several_event_loops(services):
    captures = confirmed(services, email="rae@example.com", order_id="HL-204815")
    calls = []
    refund = refund_of(calls)
    first = await run(refund, services, {}, captures)
    second = await asyncio.to_thread(lambda: asyncio.run(run(refund, services, {}, captures)))
    assert (len(calls), second.repeated, second.reference) == (1, True, first.reference)


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ({"email": "ray@example.com"}, "do not pass email"),
        ({"reason": "x", "order_id": "HL-1"}, "do not pass order_id"),
        ({"action": "now"}, "its arguments are: reason"),
        ({"confirmed": True}, "its arguments are: reason"),
        ({"reason": ["a"]}, "reason: Input should be a valid string"),
    ],
)
async def test_arguments_a_model_may_not_pass(services, args, words):
    calls = []
    captures = confirmed(services, email="rae@example.com", order_id="HL-204815")
    refused = await run(refund_of(calls), services, args, captures)
    assert (refused.code, calls) == ("bad_arguments", [])
    assert words in refused.text
    assert "ray@example.com" not in refused.text


async def test_a_bad_argument_is_not_quoted(services):
    @gated()
    async def book(slot: Literal["am", "pm"], seats: int) -> None: ...

    refused = await run(book, services, {"slot": "rae@example.com", "seats": "rae@example.com"}, {})
    assert "slot" in refused.text
    assert "rae" not in refused.text


@pytest.mark.parametrize(
    ("result", "receipt"),
    [
        (None, ("", "")),
        ("done", ("", "done")),
        ({"reference": 7, "text": "done", "executed": {"email": "rae@example.com"}}, ("7", "done")),
        (Receipt(reference="R-rae@example.com", text="sent to RAE@example.com."), ("R-<email>", "sent to <email>.")),
        (object, ("", str(object))),
    ],
)
async def test_whatever_a_function_returns_is_a_receipt(services, result, receipt):
    @gated(EMAIL)
    async def act(email: str) -> object:
        return result

    got = await run(act, services, {}, confirmed(services, email="rae@example.com"))
    assert (got.reference, got.text) == receipt


async def test_an_optional_field_may_be_missing_when_declined(services):
    calls = []

    @gated(EMAIL, PHONE)
    async def book(email: str, phone: str | None = None) -> None:
        calls.append((email, phone))

    captures = confirmed(services, email="rae@example.com")
    assert (await run(book, services, {}, captures)).code == "not_confirmed"
    captures["phone"] = {"status": "DECLINED", "revision": 1, "step": 2}
    await run(book, services, {}, captures)
    assert calls == [("rae@example.com", None)]


async def test_a_declined_field_is_refused_when_the_function_needs_it(services):
    @gated(PHONE)
    async def call_back(phone: str) -> None: ...

    assert (await run(call_back, services, {}, {"phone": {"status": "DECLINED"}})).code == "declined"


async def test_the_words_of_not_done_reach_the_model_masked(services):
    @gated(EMAIL)
    async def act(email: str) -> None:
        raise NotDone(f"{email} has no open order")

    refused = await run(act, services, {}, confirmed(services, email="rae@example.com"))
    assert (refused.code, refused.text) == ("not_done", "act was not done: <email> has no open order")


def _takes_args(email, *args): ...
def _takes_kwargs(email, **kwargs): ...
def _positional(email, /): ...
def _lacks(order_id): ...


@pytest.mark.parametrize("function", [_takes_args, _takes_kwargs, _positional, _lacks, lambda email: None])
def test_functions_that_cannot_be_gated(function):
    with pytest.raises(TypeError):
        gated(EMAIL)(function)


@pytest.mark.parametrize("once_per", [("email",), ("nothing",)])
def test_once_per_names_the_models_arguments(once_per):
    with pytest.raises(TypeError):
        gated(EMAIL, once_per=once_per)(lambda email, slot: None)


def test_values_are_not_shown_by_repr():
    refund = refund_of([])
    assert repr(refund) == "GatedAction(name='refund', min_verified='format', agreed=False, once_per=(), timeout=30.0)"
