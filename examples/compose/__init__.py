"""The capture inside bigger graphs: one runnable file each (docs/compose.md)."""
