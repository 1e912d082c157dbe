"""The caller: scripted, seeded, truthful. Holds values, answers what is asked in the form asked for, judges by ear.

Rates are EVALUATION.md's. Nothing here depends on which agent is on the other end: a caller sees its words and, when
it has them, its marks (act, field, form), never the value it stored.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from rapidfuzz import fuzz

from langgraph_readback.evals import ear as listening
from langgraph_readback.evals.intent import Line, Wish, wish
from langgraph_readback.evals.parts import span, within
from langgraph_readback.evals.speech import PAUSE, Tok, groups, lexicon, say, style, words
from langgraph_readback.evals.tasks import Item, Task

RATES = {
    "self_correction": 0.05,
    "spelling_style": 0.15,
    "omission": 0.10,
    "wrong_slot": 0.03,
    "restart": 0.10,
    "pause": 0.10,
    "filler": 0.15,
    "carrier": 0.30,
}
REJECTION = (("no", 30), ("full", 35), ("partial", 35))
"""How a wrong read-back is answered: a bare no, no and the whole value, no and what differs."""


@dataclass(frozen=True, slots=True)
class Said:
    """One turn of the caller: tokens of a value (with the words around it), or plain words.

    ``kind``  value, yes, no, correction, rest, other. ``whole``: the value is in it from beginning to end as meant.
    """

    kind: str
    toks: tuple[Tok, ...] = ()
    text: str = ""
    item: Item | None = None
    whole: bool = False
    form: str = "natural"


@dataclass(slots=True)
class _Memory:
    """What a caller remembers of one field."""

    given: int = 0
    form: str = "natural"
    rest: list[Tok] = field(default_factory=list)
    groups: list[list[Tok]] = field(default_factory=list)
    place: int = 0
    part: str = ""
    judged: int = 0


class Caller:
    """Plays one task. ``false_yes``: share of wrong read-backs that get a yes.

    ``plain``: no complications; ``complications`` sets some of their rates; ``seen``: reads, does not listen (chat).
    """

    def __init__(
        self,
        task: Task,
        condition: str,
        seed: int,
        *,
        false_yes: float = 0.02,
        plain: bool = False,
        complications: dict[str, float] | None = None,
        seen: bool = False,
    ) -> None:
        self.task, self.false_yes, self.seen = task, false_yes, seen
        self.rates = dict.fromkeys(RATES, 0.0) if plain else {**RATES, **(complications or {})}
        self.name = f"caller/{seed}/{task.id}/{condition}"
        self.data = lexicon(task.locale.split("-")[0])
        self.habits = style(random.Random(f"{self.name}/style"), task.locale, self.rates["spelling_style"])
        self.memory = {item.field: _Memory() for item in task.items}
        self.focus = task.items[0]
        self.turn = 0
        self.label = frozenset(w for i in task.items for w in i.field.lower().split("_"))

    def answer(self, lines: Sequence[Line]) -> Said:
        """The next turn, after what the agent said since the last one."""
        self.turn += 1
        rng = random.Random(f"{self.name}/turn/{self.turn}")
        wanted = wish(lines, self.task.items, self.focus)
        if wanted is None or wanted.item is None:
            return Said("other", text=rng.choice(("okay", "thank you", "all right")))
        self.focus = wanted.item
        if wanted.act == "readback":
            return self._reply(wanted, rng)
        if wanted.act == "echo":
            return self._after_echo(wanted, rng)
        return self._value(wanted, rng)

    # --- giving a value ---------------------------------------------------------------------------------------------

    def _value(self, wanted: Wish, rng: random.Random) -> Said:
        """The value, in the form (and of the part) asked for."""
        item, memory = self._about(wanted)
        if memory.rest and wanted.form == memory.form and memory.form != "groups" and not _starts_over(wanted.text):
            return self._go_on(item, memory)
        memory.given += 1
        memory.rest = []
        memory.form, memory.part = wanted.form, wanted.part
        toks = self._say(item, wanted.form, rng)
        if wanted.part:
            toks = within(toks, span(item, wanted.part))
        if wanted.form == "groups":
            memory.groups, memory.place = groups_of(toks), 0
            return Said("value", tuple(memory.groups[0]), item=item, form="groups", whole=len(memory.groups) == 1)
        if wanted.part:
            return Said("value", tuple(toks), item=item, form=wanted.form)
        return self._trouble(item, toks, memory, rng)

    def _say(self, item: Item, form: str, rng: random.Random) -> list[Tok]:
        if form == "keypad" and not re.fullmatch(r"[\d+;=ext ]+", item.value):
            form = "words"
        return say(item, form, self.habits, rng)

    def _about(self, wanted: Wish) -> tuple[Item, _Memory]:
        item = wanted.item or self.focus
        return item, self.memory[item.field]

    def _trouble(self, item: Item, toks: list[Tok], memory: _Memory, rng: random.Random) -> Said:
        """The complications of a whole value: left out, wrong one, slips, restarts, pauses."""
        first = memory.given == 1
        whole = True
        if first and self._does("wrong_slot", item, rng):
            toks, whole = self._decoy(item, rng), False
        elif first and self._does("omission", item, rng):
            shorter = omitted(item, toks, rng)
            toks, whole = shorter, len(shorter) == len(toks)
        elif self._does("self_correction", item, rng):
            toks = self._slip(item, toks, rng)
        elif memory.form in ("spelled", "words") and self._does("restart", item, rng) and len(toks) > 4:
            cut = rng.randint(2, min(5, len(toks) - 2))
            again = [replace(t, gold="") for t in toks[:cut]]
            toks = [*again, PAUSE, Tok("repair", rng.choice(self.data["restarts"])), PAUSE, *toks]
        elif self._does("pause", item, rng) and len(toks) > 3:
            cut = _pause_at(toks, rng)
            memory.rest, toks = toks[cut:], toks[:cut]
            whole = False
        return Said("value", tuple(self._trimmed(item, toks, rng)), item=item, whole=whole, form=memory.form)

    def _does(self, what: str, item: Item, rng: random.Random) -> bool:
        forced = what in self.task.behaviours and self.memory[item.field].given == 1
        return forced or rng.random() < self.rates[what]

    def _trimmed(self, item: Item, toks: list[Tok], rng: random.Random) -> list[Tok]:
        """An "um" somewhere, or "my email is" before it."""
        out = list(toks)
        if out and rng.random() < self.rates["filler"]:
            out.insert(rng.randrange(len(out)), Tok("filler", rng.choice(self.data["fillers"])))
        if rng.random() < self.rates["carrier"]:
            options = self.data["carriers"].get(item.field, self.data["carriers"]["default"])
            out.insert(0, Tok("carrier", rng.choice(options)))
        return out

    def _decoy(self, item: Item, rng: random.Random) -> list[Tok]:
        """Another detail of the same call, else of another kind; nothing of the value is in it."""
        others = [i for i in self.task.items if i.field != item.field]
        other = rng.choice(others) if others else _DECOYS[item.type != "phone"]
        return [replace(t, gold="") for t in say(other, "natural", self.habits, rng)]

    def _slip(self, item: Item, toks: list[Tok], rng: random.Random) -> list[Tok]:
        """Something wrong, put right in the same breath."""
        places = [
            i for i, t in enumerate(toks) if t.gold and t.kind in ("letter", "digit", "word", "number", "spelling")
        ]
        if not places:
            return toks
        place = rng.choice(places)
        tok = toks[place]
        wrong = replace(tok, text=self._wrong_text(tok, item, rng), gold="", at=-1)
        repair = Tok("repair", rng.choice(self.data["repairs"]))
        anchor = place > 0 and toks[place - 1].run == tok.run and tok.kind == "letter" and rng.random() < 0.4
        again = [replace(toks[place - 1], gold="", at=-1)] if anchor else []
        return [*toks[:place], wrong, PAUSE, repair, PAUSE, *again, *toks[place:]]

    def _wrong_text(self, tok: Tok, item: Item, rng: random.Random) -> str:
        if tok.kind == "digit":
            return str(rng.choice([d for d in self.data["digits"] if d != tok.text]))
        if tok.kind == "letter":
            return rng.choice([c for c in "abcdefghijklmnoprstuvw" if c != tok.gold])
        if tok.kind == "spelling":
            other = rng.choice([c for c in "abcdefghijklmnoprstuvw" if c != tok.gold])
            return (
                " ".join([other, *tok.text.split()[1:-1], self.data[self.habits.alphabet][other]])
                if " " in tok.text
                else str(self.data[self.habits.alphabet][other])
            )
        if tok.kind == "number":
            return str(rng.choice([w for w in ("ten", "twelve", "twenty", "thirty", "forty") if w not in tok.text]))
        pool = words(item.locale.split("-")[0])["vocabulary"].get(item.type) or ("other",)
        return str(rng.choice([w for w in pool if w != tok.text]))

    # --- going on, groups -------------------------------------------------------------------------------------------

    def _go_on(self, item: Item, memory: _Memory) -> Said:
        toks, memory.rest = memory.rest, []
        return Said("rest", tuple(toks), item=item, form=memory.form, whole=True)

    def _after_echo(self, wanted: Wish, rng: random.Random) -> Said:
        """After an echo: the next group, the same one again when it was heard wrong, or the rest of the value."""
        item, memory = self._about(wanted)
        if memory.rest:
            return self._go_on(item, memory)
        if not memory.groups:
            return self._beginning(wanted, item, memory, rng)
        group = memory.groups[memory.place]
        if not listening.echoes(wanted.text, group, item, label=self.label):
            return Said("rest", (Tok("reply", "no"), PAUSE, *group), item=item, form="groups")
        memory.place += 1
        if wanted.part and wanted.part != memory.part:
            return self._value(replace(wanted, form="groups"), rng)
        if memory.place >= len(memory.groups):
            memory.groups = []
            return Said("other", text=rng.choice(self.data["done"]), item=item)
        lead = [Tok("reply", "yes"), PAUSE] if rng.random() < 0.3 else []
        last = memory.place == len(memory.groups) - 1
        return Said("rest", (*lead, *memory.groups[memory.place]), item=item, form="groups", whole=last)

    def _beginning(self, wanted: Wish, item: Item, memory: _Memory, rng: random.Random) -> Said:
        """The agent echoed a beginning of a value that was said whole: it lost the end."""
        heard = listening.judge(wanted.text, item, seen=self.seen, label=self.label)
        if heard.verdict == "right":
            return Said("other", text=rng.choice(self.data["done"]), item=item)
        if heard.verdict == "absent":
            return Said("other", text=rng.choice(self.data["done"]), item=item)
        memory.given += 1
        toks = self._say(item, memory.form, rng)
        return Said("value", (Tok("reply", "no"), PAUSE, *toks), item=item, whole=True, form=memory.form)

    # --- judging ----------------------------------------------------------------------------------------------------

    def _reply(self, wanted: Wish, rng: random.Random) -> Said:
        """Yes to what sounds right; otherwise no, in one of three ways; now and then yes all the same."""
        item, memory = self._about(wanted)
        memory.judged += 1
        text = (
            re.sub(r"\b[Ll]ast \w+ (?:characters|letters|digits)\b", "", wanted.text)
            if wanted.challenge
            else wanted.text
        )
        heard = listening.judge(text, item, seen=self.seen, label=self.label)
        if heard.verdict == "absent" and memory.judged > 1 and not wanted.challenge:
            heard = listening.Heard("wrong")
        if "restart_after_readback" in self.task.behaviours and memory.judged == 1:
            toks = self._say(item, memory.form, rng)
            start = Tok("repair", "sorry let me start over")
            return Said("correction", (start, PAUSE, *toks), item=item, whole=True, form=memory.form)
        agrees = rng.random() < self.false_yes
        if heard.verdict == "absent" and not wanted.challenge:
            return self._value(replace(wanted, act="ask", form=memory.form), rng)
        if heard.verdict == "right" or agrees:
            if wanted.challenge:
                return self._tail(wanted, item, rng)
            return Said("yes", text=rng.choice(self.data["yes"]), item=item)
        return self._no(item, memory, heard.nearest, rng)

    def _tail(self, wanted: Wish, item: Item, rng: random.Random) -> Said:
        """The last characters, for a challenge: of an address those before the at sign."""
        found = re.search(r"last (\w+) ", wanted.text.lower())
        word = found[1] if found else "three"
        count = int(word) if word.isdigit() else self.data["digits"].index(word) if word in self.data["digits"] else 3
        toks = [
            t
            for t in say(item, "spelled", replace(self.habits, word_first=False, double=False), rng)
            if t.kind in ("letter", "digit")
        ]
        before = item.value.find("@") if "@" in item.value else len(item.value)
        return Said("value", tuple([t for t in toks if t.at < before][-count:]), item=item)

    def _no(self, item: Item, memory: _Memory, nearest: str, rng: random.Random) -> Said:
        """A bare no, no and the whole value, or no and what differs."""
        how = rng.choices([h for h, _ in REJECTION], [w for _, w in REJECTION])[0]
        memory.rest = []
        no = str(rng.choice(self.data["no"]))
        if how == "full":
            memory.given += 1
            form = memory.form if memory.form != "groups" else "words"
            toks = self._say(item, form, rng)
            return Said(
                "correction",
                (Tok("reply", "no"), PAUSE, Tok("carrier", "it's"), *toks),
                item=item,
                whole=True,
                form=form,
            )
        if how == "partial":
            toks = self._difference(item, nearest, rng)
            if toks:
                return Said("correction", (Tok("reply", "no"), PAUSE, *toks), item=item, form="spelled")
        return Said("no", text=no, item=item)

    def _difference(self, item: Item, nearest: str, rng: random.Random) -> list[Tok]:
        """What differs, as people say it: "it's B as in Bravo, not P", or the part again, spelled."""
        truth = listening.target(item)
        spelled = [t for t in say(item, "spelled", replace(self.habits, word_first=False), rng) if t.kind != "pause"]
        if item.type in ("date", "dob", "time"):
            return []
        place = next(
            (i for i, (a, b) in enumerate(zip(truth, nearest, strict=False)) if a != b), min(len(truth), len(nearest))
        )
        plain = [t for t in spelled if t.gold.strip()]
        want = sum(c.isalnum() for c in truth[:place])
        index = next(
            (
                i
                for i, _ in enumerate(plain)
                if sum(c.isalnum() for t in plain[: i + 1] for c in t.gold * t.times) > want
            ),
            -1,
        )
        if index < 0:
            return []
        tok = plain[index]
        one = len(truth) == len(nearest) and sum(a != b for a, b in zip(truth, nearest, strict=True)) == 1
        wrong = nearest[place].lower() if one else ""
        if one and tok.kind in ("letter", "digit") and wrong.isalnum():
            word = f"{tok.gold} as in {self.data['icao'][tok.gold]}" if tok.kind == "letter" else tok.text
            not_this = self.data["digits"][int(wrong)] if wrong.isdigit() else wrong
            right = replace(tok, kind="spelling" if tok.kind == "letter" else "digit", text=word)
            return [Tok("carrier", "it's"), right, PAUSE, Tok("wrong", f"not {not_this}")]
        low, high = max(0, index - 2), min(len(plain), index + 3)
        same_run = (
            [t for t in plain[low:high] if t.run == tok.run or t.kind == "digit"] if tok.run >= 0 else plain[low:high]
        )
        return [Tok("carrier", rng.choice(("the wrong bit is", "it should be", "that part is"))), *same_run]


def groups_of(toks: list[Tok]) -> list[list[Tok]]:
    """Groups of at most four things said, that never run across a pause or an at sign."""
    out: list[list[Tok]] = []
    stretch: list[Tok] = []
    for tok in [*toks, PAUSE]:
        if tok.kind == "pause" or tok.gold in ("@", " "):
            out += groups(stretch)
            stretch = [tok] if tok.gold in ("@", " ") else []
        else:
            stretch.append(tok)
    return out


def omitted(item: Item, toks: list[Tok], rng: random.Random) -> list[Tok]:
    """The value with the part left out that people leave out: AM/PM, year, extension, ending, surname, strength."""
    value = item.value
    if item.type == "time":
        return [t for t in toks if t.kind != "half"]
    if item.type in ("date", "dob"):
        return [t for t in toks if t.at not in (0, 2)]
    if item.type == "phone" and ";" in value:
        return [t for t in toks if t.at < value.index(";")]
    if item.type == "email" and rng.random() < 0.5:
        return [t for t in toks if t.at < value.index("@")]
    if item.type in ("email", "medication", "address", "name", "property", "company"):
        cut = value.rindex("." if item.type == "email" else " ")
        cut = value.index(" ") if item.type == "medication" else cut
        return [t for t in toks if t.at < cut]
    return toks[: max(1, len(toks) - rng.randint(1, 3))]


def _pause_at(toks: list[Tok], rng: random.Random) -> int:
    """People stop between things said, best at a pause or before a separator."""
    places = [i for i, t in enumerate(toks) if 1 < i < len(toks) - 1 and (t.kind in ("pause", "symbol"))]
    return rng.choice(places) if places else len(toks) // 2


def _starts_over(text: str) -> bool:
    return bool(re.search(r"\b(again|once more|from the start|whole|in full|all of it|full)\b", text.lower()))


def likeness(one: str, two: str) -> float:
    """0 to 100: how alike two values are."""
    return float(fuzz.ratio(one, two))


def _decoy_item(kind: str, value: str, **more: Any) -> Item:
    return Item(type=kind, tier="easy", field=kind, spec=kind, value=value, **more)


_DECOYS = (_decoy_item("email", "old.account@example.com"), _decoy_item("phone", "+12025550170"))
