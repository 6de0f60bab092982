//! Which columns the cells of a table stand in.
//!
//! In: the cells, row by row. Out: their columns, counted from 0, with what `colspan` and `rowspan` do to them.

use std::ops::Range;

use crate::tree::Node;

/// The most columns one cell is thought to span: HTML's own limit.
const MAX_SPAN: i64 = 1000;

/// A table that is walked through.
#[derive(Default)]
pub(super) struct Grid {
    /// For each column, how many rows below are taken by a cell above.
    taken: Vec<i64>,
    column: usize,
}

impl Grid {
    /// Begins a row.
    pub(super) fn next_row(&mut self) {
        self.column = 0;
        self.taken.iter_mut().for_each(|it| *it = (*it - 1).max(0));
    }

    /// The columns of the next cell of the row.
    pub(super) fn place(&mut self, cell: &Node<'_>) -> Range<usize> {
        let span = |name| cell.integer(name).unwrap_or(1).clamp(1, MAX_SPAN);
        while self.taken.get(self.column).is_some_and(|it| *it > 0) {
            self.column += 1;
        }
        let start = self.column;
        self.column += usize::try_from(span("colspan")).unwrap_or(1);
        let rows = span("rowspan");
        if self.taken.len() < self.column && rows > 1 {
            self.taken.resize(self.column, 0);
        }
        self.taken.iter_mut().take(self.column).skip(start).for_each(|it| *it = (*it).max(rows));
        start..self.column
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Kind;

    #[test]
    fn spans_push_cells_aside() {
        let cell = |columns: &'static str, rows: &'static str| {
            Node::new(Kind::TableCell).with_json("colspan", columns).with_json("rowspan", rows)
        };
        let mut grid = Grid::default();
        grid.next_row();
        assert_eq!(grid.place(&cell("1", "2")), 0..1);
        assert_eq!(grid.place(&cell("2", "1")), 1..3);
        grid.next_row();
        assert_eq!(grid.place(&cell("1", "1")), 1..2);
        grid.next_row();
        assert_eq!(grid.place(&cell("1", "1")), 0..1);
    }
}
