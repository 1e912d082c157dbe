"""The model's capture tool: what it may ask for, and how it is answered at once."""

from __future__ import annotations

import pytest
from langchain_core.tools import ToolException

from langgraph_readback.fields import FieldSpec
from langgraph_readback.seal import Sealer
from langgraph_readback.tools import CAPTURE, Ledger, Services, capture_tool, request

SPECS = {name: FieldSpec(name=name) for name in ("email", "phone", "name")}


@pytest.fixture
def services():
    services = Services(sealer=Sealer(["k" * 32]), ledger=Ledger.from_url())
    yield services
    services.ledger.close()


def test_the_tool_names_the_details_and_takes_only_names():
    tool = capture_tool(list(SPECS.values()))
    assert tool.name == CAPTURE
    assert "email, phone, name" in tool.description
    schema = tool.tool_call_schema.model_json_schema()
    assert (set(schema["properties"]), schema["required"]) == ({"fields"}, ["fields"])
    with pytest.raises(ToolException):
        tool.func(fields=["email"])


@pytest.mark.parametrize(
    ("args", "captures", "fields", "text"),
    [
        ({"fields": ["email", "phone"]}, {}, ("email", "phone"), "capturing email, phone"),
        ({"fields": ["phone", "phone"]}, {}, ("phone",), "capturing phone; 1 of the fields cannot be captured"),
        ({"fields": "email"}, {}, ("email",), "capturing email"),
        ({"fields": ["email"]}, {"email": {"status": "CONFIRMED", "value": "a@b.example"}}, ("email",),
         "capturing email"),
        ({"fields": ["email"]}, {"email": {"status": "RETRY"}}, ("email",), "capturing email"),
        ({"fields": ["email"]}, {"email": {"status": "HANDOFF"}}, (), "email: with a colleague"),
        ({"fields": ["email", "x"]}, {"email": {"status": "DECLINED"}}, (),
         "email: the user has none; 1 of the fields cannot be captured"),
        ({"fields": ["shoe"]}, {}, (), "nothing was captured: pass fields, some of email, phone, name"),
        ({"fields": [None, {}]}, {}, (), "nothing was captured: pass fields, some of email, phone, name"),
        ({}, {}, (), "nothing was captured: pass fields, some of email, phone, name"),
        ("email", {}, (), "nothing was captured: pass fields, some of email, phone, name"),
        ({"fields": ["email"]}, {"email": "CONFIRMED"}, ("email",), "capturing email"),
    ],
)  # fmt: skip
async def test_how_a_call_is_answered(services, args, captures, fields, text):
    answer = await request(args, SPECS, captures, thread="t", services=services)
    assert (answer.fields, answer.text) == (fields, text)
    assert "a@b.example" not in answer.text


async def test_a_confirmed_field_is_not_asked_again_unless_the_gate_would_refuse_it(services):
    facts = {"thread": "t", "field": "email", "value": "a@b.example", "revision": 1}
    services.ledger.raise_to("t", "email", 1, fingerprint=services.sealer.fingerprint(**facts))
    seal = services.sealer.seal(**facts, by="user", at=1.0)
    captures = {"email": {"status": "CONFIRMED", "value": facts["value"], "revision": 1, "seal": seal}}
    answer = await request({"fields": ["email"]}, SPECS, captures, thread="t", services=services)
    assert (answer.fields, answer.text) == ((), "email: confirmed")
    services.ledger.raise_to("t", "email", 2)
    answer = await request({"fields": ["email"]}, SPECS, captures, thread="t", services=services)
    assert (answer.fields, answer.text) == (("email",), "capturing email")
