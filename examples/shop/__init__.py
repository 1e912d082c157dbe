"""A small shop that ships with the repo: orders, refunds, appointments and receipts as real rows in SQLite."""
