"""The console behind a real server on loopback, in a real headless Chromium that Playwright drives.

Chromium is Debian's: when it is missing and the tests run as root, apt-get brings it. One browser and one server a
module; Playwright keeps an event loop running as long as it lives, so it must not outlive its module.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import threading
import time
from pathlib import Path

import pytest
import uvicorn
from langgraph.checkpoint.memory import InMemorySaver
from playwright.sync_api import expect, sync_playwright

from langgraph_readback.handoff import SqlDesk
from langgraph_readback.handoff.console import PURPOSE, People, Trials, console
from langgraph_readback.handoff.console.web import SESSION
from langgraph_readback.ports import Ticket
from langgraph_readback.seal import Sealer
from langgraph_readback.sql import engine

NAMES = ("chromium", "chromium-browser", "google-chrome")
HOW = "the browser tests need Chromium: run `apt-get install -y chromium` as root, or put one on the PATH"
LEASE = 9.0
"""Seconds of a hold: its page sends a heartbeat every three."""
TOKENS = {"ana": "ana-token-for-the-tests", "ben": "ben-token-for-the-tests"}
expect.set_options(timeout=15_000)


def pytest_collection_modifyitems(items):
    """The first of these tests may have to bring a browser."""
    for item in items:
        if Path(item.path).parent == Path(__file__).parent:
            item.add_marker(pytest.mark.timeout(600))


@pytest.fixture(scope="session")
def chromium():
    """The path of a Chromium."""
    if (found := next(filter(None, map(shutil.which, NAMES)), None)) is None:
        if os.geteuid() != 0 or shutil.which("apt-get") is None:
            pytest.fail(HOW, pytrace=False)
        env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for command in (["update", "-qq"], ["install", "-y", "-qq", "--no-install-recommends", "chromium"]):
            done = subprocess.run(["apt-get", *command], env=env, capture_output=True, text=True, check=False)
            if done.returncode:
                pytest.fail(f"{HOW}\napt-get {command[0]}: {done.stderr[-500:]}", pytrace=False)
        found = shutil.which("chromium")
    return found


@pytest.fixture(scope="module")
def browser(chromium):
    with sync_playwright() as playwright:
        # Chromium's sandbox needs what a container does not give to root; these pages are our own.
        running = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        yield running
        running.close()


def keys(page, sign):
    """The keyboard of a page, once it shows this and its script listens."""
    expect(page.get_by_text(sign).first).to_be_visible()
    expect(page.locator("html[data-ready]")).to_have_count(1)
    return page.keyboard


class Clock:
    """The time, and how far a test has put it ahead."""

    ahead = 0.0

    def __call__(self):
        return time.time() + self.ahead


class Site:
    """A served console, its desk, and tickets to put in it."""

    def __init__(self, lease=LEASE):
        sealer = Sealer(["a key of the test suite"])
        self.clock, self.count = Clock(), 0
        self.desk = SqlDesk(engine("memory:"), sealer, clock=self.clock)
        self.tokens, self.people = TOKENS, People(secret=sealer.secret(PURPOSE), tokens=TOKENS)
        trials = Trials(saver=InMemorySaver(), desk=self.desk)
        app = console(desk=self.desk, people=self.people, trials=trials, lease=lease)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.server = uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1))
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [self.listener]})

    def start(self):
        self.thread.start()
        while not self.server.started:
            time.sleep(0.01)

    def stop(self):
        self.server.should_exit = True
        self.thread.join(10)
        self.listener.close()
        self.desk.close()

    def ticket(self, *heard, field="order_id", **more):
        """File a ticket whose attempts heard these values. Gives its id."""
        self.count += 1
        attempts = [
            {"utterance": f"it's {one}", "value": one, "reason": "no", "form": "natural",
             "read_back": f"I have {one}. Is that right?", "reply": "no"}
            for one in heard
        ]  # fmt: skip
        talk = [{"who": "agent", "text": "What's your order number?", "act": "ask", "field": field}]
        talk += [{"who": "user", "text": one["utterance"]} for one in attempts]
        given = {
            "id": f"rb-{self.count}", "thread": f"thread-{self.count}", "field": field, "revision": 1,
            "label": "order number", "locale": "en-US", "reason": "attempts", "channel": "voice", "told": "A colleague has it.",
            "rules": {"type": "id", "pattern": r"HL-\d{6}", "checksum": None}, "attempts": attempts, "conversation": talk,
        }  # fmt: skip
        self.desk.file(Ticket(**{**given, **more}))
        return given["id"] if "id" not in more else more["id"]

    def answer(self, ticket):
        """The answer to a ticket of ours, or None."""
        return self.desk.answer(ticket, 1)

    def done(self, ticket):
        """What the audit trail says was done, oldest first."""
        return [one["what"] for one in self.desk.trail(ticket)]


@pytest.fixture(scope="module")
def site():
    made = Site()
    made.start()
    yield made
    made.stop()


@pytest.fixture(name="keys")
def keys_of_a_page():
    """``keys(page, "what it shows").press("c")``."""
    return keys


@pytest.fixture
def person(browser, site):
    """Makes people at desks of their own: ``person("ana")`` is her page, signed in, showing the queue."""
    contexts = []

    def sit(name, **options):
        context = browser.new_context(**{"reduced_motion": "reduce", "locale": "en-GB", **options})
        contexts.append(context)
        context.set_default_timeout(15_000)
        page = context.new_page()
        page.faults = []
        page.on("pageerror", lambda error: page.faults.append(str(error)))
        page.on("console", lambda said: page.faults.append(said.text) if said.type == "error" else None)
        if name:  # signing in has a test of its own
            context.add_cookies([{"name": SESSION, "value": site.people.cookie(name), "url": site.url}])
            page.goto(f"{site.url}/desk/")
        return page

    yield sit
    faults = [fault for context in contexts for page in context.pages for fault in page.faults]
    for context in contexts:
        context.close()
    # A refused request (409, 422) is an answer of ours, and the browser logs each.
    assert not [fault for fault in faults if "status of 4" not in fault], faults
