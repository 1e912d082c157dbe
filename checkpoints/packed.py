"""Packed: LangGraph's serializer, strict about types, then compressed, then encrypted when there are keys.

A checkpoint repeats the names of channels, nodes and message fields many times, and threads hold thousands of them:
zlib takes two thirds away for some 50 microseconds. Types that are not plain data, LangChain's messages or LangGraph's
own are not revived unless the builder names them (``allow``): whoever can write to the database cannot run code.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterable
from typing import Any, Literal, cast

from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from langgraph_readback.checkpoints.messages import quick
from langgraph_readback.cipher import Cipher
from langgraph_readback.errors import EncryptionKeyError

__all__ = ["Allowed", "Packed"]

Allowed = Collection[type | tuple[str, ...]] | Literal[True]
"""Types of a builder's own that a checkpoint may hold: classes, or (module, name). True: any, as stock LangGraph."""

_PURPOSE = "checkpoint"
_SMALL = 200
_ZLIB, _SEALED = "+z", "+rb1"
"""What the name of a type ends with when its bytes are compressed, and when they are encrypted."""


class Packed(JsonPlusSerializer):
    """Reads what stock LangGraph wrote, in clear, and what was written with any of the keys."""

    def __init__(self, cipher: Cipher, *, allow: Allowed = (), small: int = _SMALL) -> None:
        """``cipher`` may have no keys; then nothing is encrypted. ``small``: bytes that are not worth compressing."""
        super().__init__(allowed_msgpack_modules=True if allow is True else tuple(allow) or None)
        self.cipher, self.small = cipher, small
        self._unpack_ext_hook = quick(self._unpack_ext_hook)

    def with_msgpack_allowlist(self, extra_allowlist: Iterable[tuple[str, ...] | type]) -> Packed:
        """As LangGraph's; it makes the hook anew."""
        made = cast("Packed", super().with_msgpack_allowlist(extra_allowlist))
        if made is not self:
            made._unpack_ext_hook = quick(made._unpack_ext_hook)  # noqa: SLF001 - a copy of this very object
        return made

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """The type's name with what was done to it, and the bytes."""
        kind, data = super().dumps_typed(obj)
        if len(data) > self.small:
            kind, data = kind + _ZLIB, zlib.compress(data, 3)
        if self.cipher and data:
            kind, data = kind + _SEALED, self.cipher.encrypt(data, _PURPOSE)
        return kind, data

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """The object. Raises EncryptionKeyError when no key that is set reads it."""
        kind, content = data
        if kind.endswith(_SEALED):
            kind, content = kind.removesuffix(_SEALED), self.cipher.decrypt(content, _PURPOSE)
        elif "+" in kind.removesuffix(_ZLIB):
            raise EncryptionKeyError(
                f"this checkpoint was encrypted by something else ({kind.partition('+')[2]}): open it with the "
                "serializer that wrote it, or delete its thread with `readback forget THREAD`"
            )
        if kind.endswith(_ZLIB):
            kind, content = kind.removesuffix(_ZLIB), zlib.decompress(content)
        return super().loads_typed((kind, content))
