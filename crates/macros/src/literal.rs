//! Checks of number literals: a range is not empty and is within its integer type, and a default is within
//! its range.
//!
//! In: expressions. Out: an error, or nothing. Expressions that are not literals pass, since only the
//! compiler can evaluate them.

use std::cmp::Ordering;

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Error, Expr, ExprLit, ExprRange, ExprUnary, Lit, RangeLimits, Result, Type, UnOp};

/// A number literal.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Number {
    Float(f64),
    Integer(i128),
}

impl Number {
    /// Parses a number literal, with or without a minus before it; `None` for any other expression.
    pub(crate) fn read(value: &Expr) -> Option<Self> {
        match value {
            Expr::Group(it) => Self::read(&it.expr),
            Expr::Paren(it) => Self::read(&it.expr),
            Expr::Lit(ExprLit { lit: Lit::Int(it), .. }) => match it.suffix() {
                "f32" | "f64" => it.base10_parse().ok().map(Self::Float),
                _ => it.base10_parse().ok().map(Self::Integer),
            },
            Expr::Lit(ExprLit { lit: Lit::Float(it), .. }) => it.base10_parse().ok().map(Self::Float),
            Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => match Self::read(expr)? {
                Self::Float(it) => Some(Self::Float(-it)),
                Self::Integer(it) => it.checked_neg().map(Self::Integer),
            },
            _ => None,
        }
    }

    fn compare(self, other: Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Integer(one), Self::Integer(other)) => Some(one.cmp(&other)),
            (one, other) => one.float().partial_cmp(&other.float()),
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "a float is what it is compared with")]
    fn float(self) -> f64 {
        match self {
            Self::Float(it) => it,
            Self::Integer(it) => it as f64,
        }
    }

    fn is_below(self, other: Self) -> bool {
        self.compare(other) == Some(Ordering::Less)
    }
}

