"""evals (see docs/architecture.md)."""
