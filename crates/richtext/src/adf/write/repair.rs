//! Replaces nodes that are not allowed in their position.
//!
//! | node | in | becomes |
//! | --- | --- | --- |
//! | `expand`, `nestedExpand` | a parent that allows only the other | the other |
//! | `heading` | quote, list item | a paragraph in bold |
//! | quote | quote, panel, list item | its blocks |
//! | panel | panel | its blocks |
//! | layout | anywhere but in the document, or with one column only | the blocks of its columns |
//! | card | quote, list item | a paragraph with an `inlineCard` |
//! | layout of more than three columns | | layouts below each other |
//! | `mediaGroup` | list item, other parents that do not allow it | a `mediaSingle` for each file |
//! | task list | task | a list after the task, as ADF nests tasks |
//! | other blocks | quote, panel, expand, list item | blocks before, between or after parts of the parent |
//! | bodied macro, sync block | a parent that does not allow it | its blocks |
//! | other blocks | table cell, other parents that can't be split | [plainer](crate::plainer) blocks |
//! | picture within text | paragraph | `mediaSingle` between paragraphs; elsewhere a link |
//! | `param:title` of a panel | | a heading of level 3, first in the panel |
//! | nothing | a parent that requires a child | an empty paragraph, item or row |
//! | a node without its essential attribute (a mention's `id`) | | its text |
//! | source of another format | | its text |
//!
//! With [`Repair::keep_raw`], the last two and bodied macros become `com.plainwire.raw` with all of it.
//!
//! In: a node and its parent. Out: the nodes to write instead. Losses from a repair are found when the text
//! is read again.

use thin_vec::{ThinVec, thin_vec};

use super::super::schema::Model;
use super::fit::{MAX_COLUMNS, fits, format, is_allowed, is_full, is_sound};
use super::{picture, verbatim};
use crate::plainer::{link, plainer, text};
use crate::tree::{Attr, Holds, Kind, Mark, MarkKind, Node};

/// A repair: replaces nodes that are not allowed in their position.
#[derive(Clone, Copy)]
pub(super) struct Repair {
    /// True if what ADF has no place for is kept in extensions that only this crate reads ([`RAW`](super::RAW)); otherwise
    /// plainer nodes are written.
    pub(super) keep_raw: bool,
}

