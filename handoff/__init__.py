"""Hand-off: the desk's queue in SQL. See ``SqlDesk``; docs/architecture.md has the contract."""

from langgraph_readback.handoff.desk import Filed, SqlDesk, TicketStatus
from langgraph_readback.handoff.records import Entry, Hold, Row, mask

__all__ = ["Entry", "Filed", "Hold", "Row", "SqlDesk", "TicketStatus", "mask"]
