"""Fields: what a detail is, how it is heard, checked, read back and replied to. Pure, no LangGraph, no model."""

from langgraph_readback.fields.locales import languages, section
from langgraph_readback.fields.spec import Ask, Checksum, FieldSpec, Lookup
from langgraph_readback.outcome import Evidence, Intent, LookupOutcome, Reading, Reason, Reply, Span, Spoken, Verdict

__all__ = [
    "Ask",
    "Checksum",
    "Evidence",
    "FieldSpec",
    "Intent",
    "Lookup",
    "LookupOutcome",
    "Reading",
    "Reason",
    "Reply",
    "Span",
    "Spoken",
    "Verdict",
    "languages",
    "section",
]
