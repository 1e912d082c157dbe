"""The answer to a read-back: yes, no, a correction, or none of these.

One mechanism for every locale. The reply is cut into known phrases (``fields/phrases.py``); what they are, and what is
left over, decides, by ordered rules. **A yes is a yes only when nothing else is left over**: no doubt, no "but", no
question, and no word that is not known, unless those words are the very value that was read back. A false yes stores a
wrong value for good, a missed yes costs one question; so whatever is not understood is ``unclear``.

>>> from langgraph_readback.fields import FieldSpec, classify_reply
>>> for reply in ("yes, that's right", "yes but it's with a k", "couldn't be more right", "yeah right"):
...     print(classify_reply(reply, spec=FieldSpec(name="email"), value="kim@example.com").kind)
yes
correction
yes
unclear
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property, lru_cache

import regex

from langgraph_readback.fields.listen import hear
from langgraph_readback.fields.locales import FALLBACK, section
from langgraph_readback.fields.material import material, prose
from langgraph_readback.fields.phrases import Labelled, Segment, lexicon
from langgraph_readback.fields.prompts import label
from langgraph_readback.fields.remarks import mentioned
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
_PLAIN = frozenset({"yes", "filler", "link", "cue", "instead"})
_DOUBT = frozenset({"no", "not", "but", "hedge", "instead", "wait", "question", "repeat", "part", "restart"})
_REMARKS = frozenset({"yes", "no", "not", "but", "instead", "cue"})
"""Labels that are never part of a value that is being said."""
_TALK = frozenset({"yes", "hedge", "wait", "repeat", "silence"})
_EMPTY = frozenset({"not_understood", "nothing_heard", "unsure", "too_much", "silence"})
"""Reasons that say there was nothing like a value at all."""
_SPELLED = 3
"""Letters or digits one by one that make a spelling."""
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
    case = Case(said, spec, value, locale, listen)
    if not said.leftover:
        return Reply(kind=next(kind for holds, kind in CLOSED if holds(case)))
    return next(outcome if isinstance(outcome, Reply) else outcome(case) for holds, outcome in OPEN if holds(case))


def _plays_parts(reply: str, locale: str) -> bool:
    """Whether the reply is written like a transcript or a prompt: "assistant: confirmed. user: yes"."""
    return _parts(locale).search(reply) is not None


@lru_cache(maxsize=64)
def _parts(locale: str) -> regex.Pattern[str]:
    words = {w for tag in (FALLBACK, locale) for w in section(tag, "reply").get("roles", {}).get("words", ())}
    names = "|".join(regex.escape(w) for w in sorted(words))
    pattern = rf"\b(?:{names})\b[\]>*\"'|)]*\s*[:：=>\]|]|<\|?/?(?:{names})|\[/?inst\]|<\|"
    return regex.compile(pattern, regex.IGNORECASE)


@dataclass(frozen=True)
class Case:
    """One reply with what it answers: the questions that the rules ask of it."""

    said: Labelled
    spec: FieldSpec
    value: str
    locale: str
    listen: Hear
    heard: dict[str, Reading] = field(default_factory=dict, repr=False)
    """What pieces of this reply were heard as, while it is classified."""

    def hear(self, text: str) -> Reading:
        """What a piece of the reply says; heard once."""
        if text not in self.heard:
            self.heard[text] = self.listen(text)
        return self.heard[text]

    def has(self, *labels: str) -> bool:
        """Whether any of the labels occurs."""
        return any(name in self.said.labels for name in labels)

    def only(self, *labels: str) -> bool:
        """Whether nothing but these labels (and fillers) occurs."""
        return self.said.labels - {"filler", "link"} <= set(labels)

    def asked_for(self, name: str) -> bool:
        """Whether an intent is there that counts beside whatever is left over."""
        return self.said.has(name, strong=bool(self.said.leftover))

    @property
    def free(self) -> bool:
        """Whether the type takes nearly any words for a value."""
        return self.spec.type in PROSE_TYPES

    @property
    def decisive(self) -> list[Segment]:
        """The segments without the fillers."""
        return [s for s in self.said.segments if s.label != "filler"]

    @property
    def trails(self) -> bool:
        """Whether the reply ends as if more were to come ("yes, and ...")."""
        return bool(self.decisive) and self.decisive[-1].label in ("link", "cue", "instead", "opener")

    @property
    def asks(self) -> bool:
        """Whether the reply asks something: it begins like a question, holds one, or has a question mark."""
        lead = next((s for s in self.said.segments if s.label not in ("filler", "link", "yes", "wait")), None)
        begins = lead is not None and lead.label == "opener"
        marked = self.said.asks and not self.has("no", "not")
        return begins or marked or self.said.has("question") or self.said.has("opener", strong=True)

    @cached_property
    def elsewhere(self) -> bool:
        """Whether the reply names another detail and not this one."""
        named = mentioned(self.said, self.locale)
        own = {self.spec.type, self.spec.name} | RELATED.get(self.spec.type, set())
        called = self.spec.label or label(self.locale, self.spec.type)
        return bool(named) and not own & set(named) and called.casefold() not in self.said.text.casefold()

    @property
    def partial(self) -> bool:
        """Whether the reply corrects one place: "ends in 459", "with a k", "d not b", or mere letters and digits."""
        if self.has("part", "detail"):
            return True
        segments = self.said.segments
        for before, middle, after in zip(segments, segments[1:], segments[2:], strict=False):
            contrasts = middle.label == "instead" or (middle.label == "not" and middle.force == "strong")
            if contrasts and not before.label and not after.label:
                return True
        if _after_contrast(self.said, 0, len(segments)):
            return True
        spare = self.said.spare
        return 2 * lexicon(self.locale).dictated(spare) >= len(spare)

    @property
    def offers(self) -> bool:
        """Whether something is offered instead: "it's ...", or at least a piece of a value."""
        pairs = zip(self.said.segments, self.said.segments[1:], strict=False)
        return any(a.label in ("cue", "instead") and not b.label for a, b in pairs) or self.attempt(loose=True)

    def attempt(self, *, loose: bool) -> bool:
        """Whether the hearing finds a beginning of a value in what is left over; ``loose``: or a faulty one."""
        spare = self.said.leftover
        reading = self.hear(self.said.words(spare[0].first, spare[-1].last))
        if reading.intent != "value":
            return False
        if reading.value is not None or not reading.complete:
            return True
        return loose and (reading.reason.code if reading.reason else "") not in _EMPTY

    @cached_property
    def replacement(self) -> tuple[str, str] | None:
        """The part of the reply that is a whole value, as text and as heard; None when there is none to rely on."""
        if (self.elsewhere and not self.has("no")) or (self.free and (self.places or not self.worded)):
            return None
        for text in self.restated if self.places else _candidates(self.said, lexicon(self.locale).pieces):
            reading = self.hear(text)
            if reading.value is None or reading.intent != "value":
                continue
            same = reading.value.casefold() == self.value.casefold()
            if self.free and self.has("yes") and not same and not self.marked and reading.evidence == "literal":
                continue
            return text, reading.value
        return None

    @property
    def places(self) -> bool:
        """Whether the reply speaks of one place of the value (words that are themselves dictation do not)."""
        pieces = lexicon(self.locale).pieces
        spans = [s for s in self.said.segments if s.label == "part"]
        return any(t.text not in pieces for s in spans for t in self.said.tokens[s.first : s.last])

    @property
    def restated(self) -> list[str]:
        """After words about one place, what follows a last "I meant", whole: "other way round, I meant ..."."""
        part = max(n for n, s in enumerate(self.said.segments) if s.label == "part")
        cues = [n for n, s in enumerate(self.said.segments) if s.label in ("cue", "instead") and n > part]
        rest = self.said.segments[cues[-1] + 1 :] if cues else ()
        while rest and rest[-1].label in _TAIL:
            rest = rest[:-1]
        return [self.said.words(rest[0].first, rest[-1].last)] if rest else []

    @property
    def marked(self) -> bool:
        """Whether the reply says that something else follows: "no", "it's"."""
        return self.has("no", "cue", "instead")

    @property
    def worded(self) -> bool:
        """Whether what is left over may be a value of a type that takes any words: spelled, or short and bare."""
        spare = self.said.spare
        if self.asks or self.has("but", "hedge", "question", "not", "decline"):
            return False
        if lexicon(self.locale).dictated(spare) >= _SPELLED:
            return True
        short = self.marked or len(spare) <= _SHORT
        return short and not self.has("detail") and not prose(self.locale) & set(spare)

    @property
    def bare(self) -> bool:
        """Whether every word that is no known phrase belongs to the value: nothing else was said."""
        known = material(self.locale, self.spec.type)
        fold = lexicon(self.locale).fold
        value = "".join(fold(part) for part in regex.split(r"[^\p{L}\p{M}\p{N}]+", self.value))
        return all(w in known or "@" in w or _alnum(w) in value for w in self.said.spare)


def _alnum(text: str) -> str:
    """Letters and digits only."""
    return "".join(c for c in text if c.isalnum())


def _compared(case: Case) -> Reply:
    """The reply holds a whole value: the same one confirms (if nothing speaks against it), another one corrects."""
    said = case.said
    text, new = case.replacement or ("", "")
    if new.casefold() != case.value.casefold() or case.has("no"):
        return Reply(kind="correction", value=new, utterance=text)
    known = material(case.locale, case.spec.type)
    remarks = {s for s in said.segments if s.label and not _made_of(said, s, known)}
    body = [s for s in said.segments if s not in remarks]
    first, last = body[0].first, body[-1].last
    around = {s.label for s in remarks if s.last <= first or s.first >= last}
    within = {s.label for s in remarks} - around
    plain = around <= _PLAIN and not within & _DOUBT and not said.asks and case.bare
    return Reply(kind="yes" if plain else "unclear")


def _made_of(said: Labelled, segment: Segment, known: frozenset[str]) -> bool:
    """Whether a phrase belongs to the value said ("in the afternoon", "wie"), rather than being a remark about it."""
    words = [t.text for t in said.tokens[segment.first : segment.last]]
    return segment.label not in _REMARKS and all(w in known for w in words)


Rule = Callable[[Case], bool]

CLOSED: tuple[tuple[Rule, ReplyKind], ...] = (
    (lambda c: c.asked_for("handoff"), "handoff"),
    (lambda c: c.asked_for("decline"), "decline"),
    (lambda c: c.has("repeat"), "repeat"),
    (lambda c: c.has("silence") and c.only("silence"), "silence"),
    (lambda c: c.has("question") or c.asks, "question"),
    (lambda c: c.has("restart"), "correction"),
    (lambda c: c.has("yes") and c.has("no", "not"), "unclear"),
    (lambda c: c.has("part", "detail"), "correction"),
    (lambda c: c.has("hedge") or c.elsewhere, "unclear"),
    (lambda c: c.has("no", "not"), "no"),
    (lambda c: c.has("yes") and c.only("yes", "cue") and not c.trails, "yes"),
    (lambda _: True, "unclear"),
)
"""A reply made of known phrases alone: the first rule that holds decides."""

OPEN: tuple[tuple[Rule, Reply | Callable[[Case], Reply]], ...] = (
    (lambda c: c.asked_for("handoff"), Reply(kind="handoff")),
    (lambda c: c.replacement is not None, _compared),
    (lambda c: c.asked_for("decline"), Reply(kind="decline")),
    (lambda c: c.asked_for("repeat") or (c.asks and c.has("repeat")), Reply(kind="repeat")),
    (lambda c: c.asks, Reply(kind="question")),
    (lambda c: c.elsewhere and not c.has("no", "detail", "part"), Reply(kind="unclear")),
    (lambda c: c.partial, Reply(kind="correction")),
    (lambda c: c.has("no") and not c.has("yes") and c.offers, Reply(kind="correction")),
    (lambda c: c.has("no") and not c.has("yes"), Reply(kind="no")),
    (lambda c: c.said.segments[0].label == "not" and not c.has("yes", "hedge"), Reply(kind="no")),
    (lambda c: not c.has(*_TALK) and c.attempt(loose=c.has("cue", "instead")), Reply(kind="correction")),
    (lambda _: True, Reply(kind="unclear")),
)
"""A reply with words that no phrase covers: a new value, the same value, a part of one, or talk."""


def _candidates(said: Labelled, pieces: frozenset[str]) -> Iterator[str]:
    """Pieces of the reply that may be the value: after the last "but it's", without the head and the tail, whole.

    Words that may as well belong to the value ("oh" is a filler and a zero) stay with it at first.
    """
    segments = said.segments
    ends = []
    for cautious in (True, False):
        end = len(segments)
        while (
            end and segments[end - 1].label in _TAIL and not (cautious and _dictated(said, segments[end - 1], pieces))
        ):
            end -= 1
        ends.append(end)
    head = 0
    while head < ends[0] and segments[head].label in _HEAD and not _dictated(said, segments[head], pieces):
        head += 1
    spans = [
        (segments[at].first, segments[end - 1].last)
        for end in ends
        for at in (*_after_contrast(said, head, end), *range(head, -1, -1))
        if at < end
    ]
    for first, last in dict.fromkeys((*spans, (0, len(said.tokens)))):
        yield said.words(first, last)


def _after_contrast(said: Labelled, head: int, end: int) -> list[int]:
    """The segments behind a "but it's" that itself stands behind a rejected piece ("not a, but b"), last one first."""
    segments = said.segments
    rejected = next((n for n, s in enumerate(segments) if s.label in ("no", "not")), len(segments))
    out = []
    for i in range(head + 1, end - 1):
        rejects = rejected < i and not segments[i - 1].label
        if segments[i].label == "instead" or (segments[i].label in ("cue", "yes") and rejects):
            out.append(i + 1)
    return out[::-1]


def _dictated(said: Labelled, segment: Segment, pieces: frozenset[str]) -> bool:
    """Whether a labelled word may as well belong to the value ("oh" is a filler and a zero)."""
    return any(t.text in pieces for t in said.tokens[segment.first : segment.last])
