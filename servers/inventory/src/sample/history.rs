//! The history of the sample: what was bought, made, moved, counted and sold, day after day.

use std::collections::BTreeMap;

use rusqlite::Connection;

use super::catalog::Catalog;
use super::{Random, attempt};
use crate::amount::Amount;
use crate::catalog::Reference;
use crate::fault::Fault;
use crate::ledger;
use crate::orders::adjustment::{self, AdjustmentRow};
use crate::orders::rows::{AddPurchaseRow, AddSalesRow, DerivedPrice, RowQuantity};
use crate::orders::{manufacturing, purchase, sales, transfer};
use crate::states::Transfer;
use crate::time::{Day, Time};

/// The number of days: eighteen months.
pub(super) const DAYS: i64 = 547;

/// The number of orders of each type. The first adjustments are the opening stock.
const SALES: i64 = 1_200;
const PURCHASES: i64 = 300;
const MADE: i64 = 250;
const TRANSFERS: i64 = 40;
const ADJUSTMENTS: i64 = 27;

/// Something that is due.
enum Due {
    Receive(i64),
    Produce(i64),
    Deliver(i64),
    Move(i64, Transfer),
}

struct History<'a> {
    db: &'a Connection,
    catalog: &'a Catalog,
    random: Random,
    due: BTreeMap<i64, Vec<Due>>,
    /// The number of changes on a day so far: each has a minute of its own.
    minute: i64,
}

/// Makes the history, up to the day after the last one.
pub(super) fn make(db: &Connection, first: Day, catalog: &Catalog, random: Random) -> Result<(), Fault> {
    let mut history = History { db, catalog, random, due: BTreeMap::new(), minute: 0 };
    history.open(first)?;
    for day in 1..DAYS {
        history.minute = 0;
        let date = first.plus(day);
        for due in history.due.remove(&day).unwrap_or_default() {
            history.done(day, date, &due)?;
        }
        let share = |count: i64| count * day / (DAYS - 1) - count * (day - 1) / (DAYS - 1);
        for _ in 0..share(PURCHASES) {
            history.buy(day, date)?;
        }
        for _ in 0..share(MADE) {
            history.make(day, date)?;
        }
        for _ in 0..share(TRANSFERS) {
            history.transfer(day, date)?;
        }
        for _ in 0..share(ADJUSTMENTS) {
            history.count(date)?;
        }
        for _ in 0..share(SALES) {
            history.sell(day, date)?;
        }
    }
    Ok(())
}

