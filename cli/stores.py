"""What several commands say when a database cannot be used."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from langgraph_readback.cli.lines import fail
from langgraph_readback.database import database_url, is_memory
from langgraph_readback.errors import ReadbackError

if TYPE_CHECKING:
    from langgraph_readback.seal import Sealer


def sealer(database: str | None) -> Sealer:
    """The keys that go with a database. Exits with code 2 when it is shared and no keys are set."""
    from langgraph_readback.seal import Sealer

    place = database_url(database)
    try:
        return Sealer.from_env(None if is_memory(place) else place)
    except ValueError as error:
        fail(str(error))


@contextmanager
def usable() -> Iterator[None]:
    """Turns what a database, its URL or the desk refuses into one line on stderr and exit code 2."""
    from psycopg import Error as PostgresError
    from sqlalchemy.exc import SQLAlchemyError

    # The pool logs every failed try; the one line that counts is ours.
    logging.getLogger("psycopg.pool").setLevel(logging.CRITICAL)
    try:
        yield
    except ReadbackError as error:
        fail(str(error))
    except OSError as error:
        fail(f"cannot use the database: {error.strerror}")
    except (PostgresError, SQLAlchemyError) as error:
        # Only its kind: its words may quote a statement, and that may hold a value.
        fail(f"cannot use the database ({type(error).__name__}): is its URL right, and is it running?")
