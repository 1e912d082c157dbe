"""nodes (see docs/architecture.md)."""
