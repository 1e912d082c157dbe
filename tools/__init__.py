"""tools: the gate a model cannot pass, the ledger behind it, the model's capture tool, and blindness."""

from langgraph_readback.tools.actions import Action, Alarm, NotDone, Receipt, Refusal, Services
from langgraph_readback.tools.blind import blind, blind_hook, mask_values, paired
from langgraph_readback.tools.capture import CAPTURE, Request, capture_tool, request
from langgraph_readback.tools.gate import GatedAction, gated
from langgraph_readback.tools.ledger import Ledger
from langgraph_readback.tools.proposals import Proposals, find_proposals

__all__ = [
    "CAPTURE",
    "Action",
    "Alarm",
    "GatedAction",
    "Ledger",
    "NotDone",
    "Proposals",
    "Receipt",
    "Refusal",
    "Request",
    "Services",
    "blind",
    "blind_hook",
    "capture_tool",
    "find_proposals",
    "gated",
    "mask_values",
    "paired",
    "request",
]
