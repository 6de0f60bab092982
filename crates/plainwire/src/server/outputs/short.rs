//! Short forms: the beginning and the end of a text, and JSON whose lists and texts are shortened.
//!
//! In: what is too long. Out: what is shown of it, and a sentence about what is left out. JSON is never cut: a short form is a value.

use plainwire_proto::model::RawJson;
use serde_json::value::to_raw_value;

use crate::schema::{InputSchema, arguments};
use crate::server::presentation::Tree;

/// The steps of shortening, the first that is small enough is taken: how many items of a list, and how many characters of a text
/// that is longer than that.
const STEPS: [(usize, usize); 9] =
    [(200, 4_000), (100, 2_000), (50, 1_000), (20, 500), (10, 300), (5, 200), (3, 160), (1, 120), (0, 120)];

/// The largest number of shortened places that are named.
const MAX_NAMED: usize = 8;

/// Returns the beginning and the end of a text, at most about `budget` bytes, with a line about what is between them. Cut
/// between lines where there are some.
pub(super) fn text(text: &str, budget: usize, uri: &str) -> String {
    let head = beginning(text, budget * 3 / 4);
    let rest = &text[head.len()..];
    let tail = end(rest, budget / 4);
    let left_out = &rest[..rest.len() - tail.len()];
    let lines = memchr::memchr_iter(b'\n', left_out.as_bytes()).count();
    let line_break = if head.ends_with('\n') || head.is_empty() { "" } else { "\n" };
    format!(
        "{head}{line_break}[… {} bytes left out here, with {lines} line breaks: {uri} has all of it …]\n{tail}",
        left_out.len()
    )
}

fn beginning(text: &str, max: usize) -> &str {
    let at = (0..=max.min(text.len())).rev().find(|&it| text.is_char_boundary(it)).unwrap_or(0);
    let head = &text[..at];
    match head.rfind('\n').filter(|&at| at >= head.len() / 2) {
        Some(at) if head.len() < text.len() => &head[..=at],
        _ => head,
    }
}

fn end(text: &str, max: usize) -> &str {
    let from = text.len() - max.min(text.len());
    let at = (from..=text.len()).find(|&it| text.is_char_boundary(it)).unwrap_or(text.len());
    let tail = &text[at..];
    match tail.find('\n').filter(|&at| at < tail.len() / 2) {
        Some(at) if tail.len() < text.len() => &tail[at + 1..],
        _ => tail,
    }
}

/// Returns a short form of a JSON value of about `budget` bytes, and what was shortened, such as `/patterns: 3 of 304 items`.
/// `None` if there is none: it would not fit the schema, or nothing can be shortened.
pub(super) fn json(value: &str, budget: usize, schema: Option<&InputSchema>) -> Option<(RawJson, String)> {
    let tree: Tree = serde_json::from_str(value).ok()?;
    for shortens_texts in [true, false] {
        for (items, letters) in STEPS {
            let mut cut = Cut {
                items,
                letters: if shortens_texts { letters } else { usize::MAX },
                named: Vec::new(),
                more: 0,
            };
            let short = to_raw_value(&cut.value(&tree, "")).ok()?;
            if short.get().len() <= budget {
                let fits = schema.is_none_or(|it| arguments::fits_exactly(short.get(), it).is_ok());
                if fits {
                    return Some((short, cut.summary()));
                }
            }
        }
    }
    None
}

/// One attempt at shortening.
struct Cut {
    items: usize,
    letters: usize,
    named: Vec<String>,
    /// The number of shortened places that are not named.
    more: usize,
}

impl Cut {
    fn value(&mut self, tree: &Tree, path: &str) -> Tree {
        match tree {
            Tree::List(all) => {
                let kept = all.iter().take(self.items).enumerate();
                let kept: Vec<Tree> = kept.map(|(at, it)| self.value(it, &format!("{path}/{at}"))).collect();
                if kept.len() < all.len() {
                    self.name(format!("{}: {} of {} items", shown(path), kept.len(), all.len()));
                }
                Tree::List(kept)
            }
            Tree::Object(members) => {
                let member = |(name, it): &(String, Tree)| {
                    let escaped = name.replace('~', "~0").replace('/', "~1");
                    (name.clone(), self.value(it, &format!("{path}/{escaped}")))
                };
                Tree::Object(members.iter().map(member).collect())
            }
            Tree::Text(text) if text.len() > self.letters => {
                let count = text.chars().count();
                if count <= self.letters {
                    return tree.clone();
                }
                self.name(format!("{}: {} of {count} characters", shown(path), self.letters));
                Tree::Text(text.chars().take(self.letters).chain(['…']).collect())
            }
            other => other.clone(),
        }
    }

    fn name(&mut self, what: String) {
        match self.named.len() < MAX_NAMED {
            true => self.named.push(what),
            false => self.more += 1,
        }
    }

    /// Returns a sentence about what was shortened, with a blank before it.
    fn summary(mut self) -> String {
        if self.more > 0 {
            self.named.push(format!("and {} more places", self.more));
        }
        format!(" Shortened here: {}.", self.named.join(", "))
    }
}

fn shown(path: &str) -> &str {
    if path.is_empty() { "the value" } else { path }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_keeps_whole_lines_at_both_ends() {
        let long: String = (0..1_000).map(|it| format!("line {it}\n")).collect();
        let short = text(&long, 400, "output://x");
        let lines: Vec<&str> = short.lines().collect();
        assert_eq!((lines[0], *lines.last().expect("a line")), ("line 0", "line 999"));
        let marker = lines.iter().find(|it| it.starts_with("[…")).expect("a line about the rest");
        let kept = short.len() - marker.len() - 1;
        assert!(marker.contains(&format!("{} bytes left out", long.len() - kept)), "{marker}");
        assert!(short.len() < 520, "{}", short.len());
        // A text without lines is cut between characters.
        let letters = text(&"ä".repeat(1_000), 100, "output://x");
        assert!(letters.starts_with("ä") && letters.ends_with("ä"), "{letters}");
    }

    #[test]
    fn json_stays_json_and_fits_its_schema() {
        let items: Vec<_> =
            (0..500).map(|it| serde_json::json!({ "id": it, "a/b": "x".repeat(300) })).collect();
        let value = serde_json::json!({ "total": 500, "items": items }).to_string();
        let (short, shortened) = json(&value, 1_000, None).expect("a short form");
        let short: serde_json::Value = serde_json::from_str(short.get()).expect("JSON");
        assert_eq!((short["total"].as_u64(), short["items"].as_array().map(Vec::len)), (Some(500), Some(3)));
        assert!(
            shortened.starts_with(" Shortened here: /items/0/a~1b: 160 of 300 characters"),
            "{shortened}"
        );
        let schema = serde_json::json!({ "type": "object", "properties": { "items": { "type": "array", "minItems": 400 } } });
        let schema = InputSchema::by_hand(to_raw_value(&schema).expect("JSON"));
        assert!(json(&value, 1_000, Some(&schema)).is_none());
    }
}
