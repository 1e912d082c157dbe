"""Lookups against a real name server on loopback: what the world says, and what it means when it says nothing."""

from __future__ import annotations

import asyncio
import logging
from contextlib import asynccontextmanager

import dns.asyncresolver
import dns.flags
import dns.message
import dns.name
import dns.rcode
import dns.resolver
import dns.rrset
import pytest

from langgraph_readback.fields import LookupOutcome
from langgraph_readback.fields.lookups import ask_world, directory, mx_lookup

FOUND, NOT_FOUND, OTHER, UNAVAILABLE = LookupOutcome
VALUE = "rae.oneill@mail.example"

SOA = "mail.example. 60 IN SOA ns.mail.example. admin.mail.example. 1 60 60 60 60"
ROOTS = {(".", "NS"): (dns.rcode.NOERROR, [". 60 IN NS a.root.example."], [])}
ZONE = {
    ("mail.example.", "MX"): (dns.rcode.NOERROR, ["mail.example. 60 IN MX 10 mx.mail.example."], []),
    ("xn--bcher-kva.example.", "MX"): (dns.rcode.NOERROR, ["xn--bcher-kva.example. 60 IN MX 5 mx.mail.example."], []),
    ("null.example.", "MX"): (dns.rcode.NOERROR, ["null.example. 60 IN MX 0 ."], []),
    ("odd.example.", "MX"): (
        dns.rcode.NOERROR,
        ["odd.example. 60 IN MX 0 .", "odd.example. 60 IN MX 5 m.example."],
        [],
    ),
    ("web.example.", "MX"): (dns.rcode.NOERROR, [], [SOA]),
    ("web.example.", "A"): (dns.rcode.NOERROR, ["web.example. 60 IN A 192.0.2.1"], []),
    ("six.example.", "MX"): (dns.rcode.NOERROR, [], [SOA]),
    ("six.example.", "A"): (dns.rcode.NOERROR, [], [SOA]),
    ("six.example.", "AAAA"): (dns.rcode.NOERROR, ["six.example. 60 IN AAAA 2001:db8::1"], []),
    ("none.example.", "MX"): (dns.rcode.NOERROR, [], [SOA]),
    ("none.example.", "A"): (dns.rcode.NOERROR, [], [SOA]),
    ("none.example.", "AAAA"): (dns.rcode.NOERROR, [], [SOA]),
    ("gone.example.", "MX"): (dns.rcode.NXDOMAIN, [], [SOA]),
    ("bare.example.", "MX"): (dns.rcode.NXDOMAIN, [], []),
    ("fail.example.", "MX"): (dns.rcode.SERVFAIL, [], []),
    ("refused.example.", "MX"): (dns.rcode.REFUSED, [], []),
    ("half.example.", "MX"): (dns.rcode.NOERROR, [], [SOA]),
    ("half.example.", "A"): (dns.rcode.SERVFAIL, [], []),
    ("lame.example.", "MX"): (dns.rcode.NOERROR, [], ["example. 60 IN NS ns.example."]),
    ("lame.example.", "A"): (dns.rcode.NOERROR, [], ["example. 60 IN NS ns.example."]),
    ("lame.example.", "AAAA"): (dns.rcode.NOERROR, [], ["example. 60 IN NS ns.example."]),
}


class NameServer(asyncio.DatagramProtocol):
    """Answers from a table; a question that is not in it gets no answer, ``garbage.example.`` gets nonsense."""

    def __init__(self, table):
        self.table, self.asked = table, []

    def connection_made(self, transport):
        self.transport = transport

    def datagram_received(self, data, address):
        query = dns.message.from_wire(data)
        question = query.question[0]
        key = (question.name.to_text(), question.rdtype.name)
        self.asked.append(key)
        if key[0] == "garbage.example.":
            self.transport.sendto(b"\x00garbage", address)
        if key not in self.table:
            return
        rcode, answer, authority = self.table[key]
        response = dns.message.make_response(query)
        response.set_rcode(rcode)
        response.answer += _rrsets(answer)
        response.authority += _rrsets(authority)
        self.transport.sendto(response.to_wire(), address)


