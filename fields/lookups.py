"""Asking the world: mail domains through DNS, directories of known values, and the deadline around any lookup.

A lookup says FOUND, NOT_FOUND or OTHER_OWNER only when it knows. Whatever else happens (no network, a slow or
failing server, a bug in the lookup) is UNAVAILABLE, which never spends the user's attempts.

Sources: RFC 5321 section 5.1 (a domain without MX records is its own mail server), RFC 7505 (null MX: the domain
takes no mail), RFC 2308 (what a negative answer looks like).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import Any

import dns.asyncresolver
import dns.exception
import dns.flags
import dns.message
import dns.name
import dns.rdatatype
import dns.resolver

from langgraph_readback.fields.deadline import call, in_time
from langgraph_readback.fields.spec import Lookup
from langgraph_readback.outcome import LookupOutcome

__all__ = ["ask_world", "directory", "mx_lookup"]

Known = bool | LookupOutcome | Awaitable[bool | LookupOutcome]
"""What a function given to ``directory`` may return."""

_LOG = logging.getLogger("langgraph_readback.fields.lookups")
_CACHED_ANSWERS = 1_000
_ADDRESSES = (dns.rdatatype.A, dns.rdatatype.AAAA)


async def ask_world(lookup: Lookup, value: str, context: Mapping[str, Any], deadline: float) -> LookupOutcome:
    """What ``lookup`` says of ``value`` within ``deadline`` seconds; UNAVAILABLE when it is slow, fails or rambles."""
    found = await in_time(lookup, value, context, deadline=deadline, what="a lookup")
    try:
        return LookupOutcome(found)
    except ValueError:
        _LOG.warning("a lookup returned %s, not a LookupOutcome: unavailable", type(found).__name__)
        return LookupOutcome.UNAVAILABLE


def directory(
    known: Collection[str]
    | Mapping[str, str]
    | Callable[[str], bool | LookupOutcome | Awaitable[bool | LookupOutcome]],
    *,
    owned_by: str | None = None,
) -> Lookup:
    """A lookup in a collection of values, or through a function that says whether a value exists.

    ``known`` as a mapping goes from value to its owner. With ``owned_by="email"``, a value whose owner is not the
    conversation's email is OTHER_OWNER; as long as that field is not captured, it is FOUND.
    """

    async def lookup(value: str, context: Mapping[str, Any]) -> LookupOutcome:
        if callable(known):
            found = await call(known, value)
            return found if isinstance(found, LookupOutcome) else _found(bool(found))
        if value not in known:
            return LookupOutcome.NOT_FOUND
        claimed = context.get("values", {}).get(owned_by) if owned_by else None
        if isinstance(known, Mapping) and claimed is not None and known[value] != claimed:
            return LookupOutcome.OTHER_OWNER
        return LookupOutcome.FOUND

    return lookup


def mx_lookup(
    resolver: dns.asyncresolver.Resolver | None = None, *, deadline: float = 2.0, cache_size: int = _CACHED_ANSWERS
) -> Lookup:
    """A lookup that asks DNS whether an email address's domain (or a bare domain) takes mail.

    ``resolver`` defaults to the system's, with a cache of ``cache_size`` answers kept as long as DNS allows.
    ``deadline`` is in seconds, over all queries of one lookup.
    """
    found: list[dns.asyncresolver.Resolver] = [] if resolver is None else [resolver]

    async def lookup(value: str, context: Mapping[str, Any]) -> LookupOutcome:  # noqa: ARG001 - the Lookup protocol
        try:
            async with asyncio.timeout(deadline):
                if not found:
                    found.append(await asyncio.to_thread(_system_resolver, cache_size))
                return await _takes_mail(found[0], value.rpartition("@")[2], deadline)
        except (dns.exception.DNSException, OSError, ValueError) as error:  # TimeoutError is an OSError
            _LOG.info("DNS gave no answer (%s): unavailable", type(error).__name__)
            return LookupOutcome.UNAVAILABLE

    return lookup


def _system_resolver(cache_size: int) -> dns.asyncresolver.Resolver:
    """Reads /etc/resolv.conf. Raises NoResolverConfiguration when there is none."""
    resolver = dns.asyncresolver.Resolver()
    resolver.cache = dns.resolver.LRUCache(cache_size)
    return resolver


async def _takes_mail(resolver: dns.asyncresolver.Resolver, domain: str, deadline: float) -> LookupOutcome:
    name = dns.name.from_text(domain)  # absolute, IDNA 2008
    if len(name) <= 1:
        return LookupOutcome.UNAVAILABLE  # there is no domain to ask about
    try:
        answer = await resolver.resolve(name, dns.rdatatype.MX, lifetime=deadline)
        return _found(any(record.exchange != dns.name.root for record in answer))
    except dns.resolver.NXDOMAIN as error:
        return await _negative(resolver, [error.kwargs["responses"][name]], deadline)
    except dns.resolver.NoAnswer as error:
        responses = [error.kwargs["response"]]
    for kind in _ADDRESSES:
        try:
            await resolver.resolve(name, kind, lifetime=deadline)
        except dns.resolver.NoAnswer as error:
            responses.append(error.kwargs["response"])
        else:
            return LookupOutcome.FOUND
    return await _negative(resolver, responses, deadline)


async def _negative(
    resolver: dns.asyncresolver.Resolver, responses: list[dns.message.Message], deadline: float
) -> LookupOutcome:
    """NOT_FOUND, if the answers came from DNS and not from a resolver that says no to everything.

    Proof is the zone's SOA record or the authority flag. Some stub resolvers leave both out: those are believed
    when they can name the root servers.
    """
    if not all(_proven(response) for response in responses):
        await resolver.resolve(dns.name.root, dns.rdatatype.NS, lifetime=deadline)
    return LookupOutcome.NOT_FOUND


def _proven(response: dns.message.Message) -> bool:
    return bool(response.flags & dns.flags.AA) or any(rrset.rdtype == dns.rdatatype.SOA for rrset in response.authority)


def _found(exists: bool) -> LookupOutcome:  # noqa: FBT001 - a yes or no is what it turns into an outcome
    return LookupOutcome.FOUND if exists else LookupOutcome.NOT_FOUND
