//! Writes tables: with pipes if that carries everything, otherwise as HTML whose cells contain Markdown.

use super::super::attrs::{self, AttrPosition};
use super::blocks::Blocks;
use super::directive::is_bare;
use super::escape::Within;
use super::inline::Inline;
use crate::Flavor;
use crate::lean::is_unseen;
use crate::tree::{Attr, Kind, Mark, MarkKind, Node, Value};

/// Writes a table. Returns `None`, with nothing written, if its children are not all rows of cells, or if an
/// attribute can't be written.
pub(super) fn write(blocks: &mut Blocks, table: &Node<'_>) -> Option<()> {
    let cell = |it: &Node<'_>| {
        matches!(it.kind, Kind::TableHeader | Kind::TableCell) && attrs::of_node(it).is_some()
    };
    let row = |it: &Node<'_>| {
        it.kind == Kind::TableRow && it.children.iter().all(cell) && attrs::of_node(it).is_some()
    };
    let given = attrs::of_node(table)?;
    if !table.children.iter().all(row) {
        return None;
    }
    if is_piped(table, blocks.flavor) && (given.is_empty() || attrs::fit_block(&given)) {
        blocks.given(table, &[])?;
        piped(blocks, table);
    } else {
        html(blocks, table, &given);
    }
    Some(())
}

/// Returns whether a pipe table can carry all rows and cells: the table has one header row or none, the same number of cells in
/// each row, and one line of text in each cell. A header row whose cells are all empty would be read as none.
fn is_piped(table: &Node<'_>, flavor: Flavor) -> bool {
    let Some((head, rows)) = table.children.split_first() else { return false };
    let width = head.children.len();
    let columns: Vec<_> = head.children.iter().map(alignment).collect();
    let fits = |row: &Node<'_>, kind: Kind| {
        row.children.len() == width
            && is_bare(row)
            && row.children.iter().all(|it| it.kind == kind && is_bare(it) && is_line(it))
            && row.children.iter().map(alignment).eq(columns.iter().copied())
    };
    let is_empty =
        |it: &Node<'_>| it.children.iter().all(|it| it.children.is_empty() && it.kind == Kind::Paragraph);
    let has_head = fits(head, Kind::TableHeader) && (rows.is_empty() || !head.children.iter().all(is_empty));
    let has_none = flavor == Flavor::Extended && fits(head, Kind::TableCell);
    width > 0 && (has_head || has_none) && rows.iter().all(|it| fits(it, Kind::TableCell))
}

/// Returns the alignment of the text in a cell; `None` at the left.
fn alignment<'n>(cell: &'n Node<'_>) -> Option<&'n str> {
    cell.children.first()?.mark(MarkKind::Alignment)?.text("align")
}

fn is_line(cell: &Node<'_>) -> bool {
    let [text] = &cell.children[..] else { return false };
    if text.kind == Kind::MediaSingle {
        return super::blocks::picture(text, true).is_some_and(|it| !it.contains('\n'));
    }
    let is_of_column = |it: &Mark<'_>| {
        it.kind == MarkKind::Alignment
            && it.attrs.len() == 1
            && matches!(alignment(cell), Some("center" | "end"))
    };
    let on_line =
        |it: &Node<'_>| it.kind.is_inline() && (it.kind != Kind::RawInline || !it.text.contains(['\n', '|']));
    text.kind == Kind::Paragraph
        && text.marks.iter().all(is_of_column)
        && text.attrs.iter().all(|it| !attrs::is_carried(it))
        && text.children.iter().all(on_line)
}

