"""The caller in other languages: as English's (``evals/caller.py``), scripted, seeded, truthful, over their data."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from langgraph_readback.evals.caller import RATES, REJECTION, Said, groups_of, omitted
from langgraph_readback.evals.intent import Line
from langgraph_readback.evals.speech import PAUSE, Tok
from langgraph_readback.evals.tasks import Task
from langgraph_readback.evals.tongues import ear
from langgraph_readback.evals.tongues.saying import CODES, say
from langgraph_readback.evals.tongues.voices import habits, plain, voice

WHOLE = frozenset({"date", "dob", "time"})
"""Types that are said at once even when parts are asked for: nobody says a time in groups of four."""


@dataclass(slots=True)
class _Memory:
    given: int = 0
    form: str = "natural"
    rest: list[Tok] = field(default_factory=list)
    groups: list[list[Tok]] = field(default_factory=list)
    place: int = 0
    judged: int = 0


class Caller:
    """Plays one task. ``false_yes``: share of wrong read-backs that get a yes. ``plain_``: no complications."""

    def __init__(
        self,
        task: Task,
        condition: str,
        seed: int,
        *,
        false_yes: float = 0.02,
        plain_: bool = False,
        seen: bool = False,
    ) -> None:
        self.task, self.false_yes, self.seen = task, false_yes, seen
        self.rates = dict.fromkeys(RATES, 0.0) if plain_ else dict(RATES)
        self.name = f"caller/{seed}/{task.id}/{condition}"
        self.language = task.locale.split("-")[0]
        self.data = voice(self.language)
        self.ways = habits(random.Random(f"{self.name}/style"), self.language, self.rates["spelling_style"])
        self.memory = {item.field: _Memory() for item in task.items}
        self.focus = task.items[0]
        self.turn = 0

    def answer(self, lines: Sequence[Line]) -> Said:
        """The next turn, after what the agent said since the last one."""
        self.turn += 1
        rng = random.Random(f"{self.name}/turn/{self.turn}")
        wanted: Line | None = None
        for line in lines:
            item = next((i for i in self.task.items if i.field == line.marks.get("field")), None)
            challenge = line.marks.get("act") == "confirm" and self._challenged(line.text)
            if line.marks.get("act") in ("ask", "echo", "readback") or challenge:
                wanted, self.focus = line, item or self.focus
        if wanted is None:
            return Said("other", text=rng.choice(self.data["thanks"]))
        if wanted.marks["act"] in ("readback", "confirm"):
            return self._reply(wanted, rng)
        if wanted.marks["act"] == "echo":
            return self._after_echo(wanted, rng)
        return self._value(str(wanted.marks.get("form", "natural")), wanted.text, rng)

    # --- giving a value ---------------------------------------------------------------------------------------------

    def _value(self, form: str, text: str, rng: random.Random) -> Said:
        """The value, in the form asked for."""
        item, memory = self.focus, self.memory[self.focus.field]
        over = any(word in text.lower() for word in self.data["ear"]["again"])
        if memory.rest and form == memory.form and form != "groups" and not over:
            return self._go_on(memory)
        memory.given += 1
        memory.rest, memory.form = [], form
        toks = self._say(form, rng)
        if form == "groups" and not self._at_once():
            memory.groups, memory.place = groups_of(toks), 0
            return Said("value", tuple(memory.groups[0]), item=item, form="groups", whole=len(memory.groups) == 1)
        return self._trouble(toks, memory, rng)

    def _at_once(self) -> bool:
        """Whether the value is said at once even when it is asked for in parts: dates, and a few characters."""
        return self.focus.type in WHOLE or (self.data["glued"] and self.focus.type in ("name", "property", "company"))

    def _say(self, form: str, rng: random.Random) -> list[Tok]:
        item = self.focus
        if form == "keypad" and not all(c.isdigit() or c in "+;=ext " for c in item.value):
            form = "words"
        return say(item, form, self.ways, rng)

    def _trouble(self, toks: list[Tok], memory: _Memory, rng: random.Random) -> Said:
        """The complications of a whole value: left out, wrong one, slips, restarts, pauses."""
        item, whole = self.focus, True
        if memory.given == 1 and rng.random() < self.rates["wrong_slot"]:
            toks, whole = self._decoy(rng), False
        elif memory.given == 1 and rng.random() < self.rates["omission"]:
            shorter = self._omitted(toks, rng)
            toks, whole = (shorter or toks), not shorter or len(shorter) == len(toks)
        elif rng.random() < self.rates["self_correction"]:
            toks = self._slip(toks, rng)
        elif memory.form in ("spelled", "words") and rng.random() < self.rates["restart"] and len(toks) > 4:
            cut = rng.randint(2, min(5, len(toks) - 2))
            again = [replace(t, gold="") for t in toks[:cut]]
            toks = [*again, PAUSE, Tok("repair", rng.choice(self.data["restarts"])), PAUSE, *toks]
        elif rng.random() < self.rates["pause"] and len(toks) > 3:
            places = [i for i, t in enumerate(toks) if 1 < i < len(toks) - 1 and t.kind in ("pause", "symbol")]
            cut = rng.choice(places) if places else len(toks) // 2
            memory.rest, toks, whole = toks[cut:], toks[:cut], False
        return Said("value", tuple(self._trimmed(toks, rng)), item=item, whole=whole, form=memory.form)

    def _omitted(self, toks: list[Tok], rng: random.Random) -> list[Tok]:
        """The value with the part left out that people leave out; a value without spaces loses its last piece."""
        worded = self.focus.type in ("address", "name", "property", "company")
        return toks[:-1] if worded and " " not in self.focus.value else omitted(self.focus, toks, rng)

    def _trimmed(self, toks: list[Tok], rng: random.Random) -> list[Tok]:
        """A filler somewhere, or "my email is" before it."""
        out = list(toks)
        if out and rng.random() < self.rates["filler"]:
            at = rng.randrange(len(out))
            filler = Tok("filler", rng.choice(self.data["fillers"]))
            out[at:at] = [filler, PAUSE] if self.data["glued"] else [filler]
        if rng.random() < self.rates["carrier"]:
            options = self.data["carriers"].get(self.focus.field, self.data["carriers"]["default"])
            out.insert(0, Tok("carrier", rng.choice(options)))
        return out

    def _decoy(self, rng: random.Random) -> list[Tok]:
        """Another detail of the same call, else an address of the web."""
        others = [i for i in self.task.items if i.field != self.focus.field]
        email = replace(self.focus, type="email", field="email", pattern=None, value="old.account@example.com")
        phone = replace(self.focus, type="phone", field="phone", pattern=None, value=self.data["decoy_phone"])
        other = rng.choice(others) if others else (phone if self.focus.type == "email" else email)
        return [replace(t, gold="") for t in say(other, "natural", self.ways, rng)]

    def _slip(self, toks: list[Tok], rng: random.Random) -> list[Tok]:
        """Something wrong, put right in the same breath."""
        places = [i for i, t in enumerate(toks) if t.gold and t.kind in ("letter", "digit", "number")]
        if not places:
            return toks
        place = rng.choice(places)
        tok = toks[place]
        if tok.kind == "number":
            names = next((n for n in ("days", "hours", "numbers") if tok.text in self.data[n]), "numbers")
            wrong = str(rng.choice([w for w in self.data[names][10:28] if w != tok.text]))
        elif tok.kind == "digit":
            wrong = str(rng.choice([d for d in self.data["digits"] if d != tok.text]))
        else:
            wrong = rng.choice([c for c in "ABCDEFGHIJKLMNOPRSTUVW" if c.lower() != plain(tok.gold)])
        slip = replace(tok, text=wrong, gold="", at=-1)
        return [*toks[:place], slip, PAUSE, Tok("repair", rng.choice(self.data["repairs"])), PAUSE, *toks[place:]]

    # --- going on, groups -------------------------------------------------------------------------------------------

    def _go_on(self, memory: _Memory) -> Said:
        toks, memory.rest = memory.rest, []
        return Said("rest", tuple(toks), item=self.focus, form=memory.form, whole=True)

    def _after_echo(self, wanted: Line, rng: random.Random) -> Said:
        """After an echo: the next group, the same one again when it was heard wrong, or the rest of the value."""
        item, memory = self.focus, self.memory[self.focus.field]
        if memory.rest:
            return self._go_on(memory)
        if not memory.groups:
            heard = ear.judge(wanted.text, item, seen=self.seen)
            if heard.verdict in ("right", "absent"):
                return Said("other", text=rng.choice(self.data["done"]), item=item)
            memory.given += 1
            toks = (Tok("reply", self.data["no_first"]), PAUSE, *self._say(memory.form, rng))
            return Said("value", toks, item=item, whole=True, form=memory.form)
        group = memory.groups[memory.place]
        if not ear.echoes(wanted.text, group, item):
            return Said("rest", (Tok("reply", self.data["no_first"]), PAUSE, *group), item=item, form="groups")
        memory.place += 1
        if memory.place >= len(memory.groups):
            memory.groups = []
            return Said("other", text=rng.choice(self.data["done"]), item=item)
        lead = [Tok("reply", self.data["yes"][0]), PAUSE] if rng.random() < 0.3 else []
        last = memory.place == len(memory.groups) - 1
        return Said("rest", (*lead, *memory.groups[memory.place]), item=item, form="groups", whole=last)

    # --- judging ----------------------------------------------------------------------------------------------------

    def _challenged(self, text: str) -> bool:
        return any(phrase in text.lower() for phrase in self.data["ear"]["challenge"])

    def _reply(self, wanted: Line, rng: random.Random) -> Said:
        """Yes to what sounds right; otherwise no, in one of three ways; now and then yes all the same."""
        item, memory = self.focus, self.memory[self.focus.field]
        memory.judged += 1
        challenge = self._challenged(wanted.text)
        text = wanted.text
        if challenge:
            cut = min(text.lower().find(p) for p in self.data["ear"]["challenge"] if p in text.lower())
            text = text[:cut]
        heard = ear.judge(text, item, seen=self.seen)
        if heard.verdict == "absent" and memory.judged > 1 and not challenge:
            heard = ear.Heard("wrong")
        agrees = rng.random() < self.false_yes
        if heard.verdict == "absent" and not challenge:
            return self._value(memory.form, "", rng)
        if heard.verdict == "right" or agrees:
            return self._tail(rng) if challenge else Said("yes", text=rng.choice(self.data["yes"]), item=item)
        return self._no(memory, heard.missed, rng)

    def _tail(self, rng: random.Random) -> Said:
        """The last three characters, of an address of the web those before the at sign."""
        toks = say(self.focus, "spelled", replace(self.ways, word_first=False, double=False), rng)
        value = self.focus.value
        before = value.find("@") if "@" in value else len(value)
        tail = [t for t in toks if t.kind in ("letter", "digit") and t.at < before][-3:]
        return Said("value", tuple(tail or toks), item=self.focus)

    def _no(self, memory: _Memory, missed: str, rng: random.Random) -> Said:
        """A bare no, no and the whole value, or no and what differs."""
        item = self.focus
        how = rng.choices([h for h, _ in REJECTION], [w for _, w in REJECTION])[0]
        memory.rest = []
        lead = (Tok("reply", self.data["no_first"]), PAUSE)
        if how == "full":
            memory.given += 1
            form = memory.form if memory.form != "groups" else "words"
            carrier = Tok("carrier", self.data["it_is"])
            return Said("correction", (*lead, carrier, *self._say(form, rng)), item=item, whole=True, form=form)
        if how == "partial" and missed and item.type not in (*WHOLE, "phone", *CODES):
            toks = self._part(missed, rng)
            if toks:
                return Said("correction", (*lead, *toks), item=item, form="spelled")
        return Said("no", text=str(rng.choice(self.data["no"])), item=item)

    def _part(self, missed: str, rng: random.Random) -> list[Tok]:
        """The word that was not heard right, once more, spelled where it can be."""
        place = plain(self.focus.value.casefold()).find(missed)
        if place < 0:
            return []
        toks = say(self.focus, "spelled", replace(self.ways, word_first=False), rng)
        part = [t for t in toks if place <= t.at < place + len(missed)]
        return [Tok("carrier", self.data["that_part"]), *part] if part else []
