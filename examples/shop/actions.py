"""What the shop's agent can do: refund an order, book an appointment, send a receipt. Each is a gated action.

``make_actions(shop)`` gives them for one shop; ``FIELDS`` are the details they need. Run ``python -m examples.shop`` in
the repository's root to talk to them, or pass them to ``build_agent(FIELDS, actions=make_actions(shop), ...)``.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any, Literal

from examples.shop.world import Shop
from langgraph_readback.fields import FieldSpec, catalogue
from langgraph_readback.tools import Action, GatedAction, NotDone, Receipt, gated

EMAIL = replace(catalogue["email"], purpose="we look up the order with it and send the confirmation there")
PHONE = replace(catalogue["phone"], purpose="we call when an appointment has to move")
NAME = catalogue["name"]
ORDER_ID = FieldSpec(
    name="order_id", label="order number", pattern=r"HL-\d{6}", purpose="it says which order this is about"
)

FIELDS = [EMAIL, PHONE, NAME, ORDER_ID]

Slot = Literal["monday 9:00", "monday 14:00", "tuesday 9:00", "tuesday 14:00"]


def make_actions(shop: Shop) -> list[GatedAction]:
    """The three actions, on this shop's database."""

    @gated(EMAIL, ORDER_ID, check=_finder(shop, "refunds", "RF", ("email", "order_id")))
    def refund(email: str, order_id: str, reason: Annotated[str, "why, in a few words"], *, action: Action) -> Receipt:
        """Refund an order: the money goes back the way it came."""
        with shop.transaction() as db:
            order = db.execute("SELECT email, cents FROM orders WHERE id = ?", [order_id]).fetchone()
            if order is None or order["email"] != email:
                raise NotDone("there is no such order for this email")
            if db.execute("SELECT 1 FROM refunds WHERE order_id = ?", [order_id]).fetchone():
                raise NotDone("this order was refunded before")
            row = "INSERT INTO refunds (key, order_id, email, cents, reason) VALUES (?, ?, ?, ?, ?) RETURNING *"
            done = db.execute(row, [action.key, order_id, email, order["cents"], reason]).fetchone()
            return _receipt("RF", done, f"{done['cents'] / 100:.2f} refunded", ("email", "order_id"))

    @gated(NAME, PHONE, once_per=("slot",), check=_finder(shop, "appointments", "AP", ("name", "phone")))
    def book_appointment(name: str, phone: str, slot: Annotated[Slot, "when"], *, action: Action) -> Receipt:
        """Book an appointment to have boots fitted in the shop."""
        try:
            with shop.transaction() as db:
                row = "INSERT INTO appointments (key, name, phone, slot) VALUES (?, ?, ?, ?) RETURNING *"
                done = db.execute(row, [action.key, name, phone, slot]).fetchone()
                return _receipt("AP", done, f"booked for {done['slot']}", ("name", "phone"))
        except sqlite3.IntegrityError:
            raise NotDone("that slot is taken") from None

    @gated(EMAIL, ORDER_ID, check=_finder(shop, "receipts", "RC", ("email", "order_id")))
    def send_receipt(email: str, order_id: str, *, action: Action) -> Receipt:
        """Send the receipt for an order by email once more."""
        with shop.transaction() as db:
            if not db.execute("SELECT 1 FROM orders WHERE id = ? AND email = ?", [order_id, email]).fetchone():
                raise NotDone("there is no such order for this email")
            row = "INSERT INTO receipts (key, order_id, email) VALUES (?, ?, ?) RETURNING *"
            done = db.execute(row, [action.key, order_id, email]).fetchone()
            return _receipt("RC", done, "receipt sent", ("email", "order_id"))

    return [refund, book_appointment, send_receipt]


def _finder(shop: Shop, table: str, prefix: str, fields: tuple[str, ...]) -> Callable[[Action], Receipt | None]:
    """A ``check``: the effect with the action's key, or certainly none."""

    def check(action: Action) -> Receipt | None:
        found = shop.rows(table, key=action.key)
        return _receipt(prefix, found[0], "done", fields) if found else None

    return check


def _receipt(prefix: str, row: Any, text: str, fields: tuple[str, ...]) -> Receipt:
    """What is in the world now: ``executed`` is read from the stored row, not from what was passed."""
    reference = f"{prefix}-{row['number']:04}"
    return Receipt(reference=reference, text=f"{text}, number {reference}", executed={f: row[f] for f in fields})
