//! Lists: `*`, `-` and `#`, one sign for each level.

use thin_vec::{ThinVec, thin_vec};

use super::{Place, Reader, is_blank};
use crate::tree::{Kind, MAX_DEPTH, Node, Span, add};

/// How deep lists may stand in each other. What looks deeper is text.
pub(crate) const MAX_LEVELS: usize = 30;

/// A line that begins an item, with the lines that belong to it.
struct Item {
    start: usize,
    levels: usize,
    content: usize,
    end: usize,
}

impl<'a> Reader<'a> {
    /// Of the line at `at`, how many signs of a list it begins with, and where its text begins.
    pub(super) fn marker(&self, at: usize, end: usize, place: Place) -> Option<(usize, usize)> {
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
        // A lone dash is a dash, and a cell that holds nothing but a sign holds that sign.
        let is_sign = is_empty
            && (text[..levels].ends_with(b"-") || place == Place::Cell && levels == 1 && content >= end);
        (!is_sign).then_some((levels, content))
    }

    /// The lists that begin at `at`.
    pub(super) fn list(
        &mut self,
        at: usize,
        end: usize,
        place: Place,
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
            let is_rule = line >= end || (place != Place::Item && self.is_rule(line, end));
            if is_rule {
                break;
            }
        }
        found.extend(self.lists(&items, 1));
        stop
    }

    fn is_rule(&self, at: usize, end: usize) -> bool {
        let line = &self.source[at..self.line_end(at, end)];
        line.trim_end() == "----"
    }

    /// Where the item ends whose text begins at `at`: before a blank line, a block, another item, or a macro that no item may hold.
    fn item_end(&self, at: usize, end: usize, place: Place) -> usize {
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

    /// Items of this level and deeper ones, as lists.
    fn lists(&mut self, items: &[Item], level: usize) -> ThinVec<Node<'a>> {
        let mut found: ThinVec<Node<'a>> = ThinVec::new();
        let mut index = 0;
        while index < items.len() {
            let first = &items[index];
            let sign = self.bytes()[first.start + level - 1];
            let own = usize::from(first.levels == level);
            let deeper = items[index + own..].iter().take_while(|it| it.levels > level).count();
            let next = index + own + deeper;
            let item = self.item(&items[index..next], level);
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
                    found.push(list.holding(thin_vec![item]));
                }
            }
            index = next;
        }
        found
    }

    /// An item with the deeper ones that follow it; or one that only holds deeper ones.
    fn item(&mut self, items: &[Item], level: usize) -> Node<'a> {
        let first = &items[0];
        let last = items.last().unwrap_or(first);
        // The blank behind a sign belongs to it: without one an empty item is text.
        let end = self.trim_end(first.start, last.end).max(last.start + last.levels + 1);
        let (start, mut children, deeper) = if first.levels == level {
            self.depth += 2 * level;
            let mut children = self.blocks(first.content, first.end, Place::Item);
            self.depth -= 2 * level;
            if children.is_empty() {
                let here = Span::at(first.content.min(end));
                children.push(Node::new(Kind::Paragraph).at(here, here));
            }
            (first.content.min(end), children, &items[1..])
        } else {
            (first.start, ThinVec::new(), items)
        };
        children.extend(self.lists(deeper, level + 1));
        Node::new(Kind::ListItem).at(Span::new(first.start, end), Span::new(start, end)).holding(children)
    }
}
