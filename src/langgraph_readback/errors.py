"""Errors a builder can act on. None of them ever holds a captured value."""

from __future__ import annotations

__all__ = ["ContextError", "DatabaseUrlError", "EncryptionKeyError", "NestingError", "ReadbackError", "TicketError"]


class ReadbackError(Exception):
    """Base of what this package raises on purpose. The message says what to do."""


class ContextError(ReadbackError, ValueError):
    """The circumstances of a run (locale, region, channel, today) cannot be used."""


class DatabaseUrlError(ReadbackError, ValueError):
    """A database URL that names no store we know."""


class EncryptionKeyError(ReadbackError, ValueError):
    """Stored data cannot be read with the encryption keys that are set, or a key cannot be used."""


class NestingError(ReadbackError, RuntimeError):
    """A capture graph runs inside another graph without memory of its own, and has forgotten its last turn."""


class TicketError(ReadbackError, LookupError):
    """A hand-off ticket that does not exist, is closed, or is answered for another revision."""


class TicketTakenError(TicketError):
    """Somebody else holds the ticket, or the hold of the one who asks has lapsed."""


class TicketClosedError(TicketError):
    """The ticket is closed: it was answered, returned or expired. A ticket closes exactly once."""


class StaleTicketError(TicketError):
    """The answer is for another revision than the ticket's: the conversation has moved on."""
