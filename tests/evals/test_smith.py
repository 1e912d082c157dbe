"""The LangSmith upload, against a stand-in on loopback that speaks the endpoints the client uses."""

import json
import threading
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from langgraph_readback.evals import smith
from langgraph_readback.evals.arms import CONTROL, OneShot
from langgraph_readback.evals.play import play
from langgraph_readback.evals.tasks import VOICE, two_hundred

INGEST = {
    "use_multipart_endpoint": False,
    "size_limit": 100,
    "size_limit_bytes": 20_000_000,
    "scale_up_qsize_trigger": 1000,
    "scale_up_nthreads_limit": 2,
    "scale_down_nempty_trigger": 4,
}
AT = "2026-11-30T00:00:00+00:00"


class StandIn(BaseHTTPRequestHandler):
    """Keeps data sets, examples, sessions, runs and feedback in memory."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        """Quiet."""

    def _body(self):
        size = int(self.headers.get("content-length") or 0)
        if size:
            return self.rfile.read(size)
        out = b""
        while self.headers.get("transfer-encoding") == "chunked":
            length = int(self.rfile.readline().strip() or b"0", 16)
            out += self.rfile.read(length)
            self.rfile.readline()
            if not length:
                break
        return out

    def _answer(self):
        body = self._body()
        path = self.path.partition("?")[0]
        data = json.loads(body) if body and self.headers.get("content-type") == "application/json" else body
        self.server.seen.append((self.command, path))
        status, out = self.server.reply(self.command, path, data)
        text = json.dumps(out).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = do_PATCH = _answer  # noqa: N815 - the names http.server calls


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), StandIn)
        self.seen, self.datasets, self.examples, self.sessions, self.feedback, self.runs = [], [], [], [], [], []

    def reply(self, method, path, data):
        handlers = {
            ("GET", "/info"): lambda: {"batch_ingest_config": INGEST},
            ("GET", "/datasets"): lambda: self.datasets,
            ("POST", "/datasets"): lambda: self.add(self.datasets, {**data, "created_at": AT, "modified_at": AT}),
            ("GET", "/examples"): lambda: self.examples,
            ("POST", "/sessions"): lambda: self.add(
                self.sessions, {**data, "tenant_id": str(uuid.uuid4()), "start_time": AT}
            ),
            ("POST", "/feedback"): lambda: self.add(self.feedback, data),
            ("POST", "/runs/batch"): lambda: self.runs.extend(data.get("post", [])) or {},
            ("POST", "/runs"): lambda: self.add(self.runs, data),
        }
        if path == "/examples/bulk":
            for row in data:
                self.add(self.examples, {**row, "created_at": AT, "modified_at": AT})
            return 200, self.examples
        handler = handlers.get((method, path))
        return (200, handler()) if handler else (200, {})

    def add(self, where, row):
        row = {"id": str(uuid.uuid4()), **{k: v for k, v in row.items() if v is not None}}
        where.append(row)
        return row


@pytest.fixture
def server(monkeypatch):
    with Server() as made:
        threading.Thread(target=made.serve_forever, daemon=True).start()
        monkeypatch.setenv("LANGSMITH_ENDPOINT", f"http://127.0.0.1:{made.server_address[1]}")
        monkeypatch.setenv("LANGSMITH_API_KEY", "not-a-key")
        yield made
        made.shutdown()


def _results():
    tasks = [two_hundred()[0], two_hundred()[20]]
    return tasks, [
        play(t, c, 1, arm(t), name)
        for name, arm in (("one-shot", OneShot), ("gullible", lambda t: CONTROL.make(t, "voice")))
        for t in tasks
        for c in VOICE
    ]


def test_tasks_scores_and_experiments_arrive(server):
    tasks, results = _results()
    said = smith.upload("yardstick", tasks, results)
    assert said == "data set 'yardstick' with 2 tasks, 2 experiments"
    assert len(server.examples) == 2
    assert {s["name"].rsplit("-", 1)[0] for s in server.sessions} == {"yardstick-one-shot", "yardstick-gullible"}
    keys = {f["key"] for f in server.feedback}
    assert keys == {"pass3", "pass1", "wrong_confirmed", "handoff", "seconds"}
    assert len(server.feedback) == 2 * 2 * 5


def test_nothing_is_sent_without_a_key(server, monkeypatch):
    monkeypatch.delenv("LANGSMITH_API_KEY")
    with pytest.raises(RuntimeError, match="LANGSMITH_API_KEY"):
        smith.upload("yardstick", *_results())
    assert server.seen == []
