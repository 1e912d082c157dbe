"""Cross-field rules and dependants: the field in doubt is asked for again, and what depended on a change is void."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from langgraph_readback.fields import CrossRule, FieldSpec, Reason, Verdict, catalogue

ORDER = FieldSpec(name="order", pattern=r"HL-\d{4}", label="order number")
CODE = FieldSpec(name="code", pattern=r"[A-Z]\d{2}", label="shop code")
SHOPS = {"HL-2041": "A11", "HL-2042": "B22"}


async def same_shop(values, context):
    fits = SHOPS.get(values["order"]) == values["code"]
    return Verdict() if fits else Verdict(reason=Reason(code="clash"))


def plain(values, context):
    return Verdict() if SHOPS.get(values["order"]) == values["code"] else Verdict(reason=Reason(code="clash"))


def rule(check=same_shop, blames="code", **options):
    return CrossRule(fields=("order", "code"), check=check, blames=blames, **options)


def standing(user):
    return {name: (r["status"], r["value"], r["attempts"]) for name, r in user.captures.items()}


@pytest.mark.parametrize("check", [same_shop, plain])
def test_what_goes_together_is_not_spoken_of(capture, talk, store, check):
    user = talk(capture(ORDER, CODE, checkpointer=store, rules=[rule(check)]), channel="chat")
    user.send(None, "HL-2041", "yes", "A11", "yes")
    assert standing(user) == {"order": ("CONFIRMED", "HL-2041", 0), "code": ("CONFIRMED", "A11", 0)}


def test_the_last_one_is_blamed_before_it_is_confirmed(capture, talk, store):
    user = talk(capture(ORDER, CODE, checkpointer=store, rules=[rule()]), channel="chat")
    user.send(None, "HL-2041", "yes", "B22")
    assert user.said.startswith("Your shop code and your order number don't go together. ")
    assert user.captures["code"]["reason"] == "clash"
    assert standing(user) == {"order": ("CONFIRMED", "HL-2041", 0), "code": ("ASK", None, 1)}
    user.send("A11", "yes")
    assert standing(user)["code"] == ("CONFIRMED", "A11", 1)


def test_a_confirmed_one_is_blamed_and_the_last_one_waits(capture, talk, store):
    """The order is asked for again; the code is not, it waits for it and is then read back."""
    user = talk(capture(ORDER, CODE, checkpointer=store, rules=[rule(blames="order")]), channel="chat")
    user.send(None, "HL-2041", "yes", "B22")
    assert user.acts == [("ask", "order")]
    assert user.said.startswith("Your order number and your shop code don't go together. ")
    assert standing(user) == {"order": ("ASK", None, 0), "code": ("ASK", None, 0)}
    assert user.captures["order"]["revision"] == 2
    user.send("HL-2042", "yes")
    assert user.acts == [("confirm", "order"), ("readback", "code")]
    user.send("yes")
    assert standing(user) == {"order": ("CONFIRMED", "HL-2042", 0), "code": ("CONFIRMED", "B22", 0)}


def test_blamed_twice_a_person_looks(capture, talk):
    user = talk(capture(ORDER, CODE, rules=[rule(blames="order")]), channel="chat")
    user.send(None, "HL-2041", "yes", "B22", "HL-2041", "yes")
    assert (user.captures["order"]["status"], user.captures["order"]["reason"]) == ("HANDOFF", "clash")
    assert user.acts == [("confirm", "order"), ("inform", "order"), ("readback", "code")]
    assert user.send("yes")["code"]["status"] == "CONFIRMED"


def test_the_builders_own_words(capture, talk):
    words = "That code is another shop's."
    user = talk(capture(ORDER, CODE, rules=[rule(words=words)]), channel="chat")
    user.send(None, "HL-2041", "yes", "B22")
    assert user.said.startswith(words)


def test_a_value_that_never_goes_ends_with_a_person(capture, talk):
    user = talk(capture(ORDER, CODE, rules=[rule()]), channel="chat")
    user.send(None, "HL-2041", "yes", "B22", "B22", "B22")
    assert (user.captures["code"]["status"], user.captures["code"]["reason"]) == ("HANDOFF", "attempts")


async def slow(values, context):
    await asyncio.sleep(5)
    return Verdict(reason=Reason(code="clash"))


async def broken(values, context):
    raise ConnectionError(values["order"])


async def odd(values, context):
    return False


@pytest.mark.parametrize("check", [slow, broken, odd])
def test_a_rule_without_an_answer_blames_nobody(capture, talk, check, caplog):
    user = talk(capture(ORDER, CODE, rules=[rule(check, deadline=0.1)]), channel="chat")
    user.send(None, "HL-2041", "yes", "B22", "yes")
    assert standing(user)["code"] == ("CONFIRMED", "B22", 0)
    assert "2041" not in caplog.text


def test_a_change_later_is_checked_too(capture, talk):
    user = talk(capture(ORDER, CODE, rules=[rule()]), channel="chat")
    user.send(None, "HL-2041", "yes", "A11", "yes", "actually my order number is wrong", "HL-2042")
    assert user.acts == [("ask", "code")]
    assert standing(user) == {"order": ("ASK", None, 0), "code": ("ASK", None, 0)}
    user.send("B22", "yes")
    assert user.acts == [("confirm", "code"), ("readback", "order")]
    user.send("yes")
    assert standing(user) == {"order": ("CONFIRMED", "HL-2042", 0), "code": ("CONFIRMED", "B22", 0)}


async def test_awaited_runs_check_too(capture):
    from langchain_core.messages import HumanMessage

    from langgraph_readback.context import CaptureContext

    graph, config = capture(ORDER, CODE, rules=[rule()]), {"configurable": {"thread_id": "a"}}
    for text in ("HL-2041", "yes", "yes", "B22"):
        out = await graph.ainvoke({"messages": [HumanMessage(text)]}, config, context=CaptureContext(channel="chat"))
    assert out["captures"]["code"]["reason"] == "clash"


DEPENDS = replace(CODE, depends_on=("order",))


def test_a_change_voids_what_depends_on_it(capture, talk, store):
    user = talk(capture(ORDER, DEPENDS, checkpointer=store), channel="chat")
    user.send(None, "HL-2041", "yes", "A11", "yes", "actually my order number is wrong", "HL-2042", "yes")
    assert user.acts == [("confirm", "order"), ("ask", "code")]
    assert user.lines[-1].text.startswith("Since your order number has changed, I need your shop code again. ")
    assert (user.captures["code"]["status"], user.captures["code"]["value"]) == ("ASK", None)
    assert user.captures["code"]["revision"] == 2
    user.send("B22", "yes")
    assert standing(user) == {"order": ("CONFIRMED", "HL-2042", 0), "code": ("CONFIRMED", "B22", 0)}


def test_the_same_value_again_is_no_change(capture, talk):
    user = talk(capture(ORDER, DEPENDS), channel="chat")
    user.send(None, "HL-2041", "yes", "A11", "yes", "actually my order number is wrong", "HL-2041", "yes")
    assert standing(user)["code"] == ("CONFIRMED", "A11", 0)


def test_the_gate_refuses_a_void_value(capture, talk):
    """Its old record, brought back from before the change, is below the mark."""
    from langgraph_readback.ports import MemoryHighWater

    marks = MemoryHighWater()
    user = talk(capture(ORDER, DEPENDS, highwater=marks), channel="chat")
    user.send(None, "HL-2041", "yes", "A11", "yes")
    thread, old = user.config["configurable"]["thread_id"], user.captures["code"]["revision"]
    user.send("actually my order number is wrong", "HL-2042", "yes")
    assert marks.highest(thread, "code") == old + 1


@pytest.mark.parametrize("locale", ["en-US", "de-DE", "es-ES", "pt-BR", "fr-FR", "it-IT", "hi-IN", "zh-CN", "ko-KR"])
def test_every_locale_has_the_words(capture, talk, locale):
    from langgraph_readback.fields import sentence

    told = sentence(locale, "reason.clash", label="AAA", other="BBB")
    assert "AAA" in told
    assert "BBB" in told
    assert "AAA" in sentence(locale, "depends.generic", label="AAA", other="BBB")
    assert sentence(locale, "reason.told", words="as it is", label="AAA") == "as it is"


@pytest.mark.parametrize(
    ("specs", "rules", "match"),
    [
        ([ORDER], [rule()], "names code: no such field"),
        ([DEPENDS], [], "depends on order: no such field"),
        ([replace(ORDER, depends_on=("code",)), DEPENDS], [], "in a circle"),
    ],
)
def test_what_cannot_work_fails_when_it_is_built(capture, specs, rules, match):
    with pytest.raises(ValueError, match=match):
        capture(*specs, rules=rules)


@pytest.mark.parametrize(
    ("fields", "blames", "match"), [(("code",), "code", "at least two"), (("order", "code"), "email", "only blame one")]
)
def test_a_rule_that_makes_no_sense(fields, blames, match):
    with pytest.raises(ValueError, match=match):
        CrossRule(fields=fields, check=same_shop, blames=blames)


def test_with_a_known_value(capture, talk):
    """A trusted value that breaks a rule is not confirmed: the user is asked, and nothing is spent."""
    spec = replace(catalogue["email"], prefill="trust")

    def never(values, context):
        return Verdict(reason=Reason(code="clash"))

    apart = CrossRule(fields=("order", "email"), check=never, blames="email")
    user = talk(
        capture(ORDER, spec, rules=[apart], prefill={"email": lambda context: "kim.lee@example.com"}), channel="chat"
    )
    user.send(None, "HL-2041", "yes")
    assert (user.captures["email"]["status"], user.captures["email"]["attempts"]) == ("ASK", 0)
    assert user.lines[-1].text == "What's your email address?"
