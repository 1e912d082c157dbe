"""JSON lines in, JSON lines out: one object a line, answered before the next is read.

A bad line ends the command with one sentence on stderr that says which line and what to do, and exit code 2. The
sentence never repeats a captured value.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NoReturn

import typer

Row = dict[str, Any]
JSON_NAMES = {str: "a string", list: "a list", dict: "an object", bool: "true or false"}


class BadLineError(ValueError):
    """A row that cannot be worked on. The message says what to change."""


def fail(message: str) -> NoReturn:
    """One clear line on stderr, exit code 2."""
    typer.echo(f"readback: {message}", err=True)
    raise typer.Exit(2)


@contextmanager
def source(file: Path | None) -> Iterator[IO[bytes]]:
    """The lines to read: the file, or stdin. Exits with code 2 when there is nothing to read from."""
    if file is None:
        if sys.stdin.isatty():
            fail("nothing to read: give an argument, --file, or JSON lines on stdin (see --help)")
        yield sys.stdin.buffer
        return
    try:
        with file.open("rb") as stream:
            yield stream
    except OSError as error:
        fail(f"cannot read {str(file)!r}: {error.strerror}")


def rows(stream: IO[bytes]) -> Iterator[tuple[int, Row]]:
    """Each line's number, from 1, and its object. Empty lines are passed over."""
    for number, raw in enumerate(iter(stream.readline, b""), start=1):
        if raw.strip():
            with blame(number):
                yield number, parse(raw)


def parse(raw: bytes) -> Row:
    """One line as an object. Raises BadLineError with the place of the fault, never with the text."""
    try:
        row = json.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise BadLineError(f"not UTF-8 at byte {error.start + 1}") from None
    except json.JSONDecodeError as error:
        raise BadLineError(f"not JSON at column {error.colno}: {error.msg}") from None
    except RecursionError:
        raise BadLineError("JSON that is nested too deeply") from None
    if not isinstance(row, dict):
        raise BadLineError('not a JSON object like {"id": "1", ...}')
    return row


@contextmanager
def blame(number: int) -> Iterator[None]:
    """Turns a BadLineError into one line on stderr that names the input line, and exit code 2."""
    try:
        yield
    except BadLineError as error:
        fail(f"line {number}: {error}")


def take(row: Row, key: str, kind: type[Any], *, default: Any = ...) -> Any:
    """``row[key]`` of that kind. Raises BadLineError when it is missing (and has no default) or of another kind."""
    value = row.get(key)
    if value is None:
        if default is not ...:
            return default
        raise BadLineError(f'"{key}" is missing')
    if not isinstance(value, kind):
        raise BadLineError(f'"{key}" must be {JSON_NAMES[kind]}')
    return value


def identity(row: Row) -> Any:
    """``row["id"]``: any string or number. It is copied to the answer."""
    value = row.get("id")
    if not isinstance(value, str | int | float):
        raise BadLineError('"id" is missing (a string or a number)')
    return value


def emit(row: Mapping[str, Any]) -> None:
    """One object as one line on stdout, flushed, in UTF-8 whatever the terminal's encoding."""
    text = json.dumps(row, ensure_ascii=False) + "\n"
    # A lone surrogate becomes its JSON escape, which is what backslashreplace writes.
    sys.stdout.buffer.write(text.encode("utf-8", errors="backslashreplace"))
    sys.stdout.buffer.flush()
