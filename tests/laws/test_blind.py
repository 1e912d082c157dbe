"""Law 6, Blind: no model ever receives a captured value, or an utterance that carried one.

The real ChatOpenAI client talks to an OpenAI-compatible server on loopback that records every byte it is sent. The user
gives each detail typed, spelled, corrected and volunteered; afterwards no request holds any form of it. The control
shows that the search would find them: with ``blind=False`` they are all there.
"""

from __future__ import annotations

import gc
import json
import re
import sys
import threading
import uuid
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from openai import DefaultAsyncHttpxClient, DefaultHttpxClient

from langgraph_readback.fields import Ask, catalogue
from langgraph_readback.graph import CaptureContext, build_agent
from langgraph_readback.seal import Sealer
from langgraph_readback.tools import Ledger, blind, find_proposals

sys.path.insert(0, str(Path(__file__).parents[2]))
from examples.shop.actions import EMAIL, ORDER_ID, make_actions
from examples.shop.world import Shop

RAE, ORDER = "rae.oneill@example.com", "HL-204815"


# -- an OpenAI-compatible server that records


def policy(request):
    """What a helpful model would answer: text, or tool calls. It sees only what the request holds."""
    messages = request["messages"]
    if messages[-1]["role"] == "tool":
        return {"content": "The shop says: " + messages[-1]["content"], "calls": []}
    standing = messages[0]["content"]
    if "email: CONFIRMED" not in standing or "order_id: CONFIRMED" not in standing:
        call = ("capture_details", {"fields": ["email", "order_id"]})
        return {"content": "One moment. " + str(messages[-1]["content"]), "calls": [call]}
    return {"content": "", "calls": [("refund", {"reason": messages[-1]["content"]})]}


class Handler(BaseHTTPRequestHandler):
    """POST /v1/chat/completions, streaming or not."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.recorded.append(body.decode())
        request = json.loads(body)
        answer = policy(request)
        calls = [
            {"index": n, "id": f"call_{uuid.uuid4().hex}", "type": "function",
             "function": {"name": name, "arguments": json.dumps(args)}}
            for n, (name, args) in enumerate(answer["calls"])
        ]  # fmt: skip
        reason = "tool_calls" if calls else "stop"
        head = {"id": "chatcmpl-1", "created": 1, "model": request["model"]}
        if request.get("stream"):
            self._stream(head, answer["content"], calls, reason)
        else:
            message = {"role": "assistant", "content": answer["content"], "tool_calls": calls or None}
            choice = {"index": 0, "message": message, "finish_reason": reason}
            self._reply("application/json", json.dumps(head | {"object": "chat.completion", "choices": [choice]}))

    def _stream(self, head, content, calls, reason):
        """Text word by word; a call's arguments in two halves."""
        deltas = [{"role": "assistant", "content": ""}, *({"content": word} for word in re.findall(r"\S+\s*", content))]
        for call in calls:
            arguments = call["function"]["arguments"]
            first = {**call, "function": {"name": call["function"]["name"], "arguments": arguments[:5]}}
            rest = {"index": call["index"], "function": {"arguments": arguments[5:]}}
            deltas += [{"tool_calls": [first]}, {"tool_calls": [rest]}]
        choices = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
        choices.append({"index": 0, "delta": {}, "finish_reason": reason})
        chunks = [json.dumps(head | {"object": "chat.completion.chunk", "choices": [choice]}) for choice in choices]
        self._reply("text/event-stream", "".join(f"data: {chunk}\n\n" for chunk in [*chunks, "[DONE]"]))

    def _reply(self, kind, text):
        data = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


@pytest.fixture
def openai():
    """The server; ``recorded`` holds the body of every request."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.recorded = []
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


class Agent:
    """The shop's agent, with the real OpenAI client."""

    def __init__(self, path, server, *, streaming, hide=True):
        base = f"http://127.0.0.1:{server.server_address[1]}/v1"
        # Connections of its own: the client's are kept by address, and a later test may get the same port.
        own = {"http_client": DefaultHttpxClient(), "http_async_client": DefaultAsyncHttpxClient()}
        self.model = ChatOpenAI(
            model="m", base_url=base, api_key="k" * 20, streaming=streaming, max_retries=0, timeout=10, **own
        )
        self.shop, self.ledger = Shop(path / f"{uuid.uuid4().hex}.db"), Ledger.from_url()
        self.agent = build_agent(
            [replace(EMAIL, lookup=None, blind=hide), replace(ORDER_ID, blind=hide)],
            actions=make_actions(self.shop)[::2],
            lookups={"order_id": self.shop.find_order},
            model=self.model,
            checkpointer=InMemorySaver(),
            sealer=Sealer(["k" * 32]),
            ledger=self.ledger,
        )
        self.config = {"configurable": {"thread_id": uuid.uuid4().hex}}

    async def close(self):
        self.ledger.close()
        self.model.root_client.close()
        await self.model.root_async_client.close()
        gc.collect()

    async def say(self, turns, context, *, sync):
        for turn in turns:
            given = {"messages": [HumanMessage(turn)]}
            if sync:
                result = self.agent.invoke(given, self.config, context=context)
            else:
                result = await self.agent.ainvoke(given, self.config, context=context)
        return result


FORMS = {
    "the email": [
        "rae.oneill",
        "rae oneill",
        "raeoneill",
        "oneill",
        "rae dot",
        "r a e",
        "r-a-e",
        "o n e i l l",
        "romeo",
    ],
    "the email that was wrong": ["rae.neil", "neil@", "n e i l @"],
    "the order": ["204815", "2 0 4 8 1 5", "204 815", "two oh four", "two zero four", "hl-2", "h l 2", "hotel lima"],
    "the order that was wrong": ["204816", "2 0 4 8 1 6", "two oh four eight one six"],
}

