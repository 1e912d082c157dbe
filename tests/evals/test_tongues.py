import random

import pytest

from langgraph_readback.evals.play import CallResult, FieldResult
from langgraph_readback.evals.speech import Tok
from langgraph_readback.evals.tasks import TYPES, Item
from langgraph_readback.evals.tongues import ear, freeze, page
from langgraph_readback.evals.tongues.caller import Caller
from langgraph_readback.evals.tongues.line import Line
from langgraph_readback.evals.tongues.saying import say, text_of
from langgraph_readback.evals.tongues.tasks import tasks_of
from langgraph_readback.evals.tongues.voices import LANGUAGES, POOLED, Habits, alike, confused, crowded, voice

EVERY = ("en", *LANGUAGES)


def test_what_the_figures_depend_on_is_as_frozen():
    assert freeze.changed() == [], "add a version to evals/tongues/CHANGELOG.md that says why, then freeze"


def test_the_frozen_version_is_the_newest_of_the_changelog():
    assert freeze.frozen()["version"] == freeze.versions()[0]


@pytest.mark.parametrize("language", EVERY)
def test_a_language_has_fifty_eight_calls_in_two_halves(language):
    tasks = tasks_of(language)
    assert len({t.id for t in tasks}) == len(tasks) == 58
    assert sorted({t.type for t in tasks}) == sorted((*TYPES, "two", "three"))
    assert [sum(t.half == h for t in tasks) for h in ("working", "held-out")] == [29, 29]
    assert all(i.locale.split("-")[0] == language for t in tasks for i in t.items)


@pytest.mark.parametrize("language", EVERY)
def test_the_fields_of_a_call_are_of_different_types(language):
    assert all(len({i.type for i in t.items}) == len(t.items) for t in tasks_of(language))


def test_the_benchmark_pools_english_with_five_others():
    assert POOLED == ("en", "es", "pt", "hi", "zh", "ko")


def item(kind, value, locale, **more):
    return Item(type=kind, tier="easy", field=kind, spec=kind, value=value, locale=locale, **more)


@pytest.mark.parametrize(
    ("kind", "value", "locale", "form", "said"),
    [
        ("phone", "+34612408357", "es-ES", "natural", "seis uno dos, cuatro cero, ocho tres, cinco siete"),
        ("phone", "+5511962408357", "pt-BR", "natural", "um um, nove meia dois quatro zero, oito três cinco sete"),
        ("phone", "+8613812408357", "zh-CN", "natural", "幺三八，幺二四零，八三五七"),
        ("phone", "+821012408357", "ko-KR", "natural", "공 일 공, 일 이 사 공, 팔 삼 오 칠"),
        ("date", "1985-03-24", "fr-FR", "natural", "le vingt-quatre mars mille neuf cent quatre-vingt-cinq"),
        ("date", "1985-03-24", "de-DE", "natural", "der vierundzwanzigste März neunzehnhundertfünfundachtzig"),
        ("date", "1985-03-24", "hi-IN", "natural", "चौबीस मार्च उन्नीस सौ पचासी"),
        ("date", "1985-03-24", "zh-CN", "natural", "一九八五年三月二十四号"),
        ("date", "1985-03-24", "ko-KR", "natural", "천구백팔십오년 삼월 이십사일"),
        ("time", "13:06", "es-ES", "natural", "a las una y seis de la tarde"),
        ("name", "Bianchi", "it-IT", "words", "B come Bologna I come Imola A come Ancona N come Napoli C come Como H come Hotel I come Imola"),
        ("medication", "Bisoprolol 2.5 mg", "de-DE", "natural", "bisoprolol, zwei Komma fünf Milligramm"),
    ],
)  # fmt: skip
def test_callers_speak_as_their_country_does(kind, value, locale, form, said):
    language = locale.split("-")[0]
    ways = Habits({}, link=voice(language)["links"][0])
    toks = say(item(kind, value, locale), form, ways, random.Random(1))
    assert text_of(toks, language) == said


def test_french_callers_say_phone_numbers_in_pairs():
    toks = say(item("phone", "+33624082457", "fr-FR"), "natural", Habits({}, pairs=True), random.Random(1))
    assert text_of(toks, "fr") == "zéro six, vingt-quatre, zéro huit, vingt-quatre, cinquante-sept"


