"""Graph: the capture loop, its routes, and what langgraph.json serves."""

from langgraph_readback.context import CaptureContext
from langgraph_readback.graph.agent import build_agent
from langgraph_readback.graph.bounds import bound
from langgraph_readback.graph.capture import build_capture_graph, make_kit
from langgraph_readback.graph.loop import Onward, add_field_loop, add_shared_nodes, field_nodes, onward

__all__ = [
    "CaptureContext",
    "Onward",
    "add_field_loop",
    "add_shared_nodes",
    "bound",
    "build_agent",
    "build_capture_graph",
    "field_nodes",
    "make_kit",
    "onward",
]
