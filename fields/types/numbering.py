"""Numbers inside names: "loft two b" is Loft 2B, "four seasons" are words, "high five" is a doubt. Not a field type."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from langgraph_readback.fields.hearing import asides
from langgraph_readback.fields.hearing.accents import fold
from langgraph_readback.fields.hearing.tokens import Kind, Token
from langgraph_readback.fields.types.casing import Piece, lettered

SMALL = 12
"""Numbers up to this one are often written as words."""


class Numbers:
    """Decides for each number whether it is written in digits or as words, and what stands glued to it."""

    def __init__(
        self, pieces: list[Piece], tokens: tuple[Token, ...], data: dict[str, Any], notes: asides.Notes
    ) -> None:
        self.pieces, self.data, self.notes = pieces, data, notes
        self.raw = {t.start: t for t in tokens}
        self.numbered = data.get("numbered", {}).get("words", frozenset())
        self.doubt: str | None = None

    def settle(self) -> tuple[list[Piece], str | None]:
        """The pieces with every number settled, and the doubt that is left."""
        out: list[Piece] = []
        n = 0
        while n < len(self.pieces):
            piece = self.pieces[n]
            if piece.kind != "digits":
                out.append(self._after_number(piece, out, n))
                n += 1
                continue
            end = n + 1
            while end < len(self.pieces) and self.pieces[end].kind == "digits":
                end += 1
            out += self._run(n, end, out)
            n = end
        return out, self.doubt

    def _run(self, start: int, end: int, out: list[Piece]) -> list[Piece]:
        """The numbers from ``start`` to ``end`` as one piece, or as words."""
        run = self.pieces[start:end]
        before = out[-1] if out else None
        after = self.pieces[end] if end < len(self.pieces) else None
        if self._as_words(run, before, after):
            return [replace(p, text=self._said(p), kind="word") for p in run]
        glued = self._glued(run[0], before, after)
        token = self.raw.get(run[0].start)
        glued = glued or (token is not None and Kind.LITERAL in token.kinds and token.glued and before is not None)
        return [replace(run[0], text="".join(p.text for p in run), joined=glued)]

    def _said(self, piece: Piece) -> str:
        """A number in the words it was said with."""
        starts = sorted(s for s in self.raw if s >= piece.start)
        following = [p.start for p in self.pieces if p.start > piece.start]
        stop = min(following, default=None)
        said = [self.raw[s] for s in starts if stop is None or s < stop]
        return " ".join(t.raw for t in said if t.kinds & asides.COUNTED)

    def _as_words(self, run: list[Piece], before: Piece | None, after: Piece | None) -> bool:
        tokens = [t for p in run if (t := self.raw.get(p.start)) is not None]
        literal = all(Kind.LITERAL in t.kinds for t in tokens)
        if literal or any(p.start in self.notes.digits for p in run):
            return False
        if any(p.start in self.notes.words for p in run):
            return True
        if lettered(after) or (lettered(before) and not (after is not None and after.kind == "word" and run[0].pause)):
            return False
        if before is not None and fold(before.text) in self.numbered:
            return False
        if any(p is not None and p.kind == "symbol" for p in (before, after)):
            return before is None or before.kind != "digits"
        number = int(run[0].text) if run[0].text.isdigit() else 0
        if before is not None and after is None:
            return self._trailing(run, number)
        if len(run) > 1 or (number > SMALL and " " in self._said(run[0])):
            self.doubt = "ambiguous"
        return True

    def _trailing(self, run: list[Piece], number: int) -> bool:
        """A number at the end: a small one may be a word ("high five"), others are digits."""
        if len(run) == 1 and number <= SMALL:
            self.doubt = "ambiguous"
        return False

    def _glued(self, piece: Piece, before: Piece | None, after: Piece | None) -> bool:
        """Whether the digits stand right behind the letters before them: B3, W91."""
        if before is None or not lettered(before):
            return False
        return not piece.pause or after is None or after.kind != "word" or after.pause or len(after.text) == 1

    def _after_number(self, piece: Piece, out: list[Piece], n: int) -> Piece:
        """A letter behind digits stands glued to them: 2B."""
        token = self.raw.get(piece.start)
        name = token.get(Kind.LETTER) if token is not None and piece.kind == "word" else None
        if name is not None and name.cost == 0 and not piece.pause and out and out[-1].kind == "digits":
            piece = replace(piece, text=name.out)
        if not out or out[-1].kind != "digits" or not lettered(piece):
            glued = token is not None and token.glued and n > 0 and piece.kind == "word" and out[-1].kind == "digits"
            return replace(piece, joined=True) if glued else piece
        if not piece.pause and len(piece.text) > 1:
            return piece  # "three u k"
        following = self.pieces[n + 1] if n + 1 < len(self.pieces) else None
        if (
            piece.pause
            and following is not None
            and following.kind == "word"
            and not following.pause
            and len(following.text) > 1
        ):
            return piece
        return replace(piece, joined=True)
