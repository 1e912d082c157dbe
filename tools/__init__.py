"""tools: the gate a model cannot pass, the ledger behind it, the model's capture tool, and blindness."""

from langgraph_readback.tools.actions import Action, Alarm, NotDone, Receipt, Refusal, Services
from langgraph_readback.tools.blind import mask_values
from langgraph_readback.tools.gate import GatedAction, gated
from langgraph_readback.tools.ledger import Ledger

__all__ = [
    "Action",
    "Alarm",
    "GatedAction",
    "Ledger",
    "NotDone",
    "Receipt",
    "Refusal",
    "Services",
    "gated",
    "mask_values",
]
