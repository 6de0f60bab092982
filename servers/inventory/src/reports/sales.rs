//! What sells: by variant, and by day, week, month, customer and category. Orders count that were delivered, at the day on which
//! they were made.

use plainwire::prelude::*;
use rusqlite::{Connection, Row, params};
use rust_decimal::{Decimal, RoundingStrategy};

use crate::amount::Amount;
use crate::fault::Fault;
use crate::kinds::{SalesRow, SalesSummary, TopRow, TopSelling};
use crate::time::Day;

/// The order of variants that sold.
#[data]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum OrderBy {
    #[default]
    Units,
    Revenue,
}

/// What sales are summed by.
#[data]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum GroupBy {
    Day,
    Week,
    Month,
    Variant,
    Customer,
    Category,
}

impl GroupBy {
    fn name(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Variant => "variant",
            Self::Customer => "customer",
            Self::Category => "category",
        }
    }

    /// The name of a group, in SQL.
    fn group(self) -> &'static str {
        match self {
            Self::Day => "substr(o.created_at, 1, 10)",
            Self::Week => "strftime('%G-W%V', o.created_at)",
            Self::Month => "substr(o.created_at, 1, 7)",
            Self::Variant => "coalesce(nullif(v.sku, ''), 'variant:' || v.id)",
            Self::Customer => "coalesce(nullif(c.name, ''), 'unknown')",
            Self::Category => "coalesce(nullif(i.category, ''), 'uncategorized')",
        }
    }

    /// What makes two groups different. Variants may have one SKU, and customers one name.
    fn key(self) -> &'static str {
        match self {
            Self::Variant => "v.id",
            Self::Customer => "c.id",
            other => other.group(),
        }
    }

    fn is_time(self) -> bool {
        matches!(self, Self::Day | Self::Week | Self::Month)
    }
}

/// The rows of orders that count.
const SOLD: &str = "orders o JOIN line l ON l.order_id = o.id JOIN variant v ON v.id = l.variant_id
    JOIN item i ON i.id = v.item_id LEFT JOIN customer c ON c.id = o.customer_id
    WHERE o.type = 'sales_order' AND o.status = 'DELIVERED' AND o.deleted_at IS NULL
        AND o.created_at >= ?1 AND o.created_at <= ?2";

/// Which sales count.
#[derive(Clone, Debug)]
pub struct TopFilter {
    pub start: Day,
    pub end: Day,
    pub limit: i64,
    pub category: Option<String>,
    pub order_by: OrderBy,
    pub location: Option<i64>,
}

/// Returns the variants that sold best.
pub(crate) fn top(db: &Connection, it: &TopFilter) -> Result<TopSelling, Fault> {
    window(it.start, it.end)?;
    let order = match it.order_by {
        OrderBy::Units => "units DESC, revenue DESC",
        OrderBy::Revenue => "revenue DESC, units DESC",
    };
    let mut statement = db.prepare_cached(&format!(
        "SELECT v.sku, v.id, v.name, sum(l.quantity) AS units, revenue(l.quantity, l.price, l.discount) AS revenue,
             count(DISTINCT o.id), count(*) OVER ()
         FROM {SOLD} AND (?3 IS NULL OR folded(i.category) = folded(?3)) AND (?4 IS NULL OR o.location_id = ?4)
         GROUP BY v.id ORDER BY {order}, v.id LIMIT ?5"
    ))?;
    let mut total_variants = 0;
    let given = params![it.start.start(), it.end.end(), it.category, it.location, it.limit];
    let rows = statement
        .query_map(given, |row| {
            total_variants = row.get(6)?;
            Ok(TopRow {
                sku: row.get(0)?,
                variant_id: row.get(1)?,
                name: row.get(2)?,
                units: units(row, 3)?,
                revenue: hundredths(row, 4)?,
                order_count: row.get(5)?,
            })
        })?
        .collect::<Result<_, _>>()?;
    Ok(TopSelling { rows, total_variants, window_start: it.start, window_end: it.end })
}

/// Returns the sales by a group: those of time in the order of time, others by revenue.
pub(crate) fn summary(
    db: &Connection,
    start: Day,
    end: Day,
    group_by: GroupBy,
) -> Result<SalesSummary, Fault> {
    window(start, end)?;
    let (group, key) = (group_by.group(), group_by.key());
    let order = if group_by.is_time() { "1" } else { "revenue DESC, 1" };
    let mut statement = db.prepare_cached(&format!(
        "SELECT {group}, sum(l.quantity), revenue(l.quantity, l.price, l.discount) AS revenue, count(DISTINCT o.id)
         FROM {SOLD} GROUP BY {key} ORDER BY {order}"
    ))?;
    let rows = statement
        .query_map(params![start.start(), end.end()], |row| {
            Ok(SalesRow {
                group: row.get(0)?,
                units: units(row, 1)?,
                revenue: hundredths(row, 2)?,
                order_count: row.get(3)?,
            })
        })?
        .collect::<Result<_, _>>()?;
    Ok(SalesSummary { group_by: group_by.name().to_owned(), rows, window_start: start, window_end: end })
}

fn window(start: Day, end: Day) -> Result<(), Fault> {
    match start <= end {
        true => Ok(()),
        false => Err(Fault::input(format!("expected `end_date` at {start} or later, but found {end}"))),
    }
}

/// Reads a quantity, in four decimal places.
pub(super) fn units(row: &Row<'_>, at: usize) -> Result<Amount, rusqlite::Error> {
    let amount: Amount = row.get(at)?;
    Ok(four_places(amount.decimal()))
}

pub(super) fn four_places(decimal: Decimal) -> Amount {
    Amount::rounded(decimal.round_dp_with_strategy(4, RoundingStrategy::MidpointAwayFromZero))
}

fn hundredths(row: &Row<'_>, at: usize) -> Result<Amount, rusqlite::Error> {
    Ok(Amount::rounded(Decimal::new(row.get(at)?, 2)))
}
