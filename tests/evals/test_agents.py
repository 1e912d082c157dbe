"""Any agent can be measured: a graph in a module, a graph behind the server's API, whatever it stores its values in."""

import json
import sys
import threading
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from langchain_core.messages import AIMessage, HumanMessage, messages_to_dict

from langgraph_readback.evals.agents import Loop, Server, agent_of, can_play, holdings, load
from langgraph_readback.evals.play import Setting, Stored, play
from langgraph_readback.evals.report import off
from langgraph_readback.evals.run import Plan, run
from langgraph_readback.evals.tasks import VOICE, two_hundred

TASK = next(t for t in two_hundred() if t.items[0].value == "RW41927")
ITEM = TASK.items


@pytest.fixture
def importable(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    load.cache_clear()
    yield "agents_for_tests"
    sys.modules.pop("agents_for_tests", None)
    load.cache_clear()


@pytest.mark.parametrize("name", ["graph", "build"])
def test_a_graph_in_a_module_is_measured(importable, name):
    session = agent_of(f"{importable}:{name}", "Hello.")(TASK, "voice")
    result = play(TASK, "regular", 1, session, "agent", off())
    assert result.passed
    assert session.stored() == {"code": Stored("CONFIRMED", "RW41927")}


def test_a_bad_agent_is_as_bad_as_its_first_captures(importable):
    codes = tuple(t for t in two_hundred() if t.type == "code" and t.items[0].value[2:].isdigit())
    results = [
        play(t, c, s, agent_of(f"{importable}:graph", "Hello.")(t, "voice"), "agent")
        for t in codes
        for c in VOICE
        for s in range(3)
    ]
    fields = [r.fields[0] for r in results]
    assert sum(f.wrong_confirmed for f in fields) >= 0.8 * sum(not f.first for f in fields) > 0
    assert all(f.status == "CONFIRMED" for f in fields)


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("nowhere", "module:graph"),
        ("nowhere:graph", "cannot load"),
        ("json:JSONDecoder", "is not a compiled graph"),
        ("json:nothing", "cannot load"),
    ],
)
def test_what_cannot_be_loaded_says_what_to_change(path, says):
    load.cache_clear()
    with pytest.raises(ValueError, match=says):
        load(path)


@pytest.mark.parametrize(
    ("state", "messages", "stored"),
    [
        ({"captures": {"code": {"status": "HANDOFF", "value": None}}}, [], Stored("HANDOFF")),
        ({"captures": {"code": {"value": "X"}}}, [], Stored("CONFIRMED", "X")),
        ({"captures": {"code": "X"}}, [], Stored("CONFIRMED", "X")),
        ({"details": {"code": "X"}}, [], Stored("CONFIRMED", "X")),
        ({"code": "X"}, [], Stored("CONFIRMED", "X")),
        (
            {},
            [AIMessage("", tool_calls=[{"name": "submit", "args": {"code": "X"}, "id": "1"}])],
            Stored("CONFIRMED", "X"),
        ),
        ({"code": ""}, [], None),
    ],
)
def test_what_is_stored_is_found_wherever_an_agent_keeps_it(state, messages, stored):
    assert holdings(state, messages, ITEM).get("code") == stored


class Api(BaseHTTPRequestHandler):
    """The two endpoints of a LangGraph server that a conversation needs, in front of the test's graph."""

    def log_message(self, *_):
        """Quiet."""

    def do_POST(self):
        data = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.path == "/threads":
            out = {"thread_id": str(uuid.uuid4()), "metadata": {}}
        else:
            self.server.asked.append(data)
            config = {"configurable": {"thread_id": self.path.split("/")[2]}}
            sent = [HumanMessage(m["content"]) for m in data["input"]["messages"]]
            state = self.server.graph.invoke({"messages": sent}, config)
            plain = [{**m["data"], "type": m["type"]} for m in messages_to_dict(state["messages"])]
            out = {**state, "messages": plain}
        text = json.dumps(out, default=str).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


def test_an_assistant_on_a_server_is_measured(importable):
    with ThreadingHTTPServer(("127.0.0.1", 0), Api) as server:
        server.graph, server.asked = load(f"{importable}:graph"), []
        threading.Thread(target=server.serve_forever, daemon=True).start()
        agent = agent_of(f"http://127.0.0.1:{server.server_address[1]}#helper", "Hello.")
        assert isinstance(agent, Server)
        result = play(TASK, "regular", 1, agent(TASK, "voice"), "agent", off())
        server.shutdown()
    assert result.passed
    assert {a["assistant_id"] for a in server.asked} == {"helper"}
    assert server.asked[0]["context"]["locale"] == "en-US"


SUPPORTED = [t for t in two_hundred() if can_play(t)]


@pytest.mark.parametrize("task", SUPPORTED[::4], ids=lambda t: t.items[0].value)
def test_with_the_line_off_the_loop_loses_nothing(task):
    assert play(task, "regular", 1, Loop()(task, "voice"), "loop-format", off()).passed


def test_a_run_is_the_same_on_one_process_and_on_two():
    plan = Plan(("one-shot", "gullible"), tuple(two_hundred()[::40]), VOICE[:1], (1,), setting=Setting())
    assert run(plan, jobs=1) == run(plan, jobs=2)


def test_progress_is_told_and_an_unknown_arm_is_refused():
    seen = []
    plan = Plan(("one-shot",), tuple(two_hundred()[:3]), VOICE, (1,))
    assert len(run(plan, jobs=1, progress=seen.append)) == sum(seen) == plan.size == 9
    with pytest.raises(ValueError, match="no arm 'best'"):
        run(Plan(("best",), tuple(two_hundred()[:1]), VOICE), jobs=1)
