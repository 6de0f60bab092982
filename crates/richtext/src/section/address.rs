//! Addresses of sections.

use std::fmt;
use std::str::FromStr;

use super::level;
use crate::document::Document;
use crate::tree::Node;
use crate::values::parameters;

/// The address of a section in a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A path of headings, the section's own last: `Goals/This year`. Outer headings may be left out. The
    /// section is the heading and the blocks after it, up to the next heading with an equal or smaller level
    /// number.
    Heading(Vec<String>),
    /// The block with this `localId` (ADF), `ac:local-id` or `ac:macro-id` (storage format): `#a1b2`.
    LocalId(String),
    /// The top-level block at this position, counted from 0: `[3]`.
    Block(usize),
}

impl FromStr for Address {
    type Err = String;

    /// Parses `Goals/This year`, `#localId` or `[3]`. In a heading, a `\` makes the next character literal:
    /// `\/` is a slash.
    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(id) = text.strip_prefix('#') {
            return Ok(Self::LocalId(id.to_owned()));
        }
        if let Some(number) = text.strip_prefix('[').and_then(|it| it.strip_suffix(']')) {
            let number = number.trim();
            return number
                .parse()
                .map(Self::Block)
                .map_err(|_| format!("expected a number in [], but found {number:?}"));
        }
        let mut path = vec![String::new()];
        let mut characters = text.chars();
        while let Some(character) = characters.next() {
            match character {
                '/' => path.push(String::new()),
                '\\' => path.last_mut().expect("the path has a last part").extend(characters.next()),
                other => path.last_mut().expect("the path has a last part").push(other),
            }
        }
        let path: Vec<String> = path.iter().map(|it| words(it)).collect();
        if path.iter().any(String::is_empty) {
            return Err(format!(
                "expected headings with / between them, #localId or [number], but found {text:?}"
            ));
        }
        Ok(Self::Heading(path))
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Heading(path) => {
                let path: Vec<String> =
                    path.iter().map(|it| it.replace('\\', "\\\\").replace('/', "\\/")).collect();
                f.write_str(&path.join("/"))
            }
            Self::LocalId(id) => write!(f, "#{id}"),
            Self::Block(number) => write!(f, "[{number}]"),
        }
    }
}

/// The parent of a section's blocks (`None`: the document), and these blocks.
pub(super) type Place<'d, 'a> = (Option<&'d Node<'a>>, &'d [Node<'a>]);

/// The most headings of the document that an error lists for an unknown address.
const MAX_OFFERED: usize = 20;

/// The most identifiers of the document that an error lists for an unknown address. Identifiers are often as long as
/// a UUID, and say nothing about the block.
const MAX_OFFERED_IDS: usize = 5;

/// The attributes whose values identify a block.
const IDS: [&str; 3] = ["localId", "ac:local-id", "ac:macro-id"];

/// Returns all sections of the document with this address.
pub(super) fn find<'d, 'a>(document: &'d Document<'a>, address: &Address) -> Vec<Place<'d, 'a>> {
    match address {
        Address::Block(at) => document.blocks.get(*at..=*at).map(|it| (None, it)).into_iter().collect(),
        Address::LocalId(id) => {
            let mut found = Vec::new();
            with_id(None, &document.blocks, id, &mut found);
            found
        }
        Address::Heading(path) => {
            let all = headings(document);
            all.into_iter().filter(|it| ends_with(&it.0, path)).map(|it| it.1).collect()
        }
    }
}

/// Returns addresses that the document has, of the kind of `address`, for an error message: the range of
/// block numbers, or at most [`MAX_OFFERED`] headings or [`MAX_OFFERED_IDS`] identifiers and the number of
/// further ones.
pub(super) fn known(document: &Document<'_>, address: &Address) -> Vec<String> {
    let mut all: Vec<String> = match address {
        Address::Block(_) => {
            document.blocks.len().checked_sub(1).map(|it| format!("[0] to [{it}]")).into_iter().collect()
        }
        Address::LocalId(_) => {
            let mut all = Vec::new();
            ids(&document.blocks, &mut all);
            all
        }
        Address::Heading(_) => {
            headings(document).into_iter().map(|it| Address::Heading(it.0).to_string()).collect()
        }
    };
    let most = if matches!(address, Address::LocalId(_)) { MAX_OFFERED_IDS } else { MAX_OFFERED };
    if all.len() > most {
        let more = all.len() - most;
        all.truncate(most);
        all.push(format!("and {more} more"));
    }
    all
}

/// Returns whether `path` ends with `asked`: an address may leave out outer headings.
fn ends_with(path: &[String], asked: &[String]) -> bool {
    path.len() >= asked.len() && path[path.len() - asked.len()..].iter().zip(asked).all(|it| it.0 == it.1)
}

/// Returns the identifiers of a node; for a macro, also the one among its parameters.
fn ids_of(node: &Node<'_>) -> Vec<String> {
    let own = IDS.iter().filter_map(|it| node.text_of(it)).filter(|it| !it.is_empty());
    let mut all: Vec<String> = own.map(str::to_owned).collect();
    let parameters = node.get("parameters").and_then(|it| parameters::read(it.shown()));
    all.extend(parameters.and_then(|it| it.macro_id).map(std::borrow::Cow::into_owned));
    all
}

fn with_id<'d, 'a>(
    parent: Option<&'d Node<'a>>,
    nodes: &'d [Node<'a>],
    id: &str,
    found: &mut Vec<Place<'d, 'a>>,
) {
    for (at, node) in nodes.iter().enumerate().filter(|it| !it.1.kind.is_inline()) {
        if ids_of(node).iter().any(|it| it == id) {
            found.push((parent, &nodes[at..=at]));
        }
        with_id(Some(node), &node.children, id, found);
    }
}

/// Adds the addresses of all blocks that have an identifier to `found`, in the order of the text.
fn ids(nodes: &[Node<'_>], found: &mut Vec<String>) {
    for node in nodes.iter().filter(|it| !it.kind.is_inline()) {
        found.extend(ids_of(node).into_iter().map(|it| Address::LocalId(it).to_string()));
        ids(&node.children, found);
    }
}

/// Returns the path and section of every heading, including those within panels and columns.
fn headings<'d, 'a>(document: &'d Document<'a>) -> Vec<(Vec<String>, Place<'d, 'a>)> {
    let mut found = Vec::new();
    below(None, &document.blocks, &[], &mut found);
    found
}

fn below<'d, 'a>(
    parent: Option<&'d Node<'a>>,
    nodes: &'d [Node<'a>],
    outer: &[String],
    found: &mut Vec<(Vec<String>, Place<'d, 'a>)>,
) {
    let mut open: Vec<(i64, String)> = Vec::new();
    for (at, node) in nodes.iter().enumerate() {
        let path = |open: &[(i64, String)]| {
            outer.iter().cloned().chain(open.iter().map(|it| it.1.clone())).collect::<Vec<_>>()
        };
        if let Some(own) = level(node) {
            open.retain(|it| it.0 < own);
            open.push((own, words(&node.plain_text())));
            let after = nodes[at + 1..].iter().position(|it| level(it).is_some_and(|it| it <= own));
            let end = after.map_or(nodes.len(), |it| at + 1 + it);
            found.push((path(&open), (parent, &nodes[at..end])));
        } else {
            below(Some(node), &node.children, &path(&open), found);
        }
    }
}

/// Returns the text of a heading with each run of white space as one space.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
