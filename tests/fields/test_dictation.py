"""Grouped dictation: what a group is echoed as, when it is the whole value, what an answer to an echo is."""

from __future__ import annotations

from datetime import date

import pytest

from langgraph_readback.fields import FieldSpec
from langgraph_readback.fields.dictation import Answer, after_echo, complete, dictated, group, worded
from langgraph_readback.fields.spec import Ask

ASK = Ask(locale="en-US", today=date(2026, 11, 30))
ORDER = FieldSpec(name="order", pattern=r"[A-Z0-9]{8}")


def spec(kind):
    return ORDER if kind == "order" else FieldSpec(name=kind)


@pytest.mark.parametrize(
    ("kind", "said", "echo"),
    [
        ("name", "juliet alpha mike echo", "J, A, M, E"),
        ("name", "delta", "D"),
        ("name", "t for tommy h for harry u for umbrella", "T, H, U"),
        ("name", "b bravo e echo", "B, E"),
        ("name", "space whiskey india", "space, W, I"),
        ("email", "hotel underscore oscar delta", "H, underscore, O, D"),
        ("email", "at gmail dot com", "at, gmail, dot, com"),
        ("email", "n, no sorry, m i k", "M, I, K"),
        ("order", "q for queen v for victor b for boy four", "Q, V, B, four"),
        ("order", "40", "four, zero"),
        ("address", "two zero eight juliet", "two, zero, eight, J"),
        ("address", "echo romeo lane", "E, R, lane"),
        ("medication", "two hundred milligrams", "two hundred, milligrams"),
        ("company", "and echo yankee", "and, E, Y"),
        ("date", "the twenty second of January.", "the twenty second of January"),
        ("phone", "four one five", "four one five"),
    ],
)
def test_a_group_is_echoed_as_it_was_heard(kind, said, echo):
    found = group(spec(kind), said, ASK, first=False)
    assert found is not None
    assert found.said == echo


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("email", "mumble mumble"),
        ("email", "uh the usual one"),
        ("email", "i already told you"),
        ("order", "the usual"),
        ("medication", "the little white ones you know"),
        ("medication", "sertraline, fifteen or fifty, i can't read it"),
        ("name", "b as in victor"),
    ],
)
def test_talk_is_no_group(kind, said):
    assert group(spec(kind), said, ASK, first=True) is None


@pytest.mark.parametrize(
    ("kind", "said", "whole"),
    [
        ("email", "k i m dot l e e at example dot com", True),
        ("order", "q v b four seven x e eight", True),
        ("order", "q for queen v for victor b for boy four", False),
        ("name", "s i o b h a n", True),
        ("name", "siobhan murphy", True),
        ("name", "tango hotel uniform yankee", False),
        ("company", "space group", False),
        ("date", "December fourteenth twenty twenty six", True),
    ],
)
def test_a_value_said_in_one_go_is_not_echoed(kind, said, whole):
    found = group(spec(kind), said, ASK, first=True)
    assert found is not None
    assert found.whole is whole


@pytest.mark.parametrize(
    ("kind", "locale", "groups", "value"),
    [
        ("name", "en-US", ["juliet alpha mike echo", "sierra", "space whiskey india lima", "sierra oscar november"],
         "James Wilson"),
        ("name", "en-US", ["x-ray india oscar mike", "alpha romeo alpha"], "Xiomara"),
        ("email", "en-US", ["november india alpha mike", "hotel underscore oscar delta", "at example dot com"],
         "niamh_od@example.com"),
        ("order", "en-US", ["quebec victor bravo four", "seven x-ray echo eight"], "QVB47XE8"),
        ("property", "en-US", ["the lima alpha romeo", "kilo", "space inn"], "The Lark Inn"),
        ("company", "en-US", ["quebec uniform oscar romeo", "victor", "and echo yankee romeo", "echo"],
         "Quorv and Eyre"),
        ("medication", "en-US", ["india bravo uniform papa", "romeo oscar foxtrot echo", "november",
                                 "two hundred milligrams"], "Ibuprofen 200 mg"),
        ("phone", "en-US", ["four one five", "five five five", "zero one three two"], "+14155550132"),
        ("date", "en-US", ["December fourteenth", "twenty twenty seven"], "2027-12-14"),
    ],
)  # fmt: skip
def test_groups_make_one_value(kind, locale, groups, value):
    assert dictated(spec(kind), groups, Ask(locale=locale, today=date(2026, 11, 30))).value == value


@pytest.mark.parametrize(
    ("groups", "value"),
    [
        (["one four whiskey alpha", "tango tango lima echo", "street", "foxtrot india tango zulu", "romeo oscar yankee",
          "three zero six five"], "14 Wattle Street Fitzroy 3065"),
        (["one two alpha", "space golf oscar oscar", "november alpha court", "mike oscar echo", "3 8 2 5"],
         "12A Goona court Moe 3825"),
    ],
)  # fmt: skip
def test_an_address_in_groups(groups, value):
    heard = dictated(spec("address"), groups, Ask(locale="en-AU")).value
    assert heard is not None
    assert heard.replace(",", "").casefold() == value.casefold()