impl Repair {
    /// Returns the nodes to write in `parent` (`None`: the document) instead of `node`.
    pub(super) fn repair<'a>(self, node: &Node<'a>, parent: Option<Kind>) -> ThinVec<Node<'a>> {
        let pieces = self.placed(node, parent);
        pieces
            .into_iter()
            .flat_map(|it| if it.is_lifted { self.stuck(it.node, parent) } else { thin_vec![it.node] })
            .collect()
    }

    /// Returns the pieces (nodes to write) that `node` becomes in `parent`: `node` itself if it fits.
    fn placed<'a>(self, node: &Node<'a>, parent: Option<Kind>) -> Vec<Piece<'a>> {
        if fits(node, parent) {
            return vec![Piece::here(node.clone())];
        }
        match node.kind {
            Kind::Group => node.children.iter().flat_map(|it| self.placed(it, parent)).collect(),
            kind if kind.is_inline() => self.inline(node, parent),
            Kind::LayoutSection if parent.is_none() && node.children.len() > MAX_COLUMNS => self.rows(node),
            Kind::RawBlock if format(node) == "markdown" => self.shown(text(node), parent),
            Kind::Paragraph if has_picture(node) && allows(parent, Kind::MediaSingle) => {
                picture::lifted(node).iter().flat_map(|it| self.placed(it, parent)).collect()
            }
            kind if is_bodied(kind) && !is_allowed(node, parent) => {
                self.kept(node, parent).into_iter().map(Piece::here).collect()
            }
            _ => self.block(node, parent),
        }
    }

    /// Returns the layout sections that carry the columns of `node`, which has too many for one; their widths are lost.
    fn rows<'a>(self, node: &Node<'a>) -> Vec<Piece<'a>> {
        let count = node.children.len().div_ceil(MAX_COLUMNS);
        let size = node.children.len().div_ceil(count);
        let section = |columns: &[Node<'a>]| {
            let mut columns = ThinVec::from(columns);
            columns.iter_mut().for_each(|it| it.attrs.retain(|it| it.name != "width"));
            self.placed(&shell(node, None).holding(columns), None)
        };
        node.children.chunks(size).flat_map(section).collect()
    }

    /// Returns a paragraph of `text` for `parent`; an empty list if `text` is empty.
    fn shown<'a>(self, text: String, parent: Option<Kind>) -> Vec<Piece<'a>> {
        if text.is_empty() {
            return Vec::new();
        }
        self.placed(&Node::new(Kind::Paragraph).holding(thin_vec![Node::of_text(text)]), parent)
    }

    /// Returns the pieces for an inline node that does not fit: among blocks a paragraph around it, within text a
    /// text or link instead of it.
    fn inline<'a>(self, node: &Node<'a>, parent: Option<Kind>) -> Vec<Piece<'a>> {
        if parent.is_none_or(|it| it.holds() == Holds::Blocks) {
            return self.placed(&Node::new(Kind::Paragraph).holding(thin_vec![node.clone()]), parent);
        }
        let text = match node.kind {
            Kind::Image | Kind::MediaInline => link(node),
            _ => {
                let mut text = Node::of_text(text(node));
                text.marks.clone_from(&node.marks);
                text
            }
        };
        Some(text).filter(|it| !it.text.is_empty()).map(Piece::here).into_iter().collect()
    }

    /// Returns the pieces for a block that does not fit, or has a child that does not: repairs its children
    /// first, then the block. A block without an essential attribute becomes its visible text.
    fn block<'a>(self, node: &Node<'a>, parent: Option<Kind>) -> Vec<Piece<'a>> {
        if !is_sound(node) && node.kind != Kind::Panel {
            return self.shown(text(node), parent);
        }
        let mut shell = shell(node, parent);
        let mut pieces = Vec::new();
        let title =
            shell.attrs.iter().position(|it| it.name == "param:title").filter(|_| shell.kind == Kind::Panel);
        if let Some(title) = title {
            let title = shell.attrs.remove(title).value.shown().to_owned();
            let heading =
                Node::new(Kind::Heading).with_json("level", "3").holding(thin_vec![Node::of_text(title)]);
            pieces.extend(self.placed(&heading, Some(shell.kind)));
        }
        for child in &node.children {
            pieces.extend(self.placed(child, Some(shell.kind)));
        }
        parted(shell, pieces).into_iter().flat_map(|it| self.fitted(it, parent)).collect()
    }

    /// Returns the pieces that `piece` becomes in `parent`. The children of its node are already repaired.
    fn fitted<'a>(self, piece: Piece<'a>, parent: Option<Kind>) -> Vec<Piece<'a>> {
        let Piece { node, is_lifted } = piece;
        if is_allowed(&node, parent) && is_full(&node) {
            return vec![Piece::here(node)];
        }
        if is_lifted && can_be_parted(parent) {
            return vec![Piece::lifted(node)];
        }
        match node.kind {
            Kind::TaskList if parent == Some(Kind::BlockTaskItem) => vec![Piece::lifted(node)],
            Kind::Heading if allows(parent, Kind::Paragraph) => vec![Piece::here(bold(node))],
            Kind::TaskItem | Kind::DecisionItem | Kind::Caption if allows(parent, Kind::Paragraph) => {
                vec![Piece::here(Node::new(Kind::Paragraph).holding(node.children))]
            }
            Kind::BlockCard | Kind::EmbedCard
                if node.get("url").is_some() && allows(parent, Kind::Paragraph) =>
            {
                let url = node.text_of("url").unwrap_or_default().to_owned();
                let card = Node::new(Kind::InlineCard).with("url", url);
                vec![Piece::here(Node::new(Kind::Paragraph).holding(thin_vec![card]))]
            }
            Kind::Media if allows(parent, Kind::MediaSingle) => {
                vec![Piece::here(
                    Node::new(Kind::MediaSingle).with("layout", "center").holding(thin_vec![node]),
                )]
            }
            kind if dissolves(kind, parent) => {
                node.children.iter().flat_map(|it| self.placed(it, parent)).collect()
            }
            _ => self.member(node, parent),
        }
    }

    /// Returns `node` in a new item, row, cell or column, if `parent` is a list, table, row or layout; for lists
    /// of tasks or decisions, `node` must be a paragraph. Otherwise lifts `node` (writes it beside `parent`) if
    /// `parent` can be split, and writes what [`Self::kept`] returns if not.
    fn member<'a>(self, node: Node<'a>, parent: Option<Kind>) -> Vec<Piece<'a>> {
        let holder = match parent {
            Some(Kind::BulletList | Kind::OrderedList) => Kind::ListItem,
            Some(Kind::TaskList) if node.kind == Kind::Paragraph => {
                return vec![Piece::here(Node::new(Kind::TaskItem).holding(node.children))];
            }
            Some(Kind::DecisionList) if node.kind == Kind::Paragraph => {
                return vec![Piece::here(Node::new(Kind::DecisionItem).holding(node.children))];
            }
            Some(Kind::Table) => Kind::TableRow,
            Some(Kind::TableRow) => Kind::TableCell,
            Some(Kind::LayoutSection) => Kind::LayoutColumn,
            _ if can_be_parted(parent) => return vec![Piece::lifted(node)],
            _ => return self.stuck(node, parent).into_iter().map(Piece::here).collect(),
        };
        let pieces = self.placed(&node, Some(holder));
        parted(Node::new(holder), pieces)
    }

    /// Returns `node` if `parent` allows it; otherwise what [`Self::kept`] returns. For a `node` that can't be
    /// written beside `parent`.
    fn stuck<'a>(self, node: Node<'a>, parent: Option<Kind>) -> ThinVec<Node<'a>> {
        if is_allowed(&node, parent) && is_full(&node) { thin_vec![node] } else { self.kept(&node, parent) }
    }

    /// Returns what is written for a `node` that `parent` does not allow: with `keep_raw` all of it as raw ADF, in an extension
    /// [`RAW`](super::RAW), otherwise plainer nodes. Returns nothing if `parent` allows none of them.
    fn kept<'a>(self, node: &Node<'a>, parent: Option<Kind>) -> ThinVec<Node<'a>> {
        if !self.keep_raw {
            return match node.kind {
                Kind::Paragraph if allows(parent, Kind::Text) => node.children.clone(),
                Kind::Paragraph => ThinVec::new(),
                _ => plainer(node).iter().flat_map(|it| self.repair(it, parent)).collect(),
            };
        }
        if allows(parent, Kind::Extension) {
            return thin_vec![extension(Kind::Extension, node)];
        }
        if allows(parent, Kind::Paragraph) {
            let inline = extension(Kind::InlineExtension, node);
            return thin_vec![Node::new(Kind::Paragraph).holding(thin_vec![inline])];
        }
        ThinVec::new()
    }
}

