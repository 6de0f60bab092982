//! Comparison of two trees.
//!
//! In: two lists of blocks. Out: the differences, with spans in the source of the first. Identifiers
//! (`localId`, `ac:macro-id`) are reported apart from content. The order of marks, the splitting of text into
//! nodes and the spelling of numbers make no difference.

mod attrs;
mod inline;
mod outline;
mod print;
mod similar;

use crate::align::{Op, align};
use crate::empty_lines::joined;
use crate::loss::{Loss, LossKind, MAX_LOSSES};
use crate::tree::{Holds, Kind, Node, Span};
use crate::values::dates;
pub(crate) use attrs::{same_marks, same_value};
pub(crate) use inline::{Unit, Units, hunks};
pub(crate) use outline::Outline;
pub(crate) use print::{print, print_unmarked};
pub(crate) use similar::similarity;

/// Returns the differences between two lists of blocks: what `theirs` lacks or has differently, and what only
/// `theirs` has. At most 1,000 losses of content and attributes, and 1,000 more of identifiers.
pub(crate) fn differences(ours: &[Node<'_>], theirs: &[Node<'_>]) -> Vec<Loss> {
    let mut comparison = Comparison::default();
    comparison.siblings(ours, theirs, Span::default());
    comparison.found
}

#[derive(Default)]
struct Comparison {
    found: Vec<Loss>,
    /// The number of losses of identifiers in `found`.
    identities: usize,
    /// The kinds of the nodes that are being compared, the outermost first.
    path: Vec<Kind>,
}

impl Comparison {
    fn say(&mut self, kind: LossKind, span: Span, what: impl AsRef<str>) {
        let is_identity = kind == LossKind::Identity;
        let before = if is_identity { self.identities } else { self.found.len() - self.identities };
        if before < MAX_LOSSES {
            self.identities += usize::from(is_identity);
            let path: Vec<&str> = self.path.iter().map(|it| it.shown()).collect();
            let colon = if path.is_empty() { "" } else { ": " };
            self.found.push(Loss {
                kind,
                span,
                message: format!("{}{colon}{}", path.join("/"), what.as_ref()),
            });
        }
    }

    fn siblings(&mut self, ours: &[Node<'_>], theirs: &[Node<'_>], within: Span) {
        if self.found.len() - self.identities >= MAX_LOSSES {
            return;
        }
        if ours.iter().chain(theirs).any(|it| it.kind.is_inline()) {
            return self.inlines(ours, theirs, within);
        }
        if ours.len() == theirs.len() && ours.iter().zip(theirs).all(|it| it.0.kind == it.1.kind) {
            return ours.iter().zip(theirs).for_each(|it| self.node(it.0, it.1));
        }
        if is_empty(ours) && is_empty(theirs) {
            return;
        }
        if self.is_joined(ours, theirs) {
            let found = "expected paragraphs, but found one paragraph with empty lines";
            return self.say(LossKind::Identity, within, found);
        }
        let prints = |nodes: &[Node<'_>]| nodes.iter().map(print).collect::<Vec<u64>>();
        for op in align(&prints(ours), &prints(theirs), |i, j| similarity(&ours[i], &theirs[j])) {
            self.step(op, |i| &ours[i], |j| &theirs[j], within);
        }
    }

    /// Returns whether `theirs`, the blocks of an item or a cell, are `ours` but for paragraphs that are one paragraph now.
    fn is_joined(&self, ours: &[Node<'_>], theirs: &[Node<'_>]) -> bool {
        let is_within =
            matches!(self.path.last(), Some(Kind::ListItem | Kind::TableCell | Kind::TableHeader));
        is_within && ours.len() > theirs.len() && {
            let (ours, theirs) = (joined(ours), joined(theirs));
            let losses = differences(&ours, &theirs);
            ours.len() == theirs.len() && losses.iter().all(|it| it.kind == LossKind::Identity)
        }
    }

    /// Compares the nodes of `op`, one step of an alignment of siblings. `within` is the span of the node
    /// that contains the siblings.
    fn step<'n, 'a: 'n, 'b: 'n>(
        &mut self,
        op: Op,
        ours: impl Fn(usize) -> &'n Node<'a>,
        theirs: impl Fn(usize) -> &'n Node<'b>,
        within: Span,
    ) {
        match op {
            Op::Keep(..) => {}
            Op::Pair(i, j) => self.node(ours(i), theirs(j)),
            Op::Delete(i) => self.missing(ours(i)),
            Op::Insert(j) => self.added(theirs(j), within),
        }
    }

