//! Proofs that a file is sound: each rule that must hold, and what does not.
//!
//! In: a file. Out: one line for each difference, at most [`MAX_FINDINGS`] of each rule. Nothing is changed.

use rusqlite::{Connection, Row};

use super::projections::{STOCK, WORDS};
use super::{ALLOW_NEGATIVE, Balance};
use crate::amount::Amount;

/// The largest number of differences that are told of one rule.
pub const MAX_FINDINGS: usize = 20;

/// Questions whose answer must be empty: what a row means, and its columns.
const QUESTIONS: &[(&str, &str)] = &[
    (
        "stock differs from the ledger (variant, location, kept, ledger)",
        "SELECT s.variant_id, s.location_id, s.in_stock, coalesce(l.in_stock, 0) FROM stock s
         LEFT JOIN ledger l USING (variant_id, location_id)
         WHERE s.in_stock <> coalesce(l.in_stock, 0)",
    ),
    (
        "stock of a variant that moved is not kept (variant, location)",
        "SELECT variant_id, location_id FROM ledger EXCEPT SELECT variant_id, location_id FROM stock",
    ),
    (
        "average cost differs from the ledger (variant, location, kept, ledger)",
        "SELECT s.variant_id, s.location_id, s.average_cost, l.average_cost FROM stock s
         JOIN ledger l USING (variant_id, location_id) WHERE s.average_cost <> l.average_cost",
    ),
    (
        "promise differs from the orders (order, row, variant, location, committed, expected)",
        "SELECT * FROM (SELECT * FROM promise EXCEPT SELECT * FROM open_promise)
         UNION ALL SELECT * FROM (SELECT * FROM open_promise EXCEPT SELECT * FROM promise)",
    ),
    (
        "committed or expected differ from the promises (variant, location)",
        "SELECT variant_id, location_id FROM stock s WHERE (committed, expected) <> (SELECT
             coalesce(sum(p.committed), 0), coalesce(sum(p.expected), 0) FROM promise p
             WHERE p.variant_id = s.variant_id AND p.location_id = s.location_id)",
    ),
    (
        "row of an order differs from its movements (order, row, done, moved)",
        "SELECT o.id, l.id, l.done, coalesce(sum(m.quantity), 0) FROM orders o JOIN line l ON l.order_id = o.id
         LEFT JOIN movement m ON m.line_id = l.id AND m.order_id = o.id WHERE o.type <> 'stock_transfer' GROUP BY l.id
         HAVING coalesce(sum(m.quantity), 0) <> CASE o.type WHEN 'purchase_order' THEN product(l.done, l.uom_rate)
             WHEN 'stock_adjustment' THEN l.done ELSE -l.done END",
    ),
    (
        "output of a manufacturing order differs from its movements (order, completed, moved)",
        "SELECT o.id, o.completed, coalesce(sum(m.quantity), 0) FROM orders o
         LEFT JOIN movement m ON m.order_id = o.id AND m.line_id IS NULL
         WHERE o.type = 'manufacturing_order' GROUP BY o.id HAVING o.completed <> coalesce(sum(m.quantity), 0)",
    ),
    (
        "stock transfer does not conserve its stock (order, row, sum)",
        "SELECT m.order_id, m.line_id, sum(m.quantity) FROM movement m JOIN orders o ON o.id = m.order_id
         WHERE o.type = 'stock_transfer' GROUP BY m.line_id HAVING sum(m.quantity) <> 0",
    ),
    (
        "stock transfer in a state that its movements do not have (order, status, movements)",
        "SELECT o.id, o.status, count(m.id) FROM orders o JOIN line l ON l.order_id = o.id
         LEFT JOIN movement m ON m.line_id = l.id WHERE o.type = 'stock_transfer' GROUP BY l.id
         HAVING count(m.id) <> CASE o.status WHEN 'draft' THEN 0 WHEN 'inTransit' THEN 2 ELSE 4 END",
    ),
    (
        "status of an order does not follow from its rows (order, status)",
        "SELECT o.id, o.status FROM orders o WHERE o.deleted_at IS NULL AND CASE o.type
             WHEN 'purchase_order' THEN o.status <> CASE
                 WHEN NOT EXISTS (SELECT 1 FROM line WHERE order_id = o.id AND done <> 0)
                     THEN CASE o.status WHEN 'DRAFT' THEN 'DRAFT' ELSE 'NOT_RECEIVED' END
                 WHEN EXISTS (SELECT 1 FROM line WHERE order_id = o.id AND done < quantity) THEN 'PARTIALLY_RECEIVED'
                 ELSE 'RECEIVED' END
             WHEN 'sales_order' THEN o.status <> CASE
                 WHEN NOT EXISTS (SELECT 1 FROM line WHERE order_id = o.id AND done <> 0)
                     THEN CASE o.status WHEN 'PACKED' THEN 'PACKED' ELSE 'NOT_SHIPPED' END
                 WHEN EXISTS (SELECT 1 FROM line WHERE order_id = o.id AND done < quantity) THEN 'PARTIALLY_DELIVERED'
                 ELSE 'DELIVERED' END
             WHEN 'manufacturing_order' THEN CASE
                 WHEN o.completed = 0 THEN o.status NOT IN ('NOT_STARTED', 'BLOCKED', 'IN_PROGRESS')
                 WHEN o.completed < o.planned THEN o.status NOT IN ('PARTIALLY_COMPLETED', 'DONE')
                 ELSE o.status <> 'DONE' END
             ELSE 0 END",
    ),
    (
        "row of an order is done beyond its quantity (order, row)",
        "SELECT l.order_id, l.id FROM line l JOIN orders o ON o.id = l.order_id WHERE o.type <> 'stock_adjustment'
             AND (l.done < 0 OR l.quantity < 0 OR (l.done > l.quantity AND o.type <> 'manufacturing_order'))",
    ),
    (
        "movement was taken back by more than it did (movement, quantity, taken back)",
        "SELECT m.id, m.quantity, sum(r.quantity) FROM movement m JOIN movement r ON r.reverses = m.id GROUP BY m.id
         HAVING abs(sum(r.quantity)) > abs(m.quantity)",
    ),
    (
        "cost of a row differs from its movements (order, row, cost, moved)",
        "SELECT o.id, l.id, l.cost, coalesce(sum(product(-coalesce(m.quantity, 0), coalesce(m.value_per_unit, 0))), 0) FROM orders o
         JOIN line l ON l.order_id = o.id LEFT JOIN movement m ON m.line_id = l.id AND m.order_id = o.id
         WHERE o.type IN ('sales_order', 'manufacturing_order') GROUP BY l.id
         HAVING l.cost <> coalesce(sum(product(-coalesce(m.quantity, 0), coalesce(m.value_per_unit, 0))), 0)",
    ),
    (
        "output of a manufacturing order is not worth what was used (order, used, worth)",
        "SELECT o.id, (SELECT sum(cost) FROM line WHERE order_id = o.id) AS used,
             sum(product(m.quantity, m.value_per_unit)) AS worth
         FROM orders o JOIN movement m ON m.order_id = o.id AND m.line_id IS NULL
         WHERE o.type = 'manufacturing_order' AND o.completed > 0 GROUP BY o.id
         HAVING abs(coalesce(used, 0) - worth) > o.completed / 1000000 + 2 * count(*)",
    ),
    (
        "order that was deleted has stock that moved (order)",
        "SELECT o.id FROM orders o JOIN movement m ON m.order_id = o.id WHERE o.deleted_at IS NOT NULL
         GROUP BY o.id, m.line_id HAVING sum(m.quantity) <> 0",
    ),
    (
        "bill of materials contains itself (variant)",
        "WITH RECURSIVE part (root, id) AS (
             SELECT variant_id, ingredient_id FROM bom_row
             UNION SELECT part.root, b.ingredient_id FROM part JOIN bom_row b ON b.variant_id = part.id
         ) SELECT DISTINCT root FROM part WHERE root = id",
    ),
    (
        "manufacturing orders that make one row to order (row)",
        "SELECT sales_line_id FROM orders WHERE sales_line_id IS NOT NULL AND deleted_at IS NULL
         GROUP BY sales_line_id HAVING count(*) > 1",
    ),
    (
        "words of the search differ from the tables (id)",
        "SELECT id FROM (SELECT * FROM entries EXCEPT SELECT rowid, name, code, more, kind FROM words)
         UNION SELECT rowid FROM (SELECT rowid, name, code, more, kind FROM words EXCEPT SELECT * FROM entries)",
    ),
    ("reference leads nowhere (table, row)", "SELECT \"table\", rowid FROM pragma_foreign_key_check"),
    ("SQLite finds damage", "SELECT integrity_check FROM pragma_integrity_check WHERE integrity_check <> 'ok'"),
];

