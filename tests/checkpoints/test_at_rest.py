"""A whole refund, with a hand-off, then a look at every byte that was kept: files, and rows of every table.

The values are looked for as they are, spelled as they were said and read back, and as digits. A control without keys
finds them, so the search works.
"""

from __future__ import annotations

import itertools
import json
import sqlite3
import sys
import zlib
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from langchain_core.messages import HumanMessage
from langgraph.types import Command

from langgraph_readback.checkpoints import open_saver
from langgraph_readback.errors import EncryptionKeyError
from langgraph_readback.graph import CaptureContext, build_agent
from langgraph_readback.handoff import SqlDesk
from langgraph_readback.seal import Sealer
from langgraph_readback.tools import Ledger
from langgraph_readback.tools.ledger import Mark

sys.path.insert(0, str(Path(__file__).parents[2]))
from examples.shop.actions import FIELDS, make_actions
from examples.shop.world import Shop

KEY, NEXT = "a key of the test suite", "the key that comes after it"
TURNS = [
    "I'd like a refund, it is too small",
    "my email is r a e dot o n e i l l at example dot com",
    "yes",
    "h l two oh four eight one six",
    "h l dash two zero four eight one seven",
    "h l two oh four eight one eight",
]
CONFIGURED, TOLD = "Rae of the newsletter", "+61 412 345 678"
"""What a client put into ``configurable`` and metadata."""
CLEAR = [
    "rae.oneill", "r a e dot", "R, A, E", "o n e i l l", "HL-204815", "HL-20481", "204815", "204816", "h l two", "two oh four",
    "two zero four", "refunded", CONFIGURED, TOLD,
]  # fmt: skip


class Refund:
    """The conversation on one database, with every port on it."""

    def __init__(self, url, folder):
        self.url = url
        self.config = {
            "configurable": {"thread_id": "t", "customer": CONFIGURED}, "metadata": {"called_from": TOLD, "attempts": 3},
        }  # fmt: skip
        with self.opened(folder) as stack:
            for turn in TURNS:
                self.result = self.agent.invoke({"messages": [HumanMessage(turn)]}, self.config, context=self.context)
            (ticket,) = self.desk.tickets()
            self.desk.resolve(ticket["id"], kind="value", value="HL-204815", by="ana")
            self.result = self.agent.invoke(Command(resume="look"), self.config, context=self.context)
            self.ledger_text = self.ledger.entries()[0].text
            stack.pop_all().close()

    context = CaptureContext(locale="en-US", channel="voice")

    def opened(self, folder):
        """All ports, open until the stack is closed."""
        stack, sealer, shop = ExitStack(), Sealer(["k" * 32]), Shop(folder / "shop.db")
        self.saver = stack.enter_context(open_saver(self.url))
        self.desk = stack.enter_context(closing(SqlDesk.from_url(self.url, sealer=sealer)))
        self.ledger = stack.enter_context(closing(Ledger.from_url(self.url)))
        self.agent = build_agent(
            [replace(field, lookup=None) for field in FIELDS],
            actions=make_actions(shop), lookups={"order_id": shop.find_order}, checkpointer=self.saver,
            desk=self.desk, ledger=self.ledger, sealer=sealer,
        )  # fmt: skip
        return stack


def kept(url):
    """Every byte that is at rest for this database, as chunks: rows of every table, unpacked; and the files."""
    if url.startswith("sqlite:"):
        name = url.removeprefix("sqlite:///")
        with closing(sqlite3.connect(name)) as db:
            rows = rows_of(db, "SELECT name FROM sqlite_master WHERE type = 'table'")
        files = [Path(name + end).read_bytes() for end in ("", "-wal") if Path(name + end).exists()]
    else:
        with psycopg.connect(url) as db:
            rows = rows_of(db, "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'")
        files = []
    return [unpacked(value) for row in rows for value in row] + files


def rows_of(db, tables):
    """All rows of all tables."""
    names = [name for (name,) in db.execute(tables).fetchall()]
    return [row for name in names for row in db.execute(f'SELECT * FROM "{name}"').fetchall()]


def unpacked(value):
    """As bytes; what is compressed and not encrypted is opened, as a thief would."""
    if not isinstance(value, bytes):
        return json.dumps(value, default=str, ensure_ascii=False).encode()
    try:
        return zlib.decompress(value)
    except zlib.error:
        return value


def found(url, words=CLEAR):
    """Which of the words are kept in clear."""
    chunks = kept(url)
    return [word for word in words if any(word.encode() in chunk for chunk in chunks)]


@pytest.fixture(scope="module", params=["sqlite", pytest.param("postgres", marks=pytest.mark.xdist_group("postgres"))])
def place(request, tmp_path_factory):
    """Makes empty databases of one kind."""
    numbers = itertools.count()

    def make():
        folder = tmp_path_factory.mktemp("rest")
        if request.param == "sqlite":
            return f"sqlite:///{folder}/r.db", folder
        server = request.getfixturevalue("postgres_server")
        name = f"rest{folder.name[4:]}_{next(numbers)}"
        with psycopg.connect(server, autocommit=True) as db:
            db.execute(f'CREATE DATABASE "{name}"')
        return server.replace("/postgres?", f"/{name}?"), folder

    return make