    fn missing(&mut self, node: &Node<'_>) {
        let text = shortened(&shown_text(node));
        self.say(
            LossKind::Content,
            node.span,
            format!("expected {} {text:?}, but found nothing", node.kind.shown()),
        );
    }

    fn added(&mut self, node: &Node<'_>, within: Span) {
        let text = shortened(&shown_text(node));
        self.say(
            LossKind::Content,
            within,
            format!("expected nothing, but found {} {text:?}", node.kind.shown()),
        );
    }

    fn node(&mut self, ours: &Node<'_>, theirs: &Node<'_>) {
        self.path.push(ours.kind);
        for (kind, what) in attrs::differences(ours, theirs) {
            self.say(kind, ours.span, what);
        }
        if ours.kind.is_verbatim() && ours.text != theirs.text {
            let (expected, found) = (shortened(&ours.text), shortened(&theirs.text));
            self.say(LossKind::Content, ours.span, format!("expected {expected:?}, but found {found:?}"));
        }
        self.siblings(&ours.children, &theirs.children, ours.span);
        self.path.pop();
    }

    /// Reports identifiers that differ between inline nodes of equal content. The nodes of `ours` and
    /// `theirs` that are not text are compared in order.
    fn identifiers(&mut self, ours: &[Node<'_>], theirs: &[Node<'_>]) {
        let objects = |nodes| <[Node<'_>]>::iter(nodes).filter(|it| it.kind != Kind::Text);
        for (our, their) in objects(ours).zip(objects(theirs)).filter(|it| print(it.0) == print(it.1)) {
            self.path.push(our.kind);
            for (_, what) in attrs::differences(our, their) {
                self.say(LossKind::Identity, our.span, what);
            }
            self.path.pop();
        }
    }

    fn inlines(&mut self, ours: &[Node<'_>], theirs: &[Node<'_>], within: Span) {
        if ours.len() == theirs.len() && ours.iter().zip(theirs).all(|it| attrs::alike(it.0, it.1)) {
            return;
        }
        self.identifiers(ours, theirs);
        let (a, b) = (Units::of(ours), Units::of(theirs));
        for change in inline::changes(&a, &b) {
            let span = change.ours.first().map_or(within, |it| ours[it.node()].span);
            match change.objects(ours, theirs) {
                Some((our, their)) => self.node(our, their),
                None => self.say(change.kind(), span, change.shown(ours, theirs)),
            }
        }
    }
}

/// Returns whether there is nothing to see: no blocks, or one empty paragraph, which some formats require in a cell or an item.
fn is_empty(blocks: &[Node<'_>]) -> bool {
    let is_bare = |it: &Node<'_>| {
        it.kind == Kind::Paragraph
            && it.children.is_empty()
            && it.marks.is_empty()
            && !it.attrs.iter().any(attrs::says)
    };
    blocks.len() <= 1 && blocks.iter().all(is_bare)
}

impl Kind {
    /// Returns the kind's name for messages.
    pub(crate) fn shown(self) -> &'static str {
        self.adf_name().unwrap_or(match self {
            Self::Group => "group",
            Self::RawBlock => "raw block",
            Self::Image => "image",
            _ => "raw text",
        })
    }

    /// Returns whether the children of nodes of this kind are inline nodes.
    pub(crate) fn holds_inlines(self) -> bool {
        self.holds() == Holds::Inlines
    }
}

fn shown_text(node: &Node<'_>) -> String {
    if node.kind.is_verbatim() { node.text.to_string() } else { name(node).unwrap_or_default() }
}

/// Returns a name of the node for a message: the day of a date; the text of any other node; failing that, the
/// first value of the attributes `NAMES` that is not empty, or a child's name.
pub(crate) fn name(node: &Node<'_>) -> Option<String> {
    /// The attributes whose values can name a node, the most telling first.
    const NAMES: [&str; 12] = [
        "text",
        "shortName",
        "title",
        "url",
        "extensionKey",
        "resourceId",
        "alt",
        "id",
        "datasource",
        "data",
        "panelType",
        "/type",
    ];
    let text = [node.plain_text(), node.text.to_string()].into_iter().find(|it| !it.trim().is_empty());
    if let (Kind::Date, Some(time)) = (node.kind, node.integer("timestamp")) {
        return dates::shown(time);
    }
    let own = || NAMES.iter().filter_map(|it| node.get(it)).map(|it| it.shown()).find(|it| !it.is_empty());
    text.or_else(|| own().map(str::to_owned)).or_else(|| node.children.iter().find_map(name))
}

/// Returns the first 40 characters of a text for a message, with `…` if there are more.
pub(crate) fn shortened(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