impl History<'_> {
    /// The time of the next change of a day.
    fn next(&mut self, date: Day) -> Time {
        self.minute += 1;
        date.at(8 + (self.minute / 60).min(11) as i8, (self.minute % 60) as i8, 0)
    }

    fn later(&mut self, day: i64, range: std::ops::RangeInclusive<i64>, due: Due) {
        let at = day + self.random.within(range);
        self.due.entry(at).or_default().push(due);
    }

    fn stock(&self, variant: i64, location: i64) -> Result<Amount, Fault> {
        Ok(ledger::balance(self.db, variant, location)?.quantity)
    }

    /// Opens the locations with a first stock.
    fn open(&mut self, date: Day) -> Result<(), Fault> {
        for (n, location) in self.catalog.locations.into_iter().enumerate() {
            let materials = self.catalog.materials[..77]
                .iter()
                .map(|it| (it.variant, it.price, if n == 0 { 80 } else { 0 }));
            let products =
                self.catalog.products.iter().map(|it| (it.variant, 90, if n == 0 { 12 } else { 3 }));
            let all: Vec<_> = materials.chain(products).filter(|it| it.2 > 0).collect();
            let rows = all
                .into_iter()
                .map(|(variant, cost, quantity)| AdjustmentRow {
                    sku_or_variant_id: Reference::Id(variant),
                    quantity: Amount::from(quantity + self.random.within(0..=quantity)),
                    cost_per_unit: Some(Amount::from(cost)),
                })
                .collect();
            let at = self.next(date);
            let new = adjustment::Create {
                order_no: None,
                location_id: Some(location),
                reason: "Opening stock".to_owned(),
                rows,
                adjusted_at: Some(at),
            };
            attempt(self.db, at, |work| adjustment::create(work, &new))?;
        }
        Ok(())
    }

    fn done(&mut self, day: i64, date: Day, due: &Due) -> Result<(), Fault> {
        let at = self.next(date);
        match due {
            Due::Receive(id) => {
                let part = self.random.percent(15);
                let mut rows = Vec::new();
                if part {
                    let lines = crate::orders::lines(self.db, *id)?;
                    rows = lines
                        .iter()
                        .take(1)
                        .map(|it| RowQuantity { row_id: it.id, quantity: None })
                        .collect();
                }
                let made = attempt(self.db, at, |work| purchase::receive(work, *id, &rows, Some(at)))?;
                if part && made.is_some() {
                    self.later(day, 2..=9, Due::Receive(*id));
                }
            }
            Due::Produce(id) => {
                let quantity = self.random.percent(10).then(|| Amount::from(2));
                let made =
                    attempt(self.db, at, |work| manufacturing::produce(work, *id, quantity, Some(at)))?;
                if made.is_none() || quantity.is_some() {
                    self.later(day, 2..=6, Due::Produce(*id));
                }
            }
            Due::Deliver(id) => {
                let made = attempt(self.db, at, |work| sales::deliver(work, *id, &[], Some(at), false))?;
                if made.is_none() {
                    self.later(day, 3..=9, Due::Deliver(*id));
                }
            }
            Due::Move(id, status) => {
                let header = transfer::Header { status: Some(*status), ..transfer::Header::default() };
                let made = attempt(self.db, at, |work| transfer::modify(work, *id, &header, Some(at)))?;
                if made.is_some() && *status == Transfer::InTransit {
                    self.later(day, 1..=4, Due::Move(*id, Transfer::Received));
                }
            }
        }
        Ok(())
    }

    /// Buys what is low of the materials of one supplier.
    fn buy(&mut self, day: i64, date: Day) -> Result<(), Fault> {
        let supplier = *self.random.pick(&self.catalog.suppliers);
        let main = self.catalog.locations[0];
        let mut low = Vec::new();
        for it in self.catalog.materials[..77].iter().filter(|it| it.supplier == supplier) {
            low.push((self.stock(it.variant, main)?, it));
        }
        low.sort_by_key(|it| (it.0, it.1.variant));
        let count = self.random.within(2..=5) as usize;
        let mut rows = Vec::new();
        for (_, material) in low.into_iter().take(count) {
            let price =
                Amount::from_millionths(material.price * (950_000 + self.random.within(0..=100) * 1_000));
            rows.push(AddPurchaseRow {
                sku_or_variant_id: Reference::Id(material.variant),
                quantity: Amount::from(self.random.within(6..=20) * 10),
                price_per_unit: Some(price),
                purchase_uom: None,
                purchase_uom_rate: Some(Amount::ONE),
                landed_cost: DerivedPrice,
                total: DerivedPrice,
                total_in_base_currency: DerivedPrice,
                conversion_rate: DerivedPrice,
                conversion_date: DerivedPrice,
            });
        }
        let freight = if self.random.percent(30) { self.random.within(10..=80) } else { 0 };
        let at = self.next(date);
        let new = purchase::Create {
            order_no: None,
            supplier_id: supplier,
            location_id: None,
            rows,
            is_placed: day < DAYS - 5 || self.random.percent(50),
            expected_arrival_date: Some(date.plus(10).start()),
            additional_cost: Amount::from(freight),
            notes: None,
            created_at: Some(at),
        };
        if let Some(id) = attempt(self.db, at, |work| purchase::create(work, &new))?
            && new.is_placed
        {
            self.later(day, 3..=16, Due::Receive(id));
        }
        Ok(())
    }

    /// Makes the product of three that is lowest in stock.
    fn make(&mut self, day: i64, date: Day) -> Result<(), Fault> {
        let main = self.catalog.locations[0];
        let mut best: Option<(Amount, usize)> = None;
        for _ in 0..4 {
            let n = self.random.below(self.catalog.products.len());
            let stock = self.stock(self.catalog.products[n].variant, main)?;
            best = Some(best.map_or((stock, n), |it| it.min((stock, n))));
        }
        let product = &self.catalog.products[best.map_or(0, |it| it.1)];
        let mut most = Amount::from(if product.is_part { 40 } else { 30 });
        for (part, quantity) in &product.parts {
            most = most.min(self.stock(*part, main)?.per(Amount::from(*quantity)));
        }
        let most = most.decimal().trunc();
        let planned = Amount::rounded(most).max(Amount::from(4));
        let at = self.next(date);
        let new = manufacturing::Create {
            order_no: None,
            product: Some(Reference::Id(product.variant)),
            planned_quantity: Some(planned),
            sales_order_row_id: None,
            location_id: None,
            production_deadline_date: Some(date.plus(14).start()),
            create_subassemblies: false,
            notes: None,
            created_at: Some(at),
        };
        if let Some(id) = attempt(self.db, at, |work| manufacturing::create(work, &new))? {
            self.later(day, 1..=6, Due::Produce(id));
        }
        Ok(())
    }

    fn transfer(&mut self, day: i64, date: Day) -> Result<(), Fault> {
        let [main, ..] = self.catalog.locations;
        let target = self.catalog.locations[1 + self.random.below(2)];
        let mut rows = Vec::new();
        for _ in 0..self.random.within(3..=6) {
            let product = self.random.pick(&self.catalog.products);
            let has_enough = self.stock(product.variant, main)? >= Amount::from(8);
            if has_enough
                && !rows
                    .iter()
                    .any(|it: &transfer::TransferRow| it.sku_or_variant_id == Reference::Id(product.variant))
            {
                rows.push(transfer::TransferRow {
                    sku_or_variant_id: Reference::Id(product.variant),
                    quantity: Amount::from(self.random.within(3..=6)),
                });
            }
        }
        if rows.is_empty() {
            let material = &self.catalog.materials[self.random.below(77)];
            let quantity = Amount::ONE;
            rows.push(transfer::TransferRow { sku_or_variant_id: Reference::Id(material.variant), quantity });
        }
        let at = self.next(date);
        let new = transfer::Create {
            order_no: None,
            source_location_id: main,
            target_location_id: target,
            rows,
            expected_arrival_date: Some(date.plus(4).start()),
            notes: None,
            created_at: Some(at),
        };
        if let Some(id) = attempt(self.db, at, |work| transfer::create(work, &new))? {
            self.later(day, 1..=2, Due::Move(id, Transfer::InTransit));
        }
        Ok(())
    }

    /// Counts some materials, and finds more or less than expected.
    fn count(&mut self, date: Day) -> Result<(), Fault> {
        let main = self.catalog.locations[0];
        let mut rows: Vec<AdjustmentRow> = Vec::new();
        for _ in 0..self.random.within(1..=4) {
            let variant = self.catalog.materials[self.random.below(77)].variant;
            let found = self.stock(variant, main)? > Amount::from(5) && self.random.percent(70);
            let quantity = Amount::from(if found { -1 } else { 2 });
            if rows.iter().all(|it| it.sku_or_variant_id != Reference::Id(variant)) {
                rows.push(AdjustmentRow {
                    sku_or_variant_id: Reference::Id(variant),
                    quantity,
                    cost_per_unit: None,
                });
            }
        }
        let at = self.next(date);
        let reason = if self.random.percent(50) { "Count" } else { "Spoiled or found" };
        let new = adjustment::Create {
            order_no: None,
            location_id: None,
            reason: reason.to_owned(),
            rows,
            adjusted_at: Some(at),
        };
        attempt(self.db, at, |work| adjustment::create(work, &new))?;
        Ok(())
    }

    fn sell(&mut self, day: i64, date: Day) -> Result<(), Fault> {
        let location = match self.random.below(10) {
            0 => self.catalog.locations[1],
            1 => self.catalog.locations[2],
            _ => self.catalog.locations[0],
        };
        let customer = *self.random.pick(&self.catalog.customers);
        let mut rows: Vec<AddSalesRow> = Vec::new();
        for _ in 0..self.random.within(3..=10) {
            let variant = match self.random.percent(45) {
                true => self.catalog.products[8 + self.random.below(self.catalog.products.len() - 8)].variant,
                false => self.catalog.materials[self.random.below(19) * 4].variant,
            };
            let quantity = Amount::from(self.random.within(1..=2));
            let is_new = rows.iter().all(|it| it.sku_or_variant_id != Reference::Id(variant));
            // What is not in stock is seldom sold.
            if is_new && (self.stock(variant, location)? >= quantity || self.random.percent(2)) {
                rows.push(AddSalesRow {
                    sku_or_variant_id: Reference::Id(variant),
                    quantity,
                    price_per_unit: None,
                    total_discount: None,
                });
            }
        }
        if rows.is_empty() {
            // Nothing of what was wanted is there: the customer takes what each location has.
            let variant = self.catalog.products[8].variant;
            rows.push(AddSalesRow {
                sku_or_variant_id: Reference::Id(variant),
                quantity: Amount::ONE,
                price_per_unit: None,
                total_discount: None,
            });
        }
        let at = self.next(date);
        let new = sales::Create {
            order_no: None,
            customer_id: customer,
            location_id: Some(location),
            rows,
            delivery_date: Some(date.plus(7).start()),
            notes: None,
            created_at: Some(at),
        };
        if let Some(id) = attempt(self.db, at, |work| sales::create(work, &new))? {
            self.later(day, 1..=6, Due::Deliver(id));
        }
        Ok(())
    }
}
