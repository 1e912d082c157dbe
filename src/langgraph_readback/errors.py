"""Errors a builder can act on. None of them ever holds a captured value."""

from __future__ import annotations

__all__ = ["ContextError", "DatabaseUrlError", "NestingError", "ReadbackError", "TicketError"]


class ReadbackError(Exception):
    """Base of what this package raises on purpose. The message says what to do."""


class ContextError(ReadbackError, ValueError):
    """The circumstances of a run (locale, region, channel, today) cannot be used."""


class DatabaseUrlError(ReadbackError, ValueError):
    """A database URL that names no store we know."""


class NestingError(ReadbackError, RuntimeError):
    """A capture graph runs inside another graph without memory of its own, and has forgotten its last turn."""


class TicketError(ReadbackError, LookupError):
    """A hand-off ticket that does not exist, is closed, or is answered for another revision."""
