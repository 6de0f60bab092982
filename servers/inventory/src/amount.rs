//! Amounts: quantities, prices, costs and values, as decimals.
//!
//! In: JSON numbers, texts and the integers of the file. Out: the same. No step passes through a binary fraction: a number of
//! JSON is read from its digits, and has at most 15 of them when it is written.

use std::borrow::Cow;
use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Neg, Sub, SubAssign};
use std::str::FromStr;

use plainwire::schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use rusqlite::ToSql;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};
use rust_decimal::prelude::ToPrimitive as _;
use rust_decimal::{Decimal, RoundingStrategy};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The number of decimal places that an amount may have.
pub const PLACES: u32 = 6;

/// The largest amount that a caller may name.
pub const MAX_GIVEN: i64 = 999_999_999;

/// The largest amount that is kept or returned: 15 digits, which each reader of JSON reads exactly.
const MAX_DIGITS: u32 = 15;

/// A decimal number with at most [`PLACES`] decimal places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Amount(Decimal);

/// A number that is no [`Amount`], with a sentence that says why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoAmount(String);

impl Amount {
    pub const ZERO: Self = Self(Decimal::ZERO);
    pub const ONE: Self = Self(Decimal::ONE);

    /// Returns the amount of a number of millionths, as the file has it.
    pub fn from_millionths(millionths: i64) -> Self {
        Self(Decimal::new(millionths, PLACES).normalize())
    }

    /// Returns the decimal.
    pub fn decimal(self) -> Decimal {
        self.0
    }

    /// Returns a decimal, rounded to [`PLACES`] places; halves are rounded away from zero.
    pub fn rounded(decimal: Decimal) -> Self {
        Self(decimal.round_dp_with_strategy(PLACES, RoundingStrategy::MidpointAwayFromZero).normalize())
    }

    /// Returns this amount of money in whole hundredths.
    #[must_use]
    pub fn money(self) -> Self {
        Self(self.0.round_dp_with_strategy(2, RoundingStrategy::MidpointAwayFromZero).normalize())
    }

    /// Returns a sum of amounts as it is told: rounded to 15 digits, which only sums beyond a thousand million may exceed.
    #[must_use]
    pub fn told(self) -> Self {
        Self(self.0.round_sf(MAX_DIGITS).unwrap_or(self.0).normalize())
    }

    /// Returns the product, rounded.
    #[must_use]
    pub fn times(self, factor: Self) -> Self {
        Self::rounded(self.0 * factor.0)
    }

    /// Returns the quotient, rounded; zero if the divisor is zero.
    #[must_use]
    pub fn per(self, divisor: Self) -> Self {
        self.0.checked_div(divisor.0).map_or(Self::ZERO, Self::rounded)
    }

    pub fn is_zero(self) -> bool {
        self.0.is_zero()
    }

    pub fn is_negative(self) -> bool {
        self.0 < Decimal::ZERO
    }

    pub fn is_positive(self) -> bool {
        self.0 > Decimal::ZERO
    }

    /// Returns the amount as a number of millionths; `None` if it has more than 15 digits.
    pub fn millionths(self) -> Option<i64> {
        let millionths = (self.0 * Decimal::new(1_000_000, 0)).to_i64()?;
        (self.digits() <= MAX_DIGITS).then_some(millionths)
    }

    /// The number of significant digits.
    fn digits(self) -> u32 {
        let digits = self.0.normalize().mantissa().unsigned_abs();
        digits.checked_ilog10().map_or(1, |it| it + 1)
    }

    fn checked(decimal: Decimal) -> Result<Self, NoAmount> {
        let decimal = decimal.normalize();
        if decimal.scale() > PLACES {
            return Err(NoAmount(format!("expected at most {PLACES} decimal places, but found {decimal}")));
        }
        if decimal.abs() > Decimal::from(MAX_GIVEN) {
            return Err(NoAmount(format!("expected a number of at most {MAX_GIVEN}, but found {decimal}")));
        }
        Ok(Self(decimal))
    }
}

impl FromStr for Amount {
    type Err = NoAmount;

    fn from_str(text: &str) -> Result<Self, NoAmount> {
        let wrong = || {
            let shown: String = text.chars().take(40).collect();
            NoAmount(format!("expected a decimal number such as 12.5, but found {shown:?}"))
        };
        if text.len() > 40 || !text.bytes().all(|it| it.is_ascii_digit() || matches!(it, b'.' | b'-')) {
            return Err(wrong());
        }
        match Decimal::from_str_exact(text) {
            Ok(decimal) => Self::checked(decimal),
            Err(_) if text.bytes().filter(u8::is_ascii_digit).count() > 20 => {
                Err(NoAmount(format!("expected a number of at most {MAX_GIVEN}, but found {text}")))
            }
            Err(_) => Err(wrong()),
        }
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.normalize().fmt(f)
    }
}

