"""Hand-off: the desk's queue in SQL, and what wakes conversations. docs/architecture.md has the contract."""

from langgraph_readback.handoff.desk import Filed, SqlDesk, TicketStatus
from langgraph_readback.handoff.records import Entry, Hold, Row, mask
from langgraph_readback.handoff.wake import GraphWaker, LoopbackWaker, ServerWaker, Waker, awake_due, wake_due

__all__ = [
    "Entry", "Filed", "GraphWaker", "Hold", "LoopbackWaker", "Row", "ServerWaker", "SqlDesk", "TicketStatus", "Waker",
    "awake_due", "mask", "wake_due",
]  # fmt: skip
