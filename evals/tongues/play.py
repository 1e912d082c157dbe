"""One call in another language. As ``evals/play.py``; words of scripts without spaces are counted by characters."""

from __future__ import annotations

import random
from collections.abc import Sequence

import regex

from langgraph_readback.evals.caller import Said
from langgraph_readback.evals.channel import Hearing
from langgraph_readback.evals.play import (
    CALL_LIMIT,
    TOKENS_A_SECOND,
    TOOL,
    TURN_GAP,
    TURN_LIMIT,
    CallResult,
    Session,
    Setting,
    Stored,
    Turn,
    _marks,
    _result,
    _Track,
)
from langgraph_readback.evals.tasks import CHAT, Task
from langgraph_readback.evals.tongues.caller import Caller
from langgraph_readback.evals.tongues.line import Line as Wire
from langgraph_readback.evals.tongues.saying import text_of
from langgraph_readback.evals.tongues.typed import typed
from langgraph_readback.evals.tongues.voices import voice

HAN_A_TOKEN = 2.0
"""Chinese characters in the time of one English word: about four a second (an assumption of ours)."""


def play(
    task: Task, condition: str, seed: int, session: Session, arm: str, setting: Setting | None = None
) -> CallResult:
    """Play one call to its end. ``condition``: regular, noise, speech (voice) or typos, autocorrect, pasted (chat)."""
    setting = setting or Setting()
    chat = condition in CHAT
    caller = Caller(task, condition, seed, false_yes=setting.false_yes, plain_=setting.plain or chat, seen=chat)
    wire = Wire(task.id, condition if not chat else "regular", seed, scale=setting.scale)
    tracks = {item.field: _Track() for item in task.items}
    turn = session.open()
    clock, turns, ended = _spoken(turn), 0, "done"
    while not turn.done:
        if clock > CALL_LIMIT or turns >= TURN_LIMIT:
            ended = "timeout" if clock > CALL_LIMIT else "turns"
            break
        turns += 1
        said = caller.answer(turn.lines)
        text, hearing = over(said, wire, condition, setting, turns)
        if said.item and said.kind in ("value", "rest", "correction") and hearing:
            tracks[said.item.field].note(said, hearing.exact)
        clock += tokens(text) / TOKENS_A_SECOND + TURN_GAP
        turn = session.send(text, _marks(hearing, chat=chat))
        clock += _spoken(turn)
    late = clock > CALL_LIMIT
    stored = session.stored()
    fields = tuple(_result(i, stored.get(i.field, Stored()), tracks[i.field], late=late) for i in task.items)
    ended = "timeout" if late else ended
    return CallResult(
        task.id, task.set, task.type, task.half, arm, condition, seed, fields, round(clock, 1), turns, ended
    )


def over(said: Said, wire: Wire, condition: str, setting: Setting, turn: int) -> tuple[str, Hearing | None]:
    """What arrives of a turn."""
    if condition in CHAT:
        if said.item is None or not said.toks:
            return said.text, None
        rng = random.Random(f"typed/{wire.seed}/{wire.task}/{condition}/{turn}")
        text, clean = typed(said.item, condition, rng, scale=setting.scale)
        lead = voice(said.item.locale.split("-")[0])["no_typed"] if said.kind == "correction" else ""
        return lead + text, Hearing(text, exact=clean)
    if said.toks and said.item is not None:
        hearing = wire.hear(said.item, said.toks)
        return hearing.text, hearing
    return ("", None) if said.kind == "yes" and wire.lose_reply(turn) else (said.text, None)


def tokens(text: str) -> float:
    """How many English words a text is worth in time."""
    han = len(regex.findall(r"\p{Han}", text))
    return han / HAN_A_TOKEN + len(regex.findall(r"[[\p{L}\p{M}]--\p{Han}]+|\d+", text, flags=regex.V1))


def _spoken(turn: Turn) -> float:
    words = sum(tokens(line.text) for line in turn.lines)
    return words / TOKENS_A_SECOND + (TURN_GAP if turn.lines else 0.0) + TOOL * turn.tools


def said_as(said: Said, language: str) -> str:
    """The words of a turn as the caller said them."""
    return text_of(list(said.toks), language) if said.toks else said.text


def languages_of(tasks: Sequence[Task]) -> list[str]:
    """The languages of some tasks, in their order."""
    return list(dict.fromkeys(t.locale.split("-")[0] for t in tasks))