@pytest.mark.parametrize(
    ("locale", "groups", "value"),
    [
        ("es-ES", ["Calle M de Madrid A de Antonio Y de Yegua", "O de Oviedo R de Ramón uno cuatro", "dos ocho cero uno",
                   "tres", "M de Madrid A de Antonio D de Dolores R de Ramón", "I de Inés D de Dolores"],
         "Calle Mayor 14, 28013 Madrid"),
        ("it-IT", ["via R come Roma O come Otranto M come Milano", "A come Ancona 14", "2012", "1",
                   "M come Milano I come Imola L come Livorno A come Ancona", "N come Napoli O come Otranto"],
         "Via Roma 14, 20121 Milano"),
        ("es-MX", ["calle X de Xilófono O de Oviedo L de Lorenzo", "A de Antonio dos uno cinco", "cero tres uno cero", "cero",
                   "C de Carmen I de Inés U de Ulises D de Dolores", "A de Antonio D de Dolores de M de Madrid",
                   "E de España X de Xilófono I de Inés C de Carmen", "O de Oviedo"],
         "Calle Xola 215, 03100 Ciudad de Mexico"),
        ("pt-PT", ["Rua da B de Bola E de Escola", "M de Maria P de Pato O de Ovo S de Sapo",
                   "T de Tatu I de Igreja N de Navio H de Hotel", "A de Amor dois cinco", "um um cinco zero",
                   "hífen zero seis cinco", "L de Lua I de Igreja S de Sapo B de Bola", "O de Ovo A de Amor"],
         "Rua da Bempostinha 25, 1150-065 Lisboa"),
    ],
)  # fmt: skip
def test_a_postcode_before_the_town_is_no_house_number(locale, groups, value):
    assert dictated(spec("address"), groups, Ask(locale=locale)).value == value


@pytest.mark.parametrize(
    ("locale", "kind", "groups", "value"),
    [
        ("es-ES", "property", ["hotel M de Madrid I de Inés R de Ramón", "A de Antonio M de Madrid A de Antonio R de Ramón"],
         "Hotel Miramar"),
        ("pt-BR", "name", ["L de Lua A de Amor U de Uva R de Rato", "A de Amor", "S de Sapo A de Amor N de Navio T de Tatu",
                           "O de Ovo S de Sapo"], "Laura Santos"),
        ("en-US", "name", ["l a u r", "a", "s a n t", "o s"], "Laura Santos"),
        ("en-US", "name", ["l a", "u r", "a"], "Laura"),  # pairs throughout: no word ends
    ],
)  # fmt: skip
def test_where_words_end(locale, kind, groups, value):
    assert dictated(spec(kind), groups, Ask(locale=locale)).value == value


def test_a_letter_that_is_a_word_of_talk_is_a_letter_before_its_word():
    assert after_echo("não, A de Amor R de Rato", Ask(locale="pt-BR")) == Answer("again", "A de Amor R de Rato")


def test_a_code_in_a_british_address_is_a_code():
    groups = ["two five papa alpha", "romeo kilo road", "lima echo echo delta", "sierra", "lima sierra six three",
              "quebec papa"]  # fmt: skip
    heard = dictated(spec("address"), groups, Ask(locale="en-GB")).value
    assert heard is not None
    assert heard.replace(",", "") == "25 Park Road Leeds LS6 3QP"


@pytest.mark.parametrize(
    ("locale", "groups", "done"),
    [
        ("en-AU", ["one four whiskey alpha", "tango tango street", "moe", "three eight two five"], True),
        ("en-AU", ["level three", "two zero zero zero"], False),  # "George Street, Sydney" may follow
        ("en-GB", ["rose cottage", "kendal", "lima alpha nine", "four alpha bravo"], True),
        ("de-DE", ["berliner strasse eins", "eins null eins eins fünf"], False),  # the town follows
    ],
)
def test_an_address_ends_with_its_postcode(locale, groups, done):
    assert (complete(spec("address"), groups, Ask(locale=locale)) is not None) is done


@pytest.mark.parametrize(
    ("groups", "done"),
    [
        (["kilo india mike", "at golf mike x-ray dot com"], True),
        (["k as in kilo i as in india", "m for mike"], True),
        (["kilo mike", "street", "two five"], True),
        (["k i m"], False),
        (["kilo i mike"], False),
        (["sierra b", "november"], False),
        (["one two three"], False),
    ],
)
def test_letters_that_came_with_spelling_words(groups, done):
    assert worded(groups, ASK) is done


@pytest.mark.parametrize(
    ("kind", "groups", "done"),
    [
        ("order", ["quebec victor bravo four", "seven x-ray echo eight"], True),
        ("order", ["quebec victor bravo four"], False),
        ("email", ["kilo dot lima", "at gmail dot com"], True),
        ("email", ["kilo dot lima", "at yahoo dot com"], False),
        ("name", ["juliet alpha mike echo"], False),
    ],
)
def test_only_a_value_that_cannot_grow_is_complete(kind, groups, done):
    assert (complete(spec(kind), groups, ASK) is not None) is done


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("that's it", Answer("done")),
        ("that's all", Answer("done")),
        ("yes", Answer("done")),
        ("no", Answer("again")),
        ("no, november golf", Answer("again", "november golf")),
        ("yes, november golf", Answer("group", "november golf")),
        ("november golf", Answer("group", "november golf")),
        ("no, space b y n", Answer("again", "space b y n")),
        ("no, dot suites", Answer("again", "dot suites")),
        ("no, plus tango romeo", Answer("again", "plus tango romeo")),
        ("yes, plus tango romeo", Answer("group", "plus tango romeo")),
        ("no space", Answer("again", "")),
        ("n as in november t as in tango", Answer("group", "n as in november t as in tango")),
        ("no, and then b c", Answer("again", "b c")),
    ],
)
def test_after_an_echo(said, answer):
    assert after_echo(said, ASK) == answer
