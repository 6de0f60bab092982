//! Stock: now, at a time, low, moved and adjusted.

use plainwire::Entries;
use plainwire::handler::WithBlocks;
use plainwire::prelude::*;

use super::Store;
use super::rail::{write, writes};
use crate::amount::Amount;
use crate::catalog::{self, List, Reference};
use crate::chart;
use crate::fault::Fault;
use crate::kinds::{Change, LowStock, Movements, Stock, StockThen};
use crate::orders::adjustment::{self, AdjustmentRow};
use crate::reports::stock::{self, MovementFilter};
use crate::time::Time;

pub(super) fn entries() -> Entries {
    Entries::new()
        .tool(check_inventory)
        .tool(list_low_stock_items)
        .tool(get_inventory_movements)
        .tool(inventory_at)
        .tool(create_stock_adjustment)
}

/// Returns the stock of one or many variants at once, in the order of the call.
#[tool(read_only, closed_world, title = "Check stock")]
async fn check_inventory(
    #[argument("SKUs or ids.")] skus_or_variant_ids: List<Reference>,
    #[argument("Only at this location.")] location_id: Option<i64>,
    store: State<Store>,
) -> Result<Stock, ToolError> {
    let answer = store.ask(move |db| {
        let location = location_id.map(|id| catalog::location(db, Some(id))).transpose()?;
        stock::check(db, &skus_or_variant_ids.0, location)
    });
    Ok(answer.await?)
}

/// Lists variants whose available stock is below a threshold or their safety stock, the largest shortage first.
#[tool(read_only, closed_world, title = "List low stock")]
async fn list_low_stock_items(
    #[argument("By default 10.")] threshold: Option<Amount>,
    #[argument("At most.", default = 50, range = 1..=500)] limit: usize,
    #[argument("Only at this location.")] location_id: Option<i64>,
    store: State<Store>,
) -> Result<LowStock, ToolError> {
    let threshold = threshold.unwrap_or_else(|| Amount::from(10));
    let answer = store.ask(move |db| {
        let location = location_id.map(|id| catalog::location(db, Some(id))).transpose()?;
        stock::low(db, threshold, limit, location)
    });
    Ok(answer.await?)
}

/// What moves stock.
#[data]
#[derive(Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum Cause {
    Purchase,
    Sale,
    Ingredient,
    Production,
    Transfer,
    Adjustment,
    Correction,
}

/// Which movements are listed.
#[data]
struct MovementArguments {
    /// The SKU or id of a variant.
    sku_or_variant_id: Reference,
    /// Only at this location.
    location_id: Option<i64>,
    /// Only those of one cause.
    cause: Option<Cause>,
    /// From this date or time on.
    from: Option<Time>,
    /// Up to this time; a date counts whole.
    to: Option<Until>,
    /// At most.
    #[default(50)]
    #[range(1..=500)]
    limit: i64,
    /// Whether to draw the stock over time, too.
    #[default(false)]
    chart: bool,
}

/// Lists the changes of the stock of a variant, the newest first.
#[tool(read_only, closed_world, title = "List movements")]
async fn get_inventory_movements(
    #[arguments] it: MovementArguments,
    store: State<Store>,
) -> Result<WithBlocks<Movements>, ToolError> {
    let MovementArguments { sku_or_variant_id, location_id, cause, from, to, limit, chart } = it;
    let answer = store.ask(move |db| {
        let variant = catalog::variant(db, &sku_or_variant_id)?;
        let location = location_id.map(|id| catalog::location(db, Some(id))).transpose()?;
        let cause = cause.map(|it| json!(it).as_str().unwrap_or_default().to_owned());
        let to = to.map(|it| it.0);
        let filter = MovementFilter { location, cause, from, to, limit };
        let movements = stock::movements(db, variant, &filter)?;
        let mut blocks = Vec::new();
        if chart {
            let name = catalog::variant_name(db, variant)?;
            let title = format!("Stock of {} ({})", name.name, name.sku);
            let points = stock::series(db, variant, location, from, to)?;
            // Nothing has no picture.
            if !points.is_empty() {
                let drawn = chart::over_time(&title, &points).map_err(Fault::Input)?;
                blocks.extend(drawn.blocks(&format!("stock-{variant}")));
            }
        }
        Ok(WithBlocks::new(movements, blocks))
    });
    Ok(answer.await?)
}

/// The end of a window: a time, or the end of a day.
#[derive(Clone, Copy, Serialize)]
pub(super) struct Until(pub(super) Time);

impl<'de> Deserialize<'de> for Until {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        match text.parse::<crate::time::Day>() {
            Ok(day) => Ok(Self(day.end())),
            Err(_) => text.parse().map(Self).map_err(serde::de::Error::custom),
        }
    }
}

impl JsonSchema for Until {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Until".into()
    }

    fn json_schema(generator: &mut plainwire::schemars::SchemaGenerator) -> plainwire::schemars::Schema {
        Time::json_schema(generator)
    }
}

/// Returns the stock of one or many variants at a time in the past, in the order of the call.
#[tool(read_only, closed_world, title = "Stock at a time")]
async fn inventory_at(
    #[argument("SKUs or ids.")] skus_or_variant_ids: List<Reference>,
    #[argument("A time; a date counts whole.")] as_of: Until,
    store: State<Store>,
) -> Result<StockThen, ToolError> {
    let today = store.clock().today();
    let answer = store.ask(move |db| {
        if as_of.0.day() > today {
            return Err(Fault::input(format!(
                "expected `as_of` at {today} or before, but found {}",
                as_of.0
            )));
        }
        stock::at(db, &skus_or_variant_ids.0, as_of.0)
    });
    Ok(answer.await?)
}

writes! {
    /// A stock adjustment to make.
    struct CreateAdjustment {
        /// Why: counted, found, spoiled.
        #[length(1..=500)]
        reason: String,
        /// 1 to 500 rows.
        rows: Vec<AdjustmentRow>,
        /// By default the primary location.
        location_id: Option<i64>,
        /// By default now.
        adjusted_at: Option<Time>,
        /// By default the next number.
        order_no: Option<String>,
    }
}

/// Adds to stock or takes from it, as after a count.
#[tool(additive, closed_world, title = "Adjust stock")]
async fn create_stock_adjustment(
    #[arguments] it: CreateAdjustment,
    store: State<Store>,
    context: Context,
) -> Result<Change, ToolError> {
    write("create_stock_adjustment", &store, &context, it, |work, it| {
        let new = adjustment::Create {
            order_no: it.order_no.clone(),
            location_id: it.location_id,
            reason: it.reason.clone(),
            rows: it.rows.clone(),
            adjusted_at: it.adjusted_at,
        };
        adjustment::create(work, &new).map(|_| ())
    })
    .await
}
