//! The types of a layout section, and the widths of its columns.
//!
//! Storage format names a type for the section; ADF gives each column a width. This file converts between the
//! two.

use std::borrow::Cow;

/// Returns the width, in percent, of the column at `index` in a section of the type `kind` with `count`
/// columns. An unknown type, or one with another number of columns, has equal columns.
pub(super) fn width(kind: &str, count: usize, index: usize) -> Cow<'static, str> {
    let known = TYPES.iter().find(|it| it.0 == kind && it.1.len() == count);
    match known {
        Some((_, widths)) => Cow::Borrowed(widths[index]),
        None => Cow::Owned(format!("{}", (10_000 / count.max(1)) as f64 / 100.0)),
    }
}

/// Returns the section type for these column widths in percent: the type whose widths all differ from them by
/// less than 1; otherwise the type with as many equal columns; otherwise `five_equal`.
pub(super) fn kind(widths: &[&str]) -> &'static str {
    let near = |one: &str, other: &str| {
        let number = |it: &str| it.parse::<f64>().unwrap_or_default();
        (number(one) - number(other)).abs() < 1.0
    };
    let fits = |it: &[&str]| it.len() == widths.len() && it.iter().zip(widths).all(|it| near(it.0, it.1));
    let even = |it: &[&str]| it.len() == widths.len();
    let found = TYPES.iter().find(|it| fits(it.1)).or_else(|| TYPES.iter().find(|it| even(it.1)));
    found.map_or("five_equal", |it| it.0)
}

/// The section types with the widths of their columns in percent. Of the types with the same number of
/// columns, the one with equal columns comes first.
const TYPES: [(&str, &[&str]); 11] = [
    ("single", &["100"]),
    ("fixed-width", &["100"]),
    ("two_equal", &["50", "50"]),
    ("two_left_sidebar", &["33.33", "66.66"]),
    ("two_right_sidebar", &["66.66", "33.33"]),
    ("three_equal", &["33.33", "33.33", "33.33"]),
    ("three_with_sidebars", &["25", "50", "25"]),
    ("three_left_sidebars", &["25", "25", "50"]),
    ("three_right_sidebars", &["50", "25", "25"]),
    ("four_equal", &["25", "25", "25", "25"]),
    ("five_equal", &["20", "20", "20", "20", "20"]),
];
