//! Canonical JSON text, for comparing two texts.
//!
//! In: JSON text. Out: the text without white space, members sorted by name, strings escaped in one way.
//! Numbers stay as written, and repeated members stay in their order: a tree such as `serde_json::Value`
//! would round numbers and drop repeated members, so that texts which a tool can tell apart would become
//! equal.

use super::scan::{Kind, Scanner};
use super::write;

/// Largest number of nesting levels: the default of the limit `depth`.
const MAX_DEPTH: usize = 128;

/// Returns the canonical form of `json`, or `None` if it is not JSON or is nested more than 128 levels deep.
pub(crate) fn canonical(json: &str) -> Option<String> {
    let mut scanner = Scanner::new(json, MAX_DEPTH);
    let mut out = Vec::with_capacity(json.len());
    value(&mut scanner, json, &mut out)?;
    scanner.end().ok()?;
    String::from_utf8(out).ok()
}

/// Reads the next value and writes its canonical form. This function is recursive; the scanner refuses more
/// than [`MAX_DEPTH`] levels.
fn value(scanner: &mut Scanner<'_>, json: &str, out: &mut Vec<u8>) -> Option<()> {
    match scanner.peek().ok()? {
        Kind::Array => {
            scanner.open_array().ok()?;
            out.push(b'[');
            let mut first = true;
            while scanner.element(first).ok()? {
                value(scanner, json, out)?;
                out.push(b',');
                first = false;
            }
            close(out, first, b']');
        }
        Kind::Object => object(scanner, json, out)?,
        Kind::String => write::string(out, &scanner.value().ok()?.string(json)?),
        Kind::Bool | Kind::Null | Kind::Number => {
            out.extend_from_slice(scanner.value().ok()?.text(json).as_bytes());
        }
    }
    Some(())
}

fn object(scanner: &mut Scanner<'_>, json: &str, out: &mut Vec<u8>) -> Option<()> {
    scanner.open_object().ok()?;
    out.push(b'{');
    let start = out.len();
    let mut members = Vec::new();
    while let Some(name) = scanner.member(members.is_empty()).ok()? {
        let (name, from) = (name.string(json)?, out.len());
        write::string(out, &name);
        out.push(b':');
        value(scanner, json, out)?;
        out.push(b',');
        members.push((name, from..out.len()));
    }
    if !members.is_sorted_by(|a, b| a.0 <= b.0) {
        // Repeated members keep their order.
        members.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.start.cmp(&b.1.start)));
        let sorted: Vec<&[u8]> = members.iter().map(|(_, place)| &out[place.clone()]).collect();
        let sorted = sorted.concat();
        out.truncate(start);
        out.extend_from_slice(&sorted);
    }
    close(out, members.is_empty(), b'}');
    Some(())
}

/// Writes `with`, the closing bracket of an array or object, in place of the comma after its last item. If
/// the array or object is `empty`, there is no such comma.
fn close(out: &mut Vec<u8>, empty: bool, with: u8) {
    if !empty {
        out.pop();
    }
    out.push(with);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_of_members_layout_and_escapes_do_not_matter() {
        for (json, expected) in [
            (r#" { "b" : [ 1 , {"z":0,"y":{}} ] , "a" : "x" } "#, r#"{"a":"x","b":[1,{"y":{},"z":0}]}"#),
            (r#"["\u0041\/","é"]"#, r#"["A/","é"]"#),
            (r#"{"\u0062":1,"a":2}"#, r#"{"a":2,"b":1}"#),
            ("[]", "[]"),
            ("{}", "{}"),
            (" null\n", "null"),
        ] {
            assert_eq!(canonical(json).as_deref(), Some(expected), "{json}");
        }
    }

    #[test]
    fn numbers_and_repeated_members_stay_apart() {
        for (a, b) in [
            ("12345678901234567890123", "12345678901234567890124"),
            ("1", "1.0"),
            (r#"{"a":1,"a":2}"#, r#"{"a":2}"#),
            (r#"{"a":1,"a":2}"#, r#"{"a":2,"a":1}"#),
            (r#"{"b":0,"a":1,"a":2}"#, r#"{"b":0,"a":2,"a":1}"#),
            ("[1,2]", "[2,1]"),
            (r#""1""#, "1"),
        ] {
            assert_ne!(canonical(a).expect("JSON"), canonical(b).expect("JSON"));
        }
    }

    #[test]
    fn has_no_form_for_what_is_no_json_or_too_deep() {
        for json in ["", "{", "[1,]", "1 2", "{1:2}"] {
            assert_eq!(canonical(json), None, "{json}");
        }
        let nested = |depth| "[".repeat(depth) + &"]".repeat(depth);
        assert!(canonical(&nested(MAX_DEPTH)).is_some());
        assert_eq!(canonical(&nested(MAX_DEPTH + 1)), None);
    }
}
