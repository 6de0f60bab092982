-- Amounts are integers, in millionths; times are texts in UTC. Ids are unique across all tables but `movement`.

CREATE TABLE entity (id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL);

CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE location (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, is_primary INTEGER NOT NULL, is_transit INTEGER NOT NULL
);

INSERT INTO entity (id, kind) VALUES (1, 'location'), (2, 'location');
INSERT INTO location VALUES (1, 'In transit', 0, 1), (2, 'Main', 1, 0);

CREATE TABLE supplier (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT, phone TEXT, currency TEXT NOT NULL, deleted_at TEXT
);

CREATE TABLE customer (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT, phone TEXT, company TEXT, category TEXT, currency TEXT NOT NULL,
    discount_rate INTEGER NOT NULL, created_at TEXT NOT NULL, archived_at TEXT, deleted_at TEXT
);

CREATE TABLE item (
    id INTEGER PRIMARY KEY, type TEXT NOT NULL, name TEXT NOT NULL, uom TEXT NOT NULL, category TEXT,
    is_sellable INTEGER NOT NULL, is_producible INTEGER NOT NULL, is_purchasable INTEGER NOT NULL,
    supplier_id INTEGER REFERENCES supplier (id), purchase_uom TEXT, purchase_uom_rate INTEGER NOT NULL,
    created_at TEXT NOT NULL, archived_at TEXT, deleted_at TEXT
);

CREATE TABLE variant (
    id INTEGER PRIMARY KEY, item_id INTEGER NOT NULL REFERENCES item (id), sku TEXT NOT NULL, name TEXT NOT NULL,
    sales_price INTEGER NOT NULL, purchase_price INTEGER NOT NULL, barcode TEXT, lead_time_days INTEGER,
    minimum_order_quantity INTEGER, safety_stock INTEGER NOT NULL, archived_at TEXT, deleted_at TEXT
);
CREATE INDEX variants_by_sku ON variant (sku);
CREATE INDEX variants_by_item ON variant (item_id);

CREATE TABLE bom_row (
    id INTEGER PRIMARY KEY, variant_id INTEGER NOT NULL REFERENCES variant (id),
    ingredient_id INTEGER NOT NULL REFERENCES variant (id), quantity INTEGER NOT NULL CHECK (quantity > 0),
    notes TEXT, rank INTEGER NOT NULL, UNIQUE (variant_id, ingredient_id)
);
CREATE INDEX bom_rows_by_ingredient ON bom_row (ingredient_id);

-- The ledger. It only grows.
CREATE TABLE movement (
    id INTEGER PRIMARY KEY, variant_id INTEGER NOT NULL REFERENCES variant (id),
    location_id INTEGER NOT NULL REFERENCES location (id), at TEXT NOT NULL, cause TEXT NOT NULL,
    order_id INTEGER NOT NULL REFERENCES orders (id), line_id INTEGER REFERENCES line (id),
    quantity INTEGER NOT NULL CHECK (quantity <> 0), value_per_unit INTEGER NOT NULL CHECK (value_per_unit >= 0),
    balance_after INTEGER NOT NULL, average_cost_after INTEGER NOT NULL, reverses INTEGER REFERENCES movement (id)
);
CREATE INDEX movements_taken_back ON movement (reverses) WHERE reverses IS NOT NULL;
CREATE INDEX movements_by_place ON movement (variant_id, location_id, id);
CREATE INDEX movements_by_order ON movement (order_id);
CREATE INDEX movements_by_time ON movement (at);
CREATE TRIGGER movements_stay BEFORE UPDATE ON movement BEGIN SELECT raise(ABORT, 'the ledger only grows'); END;
CREATE TRIGGER movements_remain BEFORE DELETE ON movement BEGIN SELECT raise(ABORT, 'the ledger only grows'); END;

-- Purchase, sales and manufacturing orders, stock transfers and stock adjustments. Which columns are used depends on `type`.
CREATE TABLE orders (
    id INTEGER PRIMARY KEY, type TEXT NOT NULL, number TEXT NOT NULL UNIQUE, status TEXT NOT NULL,
    location_id INTEGER NOT NULL REFERENCES location (id), target_id INTEGER REFERENCES location (id),
    supplier_id INTEGER REFERENCES supplier (id), customer_id INTEGER REFERENCES customer (id),
    variant_id INTEGER REFERENCES variant (id), planned INTEGER NOT NULL DEFAULT 0, completed INTEGER NOT NULL DEFAULT 0,
    sales_line_id INTEGER REFERENCES line (id), additional_cost INTEGER NOT NULL DEFAULT 0,
    created_at TEXT NOT NULL, due_at TEXT, done_at TEXT, notes TEXT, deleted_at TEXT
);
CREATE INDEX orders_by_type ON orders (type, created_at, id);
CREATE INDEX orders_by_sales_line ON orders (sales_line_id) WHERE sales_line_id IS NOT NULL;

