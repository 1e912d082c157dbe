"""Nodes: one a file, one factory each. Nodes work; routes (``langgraph_readback.graph``) choose."""

from langgraph_readback.nodes.act import act
from langgraph_readback.nodes.again import again
from langgraph_readback.nodes.ask import ask
from langgraph_readback.nodes.budgets import BUDGETS, REOPENINGS
from langgraph_readback.nodes.confirmed import confirmed
from langgraph_readback.nodes.converse import Crew, converse
from langgraph_readback.nodes.handoff import handoff, ticket_id
from langgraph_readback.nodes.human import human
from langgraph_readback.nodes.kit import Kit
from langgraph_readback.nodes.listen import listen
from langgraph_readback.nodes.readback import readback
from langgraph_readback.nodes.retry import retry
from langgraph_readback.nodes.validate import validate

__all__ = [
    "BUDGETS",
    "REOPENINGS",
    "Crew",
    "Kit",
    "act",
    "again",
    "ask",
    "confirmed",
    "converse",
    "handoff",
    "human",
    "listen",
    "readback",
    "retry",
    "ticket_id",
    "validate",
]
