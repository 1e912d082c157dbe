"""The seal: what holds, what does not and why, rotation, key files, and that it holds no value in clear."""

from __future__ import annotations

import stat
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langgraph_readback.seal import Sealer

OLD, NEW, FOREIGN = ("a" * 32, "b" * 32, "c" * 32)
FACTS: dict[str, Any] = {"thread": "t-1", "field": "email", "value": "rae@example.com", "revision": 3}
WHO = {"by": "user", "at": 1_000_000.0}
ANSWER = {"ticket": "T-9", "revision": 2, "answer": {"kind": "value", "value": "rae@example.com"}}


@pytest.fixture
def sealer() -> Sealer:
    return Sealer([OLD])


def test_a_genuine_seal_holds_and_says_who_and_when(sealer: Sealer) -> None:
    verdict = sealer.verify(sealer.seal(**FACTS, **WHO), **FACTS)
    assert (verdict.ok, verdict.code, verdict.by, verdict.at) == (True, "ok", "user", 1_000_000.0)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"thread": "t-2"}, "other_thread"),
        ({"field": "phone"}, "other_field"),
        ({"revision": 4}, "other_revision"),
        ({"value": "ray@example.com"}, "other_value"),
        ({"value": None}, "other_value"),
        ({"value": {1, 2}}, "other_value"),
        ({"value": float("nan")}, "other_value"),
    ],
)
def test_a_seal_holds_for_nothing_else(sealer: Sealer, change: dict[str, Any], code: str) -> None:
    verdict = sealer.verify(sealer.seal(**FACTS, **WHO), **{**FACTS, **change})
    assert (verdict.ok, verdict.code) == (False, code)


def test_true_is_not_revision_one(sealer: Sealer) -> None:
    facts = {**FACTS, "revision": 1}
    assert sealer.verify(sealer.seal(**facts, **WHO), **{**facts, "revision": True}).code == "other_revision"


@pytest.mark.parametrize(
    ("seal", "code"),
    [
        (None, "unsealed"),
        ("", "unsealed"),
        ("CONFIRMED", "tampered"),
        ("a.b.c", "tampered"),
        ("\ud800", "tampered"),
        (7, "tampered"),
        ("0123456789ab.e30.e30", "unknown_key"),
    ],
)
def test_what_is_no_seal(sealer: Sealer, seal: Any, code: str) -> None:
    assert sealer.verify(seal, **FACTS).code == code


def test_how_far_it_was_checked_is_sealed_too(sealer: Sealer) -> None:
    assert sealer.verify(sealer.seal(**FACTS, **WHO, verified="world"), **FACTS).verified == "world"


def test_a_fingerprint_is_of_one_value_at_one_revision() -> None:
    fingerprint = Sealer([OLD]).fingerprint(**FACTS)
    assert Sealer([NEW, OLD]).fingerprints(**FACTS) == (Sealer([NEW]).fingerprint(**FACTS), fingerprint)
    for change in ({"thread": "t"}, {"field": "f"}, {"value": "v"}, {"revision": 4}):
        assert Sealer([OLD]).fingerprint(**{**FACTS, **change}) != fingerprint


@given(place=st.integers(min_value=0), letter=st.sampled_from("AZaz09-_."))
def test_no_single_character_of_a_seal_can_change(place: int, letter: str) -> None:
    sealer = Sealer([OLD])
    good = sealer.seal(**FACTS, **WHO)
    place %= len(good)
    bad = good[:place] + letter + good[place + 1 :]
    verdict = sealer.verify(bad, **FACTS)
    # the key id in front, and the spare bits of the last base64 letter, carry no meaning
    free = place < good.index(".") or place == len(good) - 1
    assert verdict.ok == (bad == good) or free


@pytest.mark.parametrize(
    ("max_age", "now", "code"),
    [(None, 9e9, "ok"), (60, 1_000_060.0, "ok"), (60, 1_000_061.0, "expired"), (0, 1_000_000.0, "ok")],
)
def test_age(sealer: Sealer, max_age: float | None, now: float, code: str) -> None:
    assert sealer.verify(sealer.seal(**FACTS, **WHO), **FACTS, max_age=max_age, now=now).code == code


@pytest.mark.parametrize(
    "at", [1_000_000, datetime.fromtimestamp(1_000_000, UTC), "1970-01-12T13:46:40+00:00", "1970-01-12T15:46:40+02:00"]
)
def test_times_in_every_accepted_form(sealer: Sealer, at: Any) -> None:
    assert sealer.verify(sealer.seal(**FACTS, by="user", at=at), **FACTS).at == 1_000_000.0


def test_a_time_without_an_offset_is_refused(sealer: Sealer) -> None:
    with pytest.raises(ValueError, match="offset"):
        sealer.seal(**FACTS, by="user", at="1970-01-12T13:46:40")


def test_rotation_the_first_key_signs_and_all_verify() -> None:
    before = Sealer([OLD]).seal(**FACTS, **WHO)
    during = Sealer([NEW, OLD])
    assert during.verify(before, **FACTS).ok
    after = during.seal(**FACTS, **WHO)
    assert Sealer([NEW]).verify(after, **FACTS).ok
    assert Sealer([NEW]).verify(before, **FACTS).code == "unknown_key"
    assert Sealer([FOREIGN]).verify(after, **FACTS).code == "unknown_key"


