"""Fields: what a detail is, how it is heard, checked, read back and replied to. Pure, no LangGraph, no model."""

from langgraph_readback.fields.catalogue import catalogue
from langgraph_readback.fields.listen import check, hear, read_back, speak
from langgraph_readback.fields.locales import languages, section
from langgraph_readback.fields.prompts import sentence
from langgraph_readback.fields.remarks import remark
from langgraph_readback.fields.reply import classify_reply
from langgraph_readback.fields.rules import CrossRule
from langgraph_readback.fields.spec import Ask, Checksum, FieldSpec, Lookup
from langgraph_readback.outcome import Evidence, Intent, LookupOutcome, Reading, Reason, Reply, Span, Spoken, Verdict

__all__ = [
    "Ask",
    "Checksum",
    "CrossRule",
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
    "catalogue",
    "check",
    "classify_reply",
    "hear",
    "languages",
    "read_back",
    "remark",
    "section",
    "sentence",
    "speak",
]
