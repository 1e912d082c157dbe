"""langgraph-readback: the read-back loop as a LangGraph agent graph.

The spine of the package: outcomes, state, context, ports, seal and errors. Every other room imports
from here and never the other way round.
"""

__version__ = "0.1.0"
