"""When a stored value counts as the caller's: folding by type."""

from __future__ import annotations

import re
import unicodedata

_WORDED = frozenset({"name", "address", "property", "company", "medication"})
_CODES = frozenset({"code", "order_id", "postcode", "vin", "iban", "plate", "id", "card_last4"})
_HALF = re.compile(r"^(\d\d?):(\d\d)\s*([ap])\.?m\.?$", re.IGNORECASE)


def fold(value: str, kind: str) -> str:
    """The value with everything taken off that does not count for its type.

    Phones: digits and extension. Codes and postcodes: upper-case letters and digits. Emails: case. Worded types: case,
    accents, apostrophes, full stops (not in numbers), commas; hyphen is a space, & is "and". Times: 24 hours.
    """
    text = unicodedata.normalize("NFC", value).strip()
    if kind == "phone":
        main, _, extension = re.sub(r";?\s*(?:ext\.?=?|x)\s*", ";", text, count=1).partition(";")
        digits, ext = re.sub(r"\D", "", main), re.sub(r"\D", "", extension)
        return digits + (f";{ext}" if ext else "")
    if kind in _CODES:
        return "".join(c for c in text.upper() if c.isalnum())
    if kind == "email":
        return text.lower()
    if kind == "time" and (found := _HALF.match(text)):
        hour = int(found[1]) % 12 + (12 if found[3].lower() == "p" else 0)
        return f"{hour:02d}:{found[2]}"
    return worded(text) if kind in _WORDED else text.casefold()


def worded(text: str) -> str:
    """Case, accents, apostrophes and full stops off; hyphens, commas and runs of space are one space."""
    plain = "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))
    plain = plain.replace("&", " and ")
    plain = re.sub(r"['’]|(?<!\d)\.|\.(?!\d)", "", plain)
    plain = re.sub(r"(?<=\d)\s+(?=m?c?g\b)", "", plain)
    return re.sub(r"[\s,-]+", " ", plain).strip().casefold()


def exact(stored: str | None, value: str, kind: str) -> bool:
    """Whether the stored value is the caller's."""
    return stored is not None and fold(stored, kind) == fold(value, kind)
