"""Mail goes to a real SMTP server on loopback, with and without TLS; what fails says so without the address."""

from __future__ import annotations

import datetime as dt
import ipaddress
import re
import ssl
from email import message_from_bytes, policy

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from langgraph_readback.handoff.exits.links import Links
from langgraph_readback.handoff.exits.mail import Mailer, MailError, send_link

TO, SENDER = "kim.lee@example.com", "Desk <desk@shop.example>"


class Box:
    """Keeps what the server took."""

    def __init__(self):
        self.mails, self.secure, self.refuse = [], [], None

    async def handle_DATA(self, server, session, envelope):  # noqa: N802 - aiosmtpd's name
        if self.refuse:
            return self.refuse
        self.mails.append(message_from_bytes(envelope.content, policy=policy.default))
        self.secure.append(session.ssl is not None)
        return "250 OK"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """For 127.0.0.1, signed by itself: what the server shows, and what a client may trust."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = dt.datetime.now(dt.UTC)
    made = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(1).not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )  # fmt: skip
    folder = tmp_path_factory.mktemp("tls")
    pem = serialization.Encoding.PEM
    (folder / "cert.pem").write_bytes(made.public_bytes(pem))
    (folder / "key.pem").write_bytes(
        key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    server, client = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH), ssl.create_default_context()
    server.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    client.load_verify_locations(folder / "cert.pem")
    return server, client


class Server(Controller):
    """On any free port."""

    def _trigger_server(self):
        self.port = self.server.sockets[0].getsockname()[1]
        super()._trigger_server()


def start(box, **options):
    server = Server(box, hostname="127.0.0.1", port=0, **options)
    server.start()
    return server


@pytest.fixture(scope="module")
def box():
    return Box()


@pytest.fixture(scope="module")
def plain(box):
    server = start(box)
    yield f"smtp+plain://127.0.0.1:{server.port}"
    server.stop()


@pytest.fixture(scope="module")
def secure(box, certificate):
    """STARTTLS required, then a user and a password."""

    def check(server, session, envelope, mechanism, data):
        return AuthResult(success=(data.login, data.password) == (b"desk", b"p@ss word"))

    server = start(box, tls_context=certificate[0], require_starttls=True, auth_required=True, authenticator=check)
    yield f"127.0.0.1:{server.port}"
    server.stop()


@pytest.fixture(autouse=True)
def empty(box):
    box.mails.clear(), box.secure.clear()
    box.refuse = None


def test_a_link_is_mailed(plain, box, queue, ticket):
    queue.file(ticket())
    links = Links(queue, "https://shop.example/link")
    send_link(queue, links, Mailer(plain, SENDER), "rb-1", TO, by="ana")
    [mail] = box.mails
    assert (mail["To"], mail["From"], mail["Subject"]) == (TO, SENDER, "Please type your email address")
    [url] = re.findall(r"https://shop\.example/link/\S+", mail.get_content())
    assert links.page(url.rpartition("/")[2]).kind == "ask"
    assert "blue" not in mail.as_string()
    assert [(e["who"], e["what"]) for e in queue.trail("rb-1")][1:] == [("ana", "link made"), ("ana", "link mailed")]
    assert TO not in str(queue.trail("rb-1"))


def test_in_the_language_of_the_conversation(plain, box, queue, ticket):
    queue.file(ticket(locale="ko-KR", label="이메일 주소"))
    send_link(queue, Links(queue, "https://shop.example/link"), Mailer(plain, SENDER), "rb-1", TO, by="ana")
    assert box.mails[0]["Subject"] == "다음 정보를 입력해 주세요: 이메일 주소"
    assert "15분 동안" in box.mails[0].get_content()


def test_over_tls_with_a_password(secure, certificate, box):
    mailer = Mailer(f"smtp://desk:p%40ss%20word@{secure}", SENDER, tls=certificate[1])
    mailer.send(TO, "Hello", "text")
    assert (box.mails[0]["Subject"], box.secure) == ("Hello", [True])


@pytest.mark.parametrize(
    ("url", "trusting"),
    [
        ("smtp://desk:wrong@{secure}", True),
        ("smtp://desk:p%40ss%20word@{secure}", False),
        ("smtp+plain://{secure}", True),
        ("smtp://{plain}", True),
        ("smtps://{secure}", True),
        ("smtp+plain://127.0.0.1:1", True),
    ],
    ids=["wrong password", "unknown certificate", "no STARTTLS asked", "no STARTTLS offered", "no TLS from the start", "nobody there"],
)  # fmt: skip
def test_what_cannot_be_sent_says_so_without_the_address(plain, secure, certificate, box, url, trusting, caplog):
    place = url.format(secure=secure, plain=plain.partition("//")[2])
    mailer = Mailer(place, SENDER, tls=certificate[1] if trusting else None, timeout=1)
    with pytest.raises(MailError, match="the mail was not sent") as caught:
        mailer.send(TO, "Hello", "text")
    assert TO not in str(caught.value) + caplog.text
    assert box.mails == []


def test_what_the_server_refuses(plain, box):
    box.refuse = f"550 {TO} is unknown here"
    with pytest.raises(MailError, match="SMTPDataError 550") as caught:
        Mailer(plain, SENDER).send(TO, "Hello", "text")
    assert TO not in str(caught.value)


@pytest.mark.parametrize("to", ["", "nobody", f"{TO}, eve@example.com", f"{TO}\r\nBcc: eve@example.com"])
def test_only_one_address(plain, box, to):
    with pytest.raises(MailError):
        Mailer(plain, SENDER).send(to, "Hello", "text")
    assert box.mails == []


@pytest.mark.parametrize(
    ("url", "sender"), [("mail.example.com", SENDER), ("http://x", SENDER), ("smtp://", SENDER), ("smtp://x", "desk")]
)
def test_settings_that_cannot_work(url, sender):
    with pytest.raises(ValueError, match="READBACK_"):
        Mailer(url, sender)


def test_from_the_environment(monkeypatch):
    monkeypatch.delenv("READBACK_SMTP_URL", raising=False)
    assert Mailer.from_env() is None
    monkeypatch.setenv("READBACK_SMTP_URL", "smtp://mail.example.com")
    monkeypatch.setenv("READBACK_MAIL_FROM", SENDER)
    assert isinstance(Mailer.from_env(), Mailer)
