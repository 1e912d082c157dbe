"""Ready specs for account and member codes with check digits. ``dataclasses.replace`` fits them to a real layout.

Check digits catch every single wrong character (mod 97-10 and mod 11-2 also every swap of neighbours): a code that
was heard wrong is a reason, not a record. Rules: ISO/IEC 7064 (mod 97-10, mod 11-2), ISO/IEC 7812-1 annex B (Luhn).

>>> from langgraph_readback.fields import hear
>>> hear(MEMBER_CODES["mod97-10"], "m l two oh four seven one eight eight five").value
'ML20471885'
>>> hear(MEMBER_CODES["mod97-10"], "m l two oh four seven one eight eight six").reason.code
'checksum'
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from langgraph_readback.fields.spec import FieldSpec

MEMBER_CODES: Mapping[str, FieldSpec] = MappingProxyType(
    {
        "luhn": FieldSpec(name="member_code", pattern=r"\d{10}", checksum="luhn", options={"example": "4005129079"}),
        "mod97-10": FieldSpec(
            name="member_code", pattern=r"[A-Z]{2}\d{8}", checksum="mod97-10", options={"example": "ML20471885"}
        ),
        "mod11-2": FieldSpec(
            name="member_code",
            pattern=r"\d{4}-\d{4}-\d{4}-\d{3}[0-9X]",
            checksum="mod11-2",
            options={"example": "0000-0002-1825-0097"},
        ),
    }
)
"""By rule: ten digits with Luhn; two letters and eight digits with mod 97-10; four groups of four with mod 11-2
(the layout of ISNI and ORCID)."""
