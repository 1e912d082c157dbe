"""Mail: sends a link to the user by any SMTP server. No captured value is in it, and no address in the log."""

from __future__ import annotations

import os
import smtplib
import ssl
from collections.abc import Callable
from email.message import EmailMessage
from email.utils import make_msgid
from typing import Any
from urllib.parse import unquote, urlsplit

from langgraph_readback.errors import ReadbackError
from langgraph_readback.handoff.desk import SqlDesk
from langgraph_readback.handoff.exits.links import Links, words

__all__ = ["FROM_VARIABLE", "SMTP_VARIABLE", "MailError", "Mailer", "send_link"]

SMTP_VARIABLE, FROM_VARIABLE = "READBACK_SMTP_URL", "READBACK_MAIL_FROM"
_PORTS = {"smtp": 587, "smtp+plain": 25, "smtps": 465}


class MailError(ReadbackError, OSError):
    """A mail that could not be sent. The message names neither the address nor the text."""


class Mailer:
    """Sends plain-text mails through one server.

    ``smtp://user:password@host:587`` upgrades to TLS (STARTTLS) and refuses a server that cannot; ``smtps://`` speaks
    TLS from the start; ``smtp+plain://`` is for a relay on this machine.
    """

    def __init__(self, url: str, sender: str, *, timeout: float = 20.0, tls: ssl.SSLContext | None = None) -> None:
        """``sender``: the From address. Raises ValueError for a URL that names no SMTP server."""
        parts = urlsplit(url)
        if parts.scheme not in _PORTS or not parts.hostname:
            raise ValueError(f"{SMTP_VARIABLE} must be like smtp://user:password@mail.example.com:587")
        if "@" not in sender:
            raise ValueError(f"{FROM_VARIABLE} must be an address, e.g. desk@example.com")
        self._scheme, self._host = parts.scheme, parts.hostname
        self._port = parts.port or _PORTS[parts.scheme]
        self._user, self._password = unquote(parts.username or ""), unquote(parts.password or "")
        self._sender, self._timeout, self._tls = sender, timeout, tls or ssl.create_default_context()

    @classmethod
    def from_env(cls) -> Mailer | None:
        """The one that READBACK_SMTP_URL and READBACK_MAIL_FROM name; None without the first."""
        url = os.environ.get(SMTP_VARIABLE)
        return cls(url, os.environ.get(FROM_VARIABLE, "")) if url else None

    def send(self, to: str, subject: str, text: str) -> None:
        """Send one mail to one address. Raises MailError."""
        message = EmailMessage()
        try:
            message["From"], message["To"], message["Subject"] = self._sender, to, subject
            one = [bool(address.domain) for address in message["To"].addresses] == [True]
            message["Message-ID"] = make_msgid(domain=self._sender.rpartition("@")[2].rstrip(">"))
            message["Auto-Submitted"] = "auto-generated"
            message.set_content(text)
            if one:
                self._deliver(message)
        except (smtplib.SMTPException, OSError, ValueError, IndexError) as error:
            # Only its kind and code: an SMTP server's words repeat the address.
            code = getattr(error, "smtp_code", "")
            raise MailError(f"the mail was not sent ({type(error).__name__} {code}".rstrip() + ")") from None
        if not one:
            raise MailError("the mail was not sent: give exactly one address")

    def _deliver(self, message: EmailMessage) -> None:
        connect: Callable[..., smtplib.SMTP] = smtplib.SMTP
        more: dict[str, Any] = {}
        if self._scheme == "smtps":
            connect, more = smtplib.SMTP_SSL, {"context": self._tls}
        with connect(self._host, self._port, timeout=self._timeout, **more) as server:
            if self._scheme == "smtp":
                server.starttls(context=self._tls)
            if self._user:
                server.login(self._user, self._password)
            server.send_message(message)


def send_link(desk: SqlDesk, links: Links, mailer: Mailer, ticket: str, to: str, *, by: str) -> None:
    """Mail a link of a ticket to its user, and note that (not the address) in the trail.

    Raises MailError when it could not be sent, TicketError when the ticket is unknown or closed.
    """
    about = desk.ticket(ticket)
    locale, label = about["locale"], about["label"]
    url = links.make(ticket, by)
    text = words(locale, "mail", label=label, url=url, minutes=links.minutes)
    mailer.send(to, words(locale, "subject", label=label), text)
    with desk.transaction() as db:
        desk.note(db, ticket, by, "link mailed")
