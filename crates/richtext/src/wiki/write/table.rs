//! Writes tables: each row begins on a new line.

use thin_vec::ThinVec;

use super::Writer;
use super::block::only;
use super::inline::Care;
use crate::empty_lines::joined;
use crate::tree::{Kind, MarkKind, Node, NodeLimit};
use crate::wiki::read::{self, Container};

/// The largest number of cells in a row, as in the reader.
const MAX_CELLS: usize = 1000;

impl Writer {
    pub(super) fn table(&mut self, table: &Node<'_>) -> Option<String> {
        only(table, &[])?;
        if table.children.is_empty() {
            return None;
        }
        self.rows(&table.children)
    }

    pub(super) fn rows(&mut self, rows: &[Node<'_>]) -> Option<String> {
        let mut lines = Vec::new();
        for row in rows {
            only(row, &[])?;
            let last = row.children.last()?;
            if row.kind != Kind::TableRow || row.children.len() > MAX_CELLS || !row.marks.is_empty() {
                return None;
            }
            lines.push(self.row(row, bars(last))?);
        }
        Some(lines.join("\n"))
    }

    /// Returns the markup of a row, with `end` after its last cell; `None` if no spelling of it reads back.
    /// Signs in different cells may pair up, so the row is read again as a whole.
    fn row(&mut self, row: &Node<'_>, end: &str) -> Option<String> {
        for least in [Care::Plain, Care::Escaped, Care::Forced] {
            let (singles, bodied) = (self.singles.clone(), self.bodied.clone());
            let before = std::mem::replace(&mut self.least, least);
            let text = self.cells(&row.children);
            self.least = before;
            let text = text? + end;
            if self.is_row(&text, row) {
                return Some(text);
            }
            (self.singles, self.bodied) = (singles, bodied);
        }
        None
    }

    /// Returns whether `text` is read as one row whose cells have the kinds and texts of the cells of `row`.
    fn is_row(&self, text: &str, row: &Node<'_>) -> bool {
        let (blocks, _) = read::read(text, self.dialect, NodeLimit::default());
        let [table] = blocks.as_slice() else { return false };
        let [found] = table.children.as_slice() else { return false };
        let text = |it: &Node<'_>| Node::new(it.kind).holding(joined(&it.children)).plain_text();
        let is_same = |one: &Node<'_>, other: &Node<'_>| one.kind == other.kind && text(one) == text(other);
        found.kind == Kind::TableRow
            && found.children.len() == row.children.len()
            && found.children.iter().zip(&row.children).all(|(one, other)| is_same(one, other))
    }

    pub(super) fn cells(&mut self, cells: &[Node<'_>]) -> Option<String> {
        let mut text = String::new();
        for cell in cells {
            only(cell, &[])?;
            if !matches!(cell.kind, Kind::TableCell | Kind::TableHeader) || !cell.marks.is_empty() {
                return None;
            }
            text.push_str(bars(cell));
            text.push_str(&self.cell(&cell.children));
        }
        Some(text)
    }

    fn cell(&mut self, blocks: &[Node<'_>]) -> String {
        if blocks.is_empty() {
            return " ".to_owned();
        }
        // Wiki markup has no alignment. `{adf}` in each cell of a column would hide the table.
        let is_aligned = |it: &Node<'_>| it.mark(MarkKind::Alignment).is_some();
        let plain: ThinVec<Node<'_>>;
        let blocks = if blocks.iter().any(is_aligned) {
            plain = blocks.iter().map(without_alignment).collect();
            &plain[..]
        } else {
            blocks
        };
        if let [only] = blocks
            && only.kind == Kind::Paragraph
            && only.children.is_empty()
            && only.marks.is_empty()
        {
            return " ".to_owned();
        }
        // The blocks directly follow the bar: a line feed after it would end the row.
        self.blocks(blocks, Container::Cell)
    }
}

fn without_alignment<'a>(node: &Node<'a>) -> Node<'a> {
    let mut node = node.clone();
    node.marks.retain(|it| it.kind != MarkKind::Alignment);
    node
}

fn bars(cell: &Node<'_>) -> &'static str {
    if cell.kind == Kind::TableHeader { "||" } else { "|" }
}
