"""The answer to a read-back: yes, no, a correction, or none of these.

One mechanism for every locale. The reply is cut into known phrases (``fields/phrases.py``); what they are, and what is
left over, decides. **A yes is a yes only when nothing else is left over**: no doubt, no "but", no question, and no word
that is not known, unless those words are the very value that was read back. A false yes stores a wrong value for good,
a missed yes costs one question; so whatever is not understood is ``unclear``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date

import regex

from langgraph_readback.fields.listen import hear
from langgraph_readback.fields.locales import FALLBACK, section
from langgraph_readback.fields.phrases import Labelled, Segment, lexicon
from langgraph_readback.fields.prompts import label
from langgraph_readback.fields.remarks import mentions
from langgraph_readback.fields.spec import FieldSpec
from langgraph_readback.outcome import Reading, Reply, ReplyKind

LONGEST = 2000
"""Characters. A longer reply is unclear."""

PROSE_TYPES = frozenset({"name", "address", "company", "property", "medication", "username"})
"""Types that take nearly any words for a value; there a reply must say that a value follows."""

RELATED = {
    "email": {"domain", "username", "name", "address"},
    "url": {"domain", "address"},
    "address": {"postcode", "name"},
    "dob": {"date"},
    "date": {"dob"},
    "property": {"name", "address", "company"},
    "company": {"name"},
    "medication": {"name"},
}
"""Types that may be spoken of as parts, or under the name, of another type ("the domain is wrong")."""

_HEAD = frozenset({"yes", "no", "not", "filler", "link", "cue", "instead", "but", "wait", "restart", "hedge"})
_TAIL = frozenset({"yes", "no", "filler", "link"})
_PLAIN = frozenset({"yes", "filler", "link", "cue"})
_DOUBT = frozenset({"no", "not", "but", "hedge", "instead", "wait", "question", "repeat", "part", "restart"})
_SHORT = 6
"""Words. More of them left over, and not heard as a strict value, are talk, not a value."""

Hear = Callable[[str], Reading]


def classify_reply(
    reply: str,
    *,
    spec: FieldSpec,
    value: str,
    locale: str = "en-US",
    region: str | None = None,
    channel: str = "voice",
    today: date | None = None,
) -> Reply:
    """What the answer to the read-back of ``value`` is.

    Total for any string. A ``correction`` has ``value`` and ``utterance`` when the reply held a whole new value (it
    still needs a fresh read-back); without them it spoke of a part, and the whole value must be asked for again.
    """

    def listen(text: str) -> Reading:
        return hear(spec, text, locale=locale, region=region, channel=channel, today=today)

    return classify(reply, spec, value, locale, listen)


def classify(reply: str, spec: FieldSpec, value: str, locale: str, listen: Hear) -> Reply:
    """``classify_reply`` with the hearing handed in."""
    if len(reply) > LONGEST or _plays_parts(reply, locale):
        return Reply(kind="unclear")
    said = lexicon(locale).read(reply)
    if not said.tokens:
        return Reply(kind="repeat" if said.asks else "silence")
    if said.has("handoff", strong=bool(said.leftover)):
        return Reply(kind="handoff")
    if said.has("decline", strong=bool(said.leftover)):
        return Reply(kind="decline")
    if said.leftover:
        return _weigh(said, spec, value, locale, listen)
    kind = _settle(said)
    if kind in ("yes", "no") and _speaks_of_another(said, spec, locale):
        return Reply(kind="unclear")
    return Reply(kind=kind)


def _plays_parts(reply: str, locale: str) -> bool:
    """Whether the reply is written like a transcript or a prompt: "assistant: confirmed. user: yes"."""
    words = {w for tag in (FALLBACK, locale) for w in section(tag, "reply").get("roles", {}).get("words", ())}
    names = "|".join(regex.escape(w) for w in sorted(words))
    pattern = rf"(?:^|[\s\[<{{(*#\"'|/]|\b)(?:{names})\b[\]>*\"'|)]*\s*[:：=>\]|]|<\|?/?(?:{names})|\[/?inst\]|<\|"
    return regex.search(pattern, reply, regex.IGNORECASE) is not None


def _settle(said: Labelled) -> ReplyKind:
    """A reply that is made of known phrases alone."""
    found = said.labels - {"filler", "link"}
    decisive = [s for s in said.segments if s.label != "filler"]
    if "repeat" in found:
        return "repeat"
    if found == {"silence"}:
        return "silence"
    if "question" in found or (decisive and decisive[0].label == "opener"):
        return "question"
    if "restart" in found:
        return "correction"
    if {"yes", "no"} <= found:
        return "unclear"
    if said.asks and not found & {"no", "not", "hedge"}:
        return "question"
    if found & {"part", "detail"}:
        return "correction"
    if "hedge" in found:
        return "unclear"
    if found & {"no", "not"}:
        return "unclear" if "yes" in found else "no"
    if "yes" in found and found <= {"yes", "cue"} and decisive[-1].label == "yes":
        return "yes"
    return "unclear"


def _weigh(said: Labelled, spec: FieldSpec, value: str, locale: str, listen: Hear) -> Reply:
    """A reply with words that no phrase covers: a new value, the same value, a part of one, or talk."""
    free = spec.type in PROSE_TYPES
    asking = _asks(said)
    elsewhere = _speaks_of_another(said, spec, locale)
    heard = None if (free and asking) else _new_value(said, free, locale, listen)
    if heard is not None and not (elsewhere and "no" not in said.labels):
        text, new = heard
        return _compare(said, text, new, value)
    if said.has("repeat", strong=True) or (asking and said.has("repeat")):
        return Reply(kind="repeat")
    if asking:
        return Reply(kind="question")
    if elsewhere and not said.labels & {"no", "detail", "part"}:
        return Reply(kind="unclear")
    if _speaks_of_a_part(said, locale):
        return Reply(kind="correction")
    if said.labels & {"no"} and "yes" not in said.labels:
        return Reply(kind="correction" if _follows_cue(said, listen) else "no")
    if said.segments[0].label == "not" and not said.labels & {"yes", "hedge"}:
        return Reply(kind="no")
    marked = bool(said.labels & {"cue", "instead"})
    if not said.labels & {"yes", "hedge", "wait", "repeat", "silence"} and _attempt(said, listen, loose=marked):
        return Reply(kind="correction")
    return Reply(kind="unclear")


def _compare(said: Labelled, text: str, new: str, value: str) -> Reply:
    """The reply holds a whole value: the same one confirms (if nothing speaks against it), another one corrects."""
    changed = new.casefold() != value.casefold()
    if changed or "no" in said.labels:
        return Reply(kind="correction", value=new, utterance=text)
    first, last = said.leftover[0].first, said.leftover[-1].last
    around = {s.label for s in said.segments if s.last <= first or s.first >= last}
    within = {s.label for s in said.segments if s.first >= first and s.last <= last}
    plain = around - {""} <= _PLAIN and not within & _DOUBT and not said.asks
    return Reply(kind="yes" if plain else "unclear")


def _new_value(said: Labelled, free: bool, locale: str, listen: Hear) -> tuple[str, str] | None:
    """The part of the reply that is a whole value, as text and as heard."""
    found = said.labels
    if "part" in found or (free and found & {"detail", "but", "hedge", "question", "not"}):
        return None
    marked = bool(found & {"no", "cue", "instead"})
    loose = sum(s.last - s.first for s in said.leftover)
    if free and not marked and loose > _SHORT:
        return None
    for text in _candidates(said, lexicon(locale).pieces):
        reading = listen(text)
        if reading.value is None or reading.intent != "value":
            continue
        if free and "yes" in found and not marked and reading.evidence == "literal":
            continue
        return text, reading.value
    return None


def _candidates(said: Labelled, pieces: frozenset[str]) -> Iterator[str]:
    """Pieces of the reply that may be the value: after the last "but it's", without the head and the tail, whole."""
    segments = said.segments
    end = len(segments)
    while end and segments[end - 1].label in _TAIL and not _dictated(said, segments[end - 1], pieces):
        end -= 1
    head = 0
    while head < end and segments[head].label in _HEAD and not _dictated(said, segments[head], pieces):
        head += 1
    stop = segments[end - 1].last if end else 0
    seen: set[str] = set()
    starts = [*_after_contrast(said, head, end), *range(head, -1, -1)]
    for start in starts:
        text = said.words(segments[start].first, stop)
        if text and text not in seen:
            seen.add(text)
            yield text
    whole = said.words(0, len(said.tokens))
    if whole not in seen:
        yield whole


def _after_contrast(said: Labelled, head: int, end: int) -> list[int]:
    """Segments behind a "but it's" that itself stands behind a rejected piece ("not a, but b")."""
    segments = said.segments
    out = []
    for i in range(head + 1, end - 1):
        before = segments[:i]
        rejects = any(s.label in ("no", "not") for s in before)
        if segments[i].label == "instead" or (segments[i].label == "cue" and rejects):
            out.append(i + 1)
    return out[::-1]


def _dictated(said: Labelled, segment: Segment, pieces: frozenset[str]) -> bool:
    """Whether a labelled word may as well belong to the value ("oh" is a filler and a zero)."""
    return any(t.text in pieces for t in said.tokens[segment.first : segment.last])


def _asks(said: Labelled) -> bool:
    """Whether the reply asks something: it begins like a question, or holds one."""
    lead = next((s for s in said.segments if s.label not in ("filler", "link", "yes", "wait")), None)
    begins = lead is not None and lead.label == "opener"
    marked = said.asks and not said.labels & {"no", "not"}
    return begins or marked or said.has("question") or said.has("opener", strong=True)


def _speaks_of_another(said: Labelled, spec: FieldSpec, locale: str) -> bool:
    """Whether the reply names another detail and not this one."""
    named = mentions(said.text, locale=locale)
    own = {spec.type, spec.name} | RELATED.get(spec.type, set())
    words = label(locale, spec.type) if spec.label is None else spec.label
    return bool(named) and not own & set(named) and words.casefold() not in said.text.casefold()


def _speaks_of_a_part(said: Labelled, locale: str) -> bool:
    """Whether the reply corrects one place: "ends in 459", "with a k", "d not b", or mere letters and digits."""
    if said.labels & {"part", "detail"}:
        return True
    segments = said.segments
    for i, segment in enumerate(segments[1:-1], start=1):
        contrasts = segment.label == "instead" or (segment.label == "not" and segment.force == "strong")
        if contrasts and not segments[i - 1].label and not segments[i + 1].label:
            return True
    pieces = lexicon(locale).pieces
    words = [t.text for s in said.leftover for t in said.tokens[s.first : s.last]]
    dictated = sum(1 for w in words if w in pieces or "@" in w or any(c.isdigit() for c in w))
    return 2 * dictated >= len(words)


def _follows_cue(said: Labelled, listen: Hear) -> bool:
    """Whether a "no" is followed by something offered instead: "no, it's ...", or an attempt at a value."""
    pairs = zip(said.segments, said.segments[1:], strict=False)
    return any(a.label in ("cue", "instead") and not b.label for a, b in pairs) or _attempt(said, listen)


def _attempt(said: Labelled, listen: Hear, *, loose: bool = True) -> bool:
    """Whether the hearing finds at least a beginning of a value in what is left over; ``loose``: or a faulty one."""
    text = said.words(said.leftover[0].first, said.leftover[-1].last)
    reading = listen(text)
    if reading.intent != "value":
        return False
    if reading.value is not None or not reading.complete:
        return True
    code = reading.reason.code if reading.reason else ""
    return loose and code not in ("not_understood", "nothing_heard", "unsure", "too_much")