/// A node that results from a repair. It is written in the parent or, if `is_lifted`, beside the parent.
struct Piece<'a> {
    node: Node<'a>,
    is_lifted: bool,
}

impl<'a> Piece<'a> {
    fn here(node: Node<'a>) -> Self {
        Self { node, is_lifted: false }
    }

    fn lifted(node: Node<'a>) -> Self {
        Self { node, is_lifted: true }
    }
}

fn has_picture(node: &Node<'_>) -> bool {
    node.children.iter().any(|it| it.kind == Kind::Image && it.get("url").is_some())
}

fn allows(parent: Option<Kind>, kind: Kind) -> bool {
    Model::of(parent).is_none_or(|it| it.allows(kind))
}

fn is_bodied(kind: Kind) -> bool {
    matches!(kind, Kind::BodiedExtension | Kind::SyncBlock | Kind::BodiedSyncBlock)
}

/// Returns `node` without its children. An `expand` becomes a `nestedExpand`, and the reverse, if `parent`
/// allows only the other.
fn shell<'a>(node: &Node<'a>, parent: Option<Kind>) -> Node<'a> {
    let mut shell = Node::new(node.kind).at(node.span, node.inner);
    shell.text.clone_from(&node.text);
    shell.attrs.clone_from(&node.attrs);
    shell.marks.clone_from(&node.marks);
    let other = match node.kind {
        Kind::Expand => Kind::NestedExpand,
        Kind::NestedExpand => Kind::Expand,
        kind => kind,
    };
    if !allows(parent, node.kind) && allows(parent, other) {
        shell.kind = other;
    }
    shell
}

