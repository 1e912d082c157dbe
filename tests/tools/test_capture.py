"""The model's capture tool: what it may ask for, and how it is answered at once."""

from __future__ import annotations

import pytest
from langchain_core.tools import ToolException

from langgraph_readback.fields import FieldSpec
from langgraph_readback.tools import CAPTURE, capture_tool, request

SPECS = {name: FieldSpec(name=name) for name in ("email", "phone", "name")}


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
        ({"fields": ["email"]}, {"email": {"status": "CONFIRMED", "value": "a@b.example"}}, (), "email: confirmed"),
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
def test_how_a_call_is_answered(args, captures, fields, text):
    answer = request(args, SPECS, captures)
    assert (answer.fields, answer.text) == (fields, text)
    assert "a@b.example" not in answer.text