impl fmt::Display for NoAmount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NoAmount {}

impl From<i64> for Amount {
    fn from(number: i64) -> Self {
        Self(Decimal::from(number))
    }
}

impl Add for Amount {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Amount {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sub for Amount {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl SubAssign for Amount {
    fn sub_assign(&mut self, other: Self) {
        self.0 -= other.0;
    }
}

impl Neg for Amount {
    type Output = Self;

    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl Sum for Amount {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::ZERO, Add::add)
    }
}

impl ToSql for Amount {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let why = || NoAmount(format!("expected an amount of at most {MAX_DIGITS} digits, but found {self}"));
        let millionths =
            self.millionths().ok_or_else(|| rusqlite::Error::ToSqlConversionFailure(Box::new(why())))?;
        Ok(ToSqlOutput::from(millionths))
    }
}

impl FromSql for Amount {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        match value {
            ValueRef::Integer(millionths) => Ok(Self::from_millionths(millionths)),
            _ => Err(FromSqlError::InvalidType),
        }
    }
}

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let amount = Self(self.0.normalize());
        if let (0, Some(whole), ..=MAX_DIGITS) = (amount.0.scale(), amount.0.to_i64(), amount.digits()) {
            return serializer.serialize_i64(whole);
        }
        // The shortest digits of a binary fraction with at most 15 digits are these digits.
        match amount.0.to_string().parse() {
            Ok(number) if amount.digits() <= MAX_DIGITS => serializer.serialize_f64(number),
            _ => Err(serde::ser::Error::custom(format!(
                "the amount {amount} has more than {MAX_DIGITS} digits"
            ))),
        }
    }
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;

        impl de::Visitor<'_> for Visitor {
            type Value = Amount;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a decimal number")
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Amount, E> {
                Amount::checked(Decimal::from(number)).map_err(E::custom)
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Amount, E> {
                Amount::checked(Decimal::from(number)).map_err(E::custom)
            }

            fn visit_f64<E: de::Error>(self, number: f64) -> Result<Amount, E> {
                // Its shortest digits are those that were sent, up to 15 of them.
                self.visit_str(&number.to_string())
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Amount, E> {
                text.parse().map_err(E::custom)
            }
        }

        deserializer.deserialize_any(Visitor)
    }
}

impl JsonSchema for Amount {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Amount".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn amount(text: &str) -> Amount {
        text.parse().expect("it is an amount")
    }

    #[test]
    fn a_sum_of_tenths_is_exact_r5_6() {
        let sum = amount("0.1").times(Amount::from(3));
        assert_eq!(serde_json::to_string(&sum).ok().as_deref(), Some("0.3"));
        let read: Vec<Amount> = serde_json::from_str(r#"[0.1, "0.2", 3]"#).expect("amounts");
        assert_eq!(read.iter().copied().sum::<Amount>(), amount("3.3"));
    }

    #[test]
    fn what_is_no_amount_is_refused_with_a_reason() {
        for (text, why) in [
            ("1e30", "at most 999999999"),
            ("1000000000", "at most 999999999"),
            ("0.0000001", "at most 6 decimal places"),
            (r#""NaN""#, "a decimal number such as 12.5"),
            (r#""1,5""#, "a decimal number such as 12.5"),
            (r#""""#, "a decimal number such as 12.5"),
        ] {
            let error = serde_json::from_str::<Amount>(text).expect_err(text).to_string();
            assert!(error.contains(why), "{text}: {error}");
        }
    }

    #[test]
    fn an_amount_that_a_reader_of_json_would_round_is_never_written() {
        let large = Amount(Decimal::from_str_exact("1234567890123.456").expect("a decimal"));
        assert!(serde_json::to_string(&large).is_err());
        assert!(large.millionths().is_none());
        assert_eq!(serde_json::to_string(&amount("999999999.0")).ok().as_deref(), Some("999999999"));
        assert_eq!(
            serde_json::to_string(&amount("123456789.123456")).ok().as_deref(),
            Some("123456789.123456")
        );
    }

    #[test]
    fn money_is_rounded_away_from_zero() {
        assert_eq!([amount("0.125"), amount("-0.125")].map(Amount::money), [amount("0.13"), amount("-0.13")]);
        assert_eq!(Amount::from(1).per(Amount::from(3)), amount("0.333333"));
        assert_eq!(Amount::from(1).per(Amount::ZERO), Amount::ZERO);
    }
}
