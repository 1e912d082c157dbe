"""A stand-in for LangSmith on loopback: takes what its client sends, keeps every byte, and puts the runs together.

Import it as the tests do, with ``tests`` on the path: ``from collector import Collector``.
"""

from __future__ import annotations

import json
import threading
import time
from email import message_from_bytes, policy
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LIMITS = {
    "size_limit": 100,
    "size_limit_bytes": 20_000_000,
    "scale_up_qsize_trigger": 1000,
    "scale_up_nthreads_limit": 2,
    "scale_down_nempty_trigger": 4,
}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        """Quiet."""

    def _body(self):
        if "chunked" not in (self.headers.get("transfer-encoding") or ""):
            return self.rfile.read(int(self.headers.get("content-length") or 0))
        out = b""
        while length := int(self.rfile.readline().strip() or b"0", 16):
            out += self.rfile.read(length)
            self.rfile.readline()
        self.rfile.readline()
        return out

    def _answer(self):
        body = self._body()
        self.server.take(self.command, self.path, self.headers, body)
        info = {"batch_ingest_config": {**LIMITS, "use_multipart_endpoint": self.server.multipart}}
        text = json.dumps(info if self.path.startswith("/info") else {}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = do_PATCH = _answer  # noqa: N815 - the names http.server calls


class Collector(ThreadingHTTPServer):
    """``bytes``: everything received, with request lines and headers. ``runs``: by id, as posted and patched."""

    daemon_threads = True

    def __init__(self, *, multipart=True):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.multipart, self.lock = multipart, threading.Lock()
        self.bytes, self.paths, self.runs = b"", [], {}
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}"

    @property
    def env(self):
        """What a process is given to send its traces here."""
        return {"LANGSMITH_TRACING": "true", "LANGSMITH_ENDPOINT": self.url, "LANGSMITH_API_KEY": "not-a-key"}

    def take(self, method, path, headers, body):
        with self.lock:
            self.bytes += f"{method} {path}\n{headers}\n".encode() + body
            self.paths.append((method, path.partition("?")[0]))
            kind = headers.get("content-type") or ""
            if kind.startswith("multipart/"):
                self._parts(message_from_bytes(f"content-type: {kind}\n\n".encode() + body, policy=policy.HTTP))
            elif path.endswith("/runs/batch"):
                sent = json.loads(body)
                for run in [*sent.get("post", []), *sent.get("patch", [])]:
                    self._run(run["id"]).update({k: v for k, v in run.items() if v is not None})

    def _parts(self, message):
        """Parts are named ``post.<id>``, ``patch.<id>.outputs``."""
        for part in message.iter_parts():
            _, id_, *key = part.get_param("name", header="content-disposition").split(".")
            data = json.loads(part.get_payload(decode=True))
            self._run(id_).update({key[0]: data} if key else {k: v for k, v in data.items() if v is not None})

    def _run(self, id_):
        return self.runs.setdefault(str(id_), {})

    def named(self, name):
        """The runs of that name, in the order they began."""
        with self.lock:
            return sorted((r for r in self.runs.values() if r.get("name") == name), key=lambda r: r["dotted_order"])

    def wait(self, name, count, seconds=20):
        """The runs of that name, when so many of them have ended."""
        for _ in range(seconds * 10):
            ended = [run for run in self.named(name) if run.get("end_time")]
            if len(ended) >= count:
                return ended
            time.sleep(0.1)
        raise AssertionError(f"{len(ended)} of {count} runs named {name} have ended: {sorted(self.names)}")

    @property
    def names(self):
        return {run.get("name") for run in self.runs.values()}

    def close(self):
        self.shutdown()
        self.server_close()
