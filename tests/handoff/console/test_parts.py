"""What pages are made of: aligned attempts and why they differ, checks of a typed value, sign-in tokens, sentences."""

from __future__ import annotations

import string
import tomllib
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langgraph.checkpoint.memory import InMemorySaver

from langgraph_readback.fields import languages, section
from langgraph_readback.handoff.console.background import every_from_env
from langgraph_readback.handoff.console.compare import compare, doubts
from langgraph_readback.handoff.console.judge import judge, why
from langgraph_readback.handoff.console.people import People, parse_tokens
from langgraph_readback.handoff.console.trial import Choice, Trials
from langgraph_readback.handoff.console.views import duration
from langgraph_readback.handoff.console.wording import Words, available, best

KEY = "a key of the test suite"
FOLDER = files("langgraph_readback.handoff.console") / "locales"


@pytest.mark.parametrize(
    ("values", "rows", "marks"),
    [
        (["HL-204117", "HL-2O4117"], ["HL-204117", "HL-2O4117"], "    ^    "),
        (
            ["kim.lee@example.com", "kim.leigh@example.com"],
            ["kim.le__e@example.com", "kim.leigh@example.com"],
            "      ^^^",
        ),
        (["Rae", "rae", "Ray"], ["Rae", "rae", "Ray"], "  ^"),
        (["straße", "strasse"], ["stra_ße", "strasse"], "    ^^"),
        (["bob"], ["bob"], ""),
        ([], [], ""),
    ],
)
def test_attempts_side_by_side(values, rows, marks):
    columns = compare(values)
    assert ["".join(one.chars[at] or "_" for one in columns) for at in range(len(values))] == rows
    assert "".join("^" if one.differs else " " for one in columns).rstrip() == marks.rstrip()


@given(st.lists(st.text(max_size=12), max_size=5))
def test_nothing_is_lost_between_the_columns(values):
    columns = compare(values)
    assert ["".join(one.chars[at] for one in columns) for at in range(len(values))] == values


@pytest.mark.parametrize(
    ("values", "locale", "told"),
    [
        (["bob", "dob"], "en-US", [("sounds", ("b", "d"), ("Bravo", "Delta"))]),
        (["HL-5", "HL-9"], "en-GB", [("sounds", ("5", "9"), ("", ""))]),
        (["23", "33"], "de-DE", [("sounds", ("2", "3"), ("", ""))]),
        (["0", "O"], "en-US", [("looks", ("0", "O"), ("0 is zero", "O is the letter"))]),
        (["anna", "inna"], "en-US", []),
    ],
)
def test_why_the_ear_errs(values, locale, told):
    assert [(one.kind, one.chars, one.hints) for one in doubts(compare(values), locale)] == told


@pytest.mark.parametrize("language", languages())
def test_what_sounds_alike_is_said_in_every_locale(language):
    groups = section(language, "readback")["alike"]
    assert groups
    assert all(
        len(set(group)) == len(group) > 1 and set(group) <= set(string.ascii_lowercase + string.digits)
        for group in groups
    )


@pytest.mark.parametrize(
    ("field", "rules", "typed", "value", "said"),
    [
        ("email", {"type": "email"}, "Kim.Lee@Example.com", "kim.lee@example.com", "This fits."),
        ("email", {"type": "email"}, "kim.lee", None, "at sign"),
        ("order", {"type": "id", "pattern": r"HL-\d{6}"}, "hl 204117", "HL-204117", "This fits."),
        ("order", {"type": "id", "pattern": r"HL-\d{6}"}, "HL-20411", None, "too short"),
        ("card", {"type": "id", "pattern": r"\d{8}", "checksum": "luhn"}, "12345678", None, "check digit"),
        ("phone", {}, "312 555 0119", "+13125550119", "This fits."),
        ("shoe", {}, " 42 ", "42", "The conversation will check it."),
        ("shoe", {"type": "size of a shoe"}, "42", "42", "The conversation will check it."),
        ("email", {"type": "email"}, "no idea", None, ""),
    ],
)
def test_a_typed_value_is_checked_as_the_conversation_will(ticket, field, rules, typed, value, said):
    found = judge(ticket(field=field, rules=rules), typed, Words())
    assert found["value"] == value
    assert said in found["said"]


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("attempts", "all attempts failed"),
        ("no_at", "I didn't catch an at sign."),
        ("desk_too_short", "the desk's value did not pass the check: That seems too short"),
        ("of_a_later_version", "of a later version"),
        (None, ""),
        ({"not": "a code"}, ""),
    ],
)
def test_reasons_in_words(code, said):
    assert why(code, "email address", Words()).startswith(said)


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("", {}),
        ("ana:0123456789abcdef", {"ana": "0123456789abcdef"}),
        (" ana : 0123456789abcdef , ben@x:fedcba9876543210,", {"ana": "0123456789abcdef", "ben@x": "fedcba9876543210"}),
    ],
)
def test_tokens(text, people):
    assert parse_tokens(text) == people


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("0123456789abcdef", "must be a list like"),
        ("ana:short", "the token of 'ana' .* is too short"),
        ("ana:0123456789abcdef,ana:fedcba9876543210", "names 'ana' twice"),
        ("a na:0123456789abcdef", "must be a list like"),
    ],
)
def test_tokens_that_cannot_be_right(text, error):
    with pytest.raises(ValueError, match=error) as raised:
        parse_tokens(text)
    assert "0123456789abcdef" not in str(raised.value)


