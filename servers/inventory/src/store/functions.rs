//! Functions of SQL that the reports need: sums of products, exact.

use rusqlite::functions::{Aggregate, Context, FunctionFlags};
use rusqlite::{Connection, Error, Result};

use crate::amount::Amount;

/// Adds the functions to a connection.
///
/// `product(a, b)` is the product of two amounts, rounded. `folded(text)` is the text in lower case, of any
/// language. `revenue(quantity, price, discount)` is the sum of quantity × price − discount, in whole hundredths.
pub(super) fn add(connection: &Connection) -> Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function("product", 2, flags, |context| {
        let [a, b] = [0, 1].map(|at| context.get::<Amount>(at));
        Ok(a?.times(b?))
    })?;
    connection.create_scalar_function("folded", 1, flags, |context| {
        Ok(context.get::<Option<String>>(0)?.map(|it| it.to_lowercase()))
    })?;
    connection.create_aggregate_function("revenue", 3, flags, Revenue)
}

struct Revenue;

/// A sum in units of 10⁻¹².
impl Aggregate<i128, i64> for Revenue {
    fn init(&self, _: &mut Context<'_>) -> Result<i128> {
        Ok(0)
    }

    fn step(&self, context: &mut Context<'_>, sum: &mut i128) -> Result<()> {
        let [quantity, price, discount] = [0, 1, 2].map(|at| context.get::<i64>(at).map(i128::from));
        *sum += quantity? * price? - discount? * 1_000_000;
        Ok(())
    }

    fn finalize(&self, _: &mut Context<'_>, sum: Option<i128>) -> Result<i64> {
        const HUNDREDTH: i128 = 10_000_000_000;
        let sum = sum.unwrap_or_default();
        // Halves are rounded away from zero, as `Amount::money` does.
        let rounded = (sum.abs() + HUNDREDTH / 2) / HUNDREDTH * sum.signum();
        i64::try_from(rounded).map_err(|error| Error::UserFunctionError(Box::new(error)))
    }
}