/// Returns what does not hold. Empty for a sound file.
///
/// # Errors
/// An error of the file.
pub fn check(db: &Connection) -> Result<Vec<String>, rusqlite::Error> {
    let mut findings = chains(db)?;
    for (meaning, question) in QUESTIONS {
        let question = match question.strip_prefix("WITH RECURSIVE ") {
            Some(rest) => format!("WITH RECURSIVE ledger AS ({STOCK}), entries AS ({WORDS}), {rest}"),
            None => format!("WITH ledger AS ({STOCK}), entries AS ({WORDS}) {question}"),
        };
        let mut statement = db.prepare(&question)?;
        let columns = statement.column_count();
        let row = |row: &Row<'_>| {
            let cells = (0..columns).map(|at| {
                row.get::<_, rusqlite::types::Value>(at).map(|it| match it {
                    rusqlite::types::Value::Integer(number) => number.to_string(),
                    rusqlite::types::Value::Text(text) => text,
                    other => format!("{other:?}"),
                })
            });
            Ok(format!("{meaning}: {}", cells.collect::<Result<Vec<_>, _>>()?.join(", ")))
        };
        for finding in statement.query_map([], row)?.take(MAX_FINDINGS) {
            findings.push(finding?);
        }
    }
    Ok(findings)
}

