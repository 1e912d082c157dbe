"""What a checkpoint holds comes back as it was: every kind of message, quickly or the slow way, compressed or not."""

from __future__ import annotations

import pytest
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, RemoveMessage, SystemMessage, ToolMessage
from langgraph.checkpoint.serde.encrypted import EncryptedSerializer
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.serde.types import _DeltaSnapshot

from langgraph_readback.checkpoints.packed import Packed
from langgraph_readback.cipher import Cipher
from langgraph_readback.errors import EncryptionKeyError

KEY = "a key of the test suite"
CALL = {"name": "refund", "args": {"reason": "small"}, "id": "c1", "type": "tool_call"}
MESSAGES = [
    HumanMessage("Rae", id="1"),
    HumanMessage("Rae", id="2", name="caller", additional_kwargs={"asr": {"confidence": 0.5, "nbest": ["Ray"]}}),
    HumanMessage([{"type": "text", "text": "Rae"}, "and"], id="3"),
    HumanMessage("Rae", id="4", extra_field="kept"),
    HumanMessage("no id"),
    AIMessage("", id="5", tool_calls=[CALL]),
    AIMessage("x" * 500, id="6", usage_metadata={"input_tokens": 1, "output_tokens": 2, "total_tokens": 3}),
    AIMessage("", id="7", invalid_tool_calls=[{"name": "a", "args": "{", "id": "c2", "error": "no", "type": "invalid_tool_call"}]),
    AIMessageChunk("part", id="8"),
    ToolMessage("done", tool_call_id="c1", id="9", artifact={"a": [1, 2]}),
    SystemMessage("be kind", id="10"),
    RemoveMessage("11"),
]  # fmt: skip


@pytest.mark.parametrize("keys", [[], [KEY]], ids=["clear", "encrypted"])
@pytest.mark.parametrize("value", [None, b"bytes", "text", 1, {"a": [1.5, None, True]}, *MESSAGES], ids=str)
def test_everything_comes_back(value, keys):
    serde = Packed(Cipher(keys))
    stock = JsonPlusSerializer(allowed_msgpack_modules=None)
    back = serde.loads_typed(serde.dumps_typed(value))
    assert back == stock.loads_typed(stock.dumps_typed(value))
    assert type(back) is type(value)
    if isinstance(value, HumanMessage | AIMessage):
        assert back.model_dump() == value.model_dump()
        assert back.model_copy(update={"content": "other"}).text == "other"
        assert serde.dumps_typed(back)[0] == serde.dumps_typed(value)[0]


def test_a_whole_copy_of_a_channel():
    serde = Packed(Cipher([KEY]))
    back = serde.loads_typed(serde.dumps_typed(_DeltaSnapshot(MESSAGES)))
    assert back.value == MESSAGES


@pytest.mark.parametrize(
    "wrong", [{"content": 7}, {"type": "system"}, {"additional_kwargs": None}, {"id": 5}, {"tool_calls": "x"}], ids=str
)
def test_a_message_that_looks_different_takes_the_slow_road(wrong):
    """Whatever stock LangGraph makes of it, we make of it."""
    import ormsgpack

    fields = {**AIMessage("hello", id="1").model_dump(), **wrong}
    stored = ormsgpack.packb(("langchain_core.messages.ai", "AIMessage", fields, "model_validate_json"))
    data = ("msgpack", ormsgpack.packb(ormsgpack.Ext(5, stored)))
    ours, stock = (s.loads_typed(data) for s in (Packed(Cipher()), JsonPlusSerializer(allowed_msgpack_modules=None)))
    assert type(ours) is type(stock)
    assert repr(ours) == repr(stock)


def test_what_stock_langgraph_wrote_is_read():
    stock = JsonPlusSerializer()
    assert Packed(Cipher([KEY])).loads_typed(stock.dumps_typed(MESSAGES)) == MESSAGES


def test_what_another_cipher_wrote_is_refused_with_advice():
    class Rot(EncryptedSerializer):
        pass

    class Other:
        def encrypt(self, plaintext):
            return "aes", plaintext[::-1]

        def decrypt(self, ciphername, ciphertext):
            return ciphertext[::-1]

    with pytest.raises(EncryptionKeyError, match=r"encrypted by something else \(aes\)"):
        Packed(Cipher()).loads_typed(Rot(Other()).dumps_typed(MESSAGES))


def test_long_things_are_made_small():
    kind, data = Packed(Cipher()).dumps_typed(MESSAGES * 10)
    assert kind == "msgpack+z"
    assert len(data) < len(JsonPlusSerializer().dumps_typed(MESSAGES * 10)[1]) / 5


def test_an_allow_list_may_grow():
    """LangGraph adds the types of a graph's schema when LANGGRAPH_STRICT_MSGPACK is set."""
    from langgraph_readback.tools.ledger import Mark

    strict = Packed(Cipher())
    written = strict.dumps_typed(Mark(field="email", revision=1, fingerprints=()))
    grown = strict.with_msgpack_allowlist([Mark])
    assert isinstance(grown.loads_typed(written), Mark)
    assert not isinstance(strict.loads_typed(written), Mark)
    assert grown.loads_typed(grown.dumps_typed(MESSAGES)) == MESSAGES
