"""The seal: a signature over thread, field, value, revision, confirmer and time.

The gate runs an action only with values whose seal verifies (law 1). A seal holds no value: it carries a keyed
digest of it, so a leaked seal cannot be searched for phone numbers or emails without the key.

Keys come from ``READBACK_SEAL_KEYS`` (comma-separated: the first signs, all verify). With none set, a key file
(mode 0600) is made beside the SQLite database and the log says so once. Signing is itsdangerous, HMAC-SHA256
(https://itsdangerous.palletsprojects.com/en/stable/concepts/ explains salts and key rotation).
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
import secrets
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, Literal, cast

from itsdangerous import BadData, Signer, URLSafeSerializer

__all__ = ["KEYS_VARIABLE", "UNREAD", "Moment", "SealCode", "SealVerdict", "Sealer"]

KEYS_VARIABLE = "READBACK_SEAL_KEYS"
UNREAD = "unread"
"""The confirmer of a value that was sealed without a read-back (``FieldSpec.confirm="none"``): nobody."""
_SHORTEST_KEY = 16
_KEY_ID = re.compile("[0-9a-f]{12}")
_LOG = logging.getLogger("langgraph_readback.seal")

SealCode = Literal[
    "ok", "unsealed", "tampered", "unknown_key", "other_thread", "other_field", "other_revision", "other_value",
    "other_ticket", "expired",
]  # fmt: skip
"""Why a seal does or does not hold. ``unknown_key``: signed by a key this deployment no longer has."""

Moment = float | datetime | str
"""A point in time: seconds since 1970 (UTC), an aware datetime, or ISO 8601 text with an offset."""

_Expected = dict[str, tuple[Any, SealCode]]
"""By name in the claim: what it must be, and the code when it is not."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SealVerdict:
    """What a seal says: whether it holds, why not, and (when it is genuine) who confirmed and when.

    ``at`` is in seconds since 1970 (UTC). ``by`` is ``user`` or ``human:<id>``; where nobody was asked,
    ``session:<source>`` (prefill, trusted) or ``unread``. ``verified`` is how far the value was checked: ``format``,
    ``world`` or ``human``; None when it was sealed without saying so.
    """

    ok: bool
    code: SealCode
    by: str | None = None
    at: float | None = None
    verified: str | None = None

    @property
    def agreed(self) -> bool:
        """Whether a person said that the value is right: the user, or a colleague at the desk."""
        return self.ok and (self.by == "user" or str(self.by).startswith("human:"))


