"""What is kept at rest opens with the keys of the environment only, and says what to do otherwise."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from langgraph_readback.cipher import Cipher
from langgraph_readback.errors import EncryptionKeyError
from langgraph_readback.sql import Encrypted, engine

OLD, NEW, OTHER = "an old key of the suite", "a new key of the suite", "somebody else's key"
CLEAR = "kim.lee@example.com"
TABLE = sa.Table(
    "t",
    sa.MetaData(),
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("text", Encrypted("t.text")),
    sa.Column("data", Encrypted("t.data", json=True)),
)


@pytest.mark.parametrize("text", ["", CLEAR, "Zoë 张伟", "rb1:x", "rb0:x", "\x00", '{"a": 1}'])
@pytest.mark.parametrize("keys", [[], [NEW]])
def test_text_comes_back(text, keys):
    cipher = Cipher(keys)
    stored = cipher.encrypt_text(text, "p")
    assert cipher.decrypt_text(stored, "p") == text
    assert not keys or stored.startswith("rb1:")


def test_the_first_key_writes_and_all_read():
    old = Cipher([OLD]).encrypt(b"x", "p")
    rotated = Cipher([NEW, OLD])
    assert rotated.decrypt(old, "p") == b"x"
    assert Cipher([NEW]).decrypt(rotated.encrypt(b"y", "p"), "p") == b"y"


def test_no_two_texts_look_alike():
    cipher = Cipher([NEW])
    assert cipher.encrypt(b"x", "p") != cipher.encrypt(b"x", "p")


@pytest.mark.parametrize(
    ("keys", "says"),
    [([], "no key is set: set READBACK_ENCRYPTION_KEYS"), ([OTHER, NEW], "Add that key after the first one")],
)
def test_without_its_key_it_says_what_to_do(keys, says):
    stored = Cipher([OLD]).encrypt_text(CLEAR, "p")
    with pytest.raises(EncryptionKeyError, match=says) as caught:
        Cipher(keys).decrypt_text(stored, "p")
    assert CLEAR not in str(caught.value)
    assert not {OLD, NEW, OTHER} & set(str(caught.value).split())


@pytest.mark.parametrize("change", [lambda d: d[:-1], lambda d: d[:30] + b"\x00" + d[31:], lambda d: d[:6]])
def test_what_was_changed_does_not_open(change):
    cipher = Cipher([NEW])
    with pytest.raises(EncryptionKeyError, match="changed after it was encrypted"):
        cipher.decrypt(change(cipher.encrypt(CLEAR.encode(), "p")), "p")


def test_a_text_opens_for_its_purpose_only():
    cipher = Cipher([NEW])
    with pytest.raises(EncryptionKeyError, match="belongs somewhere else"):
        cipher.decrypt_text(cipher.encrypt_text(CLEAR, "tickets.content"), "answers.value")


def test_a_short_key_is_refused():
    with pytest.raises(EncryptionKeyError, match="key number 2 of READBACK_ENCRYPTION_KEYS is too short"):
        Cipher([NEW, "short"])


def test_a_column_is_read_and_written_as_if_it_were_plain(tmp_path, monkeypatch):
    """Rows of before the key, of the key, and of the next key are all read; without keys the error says what to do."""
    url = f"sqlite:///{tmp_path}/x.db"
    made = engine(url)
    TABLE.metadata.create_all(made)
    rows = [(CLEAR, {"value": CLEAR, "n": [1, None]}), (None, None), ("x", "a text")]
    for keys, (text, data) in zip(("", OLD, f"{NEW},{OLD}"), rows, strict=True):
        monkeypatch.setenv("READBACK_ENCRYPTION_KEYS", keys)
        with made.begin() as db:
            db.execute(sa.insert(TABLE).values(text=text, data=data))
    with made.begin() as db:
        assert [tuple(row)[1:] for row in db.execute(sa.select(TABLE).order_by(TABLE.c.id))] == rows
        stored = db.exec_driver_sql("SELECT text, data FROM t ORDER BY id").fetchall()
    assert stored[1] == (None, None)
    assert all(value.startswith("rb1:") for value in stored[2])
    monkeypatch.setenv("READBACK_ENCRYPTION_KEYS", "")
    with pytest.raises(EncryptionKeyError, match="no key is set"), made.begin() as db:
        db.execute(sa.select(TABLE)).all()
    made.dispose()


def test_an_error_of_the_database_does_not_quote_the_value():
    made = engine("memory:")
    with pytest.raises(sa.exc.SQLAlchemyError) as caught, made.begin() as db:
        db.execute(sa.insert(TABLE).values(text=CLEAR))
    assert CLEAR not in str(caught.value)
    made.dispose()