/// The bounds of a range of numbers. A bound is `None` if it is missing or not a literal.
pub(crate) struct Bounds<'r> {
    least: Option<(Number, &'r Expr)>,
    most: Option<(Number, &'r Expr)>,
    limits: &'r RangeLimits,
    range: &'r ExprRange,
}

impl<'r> Bounds<'r> {
    pub(crate) fn of(range: &'r ExprRange) -> Self {
        let read = |it: Option<&'r Expr>| it.and_then(|it| Some((Number::read(it)?, it)));
        let (least, most) = (read(range.start.as_deref()), read(range.end.as_deref()));
        Self { least, most, limits: &range.limits, range }
    }

    /// Checks that the range is not empty. A range passes if one of its bounds is missing or not a literal.
    ///
    /// # Errors
    /// If no number is within the bounds.
    pub(crate) fn hold_something(&self) -> Result<()> {
        let (Some((least, _)), Some((most, _))) = (self.least, self.most) else { return Ok(()) };
        if least.is_below(most) || (self.is_closed() && !most.is_below(least)) {
            return Ok(());
        }
        let text = format!("expected a range that is not empty, but found {}", written(self.range));
        Err(Error::new_spanned(self.range, text))
    }

    /// Checks that the bounds fit `ty`, if that is an integer type.
    ///
    /// # Errors
    /// If a bound is outside of the numbers that `ty` has.
    pub(crate) fn fit(&self, ty: &Type) -> Result<()> {
        match integers(ty) {
            Some(whole) => self.fit_within(whole, &format!(", since the argument is a `{}`,", written(ty))),
            None => Ok(()),
        }
    }

    /// Checks that the bounds are within the numbers from `least` to `most`. A bound that is missing or not a
    /// literal passes. The error contains the reason `why`.
    ///
    /// # Errors
    /// If a bound is outside of these numbers.
    pub(crate) fn fit_within(&self, (least, most): (i128, i128), why: &str) -> Result<()> {
        // A range like `..256` ends before its bound, so the bound may be one greater than the type's
        // greatest number.
        let beyond = i128::from(!self.is_closed());
        for (bound, beyond) in [(self.least, 0), (self.most, beyond)] {
            let Some((number, at)) = bound else { continue };
            let (least, most) = (least + beyond, most.saturating_add(beyond));
            if number.is_below(Number::Integer(least)) || Number::Integer(most).is_below(number) {
                let most = if most == i128::MAX { String::new() } else { format!("={most}") };
                let text = format!("expected a bound within {least}..{most}{why} but found {}", written(at));
                return Err(Error::new_spanned(at, text));
            }
        }
        Ok(())
    }

    /// Checks that `number`, which is written as `default`, is within the bounds.
    ///
    /// # Errors
    /// If `number` is outside of the bounds.
    pub(crate) fn hold(&self, number: Number, default: &Expr) -> Result<()> {
        let is_small = self.least.is_some_and(|(least, _)| number.is_below(least));
        let is_great = self.most.is_some_and(|(most, _)| match self.is_closed() {
            true => most.is_below(number),
            false => !number.is_below(most),
        });
        if !is_small && !is_great {
            return Ok(());
        }
        let (range, found) = (written(self.range), written(default));
        let text = format!("expected the default within {range}, but found {found}");
        Err(Error::new_spanned(default, text))
    }

    const fn is_closed(&self) -> bool {
        matches!(self.limits, RangeLimits::Closed(_))
    }
}

/// Returns the least and the greatest number of an integer type; `None` for any other type. The range of
/// `u128` is cut at `i128::MAX`.
fn integers(ty: &Type) -> Option<(i128, i128)> {
    let Type::Path(path) = ty else { return None };
    Some(match path.path.segments.last()?.ident.to_string().as_str() {
        "i8" => (i8::MIN.into(), i8::MAX.into()),
        "i16" => (i16::MIN.into(), i16::MAX.into()),
        "i32" => (i32::MIN.into(), i32::MAX.into()),
        "i64" | "isize" => (i64::MIN.into(), i64::MAX.into()),
        "u8" => (0, u8::MAX.into()),
        "u16" => (0, u16::MAX.into()),
        "u32" => (0, u32::MAX.into()),
        "u64" | "usize" => (0, u64::MAX.into()),
        "u128" => (0, i128::MAX),
        _ => return None,
    })
}

/// Returns tokens as text without blanks, such as `1..=-2` and not `1 ..= - 2`.
fn written(tokens: impl ToTokens) -> String {
    let tokens: TokenStream = tokens.into_token_stream();
    tokens.to_string().replace(' ', "")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the error for `#[range(range)] #[default(default)] _: ty`; `None` if it is correct.
    fn fault(range: &str, ty: &str, default: &str) -> Option<String> {
        let range: ExprRange = syn::parse_str(range).unwrap();
        let default: Expr = syn::parse_str(default).unwrap();
        let bounds = Bounds::of(&range);
        let number = Number::read(&default).map_or(Ok(()), |number| bounds.hold(number, &default));
        let fits = bounds.hold_something().and_then(|()| bounds.fit(&syn::parse_str(ty).unwrap()));
        fits.and(number).err().map(|error| error.to_string())
    }

    #[test]
    fn what_can_be_is_let_through() {
        for (range, ty, default) in [
            ("1..=1", "u8", "1"),
            ("0..=255", "u8", "0xff"),
            ("..256", "u8", "255"),
            ("-128..=127", "i8", "-128"),
            ("-1_000..", "i64", "(-1_000)"),
            ("-0.5..=0.5", "f64", "-0.5"),
            ("1..=2", "f64", "1.5"),
            ("0..=340282366920938463463374607431768211455", "u128", "7"),
            ("LEAST..=1", "u8", "0"),
            ("5..=MOST", "u8", "6"),
            ("1..=24", "u8", "DEFAULT"),
            ("1..=400", "Hours", "30"),
        ] {
            assert_eq!(fault(range, ty, default), None, "{range} {ty} {default}");
        }
    }

    #[test]
    fn what_can_not_be_is_said() {
        for (range, ty, default, expected) in [
            ("24..=1", "u8", "1", "expected a range that is not empty, but found 24..=1"),
            ("1..1", "Hours", "1", "expected a range that is not empty, but found 1..1"),
            ("0.5..=-0.5", "f64", "0.0", "expected a range that is not empty, but found 0.5..=-0.5"),
            (
                "1..=400",
                "u8",
                "1",
                "expected a bound within 0..=255, since the argument is a `u8`, but found 400",
            ),
            (
                "-1..",
                "u128",
                "1",
                "expected a bound within 0.., since the argument is a `u128`, but found -1",
            ),
            (
                "..257",
                "u8",
                "1",
                "expected a bound within 1..=256, since the argument is a `u8`, but found 257",
            ),
            ("..0", "u8", "1", "expected a bound within 1..=256, since the argument is a `u8`, but found 0"),
            (
                "..=-129",
                "i8",
                "1",
                "expected a bound within -128..=127, since the argument is a `i8`, but found -129",
            ),
            ("1..=24", "u8", "30", "expected the default within 1..=24, but found 30"),
            ("1..=24", "Hours", "0", "expected the default within 1..=24, but found 0"),
            ("..10", "u8", "10", "expected the default within ..10, but found 10"),
            ("-1.5..=0.0", "f64", "-1.6", "expected the default within -1.5..=0.0, but found -1.6"),
            ("LEAST..=24", "u8", "30", "expected the default within LEAST..=24, but found 30"),
        ] {
            assert_eq!(fault(range, ty, default).as_deref(), Some(expected));
        }
    }
}
