//! Writes tables, with the widths of their columns in a `colgroup`.

use super::super::grid::Grid;
use super::super::style;
use super::Writer;
use super::block::holds_only;
use super::link::json_number;
use super::tag::Tag;
use crate::tree::{Kind, Node, Value};

impl Writer {
    pub(super) fn table(&mut self, node: &Node<'_>) {
        let rows = holds_only(node, &[Kind::TableRow]);
        let cells = node.children.iter().all(|it| holds_only(it, &[Kind::TableCell, Kind::TableHeader]));
        if !rows || !cells {
            return self.raw_adf(node);
        }
        let mut native = Vec::new();
        let mut used = Vec::new();
        let flag =
            node.get("isNumberColumnEnabled").filter(|it| matches!(it, Value::Json(_))).map(Value::shown);
        let known = [
            ("layout", "data-layout", node.text_of("layout")),
            ("width", "data-table-width", json_number(node, "width")),
            ("displayMode", "data-table-display-mode", node.text_of("displayMode")),
            (
                "isNumberColumnEnabled",
                "data-number-column",
                flag.filter(|it| matches!(*it, "true" | "false")),
            ),
        ];
        for (name, written, value) in known {
            native.extend(value.map(|it| (written, it)));
            used.extend(value.map(|_| name));
        }
        self.tag(Tag::of("table", node).but(&used), &native);
        self.comments(node);
        let columns = self.colgroup(node);
        let mut section = "";
        let mut grid = Grid::default();
        for row in &node.children {
            let next = row
                .text_of("storage:section")
                .filter(|it| matches!(*it, "thead" | "tfoot"))
                .unwrap_or("tbody");
            if next != section {
                self.end_section(section);
                self.start_section(next, node);
                section = next;
            }
            self.row(row, &columns, &mut grid);
        }
        self.end_section(section);
        self.close("table");
    }

    fn start_section(&mut self, name: &str, table: &Node<'_>) {
        self.out.push('<');
        self.out.push_str(name);
        let prefix = format!("storage:{name}.");
        for attr in &table.attrs {
            if let Some(written) = attr.name.strip_prefix(&*prefix) {
                let written = if written == "localId" { "local-id" } else { written };
                self.attribute(written.strip_prefix("html:").unwrap_or(written), attr.value.shown());
            }
        }
        self.out.push('>');
    }

    fn end_section(&mut self, name: &str) {
        if !name.is_empty() {
            self.close(name);
        }
    }

    /// Writes the `colgroup` of a table, if a column has a width, and returns the width of each column. If
    /// the reader kept a `colgroup` verbatim, writes that and returns no widths.
    fn colgroup(&mut self, table: &Node<'_>) -> Vec<Option<String>> {
        if let Some(written) = table.text_of("storage:colgroup") {
            self.out.push_str(written);
            return Vec::new();
        }
        let columns = columns(table);
        if columns.iter().any(Option::is_some) {
            self.out.push_str("<colgroup>");
            for column in &columns {
                let style = column.as_ref().map(|it| format!("width: {it}px;"));
                self.out.push_str("<col");
                style.iter().for_each(|it| self.attribute("style", it));
                self.out.push_str(" />");
            }
            self.out.push_str("</colgroup>");
        }
        columns
    }

    /// Writes `nodes`, rows of the table `parent` or cells of the row `parent`.
    pub(super) fn rows(&mut self, nodes: &[Node<'_>], parent: &Node<'_>) {
        let columns = if parent.kind == Kind::Table { columns(parent) } else { Vec::new() };
        let mut grid = Grid::default();
        grid.next_row();
        for node in nodes {
            match node.kind {
                Kind::TableRow => self.row(node, &columns, &mut grid),
                Kind::TableCell | Kind::TableHeader => self.cell(node, &columns, &mut grid),
                _ => self.block(node, parent.kind),
            }
        }
    }

    fn row(&mut self, row: &Node<'_>, columns: &[Option<String>], grid: &mut Grid) {
        self.tag(Tag::of("tr", row), &[]);
        self.comments(row);
        grid.next_row();
        row.children.iter().for_each(|it| self.cell(it, columns, grid));
        self.close("tr");
    }

    fn cell(&mut self, cell: &Node<'_>, columns: &[Option<String>], grid: &mut Grid) {
        let name = if cell.kind == Kind::TableHeader { "th" } else { "td" };
        let own = widths(cell);
        let broken = own.is_none() && cell.get("colwidth").is_some();
        let own = own.unwrap_or_default();
        let at = grid.place(cell);
        let usual: Vec<_> = at.map(|it| columns.get(it).cloned().flatten()).collect();
        let usual = if usual.iter().any(Option::is_some) {
            usual.into_iter().map(|it| it.unwrap_or_else(|| "0".to_owned())).collect()
        } else {
            Vec::new()
        };
        let shown = own.join(",");
        let mut native = Vec::new();
        let mut used = Vec::new();
        for (name, value) in
            ["colspan", "rowspan"].into_iter().filter_map(|it| Some((it, json_number(cell, it)?)))
        {
            native.push((name, value));
            used.push(name);
        }
        native.extend(cell.text_of("background").map(|it| ("data-highlight-colour", it)));
        used.extend(cell.text_of("background").map(|_| "background"));
        if !broken {
            used.push("colwidth");
            // A cell that names no width has that of its column.
            let is_said = !own.is_empty() || self.keep_raw;
            native.extend((is_said && own != usual).then_some(("data-colwidth", &*shown)));
        }
        self.tag(Tag::of(name, cell).but(&used), &native);
        self.blocks(&cell.children, cell.kind);
        self.close(name);
    }
}

/// Returns the width of each column of `table`: the first one that is not 0, from a cell that states a width
/// for each column it covers. `None` for a column without a width.
fn columns(table: &Node<'_>) -> Vec<Option<String>> {
    let mut found: Vec<Option<String>> = Vec::new();
    let mut grid = Grid::default();
    for row in &table.children {
        grid.next_row();
        for cell in &row.children {
            let at = grid.place(cell);
            let own = widths(cell).unwrap_or_default();
            if own.len() != at.len() {
                continue;
            }
            for (column, width) in at.zip(own).filter(|it| it.1 != "0") {
                if found.len() <= column {
                    found.resize(column + 1, None);
                }
                found[column].get_or_insert(width);
            }
        }
    }
    found
}

/// Returns the widths that a cell states for the columns it covers; `None` if they are missing or not all
/// numbers.
fn widths(cell: &Node<'_>) -> Option<Vec<String>> {
    let Some(Value::Json(text)) = cell.get("colwidth") else { return None };
    let found: Vec<_> = crate::values::json::elements(text)?.iter().map(|it| (*it).to_owned()).collect();
    (!found.is_empty() && found.iter().all(|it| style::is_number(it))).then_some(found)
}
