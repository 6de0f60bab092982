//! Reads ADF into a tree, in one pass over the bytes.
//!
//! In: JSON. Out: nodes with their spans, and diagnostics. The reader does not check Atlassian's schema
//! ([`check`](super::check) does). Its diagnostics are about faults of the JSON and about content that the
//! tree can't hold as it is. Most of that content becomes raw nodes.
//!
//! Rules in addition to those of the tree:
//!
//! - The blocks of a document are the nodes in `content`. If the source is a single node, that is the only
//!   block; if it is an array of nodes, these are the blocks. Inline nodes that are in no block get a
//!   paragraph around them, which has no spelling of its own.
//! - The keys of a node besides `type`, `attrs`, `content`, `marks` and `text` become attributes `/key`. The
//!   keys `attrs`, `content` and `marks` become such attributes too if they are empty, and the keys `attrs`,
//!   `marks` and `text` if they have the wrong JSON type.
//! - If a key occurs twice, the last one counts, as in most JSON readers, and a diagnostic says so.
//! - A surrogate without its other half becomes U+FFFD in text, with a diagnostic. In an attribute the string
//!   stays `Value::Json`.
//! - A byte order mark and white space around the JSON belong to no node. Raw control characters in strings
//!   are accepted, with a diagnostic for the first.
//! - Once the node limit is reached, the remaining elements of an array are one raw node: values with commas
//!   between them.
//! - If the text stops being JSON at some point, the innermost unfinished node is raw up to the end of the
//!   source. The nodes around it are kept.

mod attrs;
mod node;
mod raw;
mod settle;

use thin_vec::{ThinVec, thin_vec};

use super::scan::{Fault, Scan};
use crate::diagnostic::Diagnostic;
use crate::document::MARK;
use crate::tree::{Kind, Node, NodeLimit, Span};

/// The largest number of diagnostics that are kept. A malformed source can have an error at each of its
/// bytes.
const MAX_DIAGNOSTICS: usize = 1000;

/// Returns the blocks of `source`, with at most as many nodes as `room` allows, and diagnostics.
pub(super) fn read(source: &str, room: NodeLimit) -> (ThinVec<Node<'_>>, Vec<Diagnostic>) {
    let mut reader = Reader::new(source, Names::Adf, room);
    let blocks = reader.root();
    if let Some(at) = reader.scan.control {
        let found = "expected control characters to be escaped, but found an unescaped one";
        reader.say(Diagnostic::new(Span::new(at, at + 1), found));
    }
    reader.diagnostics.extend(reader.room.diagnostic());
    (blocks, reader.diagnostics)
}

struct Reader<'a> {
    scan: Scan<'a>,
    names: Names,
    diagnostics: Vec<Diagnostic>,
    room: NodeLimit,
    /// The number of diagnostics about children that their parent can't hold. [`lone`] accepts a node with
    /// such diagnostics, because the child is kept in its position.
    strays: usize,
}

/// The vocabulary that the attribute names in the JSON belong to.
#[derive(Clone, Copy, PartialEq)]
enum Names {
    /// ADF's names. A name that means something else in the tree (with a colon, or a `/` at the start) goes
    /// into the attribute `/attrs`.
    Adf,
    /// The names of the tree's attributes, as `node_json` writes them.
    Tree,
}

/// The error that the source stops being JSON at the current position. Its diagnostic is already recorded.
struct Broken;

impl<'a> Reader<'a> {
    fn new(source: &'a str, names: Names, room: NodeLimit) -> Self {
        Self { scan: Scan::new(source), names, diagnostics: Vec::new(), room, strays: 0 }
    }

    fn root(&mut self) -> ThinVec<Node<'a>> {
        if self.scan.source.starts_with(MARK) {
            self.scan.at = MARK.len_utf8();
        }
        self.scan.space();
        let start = self.scan.at;
        let blocks = match self.scan.peek() {
            Some(b'{') => self.root_node(),
            Some(b'[') => {
                let (nodes, _, broken) = self.content(1);
                if broken.is_ok() {
                    self.nothing_follows();
                }
                self.settled_quietly(nodes)
            }
            _ => {
                let fault = self.scan.fault("a document of ADF");
                self.say(fault.0);
                ThinVec::new()
            }
        };
        if blocks.is_empty()
            && self.diagnostics.iter().any(|it| !it.is_loss)
            && start < self.scan.source.len()
        {
            return thin_vec![self.raw(start, self.scan.source.trim_end().len().max(start))];
        }
        blocks
    }

    fn root_node(&mut self) -> ThinVec<Node<'a>> {
        let start = self.scan.at;
        let (draft, read) = self.draft(0);
        if read.is_ok() {
            self.nothing_follows();
        }
        if draft.kind_name.as_deref() == Some("doc") {
            return self.document(draft, start);
        }
        let node = self.finish(draft, start, read);
        if node.kind == Kind::Text || node.kind.is_inline() {
            let span = node.span;
            return thin_vec![Node::new(Kind::Paragraph).at(span, span).holding(thin_vec![node])];
        }
        thin_vec![node]
    }

    fn document(&mut self, draft: node::Draft<'a>, start: usize) -> ThinVec<Node<'a>> {
        for name in draft.unknown_keys() {
            let found = format!("doc: expected no {name:?}, but found it: no node carries it");
            self.say(Diagnostic::loss(Span::at(start), found));
        }
        match draft.content {
            Some((nodes, _)) => self.settle(None, nodes),
            // The object has only a type and a version: an empty document.
            None if draft.says_nothing() => ThinVec::new(),
            None => {
                let span = Span::new(start, self.scan.at);
                self.say(Diagnostic::new(span, "expected `content` to be an array, but found none"));
                ThinVec::new()
            }
        }
    }

    fn nothing_follows(&mut self) {
        self.scan.space();
        if self.scan.at < self.scan.source.len() {
            let fault = self.scan.fault("the end of the text");
            self.say(fault.0);
        }
    }

    fn say(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() < MAX_DIAGNOSTICS {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Turns a fault (a syntax error in the JSON) into [`Broken`], and records its diagnostic.
    fn sound<T>(&mut self, result: Result<T, Fault>) -> Result<T, Broken> {
        result.map_err(|fault| {
            self.say(fault.0);
            Broken
        })
    }

    /// Returns the bytes from `start` to `end` as a raw block. Within text, the caller changes its kind to
    /// [`Kind::RawInline`].
    fn raw(&self, start: usize, end: usize) -> Node<'a> {
        let span = Span::new(start, end);
        Node::raw(Kind::RawBlock, "adf", span.of(self.scan.source)).at(span, span)
    }
}

/// Reads the node in `json`, inline or block, with the tree's attribute names. The result is a raw node if
/// `json` is not a node, or if it has more nodes than `room` (what the node limit leaves) allows. `at` is the
/// offset of `json` in the document.
pub(super) fn lone<'a>(json: &'a str, room: &NodeLimit, at: usize) -> Node<'a> {
    let before = room.left();
    let mut reader = Reader::new(json, Names::Tree, NodeLimit::of(before));
    reader.scan.space();
    let start = reader.scan.at;
    if reader.scan.peek() == Some(b'{') {
        let (draft, read) = reader.draft(0);
        let is_sound = read.is_ok();
        let node = reader.finish(draft, start, read);
        reader.nothing_follows();
        if reader.room.has_refused() {
            room.refuse(at);
        } else if is_sound && reader.diagnostics.len() == reader.strays {
            room.take(before - reader.room.left());
            return node;
        }
    }
    reader.raw(0, json.len())
}
