"""Grouped dictation in Hangul, Han and Devanagari: words are taken as they were said, figures go on, talk is cut off."""

from __future__ import annotations

import pytest

from langgraph_readback.fields import catalogue
from langgraph_readback.fields.dictation import Answer, Group, after_echo, dictated, group
from langgraph_readback.fields.spec import Ask


@pytest.mark.parametrize(
    ("locale", "kind", "groups", "value"),
    [
        ("ko-KR", "address", ["서울 강남구 테헤란로 일", "사"], "서울 강남구 테헤란로 14"),
        ("ko-KR", "address", ["대전 유성구 은구비로 일", "이 오"], "대전 유성구 은구비로 125"),
        ("ko-KR", "name", ["남쪽 할 때 남", "궁전 할 때 궁", "혜성 할 때 혜", "린스 할 때 린"], "남궁혜린"),
        ("zh-CN", "address", ["北京市朝阳区建国路八", "八号"], "北京市朝阳区建国路88号"),
        ("zh-CN", "address", ["成都市武侯区", "锦绣街", "一二五号"], "成都市武侯区锦绣街125号"),
        ("hi-IN", "address", ["मकान नंबर एक चार", "गांधी नगर", "जयपुर", "तीन शून्य दो शून्य", "एक पाँच"],
         "मकान नंबर 14 गांधी नगर जयपुर 302015"),
        ("hi-IN", "name", ["आर फॉर रोमियो ए एच यू", "एल"], "Rahul"),
        ("hi-IN", "name", ["राहुल", "शर्मा"], "राहुल शर्मा"),
    ],
)  # fmt: skip
def test_groups_make_one_value(locale, kind, groups, value):
    heard = dictated(catalogue[kind], groups, Ask(locale=locale)).value
    assert heard is not None
    assert heard.replace(", ", " ") == value


@pytest.mark.parametrize(
    ("locale", "kind", "said", "echo"),
    [
        ("ko-KR", "company", "한빛전자", Group("한빛전자", whole=True)),
        ("ko-KR", "company", "제이벡사", Group("제이벡사", whole=True)),  # no J, and no 4
        ("ko-KR", "address", "서울 강남구 테헤란로 일", Group("서울 강남구 테헤란로 일")),  # more digits may come
        ("ko-KR", "id", "보이 할 때 B 칠 빅터 할 때 V", Group("B, 칠, V")),  # "chil" is no part of "Victor"
        ("ko-KR", "id", "에코 할 때 E 로미오 할 때 R", Group("E, R")),
        ("ko-KR", "name", "남쪽 할 때 남", Group("남")),
        ("zh-CN", "name", "章敏，立早章", Group("章敏", whole=True)),
        ("zh-CN", "address", "成都市武侯区", Group("成都市武侯区")),
        ("hi-IN", "address", "जयपुर", Group("जयपुर")),  # a town, though "J as in Jaipur"
        ("hi-IN", "name", "राहुल", Group("राहुल")),  # the family name is to come
        ("hi-IN", "company", "लीमा यूनिफ़ॉर्म माइक ऑस्कर", Group("L, U, M, O")),
    ],
)
def test_a_group_is_echoed_as_it_was_said(locale, kind, said, echo):
    spec = catalogue[kind] if kind != "id" else catalogue["id"].__class__(name="code", pattern="[A-Z0-9]{8}")
    assert group(spec, said, Ask(locale=locale), first=True) == echo


@pytest.mark.parametrize(
    ("locale", "said", "answer"),
    [
        ("zh-CN", "成都市", Answer("group", "成都市")),  # "成" alone is an "okay"
        ("zh-CN", "不对，成都市", Answer("again", "成都市")),
        ("zh-CN", "不对，中国路", Answer("again", "中国路")),
        ("zh-CN", "不对北京市", Answer("again", "北京市")),
        ("zh-CN", "对，八号", Answer("group", "八号")),
        ("zh-CN", "说完了", Answer("done")),
        ("ko-KR", "네, 에코 할 때 E", Answer("group", "에코 할 때 E")),  # "ne e" is a drawn-out yes
        ("ko-KR", "아니요, 에코 할 때 E", Answer("again", "에코 할 때 E")),
        ("ko-KR", "노벰버의 N 칠", Answer("group", "노벰버의 N 칠")),  # no "no"
        ("ko-KR", "이게 다예요", Answer("done")),
        ("hi-IN", "इतना ही है", Answer("done")),
        ("hi-IN", "बस", Answer("done")),
    ],
)
def test_after_an_echo(locale, said, answer):
    assert after_echo(said, Ask(locale=locale)) == answer