def _rrsets(lines):
    texts = {}
    for line in lines:
        name, ttl, klass, kind, data = line.split(" ", 4)
        texts.setdefault((name, int(ttl), klass, kind), []).append(data)
    return [dns.rrset.from_text(*key, *data) for key, data in texts.items()]


@asynccontextmanager
async def name_server(table):
    """A name server on loopback and a resolver that asks only it."""
    loop = asyncio.get_running_loop()
    transport, server = await loop.create_datagram_endpoint(lambda: NameServer(table), local_addr=("127.0.0.1", 0))
    resolver = dns.asyncresolver.Resolver(configure=False)
    resolver.nameservers = ["127.0.0.1"]
    resolver.port = transport.get_extra_info("sockname")[1]
    resolver.cache = dns.resolver.LRUCache(10)
    yield server, resolver
    transport.close()


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("rae@mail.example", FOUND),
        ("mail.example", FOUND),
        ("rae@bücher.example", FOUND),
        ("rae@null.example", NOT_FOUND),
        ("rae@odd.example", FOUND),
        ("rae@web.example", FOUND),
        ("rae@six.example", FOUND),
        ("rae@none.example", NOT_FOUND),
        ("rae@gone.example", NOT_FOUND),
        ("rae@bare.example", NOT_FOUND),
        ("rae@fail.example", UNAVAILABLE),
        ("rae@refused.example", UNAVAILABLE),
        ("rae@half.example", UNAVAILABLE),
        ("rae@silent.example", UNAVAILABLE),
        ("rae@garbage.example", UNAVAILABLE),
        ("rae@", UNAVAILABLE),
        ("rae@[192.0.2.1]", UNAVAILABLE),
        ("rae@" + "a" * 64 + ".example", UNAVAILABLE),
        ("rae@a..example", UNAVAILABLE),
        ("rae@\ud800.example", UNAVAILABLE),
    ],
)
async def test_what_dns_says_of_a_mail_domain(value, expected):
    async with name_server({**ZONE, **ROOTS}) as (_, resolver):
        assert await mx_lookup(resolver, deadline=0.5)(value, {}) is expected


@pytest.mark.parametrize("domain", ["bare.example", "lame.example"])
async def test_a_resolver_that_says_no_to_everything_is_not_believed(domain):
    table = {**ZONE, (".", "NS"): (dns.rcode.NXDOMAIN, [], [])}
    async with name_server(table) as (_, resolver):
        assert await mx_lookup(resolver, deadline=0.5)(f"rae@{domain}", {}) is UNAVAILABLE


async def test_a_server_that_is_not_there():
    async with name_server({}) as (_, resolver):
        pass
    assert await mx_lookup(resolver, deadline=0.5)("rae@mail.example", {}) is UNAVAILABLE


async def test_no_resolver_is_configured(monkeypatch):
    def unconfigured(*args, **kwargs):
        raise dns.resolver.NoResolverConfiguration

    monkeypatch.setattr(dns.asyncresolver.Resolver, "read_resolv_conf", unconfigured)
    assert await mx_lookup()("rae@mail.example", {}) is UNAVAILABLE


@pytest.mark.parametrize(
    ("value", "queries"), [("rae@mail.example", 1), ("rae@gone.example", 1), ("a@none.example", 3)]
)
async def test_answers_are_cached(value, queries):
    async with name_server(ZONE) as (server, resolver):
        lookup = mx_lookup(resolver)
        assert await lookup(value, {}) is await lookup(value, {})
        assert len(server.asked) == queries


