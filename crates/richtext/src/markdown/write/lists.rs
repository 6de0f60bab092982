//! Writes lists of items, tasks and decisions.
//!
//! In: a list. Out: its Markdown, or `None` if a list of Markdown can't carry all attributes and children of
//! this list.

use thin_vec::ThinVec;

use super::super::attrs;
use super::super::read::inline::EMPTY;
use super::blocks::Blocks;
use super::directive;
use super::escape::Within;
use super::inline::Inline;
use crate::tree::{Attr, Kind, Node, Value};

impl Blocks {
    pub(super) fn list(&mut self, node: &Node<'_>) -> Option<()> {
        let items = &node.children;
        if items.is_empty() || !items.iter().all(|it| it.kind == Kind::ListItem && of_item(it).is_some()) {
            return None;
        }
        let (start, sign) = match node.get("order") {
            _ if node.kind == Kind::BulletList => (None, '-'),
            None => (Some(1), '.'),
            Some(Value::Json(text)) => match text.parse::<u32>() {
                Ok(1) if text == "1" => (Some(1), ')'),
                Ok(it) if it < 900_000_000 && it.to_string() == **text => (Some(it), '.'),
                _ => (None, '.'),
            },
            _ => (None, '.'),
        };
        let said = if start.is_some() { &["order"][..] } else { &[] };
        self.given(node, said)?;
        let bullet = self.take_bullet();
        let tight = items.iter().all(is_tight);
        for (at, item) in items.iter().enumerate() {
            if at > 0 {
                self.out.line();
                if !tight {
                    self.out.line();
                }
            }
            let marker = match node.kind {
                Kind::BulletList => bullet.to_owned(),
                _ => format!("{}{sign} ", u64::from(start.unwrap_or(1)) + at as u64),
            };
            self.item(&marker, item, tight);
        }
        Some(())
    }

