"""Hand-off: the desk's queue in SQL. Exits, watch and console come later."""

from langgraph_readback.handoff.desk import Filed, SqlDesk, TicketStatus

__all__ = ["Filed", "SqlDesk", "TicketStatus"]