class Sealer:
    """Signs and verifies. Make one with ``Sealer.from_env``, or from keys: the first signs, all verify."""

    def __init__(self, keys: Sequence[str]) -> None:
        """Take the keys. Raises ValueError when there is none, or one is shorter than 16 characters."""
        if not keys:
            raise ValueError(f"no seal key: set {KEYS_VARIABLE} to one or more keys, separated by commas")
        for place, key in enumerate(keys, 1):
            if len(key) < _SHORTEST_KEY:
                raise ValueError(
                    f"seal key number {place} of {KEYS_VARIABLE} is too short: use at least {_SHORTEST_KEY} "
                    "characters, e.g. the output of `python -c 'import secrets; print(secrets.token_hex(32))'`"
                )
        self._keys = [key.encode() for key in reversed(keys)]  # itsdangerous signs with the last one
        self._ids = [_key_id(key) for key in self._keys]

    def __repr__(self) -> str:
        """Show how many keys there are, never the keys."""
        return f"Sealer({len(self._keys)} keys)"

    @classmethod
    def from_env(cls, database_url: str | None = None) -> Sealer:
        """Take the keys of the environment, else the key file beside the SQLite database ``database_url`` names.

        Without a database (None, or SQLite in memory) the key lives as long as the process. Raises ValueError for
        another database without keys: its workers would each sign with a key of their own.
        """
        keys = [key.strip() for key in os.environ.get(KEYS_VARIABLE, "").split(",")]
        if any(keys):
            return cls([key for key in keys if key])
        path = _key_path(database_url)
        return cls([_process_key() if path is None else _file_key(path)])

    def seal(
        self, *, thread: str, field: str, value: Any, revision: int, by: str, at: Moment, verified: str | None = None
    ) -> str:
        """Seal a confirmed value. ``value`` is JSON data and does not occur in the result."""
        claim = {"f": field, "r": revision, "b": by, "a": _seconds(at), "v": verified}
        return self._sign("record", claim, {"t": thread}, value)

    def verify(
        self,
        seal: str | None,
        *,
        thread: str,
        field: str,
        value: Any,
        revision: int,
        max_age: float | None = None,
        now: Moment | None = None,
    ) -> SealVerdict:
        """Say whether ``seal`` holds for exactly these. ``max_age`` in seconds; never raises on a bad seal."""
        expected: _Expected = {"f": (field, "other_field"), "r": (revision, "other_revision")}
        return self._verify("record", seal, expected, {"t": (thread, "other_thread")}, value, max_age, now)

    def made(self, seal: str | None, *, field: str, value: Any, revision: int) -> bool:
        """Whether we sealed exactly this value once, in whatever conversation and however long ago.

        Enough to propose it to the user again; never enough to use it.
        """
        claim = self._open("record", seal)
        if isinstance(claim, SealVerdict):
            return False
        digest = claim.pop("d")
        return (claim["f"], claim["r"]) == (field, revision) and self._same(
            "record", {"claim": claim, "value": value}, digest
        )

    def foreign(self, seal: str | None) -> bool:
        """Whether ``seal`` names a key that we do not have: a lost one, or an invented one."""
        opened = self._open("record", seal)
        return isinstance(opened, SealVerdict) and opened.code == "unknown_key"

    def fingerprint(self, *, thread: str, field: str, value: Any, revision: int) -> str:
        """A keyed digest that is the same for every seal of this value: what SQL keeps beside a high-water mark."""
        return self._digest("mark", [thread, field, value, revision])

    def fingerprints(self, *, thread: str, field: str, value: Any, revision: int) -> tuple[str, ...]:
        """The fingerprint under every key, the signing key's first: a mark may be older than the last rotation."""
        content = _canonical([thread, field, value, revision])
        signers = (_signer("mark", [key]) for key in reversed(self._keys))
        return tuple(signer.get_signature(content).decode() for signer in signers)

    def sign_answer(
        self, *, ticket: str, revision: int, answer: Mapping[str, Any], by: str, at: Moment | None = None
    ) -> str:
        """Sign what the desk answered to a hand-off, so that a resume may carry it. Holds no value either."""
        claim = {"k": ticket, "r": revision, "b": by, "a": _seconds(time.time() if at is None else at)}
        return self._sign("answer", claim, {}, dict(answer))

    def verify_answer(
        self,
        token: str | None,
        *,
        ticket: str,
        revision: int,
        answer: Mapping[str, Any],
        max_age: float | None = None,
        now: Moment | None = None,
    ) -> SealVerdict:
        """Say whether ``token`` was signed by the desk for exactly this answer to this ticket and revision."""
        expected: _Expected = {"k": (ticket, "other_ticket"), "r": (revision, "other_revision")}
        return self._verify("answer", token, expected, {}, dict(answer), max_age, now)

    def secret(self, purpose: str) -> str:
        """A key for another purpose (cookies), the same on every worker; it tells nothing of the seal keys."""
        return self._digest(f"secret.{purpose}", purpose)

    # -- how: the claim in clear, and keyed digests of what must not be readable

    def _sign(self, purpose: str, claim: dict[str, Any], hidden: dict[str, str], value: Any) -> str:
        claim |= {name: self._digest(purpose, {name: text}) for name, text in hidden.items()}
        claim["d"] = self._digest(purpose, {"claim": claim, "value": value})
        return f"{self._ids[-1]}.{self._serializer(purpose).dumps(claim)}"

    def _verify(
        self,
        purpose: str,
        seal: str | None,
        expected: _Expected,
        hidden: _Expected,
        value: Any,
        max_age: float | None,
        now: Moment | None,
    ) -> SealVerdict:
        claim = self._open(purpose, seal)
        if isinstance(claim, SealVerdict):
            return claim
        digest = claim.pop("d")
        code: SealCode = "ok"
        if not self._same(purpose, {"claim": claim, "value": value}, digest):
            code = "other_value"
        for name, (want, otherwise) in expected.items():
            code = code if claim[name] == want and type(claim[name]) is type(want) else otherwise
        for name, (text, otherwise) in hidden.items():
            code = code if self._same(purpose, {name: text}, claim[name]) else otherwise
        today = _seconds(time.time() if now is None else now)
        if code == "ok" and max_age is not None and today - claim["a"] > max_age:
            code = "expired"
        return SealVerdict(ok=code == "ok", code=code, by=claim["b"], at=claim["a"], verified=claim.get("v"))

    def _open(self, purpose: str, seal: str | None) -> dict[str, Any] | SealVerdict:
        """The signed claim, or why there is none. Nothing in an unsigned claim is believed."""
        if not seal:
            return SealVerdict(ok=False, code="unsealed")
        if not isinstance(seal, str):
            return SealVerdict(ok=False, code="tampered")
        key_id, _, signed = seal.partition(".")
        try:
            return cast("dict[str, Any]", self._serializer(purpose).loads(signed))
        except (BadData, ValueError):  # the key id only words the refusal: all keys have been tried
            foreign = _KEY_ID.fullmatch(key_id) and key_id not in self._ids
            return SealVerdict(ok=False, code="unknown_key" if foreign else "tampered")

    def _serializer(self, purpose: str) -> URLSafeSerializer:
        kwargs = {"key_derivation": "hmac", "digest_method": hashlib.sha256}
        return URLSafeSerializer(self._keys, salt=f"langgraph-readback.{purpose}", signer_kwargs=kwargs)

    def _digest(self, purpose: str, content: Any) -> str:
        return _signer(purpose, self._keys).get_signature(_canonical(content)).decode()

    def _same(self, purpose: str, content: Any, digest: str) -> bool:
        try:
            return _signer(purpose, self._keys).verify_signature(_canonical(content), digest)
        except (TypeError, ValueError, RecursionError):  # a forged record may hold what is no JSON at all
            return False


