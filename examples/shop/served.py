"""What ``langgraph.json`` serves as ``agent``: the shop's fields, actions and lookups (see ``READBACK_ACTIONS``).

A module of your own with the same three names, named by ``READBACK_ACTIONS``, takes its place.
"""

from __future__ import annotations

import os

from platformdirs import user_data_path

from examples.shop.actions import FIELDS, make_actions
from examples.shop.world import Shop

_FOLDER = user_data_path("langgraph-readback", ensure_exists=True)
SHOP = Shop(os.environ.get("SHOP_DATABASE") or _FOLDER / "shop.db")

ACTIONS = make_actions(SHOP)
LOOKUPS = {"order_id": SHOP.find_order}

__all__ = ["ACTIONS", "FIELDS", "LOOKUPS", "SHOP"]