async def test_one_lookup_serves_several_event_loops():
    """``invoke`` beside ``ainvoke``: nothing in a lookup is bound to the loop that first used it."""
    async with name_server(ZONE) as (_, resolver):
        lookup = mx_lookup(resolver)
        assert await lookup("rae@mail.example", {}) is FOUND
        assert await asyncio.to_thread(lambda: asyncio.run(lookup("rae@gone.example", {}))) is NOT_FOUND


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        (["HL-204815", "HL-204816"], FOUND),
        ({"HL-204816"}, NOT_FOUND),
        ([], NOT_FOUND),
        (lambda value: value == "HL-204815", FOUND),
        (lambda value: False, NOT_FOUND),
        (lambda value: OTHER, OTHER),
        (lambda value: UNAVAILABLE, UNAVAILABLE),
        ({"HL-204815": "rae@mail.example"}, FOUND),
    ],
)
async def test_directory(known, expected):
    assert await directory(known)("HL-204815", {}) is expected


async def test_a_directory_may_be_an_async_function():
    async def known(value):
        return value == "HL-1"

    assert [await directory(known)(value, {}) for value in ("HL-1", "HL-2")] == [FOUND, NOT_FOUND]


@pytest.mark.parametrize(
    ("context", "expected"),
    [
        ({"values": {"email": "rae@mail.example"}}, FOUND),
        ({"values": {"email": "ray@mail.example"}}, OTHER),
        ({"values": {}}, FOUND),
        ({}, FOUND),
    ],
)
async def test_a_value_of_somebody_else(context, expected):
    lookup = directory({"HL-204815": "rae@mail.example"}, owned_by="email")
    assert await lookup("HL-204815", context) is expected


async def _raises(value, context):
    raise ValueError(f"no row for {value}")


async def _slow(value, context):
    await asyncio.sleep(30)


async def _stubborn(value, context):
    """Ignores its cancellation, then fails with the value in its mouth."""
    try:
        await asyncio.sleep(30)
    except asyncio.CancelledError:
        raise ValueError(value) from None


async def _cancels(value, context):
    raise asyncio.CancelledError


async def _says(value, context):
    return context["says"]


def _blocking(value, context):
    return FOUND


def _hands_out(value, context):
    return _says(value, {"says": FOUND})


@pytest.mark.parametrize(
    ("lookup", "says", "expected"),
    [
        (_says, FOUND, FOUND),
        (_says, "NOT_FOUND", NOT_FOUND),
        (_says, OTHER, OTHER),
        (_says, True, UNAVAILABLE),
        (_says, None, UNAVAILABLE),
        (_says, VALUE, UNAVAILABLE),
        (_blocking, None, FOUND),
        (_hands_out, None, FOUND),
        (_raises, None, UNAVAILABLE),
        (_slow, None, UNAVAILABLE),
        (_stubborn, None, UNAVAILABLE),
        (_cancels, None, UNAVAILABLE),
    ],
)
async def test_whatever_a_lookup_does_there_is_an_outcome_and_no_value_in_the_log(lookup, says, expected, caplog):
    caplog.set_level(logging.DEBUG)
    assert await ask_world(lookup, VALUE, {"says": says}, 0.1) is expected
    await asyncio.sleep(0.05)
    assert VALUE not in caplog.text
    assert len(caplog.records) == (expected is UNAVAILABLE)


async def test_the_deadline_is_kept():
    loop = asyncio.get_running_loop()
    start = loop.time()
    assert await ask_world(_slow, VALUE, {}, 0.1) is UNAVAILABLE
    assert loop.time() - start < 1


async def test_the_callers_cancellation_goes_through():
    task = asyncio.create_task(ask_world(_slow, VALUE, {}, 30))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_mx_failures_are_logged_without_the_address(caplog):
    caplog.set_level(logging.INFO, "langgraph_readback")
    async with name_server(ZONE) as (_, resolver):
        assert await mx_lookup(resolver, deadline=0.2)("rae.oneill@fail.example", {}) is UNAVAILABLE
    assert caplog.records
    assert "fail.example" not in caplog.text