    /// Returns the sign of the next list of bullets.
    fn take_bullet(&mut self) -> &'static str {
        if std::mem::take(&mut self.is_second) { "* " } else { "- " }
    }

    fn item(&mut self, marker: &str, item: &Node<'_>, tight: bool) {
        let children = &item.children;
        let given = of_item(item).unwrap_or_default();
        let marker = if children.is_empty() && given.is_empty() { marker.trim_end() } else { marker };
        let before = self.out.enter(marker, &" ".repeat(marker.len()));
        if !given.is_empty() {
            let mut line = String::new();
            directive::braces(&mut line, &given, attrs::AttrPosition::Line);
            self.out.push(&line);
            if !children.is_empty() {
                self.out.blank();
            }
        }
        let mut is_second = false;
        for (at, child) in children.iter().enumerate() {
            match at {
                0 if child.kind.is_inline() => self.inline(&children[..1], Within::default()),
                // A rule of stars after a star would be one rule.
                0 => self.block(child, marker != "* "),
                _ if tight => {
                    self.out.line();
                    self.block(child, false);
                }
                _ => {
                    self.out.blank();
                    self.divide(&children[at - 1], child, &mut is_second);
                    self.block(child, false);
                }
            }
        }
        self.out.leave(before);
    }

    pub(super) fn tasks(&mut self, node: &Node<'_>) -> Option<()> {
        if !self.can_tasks(node) {
            return None;
        }
        self.given(node, &[])?;
        let bullet = self.take_bullet();
        self.task_items(&node.children, bullet);
        Some(())
    }

    fn can_tasks(&self, node: &Node<'_>) -> bool {
        let mut before = node;
        let fits = node.children.iter().all(|it| {
            let fits = match it.kind {
                Kind::TaskItem => {
                    task_state(it).is_some() && it.children.iter().all(|it| it.kind.is_inline())
                }
                Kind::BlockTaskItem => task_state(it).is_some() && fits_block_task(&it.children),
                // A nested list is written inside the item before it.
                Kind::TaskList => {
                    let alone = before.kind != Kind::TaskList && !ends_with_tasks(before);
                    alone && directive::is_bare(it) && self.can_tasks(it)
                }
                _ => false,
            };
            before = it;
            fits
        });
        fits && !node.children.is_empty()
    }

    fn task_items(&mut self, items: &[Node<'_>], bullet: &str) {
        for (at, item) in items.iter().enumerate() {
            if at > 0 {
                self.out.line();
            }
            if item.kind == Kind::TaskList {
                let before = self.out.enter("  ", "  ");
                self.task_items(&item.children, "- ");
                self.out.leave(before);
                continue;
            }
            let before = self.out.enter(bullet, "  ");
            self.out.push(if task_state(item) == Some("DONE") { "[x] " } else { "[ ] " });
            if item.kind == Kind::TaskItem {
                self.task_text(&item.children);
            } else {
                if item.children[0].kind != Kind::Paragraph {
                    self.out.push(EMPTY);
                    self.out.blank();
                }
                self.siblings(&item.children);
                if item.children.len() == 1 || ends_with_tasks(item) {
                    self.out.blank();
                    self.out.push("<!-- -->");
                }
            }
            self.out.leave(before);
        }
    }

    /// Writes the text of a task or decision after its box.
    pub(super) fn task_text(&mut self, children: &[Node<'_>]) {
        if children.iter().all(|it| it.kind == Kind::Text && it.text.is_empty()) {
            self.out.text.truncate(self.out.text.trim_end_matches(' ').len());
        } else {
            let mut inline = Inline::new(&mut self.out, self.flavor, Within::default());
            inline.alone = children.len() == 1;
            inline.block(children);
        }
    }

    pub(super) fn decisions(&mut self, items: &[Node<'_>]) {
        for (at, item) in items.iter().enumerate() {
            if at > 0 {
                self.out.line();
            }
            let before = self.out.enter("- ", "  ");
            self.out.push(if item.text_of("state") == Some("DECIDED") { "[x] " } else { "[ ] " });
            self.task_text(&item.children);
            self.out.leave(before);
        }
    }
}

/// Returns whether Markdown would read the siblings `a` and `b`, in this order, as one list.
pub(super) fn merge(a: &Node<'_>, b: &Node<'_>) -> bool {
    let list = |it: &Node<'_>| matches!(it.kind, Kind::BulletList | Kind::TaskList | Kind::OrderedList);
    list(a) && list(b) && (a.kind == Kind::OrderedList) == (b.kind == Kind::OrderedList)
}

/// Returns whether an item needs no blank lines: it is empty, or contains one paragraph and then at most one
/// list, whose items need none either.
fn is_tight(item: &Node<'_>) -> bool {
    let Some((first, rest)) = item.children.split_first() else { return directive::is_bare(item) };
    let broken = first.children.first().is_some_and(|it| it.kind == Kind::HardBreak);
    let text = first.kind == Kind::Paragraph
        && !first.children.is_empty()
        && !broken
        && directive::is_bare(first)
        && directive::is_bare(item);
    let list = |it: &Node<'_>| match it.kind {
        Kind::BulletList => {
            directive::is_bare(it)
                && it
                    .children
                    .iter()
                    .all(|it| it.kind == Kind::ListItem && is_tight(it) && !it.children.is_empty())
        }
        Kind::OrderedList => {
            it.get("order").is_none()
                && directive::is_bare(it)
                && it
                    .children
                    .iter()
                    .all(|it| it.kind == Kind::ListItem && is_tight(it) && !it.children.is_empty())
        }
        _ => false,
    };
    text && (rest.is_empty() || rest.len() == 1 && list(&rest[0]))
}

/// Returns the state of a task; `None` if the state is neither `TODO` nor `DONE`, or if the task has a mark
/// or another attribute that Markdown carries.
fn task_state<'n>(item: &'n Node<'_>) -> Option<&'n str> {
    let only = item.attrs.iter().all(|it| it.name == "state" || !attrs::is_carried(it));
    item.text_of("state").filter(|it| only && item.marks.is_empty() && matches!(*it, "TODO" | "DONE"))
}

fn fits_block_task(children: &[Node<'_>]) -> bool {
    let begins = |it: &Node<'_>| {
        let said = || directive::is_bare(it) && it.children.iter().any(|it| !it.text.is_empty());
        !it.kind.is_inline() && (it.kind != Kind::Paragraph || said())
    };
    children.first().is_some_and(begins)
}

/// Returns whether `item` is a block task whose last child is a list of tasks.
fn ends_with_tasks(item: &Node<'_>) -> bool {
    item.kind == Kind::BlockTaskItem && item.children.last().is_some_and(|it| it.kind == Kind::TaskList)
}

/// Returns the attributes of a list item, with the prefix [`attrs::ITEM`] before each name; `None` if one of
/// the names can't be written.
fn of_item<'n>(item: &'n Node<'_>) -> Option<ThinVec<Attr<'n>>> {
    let mut given = attrs::of_node(item)?;
    given.iter_mut().for_each(|it| it.name = format!("{}{}", attrs::ITEM, it.name).into());
    Some(given)
}
