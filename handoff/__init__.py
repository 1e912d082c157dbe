"""handoff (see docs/architecture.md)."""
