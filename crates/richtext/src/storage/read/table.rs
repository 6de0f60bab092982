//! Reads tables of HTML, with their columns, rows, cells and comments.

use std::borrow::Cow;

use super::super::grid::Grid;
use super::super::style;
use super::super::xml::{self, Sort};
use super::link::number;
use super::{Reader, Scope};
use crate::tree::{Attr, Kind, Node};

impl<'a> Reader<'_, 'a> {
    /// Reads the table at `index`; returns `None` if it contains an element that a table must not contain, or
    /// does not fit within the node limit.
    pub(super) fn table(&mut self, index: usize, scope: Scope) -> Option<Node<'a>> {
        let known = ["data-layout", "data-table-width", "data-table-display-mode", "data-number-column"];
        let mut node = self.element(index, Kind::Table, &known);
        self.table_attributes(index, &mut node);
        let mut columns = Vec::new();
        for child in self.xml.children(index).filter(|it| !self.xml.is_blank(*it)) {
            self.room_for(child)?;
            match self.xml.name(child) {
                "colgroup" => columns.extend(self.columns(child, &mut node)?),
                "thead" | "tbody" | "tfoot" => self.section(child, scope, &mut node)?,
                "tr" => {
                    let row = self.row(child, scope)?;
                    node.children.push(row);
                }
                _ => self.comment_in(child, &mut node)?,
            }
        }
        set_widths(&mut node, &columns);
        Some(self.finish(index, node))
    }

    fn table_attributes(&self, index: usize, node: &mut Node<'a>) {
        let said = |name| self.xml.attribute(index, name);
        node.attrs.extend(said("data-layout").map(|it| Attr::string("layout", it)));
        node.attrs.extend(said("data-table-width").map(|it| number("width", "html:data-table-width", it)));
        node.attrs.extend(said("data-table-display-mode").map(|it| Attr::string("displayMode", it)));
        node.attrs.extend(said("data-number-column").map(|it| match &*it {
            "true" | "false" => Attr::json("isNumberColumnEnabled", it),
            _ => Attr::string("html:data-number-column", it),
        }));
    }

    /// Keeps the comment at `index` as an attribute of `node`, because the tree has no comments between rows
    /// or cells. Returns `None` if the item is no comment, processing instruction or declaration.
    fn comment_in(&self, index: usize, node: &mut Node<'a>) -> Option<()> {
        let aside = self.xml.item(index).sort == Sort::Aside;
        node.attrs.extend(aside.then(|| Attr::string("storage:comment", self.xml.raw(index))));
        aside.then_some(())
    }

    /// Returns the width of each column in the `colgroup` at `index` (`None` for a column without one), if
    /// the `colgroup` states widths and nothing else, all in pixels. Otherwise keeps the `colgroup` verbatim
    /// as an attribute of the table, `node`, and returns an empty list. Returns `None` if the `colgroup` is
    /// malformed, so that it can't be kept.
    fn columns(&self, index: usize, node: &mut Node<'a>) -> Option<Vec<Option<Cow<'a, str>>>> {
        let columns: Vec<_> = self.xml.children(index).filter(|it| !self.xml.is_blank(*it)).collect();
        let width = |column: usize| -> Option<Option<Cow<'a, str>>> {
            let mut said = self.xml.attributes(column);
            let Some(written) = said.next() else { return Some(None) };
            let ([width], rest) = style::take(&written.value(), [("width", style::pixels)]);
            (written.name == "style" && said.next().is_none() && rest.is_empty())
                .then(|| width.map(Cow::Owned))
        };
        let plain = self.xml.attributes(index).next().is_none();
        let found: Option<Vec<_>> =
            columns.iter().map(|it| (self.xml.name(*it) == "col").then(|| width(*it)).flatten()).collect();
        match found.filter(|it| plain && it.iter().any(Option::is_some)) {
            Some(found) => Some(found),
            None if !xml::is_sound(self.xml.raw(index)) => None,
            None => {
                node.attrs.push(Attr::string("storage:colgroup", self.xml.raw(index)));
                Some(Vec::new())
            }
        }
    }

    fn section(&mut self, index: usize, scope: Scope, node: &mut Node<'a>) -> Option<()> {
        let name = self.xml.name(index);
        // The attributes of a `tbody` and the like are kept on the table.
        let said = self.said(index, &[]);
        node.attrs.extend(
            said.into_iter().map(|it| Attr { name: format!("storage:{name}.{}", it.name).into(), ..it }),
        );
        for child in self.xml.children(index).filter(|it| !self.xml.is_blank(*it)) {
            if self.xml.name(child) != "tr" {
                self.comment_in(child, node)?;
                continue;
            }
            self.room_for(child)?;
            let mut row = self.row(child, scope)?;
            if name != "tbody" {
                row = row.with("storage:section", name);
            }
            node.children.push(row);
        }
        Some(())
    }

    fn row(&mut self, index: usize, scope: Scope) -> Option<Node<'a>> {
        let mut row = self.element(index, Kind::TableRow, &[]);
        for child in self.xml.children(index).filter(|it| !self.xml.is_blank(*it)) {
            let kind = match self.xml.name(child) {
                "td" => Kind::TableCell,
                "th" => Kind::TableHeader,
                _ => {
                    self.comment_in(child, &mut row)?;
                    continue;
                }
            };
            self.room_for(child)?;
            row.children.push(self.cell(child, kind, scope));
        }
        Some(self.finish(index, row))
    }

    fn cell(&mut self, index: usize, kind: Kind, scope: Scope) -> Node<'a> {
        let mut cell =
            self.element(index, kind, &["colspan", "rowspan", "data-highlight-colour", "data-colwidth"]);
        let said = |name| self.xml.attribute(index, name);
        cell.attrs.extend(said("colspan").map(|it| number("colspan", "html:colspan", it)));
        cell.attrs.extend(said("rowspan").map(|it| number("rowspan", "html:rowspan", it)));
        cell.attrs.extend(said("data-highlight-colour").map(|it| Attr::string("background", it)));
        cell.attrs.extend(said("data-colwidth").map(|it| Attr::string("storage:colwidth", it)));
        let inner = Scope { depth: scope.depth + 3, ..scope.nested() };
        cell.children = self.blocks(self.xml.children(index), inner);
        self.finish(index, cell)
    }
}