fn piped(blocks: &mut Blocks, table: &Node<'_>) {
    let head = &table.children[0];
    let has_head = head.children.iter().all(|it| it.kind == Kind::TableHeader);
    if !has_head {
        blocks.out.push(&"|  ".repeat(head.children.len()));
        blocks.out.push("|");
        dashes(blocks, head);
        blocks.out.line();
    }
    for (at, row) in table.children.iter().enumerate() {
        if at > 0 {
            blocks.out.line();
        }
        blocks.out.push("|");
        for cell in &row.children {
            blocks.out.push(" ");
            let first = cell.children.first();
            if let Some(picture) = first.filter(|it| it.kind == Kind::MediaSingle) {
                blocks.out.push(&super::blocks::picture(picture, true).unwrap_or_default());
            } else {
                let runs = first.map_or(&[][..], |it| &it.children[..]);
                let within = Within { cell: true, ..Within::default() };
                let mut inline = Inline::new(&mut blocks.out, blocks.flavor, within);
                // A picture alone is read as a block.
                inline.alone = runs.len() == 1 && blocks.flavor == Flavor::Extended;
                inline.block(runs);
            }
            if !blocks.out.text.ends_with(' ') {
                blocks.out.push(" ");
            }
            blocks.out.push("|");
        }
        if at == 0 && has_head {
            dashes(blocks, row);
        }
    }
}

/// Writes the line below the header, with the alignment of the columns. `row` is the first row.
fn dashes(blocks: &mut Blocks, row: &Node<'_>) {
    blocks.out.line();
    blocks.out.push("|");
    for cell in &row.children {
        blocks.out.push(match alignment(cell) {
            Some("center") => " :-: |",
            Some(_) => " --: |",
            None => " --- |",
        });
    }
}

fn html(blocks: &mut Blocks, table: &Node<'_>, given: &[Attr<'_>]) {
    // Only there cells on one line are read.
    let is_compact =
        blocks.is_compact && blocks.out.is_at_top() && !blocks.within.iter().any(|it| is_cell(it));
    tag(blocks, "table", given);
    for row in &table.children {
        blocks.out.line();
        tag(blocks, "tr", &attrs::of_node(row).unwrap_or_default());
        for cell in &row.children {
            blocks.out.line();
            let name = if cell.kind == Kind::TableHeader { "th" } else { "td" };
            tag(blocks, name, &attrs::of_node(cell).unwrap_or_default());
            let is_empty = cell.children.iter().all(|it| is_unseen(it) && is_bare(it));
            if is_compact && is_empty {
                // Nothing is shown.
            } else if is_compact && is_on_line(cell) {
                line(blocks, cell);
            } else if !cell.children.is_empty() {
                blocks.out.blank();
                blocks.within.push(name);
                blocks.siblings(&cell.children);
                blocks.within.pop();
                blocks.out.blank();
            }
            blocks.out.push("</");
            blocks.out.push(name);
            blocks.out.push(">");
        }
        blocks.out.line();
        blocks.out.push("</tr>");
    }
    blocks.out.line();
    blocks.out.push("</table>");
}

fn is_cell(name: &str) -> bool {
    matches!(name, "td" | "th")
}

/// Returns whether the cell of an HTML table has one paragraph without attributes and line breaks, and can be on one line.
fn is_on_line(cell: &Node<'_>) -> bool {
    let [text] = &cell.children[..] else { return false };
    let is_plain = |it: &Node<'_>| !matches!(it.kind, Kind::HardBreak | Kind::RawInline | Kind::Image);
    text.kind == Kind::Paragraph
        && is_bare(text)
        && !text.children.is_empty()
        && text.children.iter().all(is_plain)
}

/// Writes the paragraph of a cell, between the tags of the cell.
fn line(blocks: &mut Blocks, cell: &Node<'_>) {
    let runs = cell.children.first().map_or(&[][..], |it| &it.children[..]);
    let mut text = Blocks { is_compact: true, ..Blocks::new(blocks.flavor) };
    text.inline(runs, Within::default());
    blocks.out.push(&text.out.text);
}

fn tag(blocks: &mut Blocks, name: &str, given: &[Attr<'_>]) {
    let mut text = format!("<{name}");
    for attr in given {
        let spans = matches!(&*attr.name, "colspan" | "rowspan");
        if blocks.flavor == Flavor::Plain && !spans {
            continue;
        }
        text.push(' ');
        match &attr.value {
            Value::Json(number) if spans && number.parse::<u32>().is_ok() => {
                text.push_str(&format!("{}=\"{number}\"", attr.name))
            }
            // A string that looks like a number would be read as a number.
            Value::Str(number) if spans => text.push_str(&format!("{}='\"{number}\"'", attr.name)),
            value => attrs::write(&mut text, &attr.name, value, AttrPosition::Tag),
        }
    }
    text.push('>');
    blocks.out.push(&text);
}
