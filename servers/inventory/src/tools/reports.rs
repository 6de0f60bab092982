//! Reports.

use plainwire::Entries;
use plainwire::handler::WithBlocks;
use plainwire::prelude::*;

use super::Store;
use crate::catalog::{self, List, Reference};
use crate::chart;
use crate::fault::Fault;
use crate::kinds::{SalesSummary, TopSelling, Velocities};
use crate::reports::sales::{self, GroupBy, OrderBy, TopFilter};
use crate::reports::velocity;
use crate::time::Day;

pub(super) fn entries() -> Entries {
    Entries::new().tool(top_selling_variants).tool(sales_summary).tool(inventory_velocity)
}

/// Ranks variants by what was sold of them, in delivered orders that were made in a window of days.
#[tool(read_only, closed_world, title = "Top selling variants")]
async fn top_selling_variants(
    #[argument("The first day.")] start_date: Day,
    #[argument("The last day; it counts.")] end_date: Day,
    #[argument("At most.", default = 20, range = 1..=500)] limit: i64,
    #[argument("Only of this category.")] category: Option<String>,
    #[argument("What ranks.", default = OrderBy::Units)] order_by: OrderBy,
    #[argument("Only from this location.")] location_id: Option<i64>,
    store: State<Store>,
) -> Result<TopSelling, ToolError> {
    let answer = store.ask(move |db| {
        let location = location_id.map(|id| catalog::location(db, Some(id))).transpose()?;
        let filter = TopFilter { start: start_date, end: end_date, limit, category, order_by, location };
        sales::top(db, &filter)
    });
    Ok(answer.await?)
}

/// Sums the sales of a window of days by day, ISO week, month, variant, customer or category.
#[tool(read_only, closed_world, title = "Sales summary")]
async fn sales_summary(
    #[argument("The first day.")] start_date: Day,
    #[argument("The last day; it counts.")] end_date: Day,
    group_by: GroupBy,
    #[argument("Whether to draw the revenue of the first 60 groups, too.", default = false)] chart: bool,
    store: State<Store>,
) -> Result<WithBlocks<SalesSummary>, ToolError> {
    let answer = store.ask(move |db| {
        let summary = sales::summary(db, start_date, end_date, group_by)?;
        let mut blocks = Vec::new();
        // Nothing has no picture.
        if chart && !summary.rows.is_empty() {
            let rows = summary.rows.iter().take(chart::MAX_BARS).map(|it| (it.group.clone(), it.revenue));
            let title = format!("Revenue by {}, {start_date} to {end_date}", summary.group_by);
            let drawn = chart::bars(&title, &rows.collect::<Vec<_>>());
            blocks.extend(drawn.map_err(Fault::Input)?.blocks(&format!("sales-by-{}", summary.group_by)));
        }
        Ok(WithBlocks::new(summary, blocks))
    });
    Ok(answer.await?)
}

/// Returns how fast one or many variants are used up, and for how many days their stock lasts.
#[tool(read_only, closed_world, title = "Inventory velocity")]
async fn inventory_velocity(
    #[argument("SKUs or ids, at most 100.")] sku_or_variant_ids: List<Reference>,
    #[argument("Days up to today.", default = 90, range = 1..=365)] period_days: i64,
    #[argument("Whether ingredients of manufacturing orders count.", default = true)]
    include_mo_consumption: bool,
    store: State<Store>,
) -> Result<Velocities, ToolError> {
    if sku_or_variant_ids.0.len() > 100 {
        let found = sku_or_variant_ids.0.len();
        return Err(ToolError::invalid_input(format!(
            "expected `sku_or_variant_ids` with at most 100 elements, but found {found}"
        )));
    }
    let today = store.clock().today();
    let answer = store.ask(move |db| {
        velocity::velocity(db, &sku_or_variant_ids.0, period_days, include_mo_consumption, today)
    });
    Ok(answer.await?)
}
