"""People: who may sit at the desk, and how a browser shows that it is one of them.

A person signs in with a token of their own: from ``READBACK_DESK_TOKENS`` (``ana:TOKEN,ben:TOKEN``), or whatever the
server's own authentication accepts (``ask``). The cookie that follows is signed, ends after a working day, and is worth
nothing once the token has been changed. Nobody is let in when nothing is set up.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from itsdangerous import BadData, Signer, URLSafeTimedSerializer

__all__ = ["SESSION_SECONDS", "TOKENS_VARIABLE", "People"]

TOKENS_VARIABLE = "READBACK_DESK_TOKENS"
SESSION_SECONDS = 12 * 3600
_SHORTEST_TOKEN = 16
_NAME = re.compile(r"[\w.@+-]{1,64}")


@dataclass(frozen=True)
class People:
    """Who may sit at the desk. ``tokens``: by name. ``ask``: the server's authentication, token to name or None."""

    secret: str
    tokens: Mapping[str, str]
    ask: Callable[[str], str | None] | None = None

    def __repr__(self) -> str:
        """Show how many there are, never a token or the secret."""
        return f"People({len(self.tokens)} tokens)"

    @classmethod
    def from_env(cls, secret: str, *, ask: Callable[[str], str | None] | None = None) -> People:
        """The people of ``READBACK_DESK_TOKENS``. Raises ValueError for what is no list of names with tokens."""
        return cls(secret=secret, tokens=parse_tokens(os.environ.get(TOKENS_VARIABLE, "")), ask=ask)

    @property
    def anyone(self) -> bool:
        """Whether anybody can sign in at all."""
        return bool(self.tokens) or self.ask is not None

    def who(self, token: str) -> str | None:
        """Whose token it is; None for nobody's. Takes the same time for every token."""
        found = None
        for name, theirs in self.tokens.items():
            if hmac.compare_digest(theirs.encode(), token.encode()):
                found = name
        if found is None and token and self.ask is not None:
            found = self.ask(token)
        return found if found and _NAME.fullmatch(found) else None

    def cookie(self, name: str) -> str:
        """The signed cookie of a person who has signed in."""
        return self._serializer().dumps({"n": name, "k": self._mark(name)})

    def of_cookie(self, cookie: str | None) -> str | None:
        """The person of a cookie; None when it is not ours, too old, or their token was changed since."""
        try:
            claim = self._serializer().loads(cookie or "", max_age=SESSION_SECONDS)
        except BadData:
            return None
        name, mark = (claim.get("n"), claim.get("k")) if isinstance(claim, dict) else (None, None)
        return name if isinstance(name, str) and mark == self._mark(name) else None

    def form_token(self, cookie: str) -> str:
        """What a form must carry to be believed to come from a page shown to the bearer of this cookie."""
        return Signer(self.secret, salt="readback.console.form").get_signature(cookie).decode()

    def is_form_token(self, token: str, cookie: str) -> bool:
        """Whether a form's token belongs to the cookie it came with."""
        return bool(cookie) and Signer(self.secret, salt="readback.console.form").verify_signature(cookie, token)

    def _serializer(self) -> URLSafeTimedSerializer:
        return URLSafeTimedSerializer(self.secret, salt="readback.console.session")

    def _mark(self, name: str) -> str | None:
        """Changes when the token does; None for somebody who has none any more."""
        if name in self.tokens:
            return hashlib.blake2b(self.tokens[name].encode(), key=self.secret.encode()[:64], digest_size=8).hexdigest()
        return "server" if self.ask is not None else None


def parse_tokens(text: str) -> dict[str, str]:
    """``ana:TOKEN,ben:TOKEN`` as a mapping. Raises ValueError, which names the person and never the token."""
    out: dict[str, str] = {}
    for part in (part.strip() for part in text.split(",")):
        name, colon, token = part.partition(":")
        if not part:
            continue
        if not (colon and _NAME.fullmatch(name.strip())):
            raise ValueError(f"{TOKENS_VARIABLE} must be a list like ana:TOKEN,ben:TOKEN")
        if len(token.strip()) < _SHORTEST_TOKEN:
            raise ValueError(
                f"the token of {name.strip()!r} in {TOKENS_VARIABLE} is too short: use at least {_SHORTEST_TOKEN} "
                "characters, e.g. the output of `python -c 'import secrets; print(secrets.token_urlsafe(24))'`"
            )
        if name.strip() in out:
            raise ValueError(f"{TOKENS_VARIABLE} names {name.strip()!r} twice")
        out[name.strip()] = token.strip()
    return out
