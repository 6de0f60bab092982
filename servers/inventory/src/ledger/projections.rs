//! What follows from the ledger and the orders: promises, stock and words. Kept by each change, and made anew by `rebuild`.

use std::collections::BTreeMap;

use rusqlite::Connection;

use crate::fault::Fault;
use crate::work::Work;

/// Brings the promises of an order up to date. Their sums in `stock` are kept by triggers.
pub(crate) fn refresh(work: &mut Work<'_>, order: i64) -> Result<(), Fault> {
    work.touch(order);
    work.db.prepare_cached("DELETE FROM promise WHERE order_id = ?1")?.execute([order])?;
    work.db
        .prepare_cached("INSERT INTO promise SELECT * FROM open_promise WHERE order_id = ?1")?
        .execute([order])?;
    Ok(())
}

/// Puts the words of an entity into the index, in place of those that it had.
pub(crate) fn index(
    db: &Connection,
    id: i64,
    kind: &str,
    [name, code, more]: [&str; 3],
) -> Result<(), rusqlite::Error> {
    db.prepare_cached("DELETE FROM words WHERE rowid = ?1")?.execute([id])?;
    db.prepare_cached("INSERT INTO words (rowid, name, code, more, kind) VALUES (?1, ?2, ?3, ?4, ?5)")?
        .execute(rusqlite::params![id, name, code, more, kind])?;
    Ok(())
}

/// The words of all entities, as the index should have them.
pub(super) const WORDS: &str = "
    SELECT v.id, CASE v.name WHEN i.name THEN v.name ELSE i.name || ' ' || v.name END AS name,
        v.sku || ' ' || coalesce(v.barcode, '') AS code, coalesce(i.category, '') AS more, 'variant' AS kind
    FROM variant v JOIN item i ON i.id = v.item_id
  UNION ALL
    SELECT id, name, coalesce(email, '') || ' ' || coalesce(phone, ''),
        coalesce(company, '') || ' ' || coalesce(category, ''), 'customer' FROM customer
  UNION ALL
    SELECT o.id, coalesce(c.name, s.name, v.name, ''), o.number, coalesce(o.notes, ''), o.type
    FROM orders o LEFT JOIN customer c ON c.id = o.customer_id LEFT JOIN supplier s ON s.id = o.supplier_id
        LEFT JOIN variant v ON v.id = o.variant_id";

/// The stock as the ledger has it.
pub(super) const STOCK: &str = "
    SELECT m.variant_id, m.location_id, sum(m.quantity) AS in_stock,
        (SELECT average_cost_after FROM movement l WHERE l.variant_id = m.variant_id
            AND l.location_id = m.location_id ORDER BY l.id DESC LIMIT 1) AS average_cost
    FROM movement m GROUP BY m.variant_id, m.location_id";

/// Puts the words of an entity into the index, as the tables have them.
pub(crate) fn index_entity(db: &Connection, id: i64) -> Result<(), rusqlite::Error> {
    let mut statement =
        db.prepare_cached(&format!("SELECT name, code, more, kind FROM ({WORDS}) WHERE id = ?1"))?;
    let found: [String; 4] =
        statement.query_row([id], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?]))?;
    let [name, code, more, kind] = &found;
    index(db, id, kind, [name, code, more])
}

/// Makes all projections anew. Returns the number of rows of each.
pub(crate) fn rebuild(db: &Connection) -> Result<BTreeMap<String, i64>, rusqlite::Error> {
    db.execute_batch(&format!(
        "DELETE FROM promise; DELETE FROM stock; DELETE FROM words;
         INSERT INTO stock (variant_id, location_id, in_stock, average_cost) {STOCK};
         INSERT INTO promise SELECT * FROM open_promise;
         INSERT INTO words (rowid, name, code, more, kind) SELECT id, name, code, more, kind FROM ({WORDS});"
    ))?;
    let count = |table: &str| {
        db.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get::<_, i64>(0))
            .map(|it| (table.to_owned(), it))
    };
    ["promise", "stock", "words"].into_iter().map(count).collect()
}
