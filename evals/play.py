"""One call: a caller and an agent take turns over the line until the agent is done, with a clock running."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from langgraph_readback.evals.caller import Caller, Said
from langgraph_readback.evals.channel import Hearing
from langgraph_readback.evals.channel import Line as Wire
from langgraph_readback.evals.intent import Line
from langgraph_readback.evals.score import exact
from langgraph_readback.evals.speech import text_of
from langgraph_readback.evals.tasks import CHAT, Item, Task
from langgraph_readback.evals.typed import typed

TOKENS_A_SECOND = 2.0
TURN_GAP = 1.0
TOOL = 0.5
CALL_LIMIT = 240.0
TURN_LIMIT = 60


@dataclass(frozen=True, slots=True)
class Stored:
    """What an agent holds for a field. ``status``: STORED (nobody agreed), CONFIRMED, HANDOFF, DECLINED, or ''."""

    status: str = ""
    value: str | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """What an agent did with a turn: its lines, the tools it used (for the clock), and whether it is finished."""

    lines: tuple[Line, ...]
    done: bool = False
    tools: int = 0


class Session(Protocol):
    """One conversation with any agent."""

    def open(self) -> Turn:
        """The agent's first words."""

    def send(self, text: str, marks: Mapping[str, Any]) -> Turn:
        """The caller's words (``marks`` are the message's ``additional_kwargs``), and what the agent says to them."""

    def stored(self) -> Mapping[str, Stored]:
        """What it holds now, by field."""


@dataclass(frozen=True, slots=True)
class FieldResult:
    """How one field of one call ended. Holds no value.

    ``first``    the first capture arrived exactly (a property of the line and the caller, not of the agent).
    ``arrived``  some capture of the call arrived exactly: a hand-off after that was not justified.
    """

    field: str
    type: str
    tier: str
    status: str
    exact: bool
    first: bool
    arrived: bool
    missing: bool = False

    @property
    def passed(self) -> bool:
        """Stored and right; for a value the world does not know, not stored as confirmed."""
        return self.status == "HANDOFF" if self.missing else self.exact and self.status in ("CONFIRMED", "STORED")

    @property
    def wrong_confirmed(self) -> bool:
        """A wrong value counts as confirmed."""
        return self.status == "CONFIRMED" and not self.exact

    @property
    def justified(self) -> bool:
        """A hand-off of a value that never came through, or that the world does not know."""
        return self.status == "HANDOFF" and (self.missing or not self.arrived)


@dataclass(frozen=True, slots=True)
class CallResult:
    """One call's outcome. ``seconds`` by the clock; over the limit nothing counts as stored."""

    task: str
    set: str
    type: str
    half: str
    arm: str
    condition: str
    seed: int
    fields: tuple[FieldResult, ...]
    seconds: float
    turns: int
    ended: str

    @property
    def passed(self) -> bool:
        """Every field passed, in time."""
        return self.ended != "timeout" and all(f.passed for f in self.fields)


@dataclass(slots=True)
class _Track:
    """What came over the line for one field."""

    attempt: int = 0
    clean: bool = True
    first: bool = False
    arrived: bool = False

    def note(self, said: Said, clean: bool) -> None:  # noqa: FBT001
        """One hearing: a new attempt unless it is the rest of the last one."""
        if said.kind != "rest":
            self.attempt += 1
            self.clean = clean
        else:
            self.clean = self.clean and clean
        if said.whole and self.clean:
            self.arrived = True
            if self.attempt == 1:
                self.first = True


@dataclass(slots=True)
class Setting:
    """How calls are played: the line's scale, false yeses, a caller without complications."""

    scale: float = 1.0
    false_yes: float = 0.02
    plain: bool = False
    complications: dict[str, float] = field(default_factory=dict)


def play(
    task: Task, condition: str, seed: int, session: Session, arm: str, setting: Setting | None = None
) -> CallResult:
    """Play one call to its end. ``condition``: regular, noise, speech (voice) or typos, autocorrect, pasted (chat)."""
    setting = setting or Setting()
    chat = condition in CHAT
    caller = Caller(
        task,
        condition,
        seed,
        false_yes=setting.false_yes,
        plain=setting.plain or chat,
        complications=setting.complications,
        seen=chat,
    )
    wire = Wire(task.id, condition if not chat else "regular", seed, scale=setting.scale)
    tracks = {item.field: _Track() for item in task.items}
    turn = session.open()
    clock, turns, ended = _spoken(turn), 0, "done"
    while not turn.done:
        if clock > CALL_LIMIT:
            ended = "timeout"
            break
        if turns >= TURN_LIMIT:
            ended = "turns"
            break
        turns += 1
        said = caller.answer(turn.lines)
        text, hearing = _over(said, wire, condition, setting, seed, turns)
        if said.item and said.kind in ("value", "rest", "correction") and hearing:
            tracks[said.item.field].note(said, hearing.exact)
        clock += len(_spoken_text(said, text).split()) / TOKENS_A_SECOND + TURN_GAP
        turn = session.send(text, _marks(hearing, chat=chat))
        clock += _spoken(turn)
    late = clock > CALL_LIMIT
    stored = session.stored()
    fields = tuple(
        _result(item, stored.get(item.field, Stored()), tracks[item.field], late=late) for item in task.items
    )
    return CallResult(
        task.id,
        task.set,
        task.type,
        task.half,
        arm,
        condition,
        seed,
        fields,
        round(clock, 1),
        turns,
        "timeout" if late else ended,
    )


def _over(said: Said, wire: Wire, condition: str, setting: Setting, seed: int, turn: int) -> tuple[str, Hearing | None]:
    """What arrives of a turn."""
    if condition in CHAT:
        if said.item is None or not said.toks:
            return said.text, None
        rng = random.Random(f"typed/{seed}/{wire.task}/{condition}/{turn}")
        text, clean = typed(said.item, condition, rng, scale=setting.scale)
        return (f"No, it's {text}" if said.kind == "correction" else text), Hearing(text, exact=clean)
    if said.toks and said.item is not None:
        hearing = wire.hear(said.item, said.toks)
        return hearing.text, hearing
    if said.kind == "yes" and wire.lose_reply(turn):
        return "", None
    return said.text, None


def _marks(hearing: Hearing | None, *, chat: bool) -> dict[str, Any]:
    if hearing is None or chat:
        return {}
    return {"asr": {"confidence": hearing.confidence, "nbest": list(hearing.nbest)}}


def _spoken_text(said: Said, text: str) -> str:
    return text_of(list(said.toks)) if said.toks else said.text or text


def _spoken(turn: Turn) -> float:
    """Seconds of an agent's turn: its words, one gap, its tools."""
    count = sum(len(re.findall(r"[^\W_]+", line.text)) for line in turn.lines)
    return count / TOKENS_A_SECOND + (TURN_GAP if turn.lines else 0.0) + TOOL * turn.tools


def _result(item: Item, stored: Stored, track: _Track, *, late: bool) -> FieldResult:
    status = "" if late else stored.status
    right = exact(stored.value, item.value, item.type) if status in ("CONFIRMED", "STORED") else False
    return FieldResult(item.field, item.type, item.tier, status, right, track.first, track.arrived, item.missing)


def calls(tasks: Sequence[Task], conditions: Sequence[str], seeds: Sequence[int]) -> list[tuple[Task, str, int]]:
    """Every call of a run, in a fixed order."""
    return [(t, c, s) for s in seeds for t in tasks for c in conditions]
