"""Telephone numbers in E.164, an extension kept as ``;ext=`` (RFC 3966).

Numbering plans by phonenumbers (Google's libphonenumber): https://github.com/daviddrysdale/python-phonenumbers

>>> from langgraph_readback.fields import catalogue, hear
>>> hear(catalogue["phone"], "one eight hundred five five five oh one double nine").value
'+18005550199'
>>> hear(catalogue["phone"], "oh seven four double oh one two three four five", locale="en-GB").reason.code
'too_short'
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import phonenumbers
import regex
from phonenumbers import PhoneNumber, PhoneNumberFormat, ValidationResult

from langgraph_readback.fields.hearing import pattern
from langgraph_readback.fields.hearing.lexer import Utterance, lex
from langgraph_readback.fields.hearing.tokens import Kind, Token
from langgraph_readback.fields.readback import Chunk, voice_words
from langgraph_readback.fields.spec import Ask, FieldSpec
from langgraph_readback.fields.types.common import failed, incomplete, nothing
from langgraph_readback.outcome import Reading, Reason, Span, Verdict

ASKS = ("natural", "keypad", "groups")
DIGITS = pattern.shape(r"\+?\d{1,20}")
EXTENSION = pattern.shape(r"\d{1,11}")
TYPED = regex.compile(r"\+?\(?\d[\d\s().\-/]{4,24}\d")
MOST, LEAST = 20, 4
"""Digits that may be a number."""
LONG = 12
"""Digits that one word may write, with what stands beside it ("triple", "million")."""
COUNTED = frozenset({Kind.DIGIT, Kind.NUMBER, Kind.SCALE, Kind.REPEAT})
WRITING = COUNTED | {Kind.LITERAL}
SURE = frozenset({Kind.DIGIT, Kind.NUMBER, Kind.LITERAL, Kind.LETTER, Kind.TERM})
"""Kinds of a token that writes its digits and may be passed over in no other way."""
CHANGES = frozenset({Kind.REPAIR, Kind.RESTART, Kind.NOT, Kind.CLASSIFIER, Kind.OF, Kind.HINT})
"""Kinds that may take digits back, or say what they are."""
BENT = 2
"""How much dearer than the plain reading of a short number a whole one may be: "six hundred twelve" is not 600 12."""
TALK = 3
"""Words without digits that make a lone digit word a word of talk."""
SHORT = (ValidationResult.TOO_SHORT, ValidationResult.IS_POSSIBLE_LOCAL_ONLY)
MARKS = " =:.#-"
"""What may stand between "ext" and its digits."""
DEFAULT_REGION = {
    "en": "US",
    "de": "DE",
    "es": "ES",
    "pt": "PT",
    "hi": "IN",
    "zh": "CN",
    "ko": "KR",
    "fr": "FR",
    "it": "IT",
}


def hear(utterance: Utterance, spec: FieldSpec, ask: Ask) -> Reading:
    """The cheapest reading that is a number of the plan; an extension is read by itself."""
    if any(Kind.UNSURE in t.kinds for t in utterance.tokens):
        return failed("unsure")
    if (two := _two_typed(utterance, ask)) is not None:
        return two
    main, extension = _split(utterance, ask)
    number = _number(main, ask)
    if not number.ok and (again := _said_again(main, ask)) is not None:
        number = again
    if number.value is None or extension is None:
        return number
    found = pattern.read(extension, EXTENSION)
    if not found.values:
        return failed("extension_unclear")
    return Reading(value=f"{number.value};ext={found.values[0].text}", evidence=number.evidence)


def _region(ask: Ask) -> str:
    return ask.where or DEFAULT_REGION.get(ask.locale[:2], "US")


def _two_typed(utterance: Utterance, ask: Ask) -> Reading | None:
    """Two different typed numbers in one message."""
    values = []
    for match in TYPED.finditer(utterance.text):
        number = _parse(match.group(), ask)
        if number is not None and phonenumbers.is_valid_number(number):
            values.append(_canonical(number))
    distinct = tuple(dict.fromkeys(values))
    return failed("two_values", candidates=distinct) if len(distinct) > 1 else None


def _split(utterance: Utterance, ask: Ask) -> tuple[Utterance, Utterance | None]:
    """The number and, when one was announced and not denied, its extension."""
    for i, token in enumerate(utterance.tokens):
        term = token.get(Kind.TERM)
        if term is None or term.out != "extension" or i == 0:
            continue
        main = utterance.text[: token.start]
        if Kind.NOT in utterance.tokens[i - 1].kinds:
            main = utterance.text[: utterance.tokens[i - 1].start]
            return lex(main, ask.locale, ask.channel), None
        return lex(main, ask.locale, ask.channel), lex(
            utterance.text[token.end :].lstrip(MARKS), ask.locale, ask.channel
        )
    return utterance, None


def _said_again(utterance: Utterance, ask: Ask) -> Reading | None:
    """A number said twice, or said with a part of it ("ends in 6788, that's ..."): what was said must agree."""
    tokens = utterance.tokens
    counts = [_digits(token) for token in tokens]
    plain = [_plain(tokens, i) for i in range(len(tokens))]
    for i in range(1, len(tokens)):
        spelled = Kind.SPELLED in tokens[i].kinds
        if not (tokens[i].pause or spelled):
            continue
        ends = (counts[:i], counts[i + spelled :])
        if not all(sum(least for least, _ in end) <= MOST and sum(most for _, most in end) for end in ends):
            continue
        first, second = plain[:i], plain[i + spelled :]
        if None not in first and None not in second and not _agree("".join(first), "".join(second)):  # type: ignore[arg-type]
            continue
        halves = (utterance.of(tokens[:i]), _from(utterance, i + spelled))
        for (whole, part), end, digits in zip((halves, halves[::-1]), ends, (first, second), strict=True):
            enough = sum(most for _, most in end) >= LEAST and _may_be(whole, digits, ask)
            number = _number(whole, ask) if enough else nothing()
            if number.ok and any(p.text in str(number.value) for p in _paths(part).values[:1]):
                return number
            if number.ok and number.value == _number(part, ask).value:
                return number
    return None


def _plain(tokens: Sequence[Token], i: int) -> str | None:
    """The digits a token writes whatever stands beside it ("triple" two of three); None when that depends."""
    token = tokens[i]
    if token.kinds.isdisjoint(WRITING):
        return ""
    if (written := token.get(Kind.LITERAL)) is not None:
        return written.out
    if (digit := token.get(Kind.DIGIT)) is not None:
        return digit.out if not digit.cost and Kind.SCALE not in token.kinds else None
    repeat = token.get(Kind.REPEAT)
    following = _plain(tokens, i + 1) if repeat is not None and i + 1 < len(tokens) else None
    return following * (repeat.number - 1) if repeat is not None and following and len(following) == 1 else None


def _may_be(utterance: Utterance, digits: Sequence[str | None], ask: Ask) -> bool:
    """Whether the digits that tokens write may be a number; False is sure, since they can be read in no other way."""
    kinds = [t.kinds for t in utterance.tokens]
    sure = all(k.isdisjoint(CHANGES) and (k.isdisjoint(WRITING) or k <= SURE) for k in kinds)
    if not (utterance.voice and sure) or None in digits:
        return True
    numbers = [_parse(plus + "".join(map(str, digits)), ask) for plus in ("", "+")]
    return any(number is not None and phonenumbers.is_valid_number(number) for number in numbers)


def _agree(first: str, second: str) -> bool:
    """Whether one of two numbers may be the other, or end or stand in it: the other's last digits are in it."""
    return bool(first and second) and (second[-LEAST:] in first or first[-LEAST:] in second)


