"""Callback: a way out beside the desk. Name, number and time are captured by the same loop, and the desk sees a call.

``with_callback(fields, desk=...)`` is a capture graph that offers a call when a detail was handed off and its spec or
the circumstances say so: ``FieldSpec(options={"way_out": "callback"})`` always, ``"desk"`` never, else when nobody is
at the desk (``choose``). What is asked for are ordinary fields: read back, confirmed, sealed; who gives no number gets
no call. Then the desk has a ticket with a due time, and the tickets it is about are due at that time, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Literal, cast
from zoneinfo import ZoneInfo

import phonenumbers
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.config import get_config
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from phonenumbers.timezone import time_zones_for_number

from langgraph_readback.context import CaptureContext
from langgraph_readback.fields import FieldSpec, Lookup
from langgraph_readback.graph.capture import Saver, build_capture_graph, make_kit
from langgraph_readback.graph.loop import add_field_loop, add_shared_nodes, onward
from langgraph_readback.graph.routes import DONE
from langgraph_readback.handoff.desk import SqlDesk
from langgraph_readback.handoff.exits.links import words
from langgraph_readback.handoff.records import CALLBACK, Callback, Filed
from langgraph_readback.nodes import Kit
from langgraph_readback.nodes.handoff import ticket_id
from langgraph_readback.nodes.lines import line
from langgraph_readback.nodes.view import marks
from langgraph_readback.ports import HighWater, Ticket
from langgraph_readback.seal import Sealer
from langgraph_readback.state import (
    CaptureOutput,
    CaptureState,
    EmbeddedInput,
    Record,
    Records,
    ServedInput,
    entries,
    message_list,
)

__all__ = ["FIELDS", "Choose", "due_at", "way_out", "with_callback", "zone_of"]

PHONE, TIME, NAME = "callback_phone", "callback_time", "callback_name"
FIELDS = (
    FieldSpec(name=PHONE, type="phone", optional=True),
    FieldSpec(name=TIME, type="time", optional=True),
    FieldSpec(name=NAME, type="name", optional=True),
)
"""What is asked for a call, the number first, by names that no detail of yours should have. ``with_callback(asks=...)``
takes them with other labels, look-ups or confirmations."""

Choose = Callable[[Filed, bool], bool]
"""``(ticket, somebody is at the desk) -> whether to offer a call``. The ticket is masked."""

_GRACE = timedelta(minutes=10)
"""A time that has just gone by is now, not tomorrow."""
_SOON = 900.0
_SETTLED = ("CONFIRMED", "DECLINED")


def way_out(ticket: Filed, somebody: bool) -> bool:  # noqa: FBT001 - a Choose
    """By spec, else by who is at the desk."""
    options = (ticket.get("rules") or {}).get("options")
    wanted = options.get("way_out") if isinstance(options, Mapping) else None
    return wanted == "callback" or (wanted != "desk" and not somebody)


def with_callback(  # noqa: PLR0913 - the ports of build_capture_graph, all by name
    fields: Sequence[FieldSpec],
    *,
    desk: SqlDesk,
    checkpointer: Saver = None,
    lookups: Mapping[str, Lookup] | None = None,
    sealer: Sealer | None = None,
    highwater: HighWater | None = None,
    asks: Sequence[FieldSpec] = FIELDS,
    choose: Choose = way_out,
    present_within: float = 300.0,
    zone: str = "UTC",
    name: str = "capture",
) -> CompiledStateGraph[Any, Any, Any, Any]:
    """``build_capture_graph(fields, ...)`` with a call as a way out.

    ``zone``  where a number's own time zone is not known (many mobile numbers): an IANA name.
    ``asks``  the fields of the call: those of ``FIELDS``, in this order, made to measure with ``replace``.
    ``present_within``  seconds since somebody was at the desk.

    Raises ValueError as ``build_capture_graph`` does, for names that ``fields`` and ``asks`` share, and for no zone.
    """
    ZoneInfo(zone)
    if [spec.name for spec in asks] != [spec.name for spec in FIELDS]:
        raise ValueError(f"asks must be {PHONE}, {TIME} and {NAME}, in this order")
    kit = make_kit([*fields, *asks], checkpointer=checkpointer, desk=desk, sealer=sealer, highwater=highwater)
    ports: dict[str, Any] = {"desk": desk, "sealer": kit.sealer, "highwater": kit.marks, "embedded": True}
    parts = _Parts(kit, desk, [spec.name for spec in asks], choose, present_within, zone)
    builder: StateGraph[Any, Any, Any, Any] = StateGraph(
        EmbeddedInput, context_schema=CaptureContext, input_schema=ServedInput, output_schema=CaptureOutput
    )
    builder.add_node("details", build_capture_graph(fields, lookups=lookups, **ports))
    builder.add_node("callback", _call_graph(kit, asks))
    builder.add_node("OFFER", parts.offer)
    builder.add_node("CALL", parts.call)
    builder.add_node("GONE", parts.gone)
    ways = {"end": END} | {way: way for way in ("details", "callback", "OFFER", "GONE")}
    builder.add_conditional_edges(START, parts.way, cast("Any", ways))
    builder.add_edge("OFFER", "callback")
    builder.add_conditional_edges("callback", parts.over, {True: "CALL", False: END})
    builder.add_edge("CALL", "details")
    builder.add_edge("details", END)
    return builder.compile(checkpointer=checkpointer, name=name)


def _call_graph(kit: Kit, asks: Sequence[FieldSpec]) -> CompiledStateGraph[Any, Any, Any, Any]:
    """The loop over the fields of a call, to be embedded; without a number it asks for nothing more."""
    kit = replace(kit, specs={spec.name: spec for spec in asks}, lookups={}, remembers=True)
    usual = onward(kit)

    def route(state: Records) -> str:
        return DONE if _declined(entries(state.get("captures"))) else usual.route(state)

    then = replace(usual, route=route)
    builder: StateGraph[Any, Any, Any, Any] = StateGraph(
        CaptureState, context_schema=CaptureContext, input_schema=EmbeddedInput, output_schema=CaptureOutput
    )
    add_shared_nodes(builder, kit, then)
    for spec in asks:
        add_field_loop(builder, spec, kit=kit, then=then)
    return builder.compile(checkpointer=True, name="callback")


class _Parts:
    """The nodes and routes around the two captures."""

    def __init__(
        self, kit: Kit, desk: SqlDesk, asks: list[str], choose: Choose, present_within: float, zone: str
    ) -> None:  # fmt: skip
        self._kit, self._desk, self._asks = kit, desk, asks
        self._choose, self._within, self._zone = choose, present_within, zone

    def way(self, state: EmbeddedInput) -> Literal["details", "callback", "OFFER", "GONE", "end"]:
        """Where a message goes: to the call while one is arranged, else to the details.

        Who hangs up closes their tickets, as ever; but not who waits for a call: that is why they hung up.
        """
        records = entries(state.get("captures"))
        begun = any(name in records for name in self._asks)
        if _hung_up(state):
            if begun and self._desk.search(thread=_thread(), field=CALLBACK):
                return "end"
            return "GONE" if begun and not self.over(state) else "details"
        if self.over(state) or not (waiting := self._waiting()):
            return "details"
        if begun:
            return "callback"
        somebody = bool(self._desk.present(self._within))
        return "OFFER" if any(self._choose(ticket, somebody) for ticket in waiting) else "details"

    def over(self, state: EmbeddedInput) -> bool:
        """Whether nothing is left to ask for the call: all is settled, or there is to be none."""
        records = entries(state.get("captures"))
        return _declined(records) or all(records.get(one, {}).get("status") in _SETTLED for one in self._asks)

    def offer(self, state: EmbeddedInput) -> dict[str, Any]:
        """Say what comes now, and how to have none of it."""
        del state
        return {"messages": [self._say("call_lead", self._waiting())]}

    def gone(self, state: EmbeddedInput) -> None:
        """The user hung up before a call was arranged: nobody is left to answer."""
        del state
        for row in self._desk.search(thread=_thread()):
            self._desk.withdraw(row["id"], "hangup")

    def call(self, state: EmbeddedInput) -> dict[str, Any]:
        """File the callback, then say so (law 8); without a number, say that there is none."""
        waiting, records = self._waiting(), entries(state.get("captures"))
        phone = self._value(records, PHONE)
        if phone is None:
            return {"messages": [self._say("call_none", waiting)]}
        time, zone, now = self._value(records, TIME), zone_of(phone, self._zone, self._desk.now()), self._desk.now()
        at = due_at(time, zone, now) if time else now + _SOON
        about = [ticket["id"] for ticket in waiting]
        wish = Callback(name=self._value(records, NAME), phone=phone, time=time, zone=zone, at=at, about=about)
        said = self._say("call_filed" if time else "call_soon", waiting)
        self._desk.file(_ticket(records[PHONE], waiting, wish, said.text, now))
        self._desk.put_off(about, at)
        return {"messages": [said]}

    def _value(self, records: Mapping[str, Record], name: str) -> str | None:
        """A value whose seal holds; what a client wrote over the state is none."""
        record = records.get(name, {})
        return record.get("value") if self._kit.sealed(name, record, _thread()) else None

    def _waiting(self) -> list[Filed]:
        """This conversation's tickets about its details, masked."""
        rows = self._desk.search(thread=_thread())
        return [self._desk.look(row["id"]) for row in rows if row["field"] not in (*self._asks, CALLBACK)]

    def _say(self, key: str, waiting: Iterable[Filed]) -> AIMessage:
        locale = next((ticket["locale"] for ticket in waiting), "en-US")
        said = words(locale, key, no=words(locale, "call_no")) if key == "call_lead" else words(locale, key)
        return line("inform", self._kit.specs[PHONE], said)