/// Follows the chain of each variant at each location: the balances, the averages, and that nothing falls below zero.
fn chains(db: &Connection) -> Result<Vec<String>, rusqlite::Error> {
    let allowed = format!("SELECT 1 FROM setting WHERE name = '{ALLOW_NEGATIVE}' AND value = 'true'");
    let may_be_negative = db.prepare(&allowed)?.exists([])?;
    let mut statement = db.prepare(
        "SELECT m.id, m.variant_id, m.location_id, m.quantity, m.value_per_unit, m.balance_after, m.average_cost_after,
             m.reverses, r.quantity, r.value_per_unit, r.variant_id, r.location_id
         FROM movement m LEFT JOIN movement r ON r.id = m.reverses ORDER BY m.variant_id, m.location_id, m.id",
    )?;
    let mut rows = statement.query([])?;
    let mut findings = Vec::new();
    let (mut place, mut now) = ((0, 0), Balance::default());
    while let Some(row) = rows.next()? {
        if findings.len() >= MAX_FINDINGS {
            break;
        }
        let id: i64 = row.get(0)?;
        let here: (i64, i64) = (row.get(1)?, row.get(2)?);
        if here != place {
            (place, now) = (here, Balance::default());
        }
        let (quantity, cost): (Amount, Amount) = (row.get(3)?, row.get(4)?);
        let reverses: Option<i64> = row.get(7)?;
        let found = Balance { quantity: row.get(5)?, average: row.get(6)? };
        let expected = now.after(quantity, cost, reverses.is_some());
        if found.quantity != expected.quantity {
            findings.push(format!(
                "balance of movement {id}: {} instead of {}",
                found.quantity, expected.quantity
            ));
        }
        if found.average != expected.average {
            findings.push(format!(
                "average cost of movement {id}: {} instead of {}",
                found.average, expected.average
            ));
        }
        if reverses.is_none() && quantity.is_negative() && cost != now.average {
            findings.push(format!("cost of movement {id}: {cost} left, but the average is {}", now.average));
        }
        if found.quantity.is_negative() && !may_be_negative {
            findings.push(format!("balance of movement {id}: {} is below zero", found.quantity));
        }
        if reverses.is_some() {
            let of: (Amount, Amount, i64, i64) = (row.get(8)?, row.get(9)?, row.get(10)?, row.get(11)?);
            let is_opposite = of.0.is_positive() != quantity.is_positive();
            if !is_opposite || (of.1, of.2, of.3) != (cost, here.0, here.1) {
                findings.push(format!("movement {id} takes back what its movement did not do"));
            }
        }
        now = found;
    }
    Ok(findings)
}
