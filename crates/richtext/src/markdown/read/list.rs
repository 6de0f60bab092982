//! Lists. Markdown keeps tasks and other items in one list; the tree keeps them in separate lists.

use thin_vec::ThinVec;

use super::super::attrs;
use super::block::holding;
use super::prepare::Prepared;
use crate::tree::{Attr, Kind, Node, Span};

/// An item of a list, before it becomes a node.
pub(super) struct Entry<'a> {
    /// True if the task is done; `None` if the item is not a task.
    pub(super) task: Option<bool>,
    /// The attributes of the item, which are the first line in it.
    pub(super) given: ThinVec<Attr<'a>>,
    /// True if the item contains an empty comment (`<!-- -->`), which makes a task a block task.
    pub(super) separated: bool,
    /// True if an empty comment ends the item, so that a list of tasks before the comment belongs to the
    /// item.
    pub(super) keeps: bool,
    pub(super) span: Span,
    pub(super) children: ThinVec<Node<'a>>,
}

impl<'a> Entry<'a> {
    /// Creates an item that is no task, with these children and without attributes and comments.
    pub(super) fn of(span: Span, children: ThinVec<Node<'a>>) -> Self {
        Self { task: None, given: ThinVec::new(), separated: false, keeps: false, span, children }
    }
}

/// Splits a list of Markdown into lists of tasks and lists of other items, which the tree keeps apart.
/// `start` is the number of the first item; `None` if the items have bullets.
pub(super) fn lists<'a>(
    prepared: &Prepared<'a>,
    start: Option<u64>,
    span: Span,
    entries: Vec<Entry<'a>>,
) -> ThinVec<Node<'a>> {
    let mut found: ThinVec<Node<'a>> = ThinVec::new();
    for entry in entries {
        let kind = match (entry.task, start) {
            (Some(_), _) => Kind::TaskList,
            (None, Some(_)) => Kind::OrderedList,
            (None, None) => Kind::BulletList,
        };
        if found.last().is_none_or(|it| it.kind != kind) {
            found.push(Node::new(kind).at(entry.span, entry.span));
        }
        let list = found.last_mut().expect("it was pushed");
        match entry.task {
            Some(done) => task(list, entry, done),
            None => {
                let mut item = holding(Node::new(Kind::ListItem), entry.span, entry.children);
                let named = |it: Attr<'a>| {
                    let name = it.name.strip_prefix(attrs::ITEM).unwrap_or_default().to_owned();
                    Attr { name: name.into(), ..it }
                };
                attrs::apply(&mut item, entry.given.into_iter().map(named).collect());
                list.children.push(item);
            }
        }
        let end = list.children.last().map_or(list.span.end, |it| it.span.end);
        list.span.end = list.span.end.max(end);
        list.inner = list.span;
    }
    if let (Some(number), [list]) = (start, &mut found[..]) {
        let parenthesis =
            span.of(prepared.source).trim_start_matches(|it: char| it.is_ascii_digit()).starts_with(')');
        if number != 1 || parenthesis {
            list.attrs.push(Attr::json("order", number.to_string()));
        }
    }
    found
}

/// Adds the task `entry` to `list`. Lists of tasks at the end of `entry` become siblings after the task,
/// unless [`Entry::keeps`] is true.
fn task<'a>(list: &mut Node<'a>, entry: Entry<'a>, done: bool) {
    let state = if done { "DONE" } else { "TODO" };
    let Entry { separated, keeps, span, mut children, .. } = entry;
    let mut count = children.len();
    while !keeps && count > 0 && children[count - 1].kind == Kind::TaskList {
        count -= 1;
    }
    let nested = children.split_off(count);
    // This paragraph is the comment that stands for an empty text before other blocks.
    if children.len() > 1 && children[0].kind == Kind::Paragraph && children[0].children.is_empty() {
        children.remove(0);
    }
    let plain = !separated
        && match &children[..] {
            [] => true,
            [only] => only.kind == Kind::Paragraph && only.marks.is_empty() && only.attrs.is_empty(),
            _ => false,
        };
    let end = nested.first().map_or(span.end, |_| children.last().map_or(span.start, |it| it.span.end));
    let span = Span { start: span.start, end };
    let node = if plain {
        let (inner, runs) = match children.pop() {
            Some(text) => (text.inner, text.children),
            None => (Span::at(span.end as usize), ThinVec::new()),
        };
        Node::new(Kind::TaskItem).at(span, inner).holding(runs)
    } else {
        holding(Node::new(Kind::BlockTaskItem), span, children)
    };
    list.children.push(node.with("state", state));
    list.children.extend(nested);
}