@pytest.fixture(scope="module")
def refund(place):
    """The conversation with a key set; whole, and at rest."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("READBACK_ENCRYPTION_KEYS", KEY)
        url, folder = place()
        made = Refund(url, folder)
    made.folder = folder
    return made


def test_nothing_is_kept_in_clear(refund):
    assert refund.result["captures"]["order_id"]["value"] == "HL-204815"
    assert refund.ledger_text.startswith("129.00 refunded")
    assert found(refund.url) == []


def test_without_keys_the_search_finds_them(place, monkeypatch):
    monkeypatch.delenv("READBACK_ENCRYPTION_KEYS", raising=False)
    url, folder = place()
    Refund(url, folder)
    assert {"rae.oneill", "HL-204815", "h l two", "refunded", CONFIGURED, TOLD} <= set(found(url))


@pytest.mark.parametrize(
    ("keys", "says"), [("", "no key is set: set READBACK_ENCRYPTION_KEYS"), (NEXT, "Add that key after the first one")]
)
def test_without_the_key_everything_says_what_to_do(refund, monkeypatch, keys, says):
    monkeypatch.setenv("READBACK_ENCRYPTION_KEYS", keys)
    with refund.opened(refund.folder):
        tried = [
            lambda: refund.agent.invoke({"messages": [HumanMessage("hello")]}, refund.config, context=refund.context),
            lambda: list(refund.saver.list(refund.config)),
            lambda: refund.desk.tickets(None),
            refund.ledger.entries,
        ]
        for read in tried:
            with pytest.raises(EncryptionKeyError, match=says):
                read()


def test_a_new_key_in_front_reads_what_the_old_one_wrote(refund, monkeypatch):
    monkeypatch.setenv("READBACK_ENCRYPTION_KEYS", f"{NEXT},{KEY}")
    with refund.opened(refund.folder):
        result = refund.agent.invoke({"messages": [HumanMessage("hello")]}, refund.config, context=refund.context)
        assert result["captures"]["order_id"]["value"] == "HL-204815"
        assert refund.desk.tickets(None)[0]["attempts"]
        newest = next(refund.saver.list({"configurable": {"thread_id": "t"}}, filter={"customer": CONFIGURED}))
        assert (newest.metadata["called_from"], newest.metadata["attempts"]) == (TOLD, 3)
    assert found(refund.url) == []


@pytest.mark.parametrize("keys", ["", KEY], ids=["clear", "encrypted"])
def test_forget_leaves_nothing_personal(place, monkeypatch, keys):
    """One command; afterwards no value, no words, no fingerprint; the fences hold."""
    from typer.testing import CliRunner

    from langgraph_readback.cli.app import app

    monkeypatch.setenv("READBACK_ENCRYPTION_KEYS", keys)
    monkeypatch.setenv("READBACK_SEAL_KEYS", "k" * 32)
    url, folder = place()
    made = Refund(url, folder)
    old = made.result["captures"]
    done = CliRunner().invoke(app, ["forget", "t", "--database", url])
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    assert report["deleted"]["tickets"] == 1
    assert report["deleted"]["checkpoints"] > 20
    assert report["stays"] == {"marks": 3, "actions": 1}  # of two fields, and of the read-backs
    assert found(url) == []
    if url.startswith("sqlite:"):
        file = Path(url.removeprefix("sqlite:///"))
        with closing(sqlite3.connect(file)) as db:
            assert db.execute("PRAGMA freelist_count").fetchone() == (0,), "what was deleted is overwritten"
    with made.opened(folder):
        assert [(e.text, e.reference, e.state) for e in made.ledger.entries()] == [("", "", "DONE")]
        assert all(made.ledger.highest("t", field) > record["revision"] for field, record in old.items())
        assert made.agent.get_state(made.config).values == {}
    again = CliRunner().invoke(app, ["forget", "nobody", "--database", url])
    assert again.exit_code == 2
    assert "nothing is kept" in again.stderr


def test_bare_strings_and_numbers_are_encrypted_too(place, monkeypatch):
    """A parent graph that shares the saver may have channels of bare text; stock savers keep those in clear."""
    from langgraph.graph import START, StateGraph
    from typing_extensions import TypedDict

    class Parent(TypedDict, total=False):
        caller: str
        number: int
        score: float

    monkeypatch.setenv("READBACK_ENCRYPTION_KEYS", KEY)
    url, _ = place()
    graph = StateGraph(Parent).add_node("a", lambda state: {"score": 0.123456}).add_edge(START, "a")
    state = {"caller": "rae.oneill@example.com", "number": 61412345678}
    with open_saver(url) as saver:
        compiled = graph.compile(checkpointer=saver)
        compiled.invoke(state, {"configurable": {"thread_id": "p"}})
        assert compiled.get_state({"configurable": {"thread_id": "p"}}).values == {**state, "score": 0.123456}
    assert found(url, ["rae.oneill", "61412345678", "0.123456"]) == []


def test_turning_encryption_on_keeps_what_was_in_clear(place, monkeypatch):
    monkeypatch.delenv("READBACK_ENCRYPTION_KEYS", raising=False)
    url, folder = place()
    made = Refund(url, folder)
    monkeypatch.setenv("READBACK_ENCRYPTION_KEYS", KEY)
    with made.opened(folder):
        result = made.agent.invoke({"messages": [HumanMessage("hello")]}, made.config, context=made.context)
        assert result["captures"]["email"]["value"] == "rae.oneill@example.com"
        assert made.desk.tickets(None)[0]["attempts"][0]["utterance"] == TURNS[3]


def test_a_type_nobody_allowed_is_not_revived(tmp_path):
    """Whoever can write to the database cannot make the process call what they like."""
    mark = Mark(field="email", revision=1, fingerprints=())
    url = f"sqlite:///{tmp_path}/x.db"
    with open_saver(url) as saver, open_saver(url, allow=[Mark]) as liberal:
        written = saver.serde.dumps_typed({"mark": mark})
        assert not isinstance(saver.serde.loads_typed(written)["mark"], Mark)
        assert isinstance(liberal.serde.loads_typed(written)["mark"], Mark)