TALKS = {
    "typed when asked": ("chat", ["I'd like a refund", RAE, "yes", ORDER, "yes", "thanks"]),
    "volunteered": (
        "chat",
        [f"Refund please, my email is {RAE} and the order is {ORDER}. They are too small.", "yes", "yes", "thanks"],
    ),
    "spelled": (
        "voice",
        [
            "i want my money back",
            "r a e dot o n e i double l at example dot com",
            "yes",
            "h l two oh four eight one five",
            "yes that's right",
            "thanks",
        ],
    ),
    "volunteered and spelled": (
        "voice",
        [
            "hi i need a refund my email is rae dot oneill at example dot com thank you",
            "yes",
            "hotel lima two zero four eight one five",
            "yes",
            "thanks",
        ],
    ),
    "corrected": (
        "chat",
        ["refund", "rae.neil@example.com", f"no, it's {RAE}", "yes", "HL-204816", "no", ORDER, "yes", "thanks"],
    ),
    "taken back and repeated": (
        "chat",
        [
            "refund",
            "rae.neil@example.com",
            "yes",
            f"no wait, my email is wrong, it's {RAE}",
            "yes",
            ORDER,
            "yes",
            f"did you send it to {RAE} for {ORDER}?",
            f"and is {RAE.upper()} or 'rae oneill' on file, order 204 815?",
        ],
    ),
}


def found(recorded):
    """Every form of every detail that occurs in what a model was sent."""
    text = " ".join(recorded).casefold()
    return sorted({form for forms in FORMS.values() for form in forms if form in text})


@pytest.mark.parametrize("streaming", [False, True], ids=["whole", "streaming"])
@pytest.mark.parametrize("sync", [True, False], ids=["invoke", "ainvoke"])
@pytest.mark.parametrize("talk", TALKS)
async def test_no_request_holds_a_value_in_any_form(tmp_path, openai, talk, sync, streaming):
    agent = Agent(tmp_path, openai, streaming=streaming)
    channel, turns = TALKS[talk]
    result = await agent.say(turns, CaptureContext(locale="en-US", channel=channel), sync=sync)
    assert [(row["email"], row["order_id"]) for row in agent.shop.rows("refunds")] == [(RAE, ORDER)], result["messages"]
    assert openai.recorded
    assert found(openai.recorded) == []
    await agent.close()


async def test_the_control_a_model_that_is_not_blind_gets_everything(tmp_path, openai):
    agent = Agent(tmp_path, openai, streaming=False, hide=False)
    await agent.say(TALKS["volunteered"][1], CaptureContext(locale="en-US", channel="chat"), sync=True)
    assert {"rae.oneill", "oneill", "204815"} <= set(found(openai.recorded))
    await agent.close()


async def test_the_models_words_reach_the_user_while_they_are_made(tmp_path, openai):
    """Streaming is not lost behind the gate: the text arrives token by token, and no token is a value."""
    agent = Agent(tmp_path, openai, streaming=True)
    given = {"messages": [HumanMessage(f"refund, my email is {RAE}")]}
    context = CaptureContext(locale="en-US", channel="chat")
    stream = agent.agent.stream(given, agent.config, context=context, stream_mode="messages")
    tokens = [chunk.text for chunk, meta in stream if meta["langgraph_node"] == "converse"]
    assert len([token for token in tokens if token]) > 3
    assert "One moment. refund, my email is <email offered>" in "".join(tokens)
    await agent.close()


async def test_tool_schemas_carry_no_captured_argument(tmp_path, openai):
    agent = Agent(tmp_path, openai, streaming=False)
    await agent.say(["hello"], CaptureContext(channel="chat"), sync=True)
    tools = {tool["function"]["name"]: tool["function"] for tool in json.loads(openai.recorded[0])["tools"]}
    assert set(tools) == {"capture_details", "refund", "send_receipt"}
    assert set(tools["refund"]["parameters"]["properties"]) == {"reason"}
    assert tools["send_receipt"]["parameters"]["properties"] == {}
    await agent.close()


# -- the filter by itself

SPECS = [catalogue["email"], catalogue["phone"], ORDER_ID]
CHAT = Ask(locale="en-US", channel="chat")
LOCAL = st.from_regex(r"[a-z]{3,8}(\.[a-z]{3,8}|[0-9]{2,4})?", fullmatch=True)
AROUND = st.sampled_from(
    [
        "{}",
        "refund please, my email is {}",
        "it's {} thanks",
        "you have {}, right?",
        "Mail {}.",
        "please use {} and hurry",
    ]
)


@given(LOCAL, AROUND)
def test_no_address_gets_through_whatever_is_said_around_it(local, around):
    masked = find_proposals(around.format(f"{local}@example.com"), SPECS, CHAT).masked
    assert f"{local}@" not in masked
    assert "example.com" not in masked


@given(
    st.from_regex(r"[0-9]{6}", fullmatch=True), st.sampled_from(["{}", "order {} please", "it is {}", "refund {}, ok?"])
)
def test_no_order_number_gets_through(digits, around):
    for form in (f"HL-{digits}", f"hl {digits}", f"H L {' '.join(digits)}"):
        masked = find_proposals(around.format(form), SPECS, CHAT).masked
        assert digits not in masked.replace(" ", "")


@given(st.text(max_size=300))
def test_the_filter_is_total(text):
    blind([HumanMessage(text), AIMessage(text)], {"email": {"value": text}}, SPECS, ask=CHAT)
