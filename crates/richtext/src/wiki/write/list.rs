//! Writes bullet and numbered lists as lines with one sign for each level.

use super::Writer;
use super::block::only;
use super::inline::Line;
use crate::empty_lines::joined;
use crate::tree::{Kind, Node};
use crate::wiki::read::{Container, MAX_LEVELS};

fn is_list(node: &Node<'_>) -> bool {
    matches!(node.kind, Kind::BulletList | Kind::OrderedList)
}

/// Returns whether the last item of `list` is empty, or `list` has no items. At the end of a cell, the sign
/// of such an item would be read as text.
pub(super) fn ends_bare(list: &Node<'_>) -> bool {
    list.children.last().is_none_or(is_bare)
}

fn is_bare(item: &Node<'_>) -> bool {
    item.children.iter().all(|it| it.kind == Kind::Paragraph && it.children.is_empty())
}

impl Writer {
    /// Returns the lines of `list`. The line of an item begins with `prefix` (the signs of the lists around
    /// this list) and the sign of this list. `is_first` is whether the list begins its block: only then may
    /// its first item begin with a nested list, without a line of its own. Returns `None` if lines with signs
    /// can't express all of the list.
    pub(super) fn list(&mut self, list: &Node<'_>, prefix: &str, is_first: bool) -> Option<String> {
        only(list, &[])?;
        let is_legal =
            |it: &Node<'_>| it.kind == Kind::ListItem && it.marks.is_empty() && only(it, &[]).is_some();
        if list.children.is_empty() || !list.marks.is_empty() || !list.children.iter().all(is_legal) {
            return None;
        }
        let is_bare =
            |it: &Node<'_>| it.children.iter().all(|it| it.kind == Kind::Paragraph && it.children.is_empty());
        let sign = match list.kind {
            Kind::OrderedList => '#',
            _ if list.text_of("wiki:form") == Some("-") && !list.children.iter().any(is_bare) => '-',
            _ => '*',
        };
        let marker = format!("{prefix}{sign}");
        if marker.len() > MAX_LEVELS {
            return None;
        }
        let mut lines = Vec::new();
        for (index, item) in list.children.iter().enumerate() {
            lines.push(self.item(item, &marker, is_first && index == 0));
        }
        Some(lines.join("\n"))
    }

    fn item(&mut self, item: &Node<'_>, marker: &str, is_first: bool) -> String {
        let starts_nested = self.may_nest(&item.children, 0, is_first);
        let mut lines = self.item_blocks(&item.children, marker, is_first);
        match lines.first_mut() {
            None => lines.push(format!("{marker} ")),
            Some(first) if !(starts_nested && first.starts_with(marker)) => {
                *first = format!("{marker} {first}");
            }
            Some(_) => {}
        }
        lines.join("\n")
    }

    /// Returns the markup of each of `nodes`, blocks of an item whose line begins with `marker`: lists as lines with one more
    /// sign where that is possible. `is_first` is as in [`Self::may_nest`].
    pub(super) fn item_blocks(&mut self, nodes: &[Node<'_>], marker: &str, is_first: bool) -> Vec<String> {
        let nodes = &joined(nodes)[..];
        let mut lines = Vec::new();
        for (index, node) in nodes.iter().enumerate() {
            let next = nodes.get(index + 1);
            let before = index.checked_sub(1).and_then(|it| nodes.get(it));
            let nested = if self.may_nest(nodes, index, is_first) {
                self.list(node, marker, is_first && index == 0)
            } else {
                None
            };
            lines.push(nested.unwrap_or_else(|| self.item_block(node, before, next)));
        }
        lines
    }

    /// Returns whether the list at `index` of `nodes`, the blocks of an item, can be written as lines with
    /// one more sign: only lists follow it, adjacent lists differ in kind, and either a block of the item
    /// precedes it or `is_first` is true.
    fn may_nest(&self, nodes: &[Node<'_>], index: usize, is_first: bool) -> bool {
        let kinds: Vec<Kind> = nodes[index..].iter().map(|it| it.kind).collect();
        let are_lists = nodes[index..].iter().all(is_list);
        let differ = kinds.windows(2).all(|it| it[0] != it[1]);
        are_lists && differ && (index > 0 || is_first)
    }

    fn item_block(&mut self, node: &Node<'_>, before: Option<&Node<'_>>, next: Option<&Node<'_>>) -> String {
        let is_bare = node.kind == Kind::Paragraph && node.children.is_empty() && node.marks.is_empty();
        if is_bare && before.is_none() && next.is_none_or(is_list) {
            return String::new();
        }
        if is_list(node) {
            return self.other(node, Container::Item);
        }
        match before {
            None if node.kind == Kind::Paragraph && node.marks.is_empty() && only(node, &[]).is_some() => {
                let line = self.line("* ", &node.children, Line::Paragraph(Container::Item));
                line.map_or_else(|| self.other(node, Container::Item), |it| it[2..].to_owned())
            }
            _ => self.tight(before, node, next),
        }
    }

    /// Returns the markup of a block in an item, between the blocks `before` and `next`. No empty line
    /// separates the blocks of an item.
    fn tight(&mut self, before: Option<&Node<'_>>, node: &Node<'_>, next: Option<&Node<'_>>) -> String {
        self.block(node, before, next.filter(|it| !is_list(it)), Container::Item)
    }
}