def _ticket(record: Record, waiting: Sequence[Filed], wish: Callback, told: str, now: float) -> Ticket:
    """The call as the desk files it; around it, what the first ticket knows of the conversation."""
    thread, revision = _thread(), record.get("revision", 1)
    first: Mapping[str, Any] = waiting[0] if waiting else {}
    locale = first.get("locale", "en-US")
    ticket = Ticket(
        id=ticket_id(thread, CALLBACK, revision), thread=thread, field=CALLBACK, revision=revision,
        label=words(locale, "call_label"), locale=locale, reason="callback", attempts=[], told=told,
        region=first.get("region"), channel=first.get("channel", "voice"), due_in=max(1.0, wish["at"] - now),
    )  # fmt: skip
    return cast("Ticket", {**ticket, "callback": wish})


def _hung_up(state: EmbeddedInput) -> bool:
    """Whether the client says that the user has hung up."""
    last = message_list(state.get("messages"))[-1:]
    said = [one for one in last if isinstance(one, HumanMessage)]
    return bool(said) and not said[0].text.strip() and marks(said).get("event") == "hangup"


def _declined(records: Mapping[str, Record]) -> bool:
    """Whether the user gives no number."""
    return records.get(PHONE, {}).get("status") == "DECLINED"


def _thread() -> str:
    return str(get_config().get("configurable", {}).get("thread_id") or "")


def due_at(time: str, zone: str, now: float) -> float:
    """When it is next ``HH:MM`` in a time zone, in seconds since 1970; now for a time that has just gone by."""
    local = datetime.fromtimestamp(now, ZoneInfo(zone))
    hour, minute = map(int, time.split(":"))
    at = local.replace(hour=hour, minute=minute, second=0, microsecond=0)
    if at <= local - _GRACE:
        at += timedelta(days=1)
    return max(now, at.timestamp())


def zone_of(phone: str, otherwise: str, now: float) -> str:
    """The time zone of a number in E.164; ``otherwise`` when it may be in several that differ now."""
    zones = []
    for zone in time_zones_for_number(phonenumbers.parse(phone.split(";", maxsplit=1)[0])):
        try:
            zones.append((zone, datetime.fromtimestamp(now, ZoneInfo(zone)).utcoffset()))
        except (KeyError, ValueError):  # "Etc/Unknown", or a zone this machine has no data of
            return otherwise
    return zones[0][0] if zones and len({offset for _, offset in zones}) == 1 else otherwise