def test_a_chinese_name_is_explained_when_it_is_to_be_spelled():
    held = item("name", "张伟", "zh-CN", options={"explained": ("弓长张", "伟大的伟")})
    assert text_of(say(held, "spelled", Habits({}), random.Random(1)), "zh") == "弓长张，伟大的伟"


@pytest.mark.parametrize(
    ("kind", "value", "locale", "text", "verdict"),
    [
        ("name", "Laura Sánchez", "es-ES", "Tengo Laura, L, A, U, R, A, Sánchez, S de Sevilla, A con acento, N, C, H, E, Z. ¿Es correcto?", "right"),
        ("name", "Laura Sánchez", "es-ES", "Tengo Laura, L, A, U, R, A, Sánches, S de Sevilla, A con acento, N, C, H, E, S. ¿Es correcto?", "wrong"),
        ("name", "Laura Sánchez", "es-ES", "Tengo Laura. ¿Es correcto?", "wrong"),
        ("name", "Laura Sánchez", "es-ES", "¿Es correcto?", "absent"),
        ("phone", "+34612408357", "es-ES", "Tengo seis uno dos, cuatro cero, ocho tres, cinco siete. ¿Es correcto?", "right"),
        ("phone", "+34612408357", "es-ES", "Tengo seis uno dos, cuatro cero, ocho tres, cinco. ¿Es correcto?", "wrong"),
        ("date", "2026-12-18", "es-ES", "viernes 18, uno ocho, de diciembre de 2026", "right"),
        ("date", "2026-12-18", "es-ES", "viernes 18, uno ocho, de noviembre de 2026", "wrong"),
        ("date", "2026-12-18", "ko-KR", "2026년 12월 18일 금요일입니다.", "right"),
        ("time", "13:06", "zh-CN", "我记的是下午1点6分，对吗？", "right"),
        ("time", "13:06", "zh-CN", "我记的是早上1点6分，对吗？", "wrong"),
        ("time", "17:00", "de-DE", "17:00 Uhr", "right"),
        ("email", "laura@gmail.com", "it-IT", "Ho scritto L, A, U, R, A, chiocciola, gmail, punto, com. È giusto?", "right"),
        ("email", "laura@gmail.com", "it-IT", "Ho scritto L, A, U, R, A, trattino, chiocciola, gmail, punto, com. È giusto?", "wrong"),
        ("name", "Möllerhoff", "de-DE", "Ich habe M, Ö, L, L, E wie Emil, R, H, O, F, F. Stimmt das?", "right"),
        ("address", "Hauptstraße 14, 50667 Köln", "de-DE", "Hauptstraße eins vier, Postleitzahl, fünf, null, sechs, sechs, sieben, Köln", "right"),
        ("name", "राहुल शर्मा", "hi-IN", "मैंने लिखा है राहुल, शर्मा। क्या यह सही है?", "right"),
        ("name", "राहुल शर्मा", "hi-IN", "मैंने लिखा है राहुल, वर्मा। क्या यह सही है?", "wrong"),
        ("name", "김민준", "ko-KR", "제가 적은 것은 김민준입니다. 맞나요?", "right"),
        ("name", "김민준", "ko-KR", "제가 적은 것은 김민중입니다. 맞나요?", "wrong"),
        ("name", "张伟", "zh-CN", "我记的是章伟，对吗？", "right"),
        ("name", "张伟", "zh-CN", "我记的是章薇娜，对吗？", "wrong"),
        ("medication", "Bisoprolol 2.5 mg", "pt-BR", "Bisoprolol, dois vírgula cinco miligramas", "right"),
        ("medication", "Bisoprolol 2.5 mg", "pt-BR", "Bisoprolol, dois cinco miligramas", "wrong"),
    ],
)  # fmt: skip
def test_the_ear_tells_the_callers_value_from_another(kind, value, locale, text, verdict):
    assert ear.judge(text, item(kind, value, locale)).verdict == verdict