/// Sets the `colwidth` of each cell: from the cell's own list of widths if it has one, otherwise from
/// `columns`, the widths of the table's columns.
fn set_widths(table: &mut Node<'_>, columns: &[Option<Cow<'_, str>>]) {
    let mut grid = Grid::default();
    for row in &mut table.children {
        grid.next_row();
        for cell in &mut row.children {
            let at = grid.place(cell);
            let own = cell
                .attrs
                .iter()
                .position(|it| it.name == "storage:colwidth")
                .map(|it| cell.attrs.remove(it));
            if cell.get("colwidth").is_some() {
                continue;
            }
            let shown = match own.as_ref().and_then(|it| it.value.as_str()) {
                Some(own) => (!own.is_empty()).then(|| own.to_owned()),
                None => widths(columns, at),
            };
            cell.attrs.extend(shown.map(|it| Attr::json("colwidth", format!("[{it}]"))));
        }
    }
}

/// Returns the widths of the columns `at`, separated by commas, with 0 for a column without a width; `None`
/// if none of these columns has a width.
fn widths(columns: &[Option<Cow<'_, str>>], at: std::ops::Range<usize>) -> Option<String> {
    let of = |it: usize| columns.get(it).and_then(Option::as_deref);
    at.clone()
        .any(|it| of(it).is_some())
        .then(|| at.map(|it| of(it).unwrap_or("0")).collect::<Vec<_>>().join(","))
}