@given(
    st.one_of(
        st.text(st.characters(codec="utf-8"), min_size=6, max_size=60),
        st.from_regex(r"\+[1-9][0-9]{7,14}", fullmatch=True),
    )
)
def test_the_value_cannot_be_read_from_a_seal(value: str) -> None:
    facts = {**FACTS, "value": value}
    sealer = Sealer([OLD])
    claim = sealer._serializer("record").loads(sealer.seal(**facts, **WHO).partition(".")[2])
    known = {"f": "email", "r": 3, "b": "user", "a": 1_000_000.0, "v": None}
    assert {name: claim[name] for name in known} == known
    assert set(claim) == {*known, "t", "d"}
    assert value not in claim["d"]
    assert len(claim["d"]) == 43  # 256 bits, keyed
    assert claim["t"] != FACTS["thread"]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({}, "ok"),
        ({"ticket": "T-8"}, "other_ticket"),
        ({"revision": 3}, "other_revision"),
        ({"answer": {"kind": "value", "value": "ray@example.com"}}, "other_value"),
        ({"answer": {"kind": "decline"}}, "other_value"),
    ],
)
def test_the_desks_answer_counts_for_one_ticket_and_revision(change: dict[str, Any], code: str) -> None:
    sealer = Sealer([OLD])
    token = sealer.sign_answer(**ANSWER, by="human:ada", at=5.0)
    verdict = sealer.verify_answer(token, **{**ANSWER, **change})
    assert (verdict.code, verdict.by) == (code, "human:ada")
    assert "rae" not in token


def test_a_record_seal_is_not_a_desk_answer_nor_the_other_way_round(sealer: Sealer) -> None:
    assert sealer.verify_answer(sealer.seal(**FACTS, **WHO), **ANSWER).code == "tampered"
    assert sealer.verify(sealer.sign_answer(**ANSWER, by="human:ada"), **FACTS).code == "tampered"


@pytest.mark.parametrize(("keys", "words"), [([], "no seal key"), (["short"], "too short")])
def test_keys_that_cannot_work_are_explained(keys: list[str], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Sealer(keys)


def test_keys_are_not_shown() -> None:
    assert OLD not in repr(Sealer([OLD]))


# -- where the keys come from


def test_keys_of_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("READBACK_SEAL_KEYS", f" {NEW} ,, {OLD}")
    sealer = Sealer.from_env(f"sqlite:///{tmp_path}/x.db")
    assert sealer.verify(Sealer([OLD]).seal(**FACTS, **WHO), **FACTS).ok
    assert Sealer([NEW]).verify(sealer.seal(**FACTS, **WHO), **FACTS).ok
    assert list(tmp_path.iterdir()) == []


def test_the_key_file_is_private_and_said_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.delenv("READBACK_SEAL_KEYS", raising=False)
    url = f"sqlite+aiosqlite:///{tmp_path}/new/readback.db"
    first, second = Sealer.from_env(url), Sealer.from_env(url.replace("+aiosqlite", ""))
    assert second.verify(first.seal(**FACTS, **WHO), **FACTS).ok
    (file,) = (tmp_path / "new").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [r.message for r in caplog.records] == [
        f"no READBACK_SEAL_KEYS: made a seal key in {file}; keep it with the database"
    ]
    assert file.read_text() not in caplog.text


def test_another_database_needs_keys_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("READBACK_SEAL_KEYS", raising=False)
    with pytest.raises(ValueError, match="set READBACK_SEAL_KEYS"):
        Sealer.from_env("postgresql+psycopg://u:secret@localhost/db")


@pytest.mark.parametrize("url", [None, "sqlite://", "sqlite:///:memory:"])
def test_a_database_in_memory_gets_a_key_for_the_process(monkeypatch: pytest.MonkeyPatch, url: str | None) -> None:
    monkeypatch.delenv("READBACK_SEAL_KEYS", raising=False)
    assert Sealer.from_env(url).verify(Sealer.from_env(None).seal(**FACTS, **WHO), **FACTS).ok


WORKER = """
import sys
from langgraph_readback.seal import Sealer
sys.stdin.readline()
print(Sealer.from_env(sys.argv[1]).seal(thread="t-1", field="email", value="rae@example.com", revision=3, by="u", at=1))
"""


def test_processes_that_start_together_get_one_key(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("READBACK_SEAL_KEYS", raising=False)
    url = f"sqlite:///{tmp_path}/readback.db"
    pipe = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    workers = [subprocess.Popen([sys.executable, "-c", WORKER, url], **pipe) for _ in range(4)]
    for worker in workers:
        worker.stdin.write("go\n")
        worker.stdin.flush()
    seals = [worker.communicate(timeout=50)[0].strip() for worker in workers]
    sealer = Sealer.from_env(url)
    assert all(sealer.verify(seal, **FACTS).ok for seal in seals)
    assert len(list(tmp_path.iterdir())) == 1
