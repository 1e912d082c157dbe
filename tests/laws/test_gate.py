"""Law 1, Gate: a gated action runs only with CONFIRMED values, sealed for this thread, the newest of their field.

Each row is one wall: a record that is right but for one thing, the code of the refusal, and nothing runs. The control
is the first test: with nothing wrong, it runs with exactly the confirmed values.
"""

from __future__ import annotations

import copy
import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langgraph_readback.fields import FieldSpec
from langgraph_readback.seal import Sealer
from langgraph_readback.tools import Ledger, Receipt, Refusal, Services, gated

NOW, THREAD, EMAIL, ORDER = 1_000_000.0, "t-1", "rae.oneill@example.com", "HL-204815"
SPECS = (FieldSpec(name="email", max_age=600.0), FieldSpec(name="order_id", pattern=r"HL-\d{6}"))


class World:
    """A gate with services of its own, and what ran through it."""

    def __init__(self, **options):
        self.ran = []
        self.services = Services(sealer=Sealer(["k" * 32]), ledger=Ledger.from_url(), clock=lambda: NOW)

        @gated(*SPECS, **options)
        async def refund(email: str, order_id: str, reason: str = "") -> Receipt:
            self.ran.append((email, order_id))
            return Receipt(reference="R-1")

        self.refund = refund

    def confirm(self, field, value, revision=1, *, thread=THREAD, verified="world", at=NOW):
        """A record as the loop's CONFIRMED node leaves it."""
        facts = {"thread": thread, "field": field, "value": value, "revision": revision}
        self.services.ledger.raise_to(thread, field, revision, fingerprint=self.services.sealer.fingerprint(**facts))
        seal = self.services.sealer.seal(**facts, by="user", at=at, verified=verified)
        return {"status": "CONFIRMED", "value": value, "revision": revision, "seal": seal, "verified": verified}

    def confirm_all(self):
        return {"email": self.confirm("email", EMAIL), "order_id": self.confirm("order_id", ORDER)}

    async def call(self, captures, thread=THREAD):
        return await self.refund.run({}, captures=captures, thread=thread, services=self.services)


@pytest.fixture
def world():
    world = World()
    yield world
    world.services.ledger.close()


async def test_confirmed_values_go_through_exactly(world):
    receipt = await world.call(world.confirm_all())
    assert isinstance(receipt, Receipt)
    assert world.ran == [(EMAIL, ORDER)]


WALLS = [
    # one change to the email's record, and what is said
    ("no record at all", None, "not_confirmed"),
    ("a record that is no record", "CONFIRMED", "not_confirmed"),
    ("an empty record", {}, "not_confirmed"),
    ("being asked for", {"status": "ASK"}, "not_confirmed"),
    ("being validated", {"status": "VALIDATE"}, "not_confirmed"),
    ("being read back", {"status": "READBACK"}, "not_confirmed"),
    ("in doubt", {"status": "RETRY"}, "in_doubt"),
    ("with a human", {"status": "HANDOFF"}, "with_human"),
    ("declined", {"status": "DECLINED"}, "declined"),
    ("a status that is a list", {"status": ["CONFIRMED"]}, "not_confirmed"),
    ("a status in lower case", {"status": "confirmed"}, "not_confirmed"),
    ("another value", {"value": "ray.oneill@example.com"}, "tampered"),
    ("the same value, differently written", {"value": EMAIL.upper()}, "tampered"),
    ("no value", {"value": None}, "tampered"),
    ("a value that is no text", {"value": [EMAIL]}, "tampered"),
    ("a higher revision", {"revision": 2}, "tampered"),
    ("a revision that is True", {"revision": True}, "tampered"),
    ("a revision that is text", {"revision": "1"}, "tampered"),
    ("no seal", {"seal": None}, "unsealed"),
    ("an empty seal", {"seal": ""}, "unsealed"),
    ("a made-up seal", {"seal": "CONFIRMED.yes.really"}, "tampered"),
    ("a seal that is no text", {"seal": {"ok": True}}, "tampered"),
]


@pytest.mark.parametrize(("change", "code"), [row[1:] for row in WALLS], ids=[row[0] for row in WALLS])
@pytest.mark.parametrize("field", ["email", "order_id"])
async def test_a_record_that_is_wrong_in_one_thing_is_refused(world, caplog, field, change, code):
    captures = world.confirm_all()
    captures[field] = captures[field] | change if isinstance(change, dict) and change else change
    refused = await world.call(captures)
    assert (refused.code, refused.fields, world.ran) == (code, (field,), [])
    assert field in refused.text
    assert EMAIL not in refused.text + caplog.text


@pytest.mark.parametrize("captures", [None, [], "CONFIRMED", {}, {"email": None}])
async def test_captures_that_are_none(world, captures):
    assert (await world.call(captures)).code == "not_confirmed"
    assert world.ran == []


async def test_sealed_for_another_conversation(world):
    captures = world.confirm_all()
    refused = await world.call(captures, thread="t-2")
    assert (refused.code, world.ran) == ("other_thread", [])


async def test_the_seal_of_another_field(world):
    both = World()
    captures = world.confirm_all()
    captures["order_id"] = both.confirm("email", ORDER)
    assert ((await world.call(captures)).code, world.ran) == ("tampered", [])


async def test_sealed_with_a_foreign_key(world):
    captures = world.confirm_all()
    facts = {"thread": THREAD, "field": "email", "value": EMAIL, "revision": 1}
    captures["email"]["seal"] = Sealer(["f" * 32]).seal(**facts, by="user", at=NOW)
    assert ((await world.call(captures)).code, world.ran) == ("tampered", [])