def test_who_holds_a_token():
    people = People(secret=KEY, tokens={"ana": "0123456789abcdef"}, ask={"server-token": "ben", "bad": "b n"}.get)
    assert [people.who(token) for token in ("0123456789abcdef", "server-token", "bad", "", "x")] == [
        "ana",
        "ben",
        None,
        None,
        None,
    ]
    assert people.of_cookie(people.cookie("ben")) == "ben"
    assert people.of_cookie("nonsense") is people.of_cookie(None) is None
    assert "0123456789abcdef" not in repr(people)


@pytest.mark.parametrize(
    ("accept", "language"),
    [
        ("en-GB,en;q=0.9", "en"),
        (None, "en"),
        ("xx", "en"),
        ("*", "en"),
        ("de-AT,en;q=0.5", "de"),
        ("en;q=0.5,de;q=0.9", "de"),
        ("de;q=0.1,en", "en"),
        ("en;q=?,,", "en"),
    ],
)
def test_the_language_a_browser_wants(accept, language):
    assert best(accept) == language


def test_sentences_fall_back_and_never_fail():
    assert Words("xx").language == "en"
    assert Words()("no.such.key") == "no.such.key"
    assert Words()("list.count", n=1) == "1 ticket"
    assert Words()("list.count", n=3) == "3 tickets"


def leaves(table, prefix=""):
    for key, value in table.items():
        if isinstance(value, dict):
            yield from leaves(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", {name for _, name, _, _ in string.Formatter().parse(value) if name}


@pytest.mark.parametrize("language", available())
def test_every_language_has_the_same_keys_and_places(language):
    ours, theirs = (
        dict(leaves(tomllib.loads((FOLDER / f"{one}.toml").read_text("utf-8")))) for one in (language, "en")
    )
    assert ours == theirs


@pytest.mark.parametrize(
    ("seconds", "said"), [(0, "0 s"), (59.9, "59 s"), (60, "1 min"), (7199, "1 h"), (90_000, "1 d"), (-61, "1 min")]
)
def test_lengths_of_time(seconds, said):
    assert duration(seconds, Words()) == said


@pytest.mark.parametrize(
    ("text", "seconds"), [("", 5.0), ("0", 0.0), ("2.5", 2.5), ("-1", None), ("x", None), ("inf", None)]
)
def test_how_often_the_server_looks(monkeypatch, text, seconds):
    monkeypatch.setenv("READBACK_WATCH_SECONDS", text)
    if seconds is None:
        with pytest.raises(ValueError, match="READBACK_WATCH_SECONDS must be"):
            every_from_env()
    else:
        assert every_from_env() == seconds


def test_old_conversations_are_forgotten(queue):
    saver = InMemorySaver()
    trials = Trials(saver=saver, desk=queue, keep=2)
    names = [trials.start(Choice(fields=("email",))) for _ in range(3)]
    assert [name in trials for name in names] == [False, True, True]
    assert not list(saver.list({"configurable": {"thread_id": names[0]}}))


def test_the_desks_answer_reaches_a_conversation_once(queue):
    trials = Trials(saver=InMemorySaver(), desk=queue)
    name = trials.start(Choice(fields=("order_id",)))
    for text in ("HL-1", "HL-2", "HL-3"):
        state = trials.say(name, text)
    [field] = state["fields"]
    assert (field["status"], state["waits"]) == ("HANDOFF", True)
    queue.resolve(field["ticket"], kind="retry", by="ana", advice="Look at your receipt.")
    state = trials.look(name)
    assert [one["text"] for one in state["lines"]][-2:][0] == "Look at your receipt."
    assert trials.look(name)["path"] == []
    assert queue.sleepers() == []
