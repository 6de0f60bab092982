//! Reads tables: `||head||` and `|cell|`.

use thin_vec::ThinVec;

use super::{Container, Reader};
use crate::tree::{Kind, MAX_DEPTH, Node, Span};

/// The largest number of cells in a row. Further bars (`|`) belong to the text of the last cell.
const MAX_CELLS: usize = 1000;

impl<'a> Reader<'a> {
    /// Returns whether the line at `at`, which begins with a bar, is a table row: one or two bars with text
    /// after them. Always `false` where a table would exceed the depth limit.
    pub(super) fn is_table(&self, at: usize, end: usize) -> bool {
        if self.depth + 6 > MAX_DEPTH {
            return false;
        }
        let bars = self.bytes()[at..end].iter().take_while(|it| **it == b'|').count();
        bars <= 2 && self.bytes()[at + bars..end].first().is_some_and(|it| *it != b'\n' && *it != b'\r')
    }

    pub(super) fn table(&mut self, at: usize, end: usize, found: &mut ThinVec<Node<'a>>) -> usize {
        let mut rows = ThinVec::new();
        let mut stop = at;
        let mut line = at;
        while line < end && self.bytes()[line] == b'|' && self.is_table(line, end) {
            let Some(row) = self.row(line, end) else { break };
            stop = row.span.end as usize;
            rows.push(row);
            let rest = self.skip_blanks(stop, end);
            if rest >= end || self.bytes()[rest] != b'\n' {
                break;
            }
            line = self.skip_blanks(rest + 1, end);
        }
        if rows.is_empty() {
            return at;
        }
        self.room.take(1);
        let span = Span::new(at, stop);
        found.push(Node::new(Kind::Table).at(span, span).holding(rows));
        stop
    }

    /// Reads the row that begins at `start`. Returns `None` if it does not fit within the node limit.
    fn row(&mut self, start: usize, end: usize) -> Option<Node<'a>> {
        let mut cells = ThinVec::new();
        let mut at = start;
        while at < end && self.bytes()[at] == b'|' {
            let is_head = self.bytes()[at + 1..end].first() == Some(&b'|');
            let content = at + 1 + usize::from(is_head);
            if !cells.is_empty() && self.ends_line(content, end) {
                at = content;
                break;
            }
            let mut stop = self.cell_end(content, end);
            let is_last = cells.len() + 1 == MAX_CELLS;
            let bars = self.bytes()[stop..end].iter().take(2).take_while(|it| **it == b'|').count();
            if is_last && bars > 0 && !self.ends_line(stop + bars, end) {
                stop = self.line_end(content, end);
            }
            if self.room.is_full() {
                return None;
            }
            cells.push(self.cell(is_head, at, content, stop));
            if self.room.has_refused() {
                return None;
            }
            at = stop;
        }
        let at = if self.bytes().get(at - 1) == Some(&b'|') {
            at
        } else {
            self.trim_end(start, at).max(end_of(&cells))
        };
        self.room.take(1);
        let span = Span::new(start, at);
        Some(Node::new(Kind::TableRow).at(span, span).holding(cells))
    }

    /// Returns whether only blanks stand between `at` and the end of the line.
    fn ends_line(&self, at: usize, end: usize) -> bool {
        let after = self.skip_blanks(at, end);
        after >= end || self.bytes()[after] == b'\n'
    }

    fn cell(&mut self, is_head: bool, start: usize, content: usize, stop: usize) -> Node<'a> {
        self.depth += 3;
        let mut blocks = self.blocks(content, stop, Container::Cell);
        self.depth -= 3;
        let stop = self.trim_end(content, stop).max(end_of(&blocks));
        if blocks.is_empty() {
            self.room.take(1);
            blocks.push(Node::new(Kind::Paragraph).at(Span::at(content), Span::at(content)));
        }
        self.room.take(1);
        let kind = if is_head { Kind::TableHeader } else { Kind::TableCell };
        Node::new(kind).at(Span::new(start, stop), Span::new(content, stop)).holding(blocks)
    }

    /// Returns the offset at which the cell whose content begins at `at` ends: at the next bar outside of
    /// links, pictures, code and macros, or at the end of the row.
    fn cell_end(&mut self, at: usize, end: usize) -> usize {
        let mut at = at;
        let mut from = at;
        while at < end {
            let start = at;
            at = match self.bytes()[at] {
                b'|' => return at,
                b'\\' => self.past_backslashes(at, end),
                b'\n' if self.row_ends(at, end) => return at,
                b'{' => self.past_brace(at, end),
                b'[' => self.link_end(at, end).unwrap_or(at + 1),
                b'!' => self.image_end(from, at, end).unwrap_or(at + 1),
                _ => at + 1,
            };
            from = if at > start + 1 { at } else { from };
        }
        end
    }

    fn past_backslashes(&self, at: usize, end: usize) -> usize {
        let run = self.bytes()[at..end].iter().take_while(|it| **it == b'\\').count();
        let next = at + run;
        let escapes = run == 1 && next < end && super::super::chars::is_escapable(self.bytes()[next]);
        next + usize::from(escapes)
    }

    /// Returns whether the table row ends at the line feed at `at`: another row, an empty line or nothing
    /// follows.
    fn row_ends(&self, at: usize, end: usize) -> bool {
        let next = self.skip_blanks(at + 1, end);
        next >= end || matches!(self.bytes()[next], b'|' | b'\n')
    }

    /// Returns the offset after the macro or the `{{…}}` at `at`; after the brace if it begins neither.
    fn past_brace(&mut self, at: usize, end: usize) -> usize {
        if let Some(tag) = self.tag_at(at).filter(|it| it.whole_end() <= end) {
            return tag.whole_end();
        }
        self.mono_end(at, end).unwrap_or(at + 1)
    }
}

/// Returns the offset at which the last node ends, or 0 without nodes. An empty list item ends with a blank,
/// so this offset can be after the end of the cell's text without the blanks at its end.
fn end_of(nodes: &[Node<'_>]) -> usize {
    nodes.last().map_or(0, |it| it.span.end as usize)
}
