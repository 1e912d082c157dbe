CREATE TABLE orders (
  id TEXT PRIMARY KEY,
  email TEXT NOT NULL,
  item TEXT NOT NULL,
  cents INTEGER NOT NULL
);
CREATE TABLE refunds (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  key TEXT NOT NULL UNIQUE,
  order_id TEXT NOT NULL UNIQUE REFERENCES orders (id),
  email TEXT NOT NULL,
  cents INTEGER NOT NULL,
  reason TEXT NOT NULL
);
CREATE TABLE appointments (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  key TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  phone TEXT NOT NULL,
  slot TEXT NOT NULL UNIQUE
);
CREATE TABLE receipts (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  key TEXT NOT NULL UNIQUE,
  order_id TEXT NOT NULL REFERENCES orders (id),
  email TEXT NOT NULL
);
INSERT INTO orders VALUES
  ('HL-204815', 'rae.oneill@example.com', 'walking boots', 12900),
  ('HL-204816', 'siobhan@example.com', 'rain jacket', 8950),
  ('HL-105581', 'l1sa@example.com.au', 'head torch', 3400),
  ('HL-880088', 'd.nguyen+shop@example.com', 'tent for two', 24900);
