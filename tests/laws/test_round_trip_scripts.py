"""Law 3, Round trip, for values written in Devanagari, Han and Hangul: names, companies, properties, medications, addresses.

Modes covered: Hindi, Chinese (CN, TW) and Korean x first, explicit and worded read-back x text and SSML, and chat. Names are
drawn from syllables that are numbers, letters' names and fillers elsewhere (三, 点, 好, 구, 이, 아) as well as others.
"""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langgraph_readback.fields import FieldSpec, hear, read_back

HAN = "北京蓝天科技三七八一二点好加百年大成新华光明东方安平海城阳山水木林石金玉文德和顺兴隆丰泰康美佳乐宝利通达永恒"
HANGUL = "가나다라마바사하구이삼오고노도로모보소조한빛샛별아름누리산들강물솔숲새벽별하늘바람온유진현민준서윤지호수영은"
DEVANAGARI = (
    "राज",
    "शान्ति",
    "सूर्य",
    "कमल",
    "गंगा",
    "नीलम",
    "भारत",
    "विजय",
    "आनन्द",
    "हरि",
    "मधुर",
    "चन्द्र",
    "प्रकाश",
    "उज्ज्वल",
)


def _joined(alphabet: str, low: int, high: int) -> st.SearchStrategy[str]:
    return st.text(alphabet, min_size=low, max_size=high).filter(lambda w: len(set(w)) == len(w))


WORD = {
    "hi-IN": st.sampled_from(DEVANAGARI),
    "zh-CN": _joined(HAN, 2, 4),
    "zh-TW": _joined(HAN, 2, 4),
    "ko-KR": _joined(HANGUL, 2, 4),
}
COMPANY = {"hi-IN": " उद्योग", "zh-CN": "有限公司", "zh-TW": "股份有限公司", "ko-KR": "상사"}
HOTEL = {"hi-IN": " पैलेस", "zh-CN": "酒店", "zh-TW": "飯店", "ko-KR": " 호텔"}
DRUG = {
    "hi-IN": ("मेटफॉर्मिन", "पैरासिटामोल", "एमोक्सिसिलिन"),
    "zh-CN": ("阿莫西林", "布洛芬", "克拉霉素", "三七总苷"),
    "zh-TW": ("阿莫西林", "布洛芬"),
    "ko-KR": ("타이레놀", "메트포르민", "이부프로펜", "아스피린"),
}
STRENGTH = st.builds(
    lambda n, u: f"{n} {u}",
    st.sampled_from(["5", "10", "12.5", "0.125", "250", "500", "1000"]),
    st.sampled_from(["mg", "mcg", "g", "units", "mg/5 mL", "units/mL"]),
)
STREET = {
    "hi-IN": lambda w, n, m, c: f"मकान नंबर {n}, {w} मार्ग, {w} नगर, नई दिल्ली {c}",
    "zh-CN": lambda w, n, m, c: f"上海市{w}区{w}路{n}号{m}室 {c}",
    "zh-TW": lambda w, n, m, c: f"台北市{w}區{w}路二段{n}號{m}樓",
    "ko-KR": lambda w, n, m, c: f"서울시 {w}구 {w}로 {n} {m}호 {c}",
}
CODE = {"hi-IN": r"[1-9]\d{5}", "zh-CN": r"\d{6}", "zh-TW": r"\d{3}", "ko-KR": r"0[1-9]\d{3}"}


def _address(locale: str) -> st.SearchStrategy[str]:
    code = st.from_regex(CODE[locale], fullmatch=True, alphabet="0123456789")
    return st.builds(STREET[locale], WORD[locale], st.integers(1, 999), st.integers(2, 99), code)


VALUES = {
    "name": WORD,
    "company": {k: w.map(lambda v, k=k: v + COMPANY[k]) for k, w in WORD.items()},
    "property": {k: w.map(lambda v, k=k: v + HOTEL[k]) for k, w in WORD.items()},
    "medication": {
        k: st.builds(lambda d, s: f"{d} {s}", st.sampled_from(names), STRENGTH) for k, names in DRUG.items()
    },
    "address": {k: _address(k) for k in WORD},
}


def _heard(spec: FieldSpec, text: str, locale: str, channel: str) -> str:
    reading = hear(spec, text, locale=locale, channel=channel)
    return reading.value or f"({reading.reason.code if reading.reason else None})"


@pytest.mark.parametrize("locale", WORD)
@pytest.mark.parametrize("field", VALUES)
def test_hear_what_is_spoken_and_what_is_typed(field: str, locale: str) -> None:
    """``hear(speak(v)) == v``, ``hear(note(v)) == v`` and ``hear(v) == v``."""
    spec = FieldSpec(name=field)

    @settings(max_examples=40)
    @given(VALUES[field][locale])
    def law(value: str) -> None:
        for how in ({}, {"explicit": True}, {"worded": True}):
            spoken = read_back(spec, value, locale=locale, **how)
            assert _heard(spec, spoken.text, locale, "voice") == value, spoken.text
            plain = re.sub(r"<[^>]+>", "", re.sub(r"<break[^>]*/>", ", ", spoken.ssml))
            assert _heard(spec, plain, locale, "voice") == value, plain
        assert _heard(spec, value, locale, "chat") == value
        shown = read_back(spec, value, locale=locale, channel="chat").text
        assert _heard(spec, shown, locale, "chat") == value, shown

    law()
