//! Parses the `style` attribute of an element.
//!
//! In: a list of CSS declarations, and the properties that the caller wants, each with a function that
//! converts its value. Out: the converted values, and the other declarations.

use std::borrow::Cow;

/// A CSS property, and the function that converts its value; `None` from the function leaves the declaration
/// in the style.
pub(super) type Known = (&'static str, fn(&str) -> Option<String>);

/// Splits `style` into the values of the `known` properties and the other declarations. If a property
/// repeats, its last value counts. If no known property is found, the other declarations are `style`
/// verbatim.
pub(super) fn take<'a, const N: usize>(
    style: &Cow<'a, str>,
    known: [Known; N],
) -> ([Option<String>; N], Cow<'a, str>) {
    let mut found = [const { None }; N];
    let mut rest = String::new();
    for declaration in declarations(style) {
        let (name, value) = declaration.split_once(':').unwrap_or((declaration, ""));
        let slot = known.iter().position(|it| name.trim().eq_ignore_ascii_case(it.0));
        match slot.and_then(|it| Some((it, known[it].1(value.trim())?))) {
            Some((slot, value)) => found[slot] = Some(value),
            None => {
                rest.push_str(if rest.is_empty() { "" } else { "; " });
                rest.push_str(declaration);
            }
        }
    }
    let taken = found.iter().any(Option::is_some);
    (found, if taken { Cow::Owned(rest) } else { style.clone() })
}

/// Returns the declarations in `style`, which semicolons separate; a semicolon in parentheses does not count.
fn declarations(style: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0usize;
    let parts = style.split(move |it| {
        depth = match it {
            '(' => depth + 1,
            ')' => depth.saturating_sub(1),
            _ => depth,
        };
        it == ';' && depth == 0
    });
    parts.map(str::trim).filter(|it| !it.is_empty())
}

/// Returns the value of ADF's alignment mark for this value of `text-align`; `None` if ADF has none for it.
pub(super) fn alignment(value: &str) -> Option<String> {
    match value {
        "center" => Some("center".to_owned()),
        "right" | "end" => Some("end".to_owned()),
        _ => None,
    }
}

/// Returns the level of indentation, 1 to 6, for this value of `margin-left`: Confluence sets 30 pixels for
/// each level. Returns `None` for other margins.
pub(super) fn indentation(value: &str) -> Option<String> {
    let pixels: f64 = value.strip_suffix("px")?.trim().parse().ok()?;
    let level = pixels / 30.0;
    (level.fract() == 0.0 && (1.0..=6.0).contains(&level)).then(|| format!("{level}"))
}

/// Returns the number in a value such as `12px`, as the source spells it; `None` if the value is not in
/// pixels.
pub(super) fn pixels(value: &str) -> Option<String> {
    let number = value.strip_suffix("px")?.trim();
    is_number(number).then(|| number.to_owned())
}

/// Returns whether `text` is a non-negative JSON number without an exponent, with fewer than 16 digits before
/// and fewer than 16 after the point.
pub(super) fn is_number(text: &str) -> bool {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |it: &str| !it.is_empty() && it.len() < 16 && it.bytes().all(|it| it.is_ascii_digit());
    digits(whole) && digits(fraction) && (whole == "0" || !whole.starts_with('0'))
}

/// Returns the value of `text-decoration`, if it is `line-through` or `underline`.
pub(super) fn decoration(value: &str) -> Option<String> {
    matches!(value, "line-through" | "underline").then(|| value.to_owned())
}

/// Returns the value of `font-family`, if it is `monospace`.
pub(super) fn monospace(value: &str) -> Option<String> {
    (value == "monospace").then(|| value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::colours;

    #[test]
    fn what_is_not_asked_for_stays() {
        let style = Cow::Borrowed("color: red; background: url(data:a;b); font-size: 12px");
        let ([colour], rest) = take(&style, [("color", colours::of_css)]);
        assert_eq!(
            (colour.as_deref(), &*rest),
            (Some("#ff0000"), "background: url(data:a;b); font-size: 12px")
        );
        let style = Cow::Borrowed("margin:1px;;");
        assert_eq!(
            take(&style, [("color", colours::of_css)]).1,
            "margin:1px;;",
            "nothing was taken, so nothing changes"
        );
    }

    #[test]
    fn indentation_is_30_pixels_a_level() {
        assert_eq!(indentation("60.0px").as_deref(), Some("2"));
        for other in ["45px", "0px", "210px", "2em"] {
            assert_eq!(indentation(other), None, "{other}");
        }
    }
}
