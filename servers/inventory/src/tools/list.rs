//! What lists of orders are narrowed by.

use plainwire::prelude::*;

use super::Store;
use super::stock::Until;
use crate::catalog::{self, List, Reference};
use crate::kinds::{Order, Orders};
use crate::orders::view::{self, Filter};
use crate::orders::{OrderType, head};
use crate::time::Time;

/// What a list of orders is narrowed by.
#[data]
pub(super) struct ListArguments {
    /// Only these ids, in this order.
    #[serde(default)]
    ids: List<i64>,
    /// Words of the number, the partner, the product or the notes.
    #[length(1..=200)]
    query: Option<String>,
    status: Option<String>,
    location_id: Option<i64>,
    /// Only with this supplier or customer.
    partner_id: Option<i64>,
    /// Only with this variant, by SKU or id.
    sku_or_variant_id: Option<Reference>,
    created_from: Option<Time>,
    /// A date counts whole.
    created_to: Option<Until>,
    #[serde(default)]
    include_deleted: bool,
    /// At most.
    #[default(50)]
    #[range(1..=200)]
    limit: i64,
}

pub(super) async fn list(of: OrderType, it: ListArguments, store: State<Store>) -> Result<Orders, ToolError> {
    let answer = store.ask(move |db| {
        let filter = Filter {
            ids: it.ids.0,
            status: it.status,
            location: it.location_id.map(|id| catalog::location(db, Some(id))).transpose()?,
            partner: it.partner_id,
            variant: it.sku_or_variant_id.map(|it| catalog::variant(db, &it)).transpose()?,
            created_from: it.created_from,
            created_to: it.created_to.map(|it| it.0),
            query: it.query,
            include_deleted: it.include_deleted,
            limit: it.limit,
        };
        view::list(db, of, &filter)
    });
    Ok(answer.await?)
}

/// An order by its id or its number.
#[derive(Clone)]
pub(super) enum Wanted {
    Id(i64),
    Number(String),
}

impl Wanted {
    pub(super) fn new(id: Option<i64>, order_no: Option<String>) -> Result<Self, ToolError> {
        match (id, order_no) {
            (Some(id), None) => Ok(Self::Id(id)),
            (None, Some(number)) => Ok(Self::Number(number)),
            _ => Err(ToolError::invalid_input("expected either `id` or `order_no`")),
        }
    }
}

pub(super) async fn get(
    of: OrderType,
    wanted: Wanted,
    include_deleted: bool,
    store: State<Store>,
) -> Result<Order, ToolError> {
    let answer = store.ask(move |db| {
        let id = match wanted {
            Wanted::Id(id) => id,
            Wanted::Number(number) => view::by_number(db, of, &number)?,
        };
        match (head::<String>(db, of, id), include_deleted) {
            (Ok(_), _) => view::order(db, id),
            (Err(error), false) => Err(error),
            (Err(error), true) => view::deleted(db, of, id)?.ok_or(error),
        }
    });
    Ok(answer.await?)
}
