"""FieldSpec: what a detail is. A builder adds a field with ten lines of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

from langgraph_readback.outcome import LookupOutcome

Lookup = Callable[[str, Mapping[str, Any]], Awaitable[LookupOutcome]]
"""``async (value, context) -> LookupOutcome``. ``context`` is plain data: locale, region, other fields' values."""

Confirm = Literal["yes", "challenge", "none"]
Prefilled = Literal["readback", "trust"]
Checksum = Literal["luhn", "mod97-10", "mod11-2"]


@dataclass(frozen=True, kw_only=True)
class FieldSpec:
    """What a detail is: its name, type, format, lookup, budgets and purpose.

    ``name``       the key in ``captures`` and the prefix of the field's nodes.
    ``type``       the field type that hears, checks and speaks it (``fields/types``); ``name`` by default.
    ``label``      words for the user ("order number"); by default from the locale file, by type.
    ``pattern``    a regular expression the whole value matches; with it the type is ``id`` unless given.
    ``checksum``   a check digit rule over the whole value.
    ``options``    further plain data a type understands (``{"values": [...]}`` for a list of names).
    ``lookup``     asks the world; ``lookup_deadline`` in seconds. A slow or failing one is UNAVAILABLE.
    ``on_unavailable``  what an UNAVAILABLE lookup means.
    ``purpose``    the answer to "why do you need it?".
    ``prefill``    what a value means that the builder's ``prefill=`` knows from the session: ``readback`` (the user is
                   asked whether it is right) or ``trust`` (validated, then confirmed; high stakes are still asked).
    ``depends_on`` fields whose change makes this one void: it is then asked for again.
    ``optional``   "I don't have one" ends in DECLINED; a required field goes to a human.
    ``retries``    failed attempts allowed after the first one.
    ``confirm``    ``yes``; ``challenge``: the user repeats the last characters; ``none``: low stakes, no read-back.
    ``high_stakes``     ask for the stronger confirmation when the value was only checked for format.
    ``blind``      keep values and utterances from the model and the traces.
    ``max_age``    seconds after which a confirmed value is too old for the gate; None: never.
    """

    name: str
    type: str = ""
    label: str | None = None
    pattern: str | None = None
    checksum: Checksum | None = None
    options: Mapping[str, Any] | None = None
    lookup: Lookup | None = None
    lookup_deadline: float = 3.0
    on_unavailable: Literal["accept_unverified", "handoff"] = "accept_unverified"
    purpose: str | None = None
    prefill: Prefilled = "readback"
    depends_on: tuple[str, ...] = ()
    optional: bool = False
    retries: int = 2
    confirm: Confirm = "yes"
    high_stakes: bool = False
    blind: bool = True
    max_age: float | None = None

    def __post_init__(self) -> None:
        """Settle the type. Raises ValueError for a name or a pattern that cannot work."""
        if not self.name.isidentifier():
            raise ValueError(f"field name {self.name!r} must be a Python identifier, e.g. 'order_id'")
        if self.retries < 0:
            raise ValueError(f"field {self.name!r}: retries must be 0 or more, got {self.retries}")
        if self.high_stakes and self.confirm == "none":
            raise ValueError(f"field {self.name!r}: high stakes need a confirmation, so confirm cannot be 'none'")
        if not self.type:
            object.__setattr__(self, "type", "id" if self.pattern else self.name)


@dataclass(frozen=True, kw_only=True, slots=True)
class Ask:
    """The circumstances of one hearing or read-back: who speaks, where, on which channel, and when."""

    locale: str = "en-US"
    region: str | None = None
    channel: Literal["voice", "chat"] = "voice"
    today: date | None = None

    @property
    def where(self) -> str | None:
        """The region: as given, else from the locale tag (``en-GB`` -> ``GB``), else None."""
        if self.region:
            return self.region.upper()
        parts = self.locale.replace("_", "-").split("-")
        return next((p.upper() for p in parts[1:] if len(p) == 2 and p.isalpha()), None)