def _signer(purpose: str, keys: list[bytes]) -> Signer:
    salt = f"langgraph-readback.{purpose}.digest"
    return Signer(keys, salt=salt, key_derivation="hmac", digest_method=hashlib.sha256)


def _canonical(content: Any) -> bytes:
    return json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def _seconds(moment: Moment) -> float:
    """Seconds since 1970. Raises ValueError for a time without an offset: its meaning depends on the machine."""
    when = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
    if not isinstance(when, datetime):
        return float(when)
    if when.tzinfo is None:
        raise ValueError("a time without an offset cannot be sealed: pass an aware datetime, e.g. datetime.now(UTC)")
    return when.timestamp()


def _key_id(key: bytes) -> str:
    return hashlib.blake2b(b"key id", key=hashlib.sha256(key).digest(), digest_size=6).hexdigest()


def _key_path(database_url: str | None) -> Path | None:
    """Where the key file of a database is; None for a database in memory."""
    if database_url is None:
        return None
    scheme, _, rest = database_url.partition("://")
    if scheme.split("+")[0] != "sqlite":
        raise ValueError(
            f"set {KEYS_VARIABLE}: several workers share a {scheme.split('+')[0]} database, and all of them need "
            "the same seal keys (one or more, separated by commas)"
        )
    name = rest.removeprefix("/").partition("?")[0]
    if name.removeprefix("file:") in ("", ":memory:"):
        return None
    path = Path(name.removeprefix("file:")).absolute()
    return path.with_name(path.name + ".seal-key")


@cache
def _process_key() -> str:
    _LOG.warning("no %s and no database: seals are valid until this process ends", KEYS_VARIABLE)
    return secrets.token_hex(32)


def _file_key(path: Path) -> str:
    """The key in ``path``, made if missing. Safe when several processes start at once: the first file stays."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, draft = tempfile.mkstemp(dir=path.parent, prefix=path.name)  # mkstemp makes it 0600
        try:
            with os.fdopen(handle, "w") as file:
                file.write(secrets.token_hex(32))
                file.flush()
                os.fsync(file.fileno())
            os.link(draft, path)  # atomic, and fails when another process was first
            _LOG.warning("no %s: made a seal key in %s; keep it with the database", KEYS_VARIABLE, path)
        except FileExistsError:
            pass
        finally:
            Path(draft).unlink()
    if path.stat().st_mode & 0o077:
        _LOG.warning("the seal key %s can be read by others: chmod 600 it", path)
    return path.read_text().strip()
