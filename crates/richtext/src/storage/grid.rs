//! The columns of a table that each cell covers.
//!
//! In: the cells, row by row. Out: the columns of each cell, counted from 0, with `colspan` and `rowspan`
//! applied.

use std::ops::Range;

use crate::tree::Node;

/// The largest number of columns or rows that one cell may span: HTML's limit for `colspan`.
const MAX_SPAN: i64 = 1000;

/// The state of a walk through the cells of a table.
#[derive(Default)]
pub(super) struct Grid {
    /// For each column, the number of rows that the last cell in it still covers, the current row included.
    taken: Vec<i64>,
    column: usize,
}

impl Grid {
    /// Begins the next row.
    pub(super) fn next_row(&mut self) {
        self.column = 0;
        self.taken.iter_mut().for_each(|it| *it = (*it - 1).max(0));
    }

    /// Returns the columns that the next cell of the current row covers.
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