-- A row of an order: what is bought, sold, used or moved. `done` is received, delivered, consumed or moved.
CREATE TABLE line (
    id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL REFERENCES orders (id), variant_id INTEGER NOT NULL REFERENCES variant (id),
    quantity INTEGER NOT NULL CHECK (quantity <> 0), done INTEGER NOT NULL DEFAULT 0, price INTEGER NOT NULL DEFAULT 0,
    discount INTEGER NOT NULL DEFAULT 0, uom TEXT, uom_rate INTEGER NOT NULL DEFAULT 1000000,
    per_unit INTEGER NOT NULL DEFAULT 0, cost INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX lines_by_order ON line (order_id);
CREATE INDEX lines_by_variant ON line (variant_id);

-- Projections, kept in the transaction that changes what they are made from.

-- What open orders will take out of stock (`committed`) and bring in (`expected`).
CREATE TABLE promise (
    order_id INTEGER NOT NULL REFERENCES orders (id), line_id INTEGER NOT NULL, variant_id INTEGER NOT NULL,
    location_id INTEGER NOT NULL, committed INTEGER NOT NULL, expected INTEGER NOT NULL, PRIMARY KEY (order_id, line_id)
) WITHOUT ROWID;

-- What the promises are made from. `product` is a function of this program, exact where `*` would overflow.
CREATE VIEW open_promise AS
    SELECT o.id AS order_id, l.id AS line_id, l.variant_id, o.location_id, l.quantity - l.done AS committed, 0 AS expected
    FROM orders o JOIN line l ON l.order_id = o.id
    WHERE o.type = 'sales_order' AND o.deleted_at IS NULL AND l.quantity > l.done
  UNION ALL
    SELECT o.id, l.id, l.variant_id, o.location_id, 0, product(l.quantity - l.done, l.uom_rate)
    FROM orders o JOIN line l ON l.order_id = o.id
    WHERE o.type = 'purchase_order' AND o.status <> 'DRAFT' AND o.deleted_at IS NULL AND l.quantity > l.done
  UNION ALL
    SELECT o.id, l.id, l.variant_id, o.location_id, l.quantity - l.done, 0
    FROM orders o JOIN line l ON l.order_id = o.id
    WHERE o.type = 'manufacturing_order' AND o.status <> 'DONE' AND o.deleted_at IS NULL AND l.quantity > l.done
  UNION ALL
    SELECT id, 0, variant_id, location_id, 0, planned - completed FROM orders
    WHERE type = 'manufacturing_order' AND status <> 'DONE' AND deleted_at IS NULL AND planned > completed
  UNION ALL
    SELECT o.id, l.id, l.variant_id, o.target_id, 0, l.quantity - l.done
    FROM orders o JOIN line l ON l.order_id = o.id
    WHERE o.type = 'stock_transfer' AND o.status = 'inTransit' AND o.deleted_at IS NULL AND l.quantity > l.done;

CREATE TABLE stock (
    variant_id INTEGER NOT NULL REFERENCES variant (id), location_id INTEGER NOT NULL REFERENCES location (id),
    in_stock INTEGER NOT NULL DEFAULT 0, average_cost INTEGER NOT NULL DEFAULT 0, committed INTEGER NOT NULL DEFAULT 0,
    expected INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (variant_id, location_id)
) WITHOUT ROWID;

CREATE TRIGGER promise_made AFTER INSERT ON promise BEGIN
    INSERT INTO stock (variant_id, location_id, committed, expected)
    VALUES (new.variant_id, new.location_id, new.committed, new.expected)
    ON CONFLICT DO UPDATE SET committed = committed + new.committed, expected = expected + new.expected;
END;
CREATE TRIGGER promise_kept AFTER DELETE ON promise BEGIN
    UPDATE stock SET committed = committed - old.committed, expected = expected - old.expected
    WHERE variant_id = old.variant_id AND location_id = old.location_id;
END;

-- Words of variants, customers and orders. The row id is the id of the entity.
CREATE VIRTUAL TABLE words USING fts5 (
    name, code, more, kind UNINDEXED, tokenize = "unicode61 remove_diacritics 2", prefix = '2 3'
);

-- Calls that were applied, by their idempotency key or by their preview. `position` is the number of bytes of those before it.
CREATE TABLE request (
    row INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, tool TEXT NOT NULL, arguments TEXT NOT NULL, result TEXT NOT NULL,
    position INTEGER NOT NULL, bytes INTEGER NOT NULL
);
CREATE INDEX requests_by_position ON request (position);
