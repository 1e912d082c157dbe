"""The cipher: what is kept at rest (checkpoints, tickets, ledger) is unreadable without the keys of the environment.

``READBACK_ENCRYPTION_KEYS`` holds one or more keys with commas: the first writes, all of them read. So a key is
rotated by putting a new one in front; the old one can go once nothing written with it is left (``readback forget``,
retention). With no keys set, things are kept in clear, and what was kept in clear stays readable after keys are set.

AES-256-GCM of the ``cryptography`` library. Each text has a key of its own, derived from the first key, a random
salt and the ``purpose`` (HMAC-SHA256), so that one key never wears out (NIST SP 800-38D stops at 2^32 random nonces),
and a text moved to a column of another purpose does not open.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import os
from collections.abc import Sequence
from functools import lru_cache

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from langgraph_readback.errors import EncryptionKeyError

__all__ = ["ENCRYPTION_VARIABLE", "Cipher"]

ENCRYPTION_VARIABLE = "READBACK_ENCRYPTION_KEYS"
_SHORTEST_KEY = 16
_ID, _SALT, _NONCE = 6, 16, 12
"""Bytes of a key's name, of the salt and of the nonce at the head of what is encrypted."""
_MARK, _CLEAR = "rb1:", "rb0:"
"""Text that is encrypted begins so; text in clear that happens to begin with either is kept behind the second."""
_MAKE = "make one with `python -c 'import secrets; print(secrets.token_hex(32))'`"


class Cipher:
    """Encrypts bytes and text. Make one with ``Cipher.from_env``, or from keys: the first writes, all read.

    Without keys it writes in clear, and refuses what is encrypted with an EncryptionKeyError that says what to do.
    """

    def __init__(self, keys: Sequence[str] = ()) -> None:
        """Take the keys. Raises EncryptionKeyError when one is shorter than 16 characters."""
        for place, key in enumerate(keys, 1):
            if len(key) < _SHORTEST_KEY:
                raise EncryptionKeyError(
                    f"key number {place} of {ENCRYPTION_VARIABLE} is too short: use at least {_SHORTEST_KEY} "
                    f"characters; {_MAKE}"
                )
        secrets = [hashlib.sha256(b"langgraph-readback.at-rest\0" + key.encode()).digest() for key in keys]
        self._keys = {hmac.digest(secret, b"name", "sha256")[:_ID]: secret for secret in secrets}
        self._first = next(iter(self._keys), None)

    def __repr__(self) -> str:
        """Show how many keys there are, never the keys."""
        return f"Cipher({len(self._keys)} keys)"

    def __bool__(self) -> bool:
        """Whether it encrypts."""
        return self._first is not None

    @classmethod
    def from_env(cls) -> Cipher:
        """The cipher of ``READBACK_ENCRYPTION_KEYS``, as it is now; one without keys when it is not set."""
        return _cipher(os.environ.get(ENCRYPTION_VARIABLE, ""))

    def encrypt(self, clear: bytes, purpose: str) -> bytes:
        """The name of the key, a salt, a nonce, and the encrypted bytes. ``clear`` itself when there are no keys."""
        if self._first is None:
            return clear
        salt, nonce = os.urandom(_SALT), os.urandom(_NONCE)
        sealed = AESGCM(_derived(self._keys[self._first], salt, purpose)).encrypt(nonce, clear, purpose.encode())
        return self._first + salt + nonce + sealed

    def decrypt(self, data: bytes, purpose: str) -> bytes:
        """What was encrypted for this purpose. Raises EncryptionKeyError without its key, or when it was changed."""
        name, rest = data[:_ID], data[_ID:]
        secret = self._keys.get(name)
        if secret is None:
            raise EncryptionKeyError(self._missing(name))
        salt, nonce, sealed = rest[:_SALT], rest[_SALT : _SALT + _NONCE], rest[_SALT + _NONCE :]
        try:
            return AESGCM(_derived(secret, salt, purpose)).decrypt(nonce, sealed, purpose.encode())
        except (InvalidTag, ValueError):
            raise EncryptionKeyError(
                f"stored data ({purpose}) was changed after it was encrypted, or belongs somewhere else: "
                "restore it from a backup, or delete the thread with `readback forget THREAD`"
            ) from None

    def encrypt_text(self, clear: str, purpose: str) -> str:
        """As ``encrypt``, for a text column: printable, beginning with ``rb1:``."""
        if self._first is None:
            return _CLEAR + clear if clear.startswith((_MARK, _CLEAR)) else clear
        return _MARK + base64.urlsafe_b64encode(self.encrypt(clear.encode(), purpose)).decode()

    def decrypt_text(self, stored: str, purpose: str) -> str:
        """As ``decrypt``; text that was kept in clear comes back as it is."""
        if not stored.startswith(_MARK):
            return stored.removeprefix(_CLEAR)
        try:
            data = base64.urlsafe_b64decode(stored[len(_MARK) :].encode())
        except (binascii.Error, ValueError):
            data = b""
        return self.decrypt(data, purpose).decode()

    def _missing(self, name: bytes) -> str:
        if not self._keys:
            return (
                f"this database holds encrypted data, and no key is set: set {ENCRYPTION_VARIABLE} to the key it was "
                f"written with (its name is {name.hex()})"
            )
        have = ", ".join(one.hex() for one in self._keys)
        return (
            f"none of the keys in {ENCRYPTION_VARIABLE} reads this data: it was written with the key named "
            f"{name.hex()}, and those set are named {have}. Add that key after the first one, with a comma"
        )


@lru_cache(maxsize=8)
def _cipher(variable: str) -> Cipher:
    return Cipher([key for key in (part.strip() for part in variable.split(",")) if key])


def _derived(secret: bytes, salt: bytes, purpose: str) -> bytes:
    return hmac.digest(secret, salt + purpose.encode(), "sha256")
