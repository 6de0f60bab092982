//! Conversion of colours to `#rrggbb`, the only spelling in ADF.
//!
//! In: `#abc`, `rgb(1, 2, 3)`, `red`. Out: `#rrggbb`.

/// Returns whether `text` is a colour as ADF spells it: `#rrggbb`.
pub(crate) fn is_hex(text: &str) -> bool {
    is_digits(text, 6)
}

fn is_digits(text: &str, count: usize) -> bool {
    let digits = text.strip_prefix('#').filter(|it| it.len() == count);
    digits.is_some_and(|it| it.bytes().all(|it| it.is_ascii_hexdigit()))
}

/// Returns the colour `value`, `#rgb` or `#rrggbb`, as `#rrggbb`; `None` for other texts. Upper-case and
/// lower-case digits stay as they are.
pub(crate) fn hex(value: &str) -> Option<String> {
    if is_digits(value, 3) {
        let twice = value.chars().skip(1).flat_map(|it| [it, it]);
        return Some(std::iter::once('#').chain(twice).collect());
    }
    is_hex(value).then(|| value.to_owned())
}

/// Returns the `#rrggbb` of a CSS colour (hexadecimal, `rgb(…)` or a name); `None` for other texts, such as
/// `rgba(…)`.
pub(crate) fn of_css(value: &str) -> Option<String> {
    if value.starts_with('#') {
        return hex(value);
    }
    let Some(inner) = value.strip_prefix("rgb(").and_then(|it| it.strip_suffix(')')) else {
        return named(value);
    };
    let parts: Option<Vec<u8>> = inner.split(',').map(|it| it.trim().parse().ok()).collect();
    let &[red, green, blue] = &*parts? else { return None };
    Some(format!("#{red:02x}{green:02x}{blue:02x}"))
}

/// Returns the `#rrggbb` of the colour called `name`, whose case does not matter; `None` for an unknown name.
pub(crate) fn named(name: &str) -> Option<String> {
    let found = COLOURS.iter().find(|it| it.0.eq_ignore_ascii_case(name))?;
    Some(format!("#{:06x}", found.1))
}

/// The colour names of HTML 4 and names of CSS in common use, each with its colour as `0xrrggbb`.
#[rustfmt::skip]
const COLOURS: [(&str, u32); 40] = [
    ("aqua", 0x00ffff), ("beige", 0xf5f5dc), ("black", 0x000000), ("blue", 0x0000ff), ("brown", 0xa52a2a), ("coral", 0xff7f50),
    ("crimson", 0xdc143c), ("cyan", 0x00ffff), ("darkblue", 0x00008b), ("darkgray", 0xa9a9a9), ("darkgreen", 0x006400),
    ("darkgrey", 0xa9a9a9), ("darkorange", 0xff8c00), ("darkred", 0x8b0000), ("fuchsia", 0xff00ff), ("gold", 0xffd700),
    ("gray", 0x808080), ("green", 0x008000), ("grey", 0x808080), ("indigo", 0x4b0082), ("lightblue", 0xadd8e6),
    ("lightgray", 0xd3d3d3), ("lightgreen", 0x90ee90), ("lightgrey", 0xd3d3d3), ("lime", 0x00ff00), ("magenta", 0xff00ff),
    ("maroon", 0x800000), ("navy", 0x000080), ("olive", 0x808000), ("orange", 0xffa500), ("pink", 0xffc0cb), ("purple", 0x800080),
    ("red", 0xff0000), ("silver", 0xc0c0c0), ("tan", 0xd2b48c), ("teal", 0x008080), ("turquoise", 0x40e0d0), ("violet", 0xee82ee),
    ("white", 0xffffff), ("yellow", 0xffff00),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_read_in_each_spelling() {
        let cases = [
            ("rgb(255,86,48)", Some("#ff5630")),
            ("rgb(34, 34, 34)", Some("#222222")),
            ("#ABCDEF", Some("#ABCDEF")),
            ("#abc", Some("#aabbcc")),
            ("Red", Some("#ff0000")),
            ("rgba(1,2,3,0.5)", None),
            ("var(--ds-text)", None),
            ("rgb(256,0,0)", None),
            ("#12345", None),
        ];
        for (value, hex) in cases {
            assert_eq!(of_css(value).as_deref(), hex, "{value}");
        }
    }
}
