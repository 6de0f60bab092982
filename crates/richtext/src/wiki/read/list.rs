//! Reads lists: lines that begin with `*`, `-` or `#`, one sign for each level.

use thin_vec::{ThinVec, thin_vec};

use super::{Container, Reader, is_blank};
use crate::tree::{Kind, MAX_DEPTH, Node, Span, add};

/// The largest number of levels of nested lists. A line with more signs is text.
pub(crate) const MAX_LEVELS: usize = 30;

/// An item of a list: its first line, and the lines that continue its text.
struct Item {
    start: usize,
    /// The number of list signs at the start of the line: the level of the item.
    levels: usize,
    /// The offset at which the text of the item begins.
    content: usize,
    end: usize,
}

impl<'a> Reader<'a> {
    /// Returns the number of list signs that the line at `at` begins with, and the offset of the text after
    /// them; `None` if the line does not begin a list item.
    pub(super) fn marker(&self, at: usize, end: usize, place: Container) -> Option<(usize, usize)> {
        let text = &self.bytes()[at..end];
        let levels =
            text.iter().take(MAX_LEVELS + 1).take_while(|it| matches!(it, b'*' | b'#' | b'-')).count();
        let after = text.get(levels);
        if levels == 0 || levels > MAX_LEVELS || !after.is_some_and(|it| is_blank(*it)) {
            return None;
        }
        if self.depth + 2 * levels + 2 > MAX_DEPTH {
            return None;
        }
        let content = self.skip_blanks(at + levels, end);
        let is_empty = self.bytes()[content..end].first().is_none_or(|it| *it == b'\n');
        // A lone dash is text, and so is a sign that is the whole content of a cell.
        let is_sign = is_empty
            && (text[..levels].ends_with(b"-") || place == Container::Cell && levels == 1 && content >= end);
        (!is_sign).then_some((levels, content))
    }

    /// Reads the adjacent lists that begin at `at`, and appends them to `found`. Returns the offset at which
    /// they end.
    pub(super) fn list(
        &mut self,
        at: usize,
        end: usize,
        place: Container,
        found: &mut ThinVec<Node<'a>>,
    ) -> usize {
        let mut items = Vec::new();
        let mut line = at;
        let mut stop = at;
        while let Some((levels, content)) = self.marker(line, end, place) {
            stop = self.item_end(content, end, place);
            items.push(Item { start: line, levels, content, end: stop });
            if stop >= end || self.bytes()[stop] != b'\n' {
                break;
            }
            line = self.skip_blanks(stop + 1, end);
            let is_rule = line >= end || (place != Container::Item && self.is_rule(line, end));
            if is_rule {
                break;
            }
        }
        let (lists, taken) = self.lists(&items, 1);
        found.extend(lists);
        items.get(taken).map_or(stop, |it| it.start)
    }

    fn is_rule(&self, at: usize, end: usize) -> bool {
        let line = &self.source[at..self.line_end(at, end)];
        line.trim_end() == "----"
    }

    /// Returns the offset at which the item whose text begins at `at` ends: before a blank line, a block,
    /// another item, or a macro that an item cannot contain.
    fn item_end(&self, at: usize, end: usize, place: Container) -> usize {
        let mut at = at;
        loop {
            let line = self.line_end(at, end);
            match self.block_tag_in(at, line, end) {
                Some(tag) if super::macros::may_stand_in_item(tag) => {
                    at = tag.whole_end();
                    continue;
                }
                Some(tag) => return tag.start,
                None if line >= end => return end,
                None => {}
            }
            let next = self.skip_blanks(line + 1, end);
            let is_blank = next >= end || self.bytes()[next] == b'\n';
            if is_blank || self.ends_item(next, end, place) {
                return line;
            }
            at = next;
        }
    }

    /// Groups the items of this level, with the deeper ones that follow each, into lists: a new list begins
    /// where the sign changes from `#` to a bullet sign or back. Also returns the number of `items` that were
    /// read: not all if the node limit is reached.
    fn lists(&mut self, items: &[Item], level: usize) -> (ThinVec<Node<'a>>, usize) {
        let mut found: ThinVec<Node<'a>> = ThinVec::new();
        let mut index = 0;
        while index < items.len() && !self.room.is_full() {
            let first = &items[index];
            let sign = self.bytes()[first.start + level - 1];
            let own = usize::from(first.levels == level);
            let deeper = items[index + own..].iter().take_while(|it| it.levels > level).count();
            let next = index + own + deeper;
            let (item, taken) = self.item(&items[index..next], level);
            let kind = if sign == b'#' { Kind::OrderedList } else { Kind::BulletList };
            match found.last_mut().filter(|it| it.kind == kind) {
                Some(list) => {
                    list.span.end = item.span.end;
                    list.inner.end = item.span.end;
                    add(&mut list.children, item);
                }
                None => {
                    let list = Node::new(kind).at(item.span, item.span);
                    let list = if sign == b'-' { list.with("wiki:form", "-") } else { list };
                    self.room.take(1);
                    found.push(list.holding(thin_vec![item]));
                }
            }
            index += taken;
            if index < next {
                break;
            }
        }
        (found, index)
    }

    /// Reads the first of `items`, with the deeper items that follow it, as an item of this level. If the
    /// first one is itself deeper, the new item has no text of its own. Also returns the number of `items`
    /// that were read.
    fn item(&mut self, items: &[Item], level: usize) -> (Node<'a>, usize) {
        let first = &items[0];
        let own = usize::from(first.levels == level);
        let mut children = ThinVec::new();
        if own == 1 {
            self.depth += 2 * level;
            children = self.blocks(first.content, first.end, Container::Item);
            self.depth -= 2 * level;
        }
        let (lists, taken) = self.lists(&items[own..], level + 1);
        let taken = own + taken;
        let end = self.item_end_with(first, items[..taken].last().unwrap_or(first));
        let content = first.content.min(end);
        if own == 1 && children.is_empty() {
            self.room.take(1);
            children.push(Node::new(Kind::Paragraph).at(Span::at(content), Span::at(content)));
        }
        children.extend(lists);
        self.room.take(1);
        let inner = Span::new(if own == 1 { content } else { first.start }, end);
        (Node::new(Kind::ListItem).at(Span::new(first.start, end), inner).holding(children), taken)
    }

    /// Returns the offset at which a list item ends. `first` is its own line, and `last` its last line, which
    /// may be a nested item.
    fn item_end_with(&self, first: &Item, last: &Item) -> usize {
        // The blank after a sign belongs to the sign: without it an empty item would be text.
        self.trim_end(first.start, last.end).max(last.start + last.levels + 1)
    }
}