def test_what_only_looks_different_is_wrong_where_it_is_seen():
    assert ear.judge("我记的是章伟，对吗？", item("name", "张伟", "zh-CN"), seen=True).verdict == "wrong"


@pytest.mark.parametrize(
    ("text", "heard"), [("V, uno, L, L. ¿Y luego?", True), ("V, L, L. ¿Y luego?", False), ("Siga.", False)]
)
def test_an_echo_says_the_group_or_it_does_not(text, heard):
    group = [
        Tok("letter", "V", "v", 0),
        Tok("digit", "uno", "1", 1),
        Tok("letter", "L", "l", 2),
        Tok("letter", "L", "l", 3),
    ]
    assert ear.echoes(text, group, item("email", "v1ll@gmail.com", "es-ES")) is heard


@pytest.mark.parametrize(
    ("language", "symbol", "often"),
    [("es", "b", "p"), ("de", "n", "m"), ("it", "d", "t"), ("zh", "1", "7"), ("de", "2", "3")],
)
def test_confusions_follow_from_how_letters_and_digits_sound(language, symbol, often):
    rng = random.Random(5)
    drawn = [confused(rng, language, symbol, mixed=False) for _ in range(400)]
    assert drawn.count(often) >= 400 / len(set(drawn))


def test_crowded_letters_are_those_with_many_neighbours():
    assert "b" in crowded("es")
    assert "w" not in crowded("es")


@pytest.mark.parametrize(
    ("language", "one", "two", "same"),
    [("es", "vaca", "baca", True), ("ko", "채", "체", True), ("zh", "张", "章", True), ("de", "maier", "meyer", True), ("it", "casa", "cassa", True), ("es", "pata", "bata", False)],
)  # fmt: skip
def test_homophones_have_one_key(language, one, two, same):
    assert (alike(one, language) == alike(two, language)) is same


def test_a_line_that_is_off_changes_nothing():
    held = next(t for t in tasks_of("es") if t.type == "email")
    toks = say(held.items[0], "natural", Habits({}), random.Random(1))
    hearing = Line(held.id, "noise", 1, scale=0.0).hear(held.items[0], toks)
    assert (hearing.exact, hearing.nbest) == (True, (hearing.text,))


@pytest.mark.parametrize("language", LANGUAGES)
def test_callers_answer_whatever_they_are_asked(language):
    for task in tasks_of(language)[:40:7]:
        caller, line = Caller(task, "noise", 3), Line(task.id, "noise", 3)
        marks = {"field": task.items[0].field}
        for act, form in (
            ("ask", "natural"),
            ("ask", "spelled"),
            ("readback", "spelled"),
            ("ask", "groups"),
            ("echo", "groups"),
        ):
            said = caller.answer([line_of(act, form, marks)])
            assert said.text or line.hear(task.items[0], said.toks).nbest


def line_of(act, form, marks):
    from langgraph_readback.evals.intent import Line as Said

    return Said("zzz 4", {**marks, "act": act, "form": form})


def result(task, condition, *, passed):
    field = FieldResult("name", "name", "easy", "CONFIRMED", passed, first=False, arrived=True)
    return CallResult(task, "tongues", "name", "working", "loop-format", condition, 1, (field,), 10.0, 2, "done")


def test_pass3_is_by_language_and_pooled():
    rows = [result(f"{c}-name-easy-0", v, passed=c != "ko") for c in POOLED for v in ("regular", "noise", "speech")]
    arm = page.figures(rows)["loop-format"]
    assert [arm["languages"][c]["pass3"]["value"] for c in ("es", "ko")] == [1.0, 0.0]
    assert round(arm["pooled"]["six"]["pass3"]["value"], 3) == 0.833
    assert page.from_rows(page.to_rows(rows)) == rows


def test_the_six_are_pooled_only_when_all_are_there():
    rows = [result("es-name-easy-0", v, passed=True) for v in ("regular", "noise", "speech")]
    assert list(page.figures(rows)["loop-format"]["pooled"]) == ["all"]
    assert "needs all six" in page.markdown(page.report(rows, half="working", seeds=1, channel="voice"))


def test_an_unknown_language_is_told():
    with pytest.raises(ValueError, match="choose from en"):
        voice("xx")
