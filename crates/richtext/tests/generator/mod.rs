//! A generator of valid ADF documents with every node, attribute and mark of Atlassian's schema, and with
//! texts that are hard to write in other formats.
//!
//! In: a seed and a number of blocks. Out: JSON that the schema allows; the same seed gives the same
//! document. A test includes this module with `mod generator;`.

#![allow(dead_code, unreachable_pub, reason = "each test takes what it needs")]

mod block;
mod inline;
mod kinds;
mod media;

use std::fmt::Write as _;

/// Returns a valid document with about `size` blocks at the top level.
pub fn generate(seed: u64, size: usize) -> String {
    let mut maker = Maker { state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1 };
    let blocks: Vec<String> = (0..size).map(|_| maker.block(Parent::Document, 0)).collect();
    format!(r#"{{"version":1,"type":"doc","content":[{}]}}"#, blocks.join(","))
}

/// Returns a text that is hard to write in other formats: most of these texts could be read as markup if a
/// writer did not escape them. `index` chooses the punctuation character and the form of the text.
pub fn hazard(index: usize) -> String {
    let marks: Vec<char> = (' '..='~').filter(char::is_ascii_punctuation).collect();
    let mark = marks[index % marks.len()];
    match index / marks.len() % 8 {
        0 => format!("{mark}word"),
        1 => format!("word{mark}"),
        2 => format!("a {mark}b{mark} c"),
        3 => format!("{mark}"),
        4 => format!("{mark}{mark}{mark} x"),
        5 => FIXED[index % FIXED.len()].to_owned(),
        6 => format!("{mark} item"),
        _ => format!("x{mark}{mark}y"),
    }
}

/// The number of indices for [`hazard`]: 8 forms for each of the 32 punctuation characters.
pub const HAZARDS: usize = 32 * 8;

const FIXED: [&str; 24] = [
    "a\u{a0}b",
    "\u{a0}",
    "one\ntwo",
    "a  double  space",
    " leading",
    "trailing ",
    "``two `` and ``` three",
    "`",
    "1. no list",
    "- no item",
    "# no heading",
    "h1. no heading",
    "{code}no code{code}",
    "{panel:title=x}",
    "[no](link)",
    "[no|http://link]",
    "!no.png!",
    "<b>&amp;nbsp;</b>",
    "]]>",
    ":smile: :) (/)",
    "http://example.org/a_b_c",
    "\u{1f600}e\u{301}\u{200d}\u{feff}",
    "C:\\dir\\",
    "| a | b |",
];

/// The kind of node to which generated blocks belong; it decides which blocks are allowed.
#[derive(Clone, Copy, PartialEq)]
enum Parent {
    Document,
    Column,
    Quote,
    Panel,
    Expand,
    NestedExpand,
    Cell,
    Item,
    Bodied,
    Sync,
    BlockTask,
}

struct Maker {
    state: u64,
}

impl Maker {
    fn next(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state >> 11
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    fn coin(&mut self) -> bool {
        self.below(2) == 0
    }

    fn one_of(&mut self, of: &[&str]) -> String {
        of[self.below(of.len())].to_owned()
    }

    fn word(&mut self) -> String {
        let index = self.below(HAZARDS * 3);
        json(&if index < HAZARDS {
            hazard(index)
        } else {
            self.one_of(&["word", "two words", "Über", "x_y_z"])
        })
    }

    fn id(&mut self) -> String {
        format!("\"id-{:x}\"", self.next())
    }

    fn number(&mut self) -> String {
        self.one_of(&["33.30", "50", "1e1", "66.67", "0.5"])
    }

    /// Returns a member `attrs` of a JSON object, after a comma, with all of `needed` and a random choice of
    /// `others`; empty if there are none.
    fn attrs(&mut self, needed: &[(&str, String)], others: &[(&str, String)]) -> String {
        let mut rows: Vec<_> = needed.iter().collect();
        rows.extend(others.iter().filter(|_| self.coin()));
        let rows: Vec<_> = rows.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
        if rows.is_empty() { String::new() } else { format!(r#","attrs":{{{}}}"#, rows.join(",")) }
    }

    fn node(&mut self, name: &str, attrs: &str, content: Option<Vec<String>>, marks: &[String]) -> String {
        let mut out = format!(r#"{{"type":"{name}"{attrs}"#);
        if let Some(content) = content {
            write!(out, r#","content":[{}]"#, content.join(",")).expect("a string takes everything");
        }
        if !marks.is_empty() {
            write!(out, r#","marks":[{}]"#, marks.join(",")).expect("a string takes everything");
        }
        out + "}"
    }

    fn leaf(&mut self, name: &str, needed: &[(&str, String)], others: &[(&str, String)]) -> String {
        let id = self.id();
        let others = [others, &[("localId", id)]].concat();
        let attrs = self.attrs(needed, &others);
        self.node(name, &attrs, None, &[])
    }

    fn many(&mut self, most: usize, mut make: impl FnMut(&mut Self) -> String) -> Vec<String> {
        let count = 1 + self.below(most);
        (0..count).map(|_| make(self)).collect()
    }
}

/// Returns `text` as a JSON string.
pub fn json(text: &str) -> String {
    serde_json::to_string(text).expect("a string can always be written")
}
