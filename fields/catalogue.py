"""The ready specs. ``catalogue["email"]`` and so on; ``dataclasses.replace`` makes a variant."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from langgraph_readback.fields.spec import FieldSpec

NAMES = (
    "email",
    "phone",
    "name",
    "id",
    "postcode",
    "plate",
    "iban",
    "vin",
    "card_last4",
    "username",
    "domain",
    "url",
    "date",
    "dob",
    "time",
    "amount",
    "address",
    "company",
    "property",
    "medication",
)

catalogue: Mapping[str, FieldSpec] = MappingProxyType({name: FieldSpec(name=name) for name in NAMES})
"""Specs by name. ``id`` takes any code of letters and digits until it is given a pattern."""
