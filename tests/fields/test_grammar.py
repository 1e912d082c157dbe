"""The phrase grammars: what a rule may be, and that every locale's rules name things that exist."""

from __future__ import annotations

import pytest

from langgraph_readback.fields.hearing.grammar import Parser, compiled
from langgraph_readback.fields.hearing.lexer import lex
from langgraph_readback.fields.hearing.terminals import NUMERALS
from langgraph_readback.fields.locales import languages, section

WRITTEN = [tag for tag in languages() if section(tag, "quantities")]


def matches(rules: dict[str, list[str]], said: str) -> list[tuple[int, dict[str, object]]]:
    tokens = lex(said, "en-US", "voice", "quantities").tokens
    parser = Parser(compiled(rules, NUMERALS), tokens, NUMERALS, {})
    return sorted(((m.end, m.slots) for m in parser.match("top", 0)), key=str)


def test_slots_choices_options_and_what_is_kept() -> None:
    rules = {
        "top": ["past=mins past hour=hour : half=1", "half? hour=hour oclock|hours"],
        "mins": ["quarter : value=15"],
    }
    assert matches(rules, "quarter past three") == [(3, {"past": 15, "hour": 3, "half": 1})]
    assert matches(rules, "half three hours") == [(3, {"hour": 3})]


def test_the_same_slot_twice_must_say_the_same() -> None:
    assert matches({"top": ["hour=hour and hour=hour"]}, "three and four") == []


def test_a_rule_that_starts_with_itself_matches_nothing() -> None:
    assert matches({"top": ["top hour=hour"]}, "three") == []


@pytest.mark.parametrize("lines", [{"top": ["past?"]}, {"top": [""]}, {"day": ["past"]}])
def test_rules_that_cannot_be(lines: dict[str, list[str]]) -> None:
    with pytest.raises(ValueError, match="rule"):
        compiled(lines, NUMERALS)


@pytest.mark.parametrize("tag", WRITTEN)
def test_every_step_of_a_locale_is_a_rule_a_numeral_or_a_term(tag: str) -> None:
    data = section(tag, "quantities")
    known = {*data["rules"], *NUMERALS, *data["terms"]}
    for name, lines in data["rules"].items():
        for line in lines:
            for step in line.partition(" : ")[0].split():
                for symbol in step.rpartition("=")[2].removesuffix("?").split("|"):
                    assert symbol in known, f"{tag}: rule {name!r} names {symbol!r}"


@pytest.mark.parametrize("tag", WRITTEN)
def test_every_locale_has_the_roots_and_its_words(tag: str) -> None:
    data = section(tag, "quantities")
    assert {"dates", "times", "amounts", "datebeside", "time"} <= data["rules"].keys()
    assert {"date", "dob", "time", "halves", "point", "weekdays", "months"} <= data["say"].keys()
    assert len(data["say"]["weekdays"]) == 7
    assert len(data["say"]["months"]) == 12
