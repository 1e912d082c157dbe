"""Names of hotels, venues and other properties, as spelled, in their usual capitals.

The same grammar as companies: https://www.w3.org/International/questions/qa-personal-names warns of the same
assumptions. A list of properties goes into ``options={"values": [...]}`` and settles nothing silently.

>>> from langgraph_readback.fields import FieldSpec, hear
>>> place = FieldSpec(name="property")
>>> hear(place, "loft two b, the number two and the letter b").value
'Loft 2B'
>>> hear(place, "casa del rio, with an accent on the i of rio").value
'Casa del Río'
>>> hear(place, "rio del mar, with an accent").reason.code
'spelling_contradiction'
"""

from __future__ import annotations

from langgraph_readback.fields.types.company import ANY_WORD, ASKS, SUBJECT, check, hear, say

__all__ = ["ANY_WORD", "ASKS", "SUBJECT", "check", "hear", "say"]