/// Puts `pieces` into copies of `shell`, a node without children. Each lifted piece stays outside and
/// separates the copy before it from the copy after it. A list item or block task is not split: the first
/// lifted piece and all pieces after it are written after the item or task.
fn parted<'a>(shell: Node<'a>, pieces: Vec<Piece<'a>>) -> Vec<Piece<'a>> {
    let mut parts: Vec<Piece<'a>> = Vec::new();
    let mut held: ThinVec<Node<'a>> = ThinVec::new();
    let mut items_before = 0;
    let mut is_past = false;
    for piece in pieces {
        // A second part of a list item would look like an item of its own, so the remaining pieces are lifted
        // too.
        is_past |= piece.is_lifted && matches!(shell.kind, Kind::ListItem | Kind::BlockTaskItem);
        if !piece.is_lifted && !is_past {
            held.push(piece.node);
            continue;
        }
        let count = held.len();
        parts.extend(part(&shell, std::mem::take(&mut held), items_before));
        items_before += count;
        parts.push(Piece::lifted(piece.node));
    }
    if !held.is_empty() {
        parts.extend(part(&shell, held, items_before));
    } else if parts.is_empty() {
        parts.extend(filled(shell));
    }
    parts
}

/// Returns a copy of `shell` with the children `held`; `None` if there are none. `items_before` is the number
/// of children in the copies before it: only the first copy keeps the `localId`, and a numbered list
/// continues its numbers.
fn part<'a>(shell: &Node<'a>, held: ThinVec<Node<'a>>, items_before: usize) -> Option<Piece<'a>> {
    if held.is_empty() {
        return None;
    }
    let mut node = shell.clone().holding(held);
    if items_before > 0 {
        node.attrs.retain(|it| it.name != "localId");
    }
    if items_before > 0 && node.kind == Kind::OrderedList {
        let first = node.integer("order").unwrap_or(1) + items_before as i64;
        node.attrs.retain(|it| it.name != "order");
        node.attrs.push(Attr::json("order", first.to_string()));
    }
    Some(Piece::here(node))
}

/// Returns `node`, which has no children, with empty children that the schema requires; `None` for a
/// `mediaSingle` or `mediaGroup`, whose file can't be made up.
fn filled(node: Node<'_>) -> Option<Piece<'_>> {
    let inside = match node.kind {
        Kind::MediaSingle | Kind::MediaGroup => return None,
        Kind::BulletList | Kind::OrderedList => Some(Kind::ListItem),
        Kind::TaskList => Some(Kind::TaskItem),
        Kind::DecisionList => Some(Kind::DecisionItem),
        Kind::Table => Some(Kind::TableRow),
        Kind::TableRow => Some(Kind::TableCell),
        _ => Some(Kind::Paragraph),
    };
    if is_full(&node) {
        return Some(Piece::here(node));
    }
    let inside = inside.and_then(|it| filled(Node::new(it)));
    Some(Piece::here(node.holding(inside.into_iter().map(|it| it.node).collect())))
}

/// Returns whether a node of this kind is replaced by its children if `parent` does not allow it.
fn dissolves(kind: Kind, parent: Option<Kind>) -> bool {
    match kind {
        Kind::Panel => parent == Some(Kind::Panel),
        Kind::Blockquote
        | Kind::LayoutSection
        | Kind::LayoutColumn
        | Kind::MediaSingle
        | Kind::MediaGroup => true,
        Kind::ListItem | Kind::BlockTaskItem | Kind::TableRow | Kind::TableCell | Kind::TableHeader => true,
        _ => false,
    }
}

/// Returns whether a child that a node of this kind does not allow can be written outside the node: between
/// two halves of the node, or after a list item.
fn can_be_parted(kind: Option<Kind>) -> bool {
    matches!(
        kind,
        Some(
            Kind::Blockquote
                | Kind::BulletList
                | Kind::DecisionList
                | Kind::Expand
                | Kind::ListItem
                | Kind::MediaGroup
                | Kind::MediaSingle
                | Kind::NestedExpand
                | Kind::OrderedList
                | Kind::Panel
                | Kind::TaskList
        )
    )
}

/// Returns a paragraph with the text of a heading, in bold.
fn bold(node: Node<'_>) -> Node<'_> {
    let mut text = node.children;
    for node in text.iter_mut().filter(|it| it.kind == Kind::Text && it.mark(MarkKind::Strong).is_none()) {
        node.marks.push(Mark::new(MarkKind::Strong));
    }
    Node::new(Kind::Paragraph).holding(text)
}

fn extension<'a>(kind: Kind, node: &Node<'a>) -> Node<'a> {
    let mut source = String::from("{\"source\":");
    super::quote(&mut source, &verbatim(node));
    source.push('}');
    let kept = Node::new(kind).with("extensionType", super::RAW).with("extensionKey", "adf");
    kept.with_json("parameters", source).with("text", node.plain_text())
}
