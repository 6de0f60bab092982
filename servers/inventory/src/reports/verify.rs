//! A document of a supplier, such as an invoice, compared with a purchase order.

use plainwire::prelude::*;
use rusqlite::Connection;

use crate::amount::Amount;
use crate::fault::Fault;
use crate::kinds::{Discrepancy, DiscrepancyType, Match, Verification};
use crate::orders::{OrderType, head, view};

/// A line of the document.
#[data]
#[derive(Clone, Debug)]
pub struct DocumentItem {
    pub sku: String,
    /// In the unit of purchase.
    pub quantity: Amount,
    /// If the document has it.
    pub unit_price: Option<Amount>,
}

/// Compares a document with an order.
pub(crate) fn verify(db: &Connection, id: i64, items: &[DocumentItem]) -> Result<Verification, Fault> {
    head::<String>(db, OrderType::PurchaseOrder, id)?;
    let order = view::order(db, id)?;
    let (mut matches, mut discrepancies) = (Vec::new(), Vec::new());
    for (n, it) in items.iter().enumerate() {
        if items[..n].iter().any(|other| other.sku == it.sku) {
            // Its quantity was counted with the first line.
            continue;
        }
        let rows: Vec<_> = order.rows.iter().filter(|row| row.sku == it.sku).collect();
        let quantity = items.iter().filter(|other| other.sku == it.sku).map(|other| other.quantity).sum();
        let mut found = Vec::new();
        let differs = |of, expected, found| Discrepancy { of, sku: it.sku.clone(), expected, found };
        if rows.is_empty() {
            found.push(differs(DiscrepancyType::MissingInPo, None, quantity));
        } else {
            let ordered: Amount = rows.iter().map(|row| row.quantity).sum();
            if ordered != quantity {
                found.push(differs(DiscrepancyType::QuantityMismatch, Some(ordered), quantity));
            }
            let prices =
                items.iter().filter(|other| other.sku == it.sku).filter_map(|other| other.unit_price);
            for price in prices {
                if rows.iter().all(|row| row.price_per_unit != Some(price)) {
                    let expected = rows[0].price_per_unit;
                    found.push(differs(DiscrepancyType::PriceMismatch, expected, price));
                }
            }
        }
        if found.is_empty() {
            matches.push(it.sku.clone());
        }
        discrepancies.extend(found);
    }
    let mut not_in_document: Vec<String> = order
        .rows
        .iter()
        .filter(|row| items.iter().all(|it| it.sku != row.sku))
        .map(|row| row.sku.clone())
        .collect();
    not_in_document.sort_unstable();
    not_in_document.dedup();
    let overall = match (matches.is_empty(), discrepancies.is_empty() && not_in_document.is_empty()) {
        (false, true) => Match::Match,
        (false, false) => Match::PartialMatch,
        (true, _) if discrepancies.iter().any(|it| it.of != DiscrepancyType::MissingInPo) => {
            Match::PartialMatch
        }
        (true, _) => Match::NoMatch,
    };
    Ok(Verification { order_id: id, number: order.number, overall, matches, discrepancies, not_in_document })
}