@pytest.mark.parametrize(("age", "ok"), [(0, True), (600, True), (601, False), (1e6, False)])
async def test_a_value_grows_too_old(world, age, ok):
    captures = world.confirm_all() | {"email": world.confirm("email", EMAIL, 2, at=NOW - age)}
    answer = await world.call(captures)
    assert (isinstance(answer, Receipt), len(world.ran)) == (ok, int(ok))
    assert ok or answer.code == "expired"


async def test_an_older_sealed_revision_is_refused_by_the_mark(world):
    """A restored checkpoint, a fork, ``__overwrite__``: the old seal is genuine, but 2 was confirmed since."""
    old = world.confirm_all()
    new = old | {"email": world.confirm("email", "rae.o@example.com", 2)}
    assert ((await world.call(old)).code, world.ran) == ("superseded", [])
    await world.call(new)
    assert world.ran == [("rae.o@example.com", ORDER)]


async def test_a_value_that_was_taken_back_is_refused_before_the_new_one_is_there(world):
    """The user said "my email is wrong": the revision is opened, and the old record is worth nothing any more."""
    captures = world.confirm_all()
    world.services.ledger.raise_to(THREAD, "email", 2)
    assert ((await world.call(captures)).code, world.ran) == ("superseded", [])


async def test_of_two_forks_with_the_same_revision_one_counts(world):
    captures = world.confirm_all()
    facts = {"thread": THREAD, "field": "email", "value": "fork@example.com", "revision": 1}
    fork = captures["email"] | {"value": facts["value"]}
    fork["seal"] = world.services.sealer.seal(**facts, by="user", at=NOW)
    assert ((await world.call(captures | {"email": fork})).code, world.ran) == ("superseded", [])


@pytest.mark.parametrize(
    ("verified", "wanted", "ok"),
    [
        (None, "format", True),
        ("format", "format", True),
        ("format", "world", False),
        (None, "world", False),
        ("world", "world", True),
        ("human", "world", True),
        ("world", "human", False),
        ("human", "human", True),
        ("excellent", "world", False),
    ],
)
async def test_a_value_that_was_checked_too_little(verified, wanted, ok):
    world = World(min_verified=wanted)
    records = {"email": world.confirm("email", EMAIL, verified=verified)}
    records["order_id"] = world.confirm("order_id", ORDER, verified="human")
    answer = await world.call(records)
    assert (isinstance(answer, Receipt), len(world.ran)) == (ok, int(ok))
    assert ok or answer.code == "too_weak"
    world.services.ledger.close()


async def test_how_far_a_value_was_checked_is_read_from_the_seal(world):
    world = World(min_verified="world")
    records = world.confirm_all()
    records["email"] = world.confirm("email", EMAIL, 2, verified="format") | {"verified": "human"}
    assert ((await world.call(records)).code, world.ran) == ("too_weak", [])
    world.services.ledger.close()


async def test_declined_does_not_hide_a_confirmed_value():
    """An optional value that was confirmed cannot be dropped by a record that says DECLINED."""
    services = Services(sealer=Sealer(["k" * 32]), ledger=Ledger.from_url(), clock=lambda: NOW)
    ran = []

    @gated(FieldSpec(name="phone", optional=True))
    async def notify(phone: str | None = None) -> None:
        ran.append(phone)

    print_ = services.sealer.fingerprint(thread=THREAD, field="phone", value="+61412345678", revision=3)
    services.ledger.raise_to(THREAD, "phone", 3, fingerprint=print_)
    forged = {"phone": {"status": "DECLINED", "revision": 999}}
    refused = await notify.run({}, captures=forged, thread=THREAD, services=services)
    assert (refused.code, ran) == ("superseded", [])
    services.ledger.close()


async def test_keys_may_rotate_between_the_seal_and_the_action(world):
    captures = world.confirm_all()
    rotated = Services(sealer=Sealer(["n" * 32, "k" * 32]), ledger=world.services.ledger, clock=lambda: NOW)
    answer = await world.refund.run({}, captures=captures, thread=THREAD, services=rotated)
    assert isinstance(answer, Receipt)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text(max_size=8) | st.sampled_from(["CONFIRMED", EMAIL, ORDER]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
FORGERIES = st.dictionaries(st.sampled_from(["status", "value", "revision", "seal", "verified", "by", "step"]), JSON)


@given(email=FORGERIES, order=FORGERIES, swap=st.booleans(), thread=st.sampled_from([THREAD, "t-2", "", "T-1"]))
async def test_whatever_is_written_over_the_records_nothing_but_the_confirmed_values_runs(email, order, swap, thread):
    world = World()
    captures = copy.deepcopy(world.confirm_all())
    captures["email"] |= email
    captures["order_id"] |= order
    if swap:
        captures["email"], captures["order_id"] = captures["order_id"], captures["email"]
    answer = await world.call(captures, thread)
    assert world.ran in ([], [(EMAIL, ORDER)])
    assert isinstance(answer, Refusal) == (world.ran == [])
    world.services.ledger.close()


async def test_the_log_explains_a_refusal_without_the_value(world, caplog):
    caplog.set_level(logging.INFO, "langgraph_readback")
    captures = world.confirm_all()
    captures["email"]["value"] = "ray.oneill@example.com"
    await world.call(captures)
    assert [r.getMessage() for r in caplog.records] == ["action refund refused: tampered (email)"]
