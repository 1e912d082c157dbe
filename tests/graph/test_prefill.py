"""Prefill: what the session knows is proposed, or trusted where the spec says so; a client can never prefill."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace

import pytest
from langchain_core.messages import HumanMessage

from langgraph_readback.fields import FieldSpec, LookupOutcome, catalogue
from langgraph_readback.tools import gated
from langgraph_readback.tools.actions import Services
from langgraph_readback.tools.ledger import Ledger

EMAIL = replace(catalogue["email"], lookup_deadline=0.2)
TRUSTED = replace(EMAIL, prefill="trust")


async def account(context):
    return "kim.lee@example.com"


def plain_account(context):
    return "kim.lee@example.com"


async def none_on_file(context):
    return None


async def slow(context):
    await asyncio.sleep(5)
    return "kim.lee@example.com"


async def broken(context):
    raise ConnectionError("kim.lee@example.com")


def odd(context):
    return 7


def no_address(context):
    return "kim lee"


def unavailable(context):
    return LookupOutcome.UNAVAILABLE


@pytest.mark.parametrize("port", [account, plain_account])
def test_a_known_value_is_read_back(capture, talk, store, port):
    user = talk(capture(EMAIL, checkpointer=store, prefill={"email": port}), channel="chat")
    user.send(None)
    assert user.said == "I have this email address on file: kim.lee@example.com (l is a small L). Is it still right?"
    assert user.captures["email"]["value"] is None
    record = user.send("yes")["email"]
    assert (record["status"], record["value"], record["by"], record["attempts"]) == (
        "CONFIRMED", "kim.lee@example.com", "user", 0,
    )  # fmt: skip


def test_no_means_ask_and_costs_nothing(capture, talk, store):
    user = talk(capture(EMAIL, checkpointer=store, prefill={"email": account}), channel="chat")
    user.send(None, "no")
    assert user.acts == [("ask", "email")]
    assert user.captures["email"]["attempts"] == 0
    record = user.send("rae.lee@example.com", "yes")["email"]
    assert (record["value"], record["by"]) == ("rae.lee@example.com", "user")


def test_another_value_is_taken_at_once(capture, talk):
    user = talk(capture(EMAIL, prefill={"email": account}), channel="chat")
    user.send(None, "no, rae.lee@example.com")
    assert user.acts == [("readback", "email")]
    assert user.send("yes")["email"]["value"] == "rae.lee@example.com"


@pytest.mark.parametrize("port", [none_on_file, slow, broken, odd, no_address, unavailable])
def test_without_a_usable_value_the_user_is_just_asked(capture, talk, port, caplog):
    user = talk(capture(TRUSTED, prefill={"email": port}), channel="chat")
    record = user.send(None)["email"]
    assert user.said == "What's your email address?"
    assert (record["status"], record["attempts"], record["reason"]) == ("ASK", 0, None)
    assert "kim.lee" not in caplog.text


@pytest.mark.parametrize("outcome", list(LookupOutcome))
def test_the_world_is_asked_about_it_too(capture, talk, outcome):
    async def lookup(value, context):
        return outcome

    spec = replace(TRUSTED, on_unavailable="handoff")
    user = talk(capture(spec, prefill={"email": account}, lookups={"email": lookup}), channel="chat")
    record = user.send(None)["email"]
    if outcome is LookupOutcome.FOUND:
        assert (record["status"], record["verified"]) == ("CONFIRMED", "world")
    else:
        assert (record["status"], record["attempts"], user.said) == ("ASK", 0, "What's your email address?")


def test_a_trusted_value_is_sealed_without_a_word(capture, talk, store):
    user = talk(capture(TRUSTED, "phone", checkpointer=store, prefill={"email": account}), channel="chat")
    record = user.send(None)["email"]
    assert user.acts == [("ask", "phone")]
    assert (record["status"], record["value"], record["by"], record["verified"]) == (
        "CONFIRMED", "kim.lee@example.com", "session:account", "format",
    )  # fmt: skip


@pytest.mark.parametrize("options", [{"high_stakes": True}, {"confirm": "challenge"}])
def test_high_stakes_are_asked_all_the_same(capture, talk, options):
    user = talk(capture(replace(TRUSTED, **options), prefill={"email": account}), channel="chat")
    user.send(None)
    assert user.acts == [("readback", "email")]
    record = user.send("lee")["email"]
    assert (record["status"], record["by"]) == ("CONFIRMED", "user")


def test_what_the_user_has_said_already_is_newer(capture, talk):
    user = talk(capture(TRUSTED, prefill={"email": account}), channel="chat")
    user.send("hello, my email is rae.lee@example.com")
    assert user.acts == [("readback", "email")]
    assert user.send("yes")["email"]["value"] == "rae.lee@example.com"


def test_taken_back_it_is_not_prefilled_again(capture, talk):
    user = talk(capture(TRUSTED, "phone", prefill={"email": account}), channel="chat")
    user.send(None, "actually my email is wrong")
    assert user.captures["email"]["status"] == "ASK"
    assert user.send("rae.lee@example.com", "yes")["email"]["by"] == "user"


def test_what_the_port_is_told(capture, talk):
    seen = []

    async def caller(context):
        seen.append(context)
        return "+13125550119"

    user = talk(capture(TRUSTED, "phone", prefill={"email": account, "phone": caller}), channel="chat")
    user.send(None)
    assert seen == [{
        "locale": "en-US", "region": "US", "channel": "chat", "user": None,
        "thread": user.config["configurable"]["thread_id"], "values": {"email": "kim.lee@example.com"},
    }]  # fmt: skip


async def test_awaited_runs_prefill_too(capture):
    graph, config = capture(TRUSTED, prefill={"email": account}), {"configurable": {"thread_id": "a"}}
    out = await graph.ainvoke({"messages": []}, config)
    assert out["captures"]["email"]["by"] == "session:account"


@pytest.mark.parametrize(
    "config",
    [
        {"prefill": {"email": "eve@example.com"}},
        {"langgraph_auth_user_id": "eve"},
        {"known": "eve@example.com", "by": "session:account"},
    ],
)
def test_a_client_cannot_prefill(capture, config):
    graph = capture(TRUSTED)
    run = {"configurable": {"thread_id": "c", **config}}
    message = HumanMessage("", additional_kwargs={"readback": config, "prefill": config})
    out = graph.invoke({"messages": [message], "prefill": config, "heard": {"email": config}}, run)
    assert out["captures"]["email"]["status"] == "ASK"


def test_written_state_is_not_the_sessions(capture, talk):
    """A heard that claims to come from the session has no seal: the user hears it, and confirms it or not."""
    user = talk(capture(TRUSTED, prefill={"email": none_on_file}), channel="chat")
    user.send(None)
    forged = {"status": "VALIDATE", "revision": 1, "step": 9}
    heard = {"parts": ["eve@example.com"], "known": "session:account", "verified": "world", "revision": 1, "step": 9}
    user.graph.update_state(user.config, {"captures": {"email": forged}, "heard": {"email": heard}}, "email.ASK")
    user.graph.invoke(None, user.config)
    record = user.graph.get_state(user.config).values["captures"]["email"]
    assert (record["status"], record.get("value"), record.get("by")) == ("READBACK", None, None)


@pytest.mark.parametrize(
    ("spec", "port", "turns", "by"),
    [
        (TRUSTED, account, [None], "session:account"),
        (replace(EMAIL, confirm="none"), none_on_file, [None, "kim.lee@example.com"], "unread"),
        (EMAIL, account, [None, "yes"], "user"),
    ],
)
async def test_a_gate_may_want_a_yes(capture, talk, sealer, spec, port, turns, by):
    ran = []

    async def change(email):
        ran.append(email)

    marks = Ledger.from_url()
    user = talk(capture(spec, prefill={"email": port}, highwater=marks), channel="chat")
    records = await asyncio.to_thread(user.send, *turns)
    assert records["email"]["by"] == by
    thread, services = user.config["configurable"]["thread_id"], Services(sealer=sealer, ledger=marks)
    strict = await gated(spec, agreed=True)(change).run({}, captures=records, thread=thread, services=services)
    assert getattr(strict, "code", None) == (None if by == "user" else "not_agreed")
    loose = await gated(spec, name="loose")(change).run({}, captures=records, thread=thread, services=services)
    assert getattr(loose, "code", None) is None
    assert ran == ["kim.lee@example.com"] * (2 if by == "user" else 1)


def test_specs_that_contradict_themselves():
    with pytest.raises(ValueError, match="high stakes need a confirmation"):
        FieldSpec(name="email", confirm="none", high_stakes=True)


def test_a_prefill_for_no_field(capture):
    with pytest.raises(ValueError, match="prefill for phone: no such field"):
        capture("email", prefill={"phone": account})


def test_a_blocking_prefill_is_left_behind(capture, talk):
    async def blocking(context):
        time.sleep(2)  # noqa: ASYNC251 - that is the mistake
        return "kim.lee@example.com"

    user = talk(capture(TRUSTED, prefill={"email": blocking}), channel="chat")
    start = time.monotonic()
    assert user.send(None)["email"]["status"] == "ASK"
    assert time.monotonic() - start < 2


@pytest.mark.parametrize("locale", ["en-US", "de-DE", "es-ES", "pt-BR", "fr-FR", "it-IT", "hi-IN", "zh-CN", "ko-KR"])
def test_every_locale_asks_about_what_is_on_file(capture, talk, locale):
    user = talk(capture(EMAIL, prefill={"email": account}), channel="chat", locale=locale)
    user.send(None)
    assert "kim.lee@example.com" in user.said
    assert user.acts == [("readback", "email")]