def _from(utterance: Utterance, start: int) -> Utterance:
    """The utterance from a token on."""
    first, *others = utterance.tokens[start:]
    return utterance.of((replace(first, pause=True), *others))


def _digits(token: Token) -> tuple[int, int]:
    """How many digits a token writes at least and at most."""
    if (written := token.get(Kind.LITERAL)) is not None:
        return len(written.out), len(written.out)
    if token.kinds.isdisjoint(COUNTED):
        return 0, 0
    return int(Kind.NUMBER in token.kinds and Kind.LETTER not in token.kinds), LONG


def _paths(utterance: Utterance) -> pattern.Found:
    """What the walk finds, once for each piece of a number that may be said twice."""
    found: pattern.Found | None = utterance.memo.get("digits")
    if found is None:
        found = utterance.memo["digits"] = pattern.read(utterance, DIGITS, words=lambda _: False)
    return found


def _number(utterance: Utterance, ask: Ask) -> Reading:
    found = _paths(utterance)
    valid: list[tuple[pattern.Path, str]] = []
    shortest: list[int] = []
    for path in found.values:
        number = _parse(path.text, ask)
        if number is None:
            continue
        if phonenumbers.is_valid_number(number):
            valid.append((path, _canonical(number)))
        shortest.append(phonenumbers.is_possible_number_with_reason(number))
    if valid and (valid[0][0].cost - found.values[0].cost < BENT or shortest[0] not in SHORT):
        best = {value: path for path, value in reversed(valid) if path.cost == valid[0][0].cost}
        if len(best) > 1:
            return failed("ambiguous", candidates=tuple(best))
        ((value, path),) = best.items()
        return Reading(value=value, evidence="spelled", spans=_spans(utterance, value, path))
    return _diagnosis(utterance, found, shortest, ask)


