"""Where things are kept: the one database that checkpoints, seals' key file, marks and tickets share by default."""

from __future__ import annotations

import os

from platformdirs import user_data_path

__all__ = ["DATABASE_VARIABLE", "database_url", "is_memory"]

DATABASE_VARIABLE = "READBACK_DATABASE_URL"


def database_url(url: str | None = None) -> str:
    """``url`` when given, else ``READBACK_DATABASE_URL``, else a SQLite file in the user's data folder."""
    if chosen := url or os.environ.get(DATABASE_VARIABLE):
        return chosen
    return f"sqlite:///{user_data_path('langgraph-readback', ensure_exists=True) / 'readback.db'}"


def is_memory(url: str | None) -> bool:
    """Whether nothing outlives the process: no URL, ``memory:`` or ``memory://``, or SQLite without a file."""
    return url is None or url.rstrip("/") in ("memory:", "sqlite:") or url.endswith(":memory:")