def _spans(utterance: Utterance, value: str, path: pattern.Path) -> tuple[Span, ...]:
    """Where the digits were said. The country code and the trunk prefix are the plan's, not the caller's."""
    shift = len(value) - len(path.text)
    ends = [*(index for index, _, _ in path.trace[1:]), len(path.text)]
    found = []
    for (index, first, last), end in zip(path.trace, ends, strict=True):
        piece = path.text[index:end]
        if index + shift >= 0 and value[index + shift : end + shift] == piece:
            start, stop = utterance.origin(first, last)
            found.append(Span(index=index + shift, length=len(piece), start=start, end=stop))
    return tuple(found)


def _diagnosis(utterance: Utterance, found: pattern.Found, results: list[int], ask: Ask) -> Reading:
    if any(Kind.OR in t.kinds for t in utterance.tokens):
        return failed("two_values")
    if not found.values:
        content = any(t.kinds & {Kind.LITERAL, Kind.NUMBER} for t in utterance.tokens)
        return failed("bad_character") if content else nothing()
    if utterance.voice and _only_talks(utterance, found.values[0].text):
        return nothing()
    if not results or results[0] in SHORT or len(found.values[0].text) < 7 or _goes_on(utterance, found, ask):
        return incomplete("too_short") if utterance.voice else failed("too_short")
    if results[0] is ValidationResult.TOO_LONG:
        return failed("too_long")
    return failed("not_possible_number")


def _only_talks(utterance: Utterance, digits: str) -> bool:
    """Whether the only digit is a word of talk: "the one you called me on"."""
    return len(digits) == 1 and sum(not t.kinds & COUNTED for t in utterance.tokens) >= TALK


def _goes_on(utterance: Utterance, found: pattern.Found, ask: Ask) -> bool:
    """Whether what is no number is shorter than the numbers of its country: a pause in the middle."""
    text = found.values[0].text
    usual = phonenumbers.example_number(_region(ask))
    if (
        not utterance.voice
        or usual is None
        or text.startswith("+")
        or any(Kind.END in t.kinds for t in utterance.tokens)
    ):
        return False
    return len(text) < len(str(usual.national_number))


def _parse(text: str, ask: Ask) -> PhoneNumber | None:
    try:
        return phonenumbers.parse(text, _region(ask))
    except phonenumbers.NumberParseException:
        return None


def _canonical(number: PhoneNumber) -> str:
    value = str(phonenumbers.format_number(number, PhoneNumberFormat.E164))
    return f"{value};ext={number.extension}" if number.extension else value


def check(value: str, spec: FieldSpec, ask: Ask) -> Verdict:
    """A number of its country's plan, in canonical form."""
    main, _, extension = value.partition(";ext=")
    number = _parse(main, ask)
    if number is None or not main.startswith("+") or (extension and not extension.isdigit()):
        return Verdict(reason=Reason(code="not_possible_number"))
    if not phonenumbers.is_valid_number(number) or _canonical(number) != main:
        return Verdict(reason=Reason(code="not_possible_number"))
    return Verdict()


def say(value: str, spec: FieldSpec, ask: Ask) -> tuple[Chunk, ...]:
    """The country's usual groups of digits; the country code only when it is not the caller's own."""
    main, _, extension = value.partition(";ext=")
    number = phonenumbers.parse(main, _region(ask))
    home = phonenumbers.region_code_for_number(number) == _region(ask)
    style = PhoneNumberFormat.NATIONAL if home else PhoneNumberFormat.INTERNATIONAL
    shown = phonenumbers.format_number(number, style)
    chunks = [Chunk("chars", "+")] if shown.startswith("+") else []
    chunks += [Chunk("plain", g) for g in regex.findall(r"\d+", shown)]
    if extension:
        chunks += [Chunk("said", str(voice_words(ask.locale).get("extension", "extension"))), Chunk("plain", extension)]
    return tuple(chunks)
