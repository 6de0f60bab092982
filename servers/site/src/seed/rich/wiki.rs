//! Documents in the form of Data Center: wiki markup.
//!
//! In: blocks. Out: text. What wiki markup lacks has the form that people give it by hand: lozenges are bold words, and what can be
//! opened is a panel with a title.

use std::fmt::Write as _;

use super::{Block, Item, Names, Span, Table};
use crate::time;

/// Returns a document as Data Center stores it.
pub(in crate::seed) fn write(doc: &[Block], names: &dyn Names) -> String {
    let mut out = String::new();
    Wiki { names }.blocks(doc, &mut out);
    out.truncate(out.trim_end().len());
    out
}

struct Wiki<'a> {
    names: &'a dyn Names,
}

impl Wiki<'_> {
    fn blocks(&self, blocks: &[Block], out: &mut String) {
        for (at, block) in blocks.iter().enumerate() {
            if at > 0 && !matches!(blocks[at - 1], Block::Head(..)) {
                out.push('\n');
            }
            self.block(block, out);
        }
    }

    fn block(&self, block: &Block, out: &mut String) {
        match block {
            Block::Para(line) => out.push_str(&self.line(line)),
            Block::Head(level, text) => drop(write!(out, "h{level}. {}", escaped(text))),
            Block::Bullets(items) => return self.items("*", items, out),
            Block::Numbers(items) => return self.items("#", items, out),
            Block::Tasks(tasks) => {
                for (is_done, line) in tasks {
                    let mark = if *is_done { "(/)" } else { "(!)" };
                    let _ = writeln!(out, "* {mark} {}", self.line(line));
                }
                return;
            }
            Block::Decisions(lines) => {
                for line in lines {
                    let _ = writeln!(out, "* *Decision:* {}", self.line(line));
                }
                return;
            }
            Block::Code("", text) => drop(write!(out, "{{noformat}}\n{text}\n{{noformat}}")),
            Block::Code(language, text) => drop(write!(out, "{{code:{language}}}\n{text}\n{{code}}")),
            Block::Panel(kind, blocks) => {
                let color = match *kind {
                    "error" => "#ffebe6",
                    "note" => "#eae6ff",
                    "success" => "#e3fcef",
                    "warning" => "#fffae6",
                    _ => "#deebff",
                };
                let _ = writeln!(out, "{{panel:bgColor={color}}}");
                self.inside(blocks, out);
                out.push_str("{panel}");
            }
            Block::Quote(blocks) => {
                out.push_str("{quote}\n");
                self.inside(blocks, out);
                out.push_str("{quote}");
            }
            Block::Expand(title, blocks) => {
                let _ = writeln!(out, "{{panel:title={title}|borderStyle=dashed}}");
                self.inside(blocks, out);
                out.push_str("{panel}");
            }
            Block::Rule => out.push_str("----"),
            Block::Table(table) => return self.table(table, out),
            Block::Picture(name, ..) => drop(write!(out, "!{name}|thumbnail!")),
            Block::Files(names) => {
                let files: Vec<_> = names.iter().map(|it| format!("[^{it}]")).collect();
                out.push_str(&files.join(" "));
            }
        }
        out.push('\n');
    }

    /// Writes the blocks of a macro, whose end has a line of its own.
    fn inside(&self, blocks: &[Block], out: &mut String) {
        self.blocks(blocks, out);
        if !out.ends_with('\n') {
            out.push('\n');
        }
    }

    fn items(&self, mark: &str, items: &[Item], out: &mut String) {
        for Item(line, below) in items {
            let _ = writeln!(out, "{mark} {}", self.line(line));
            for line in below {
                let _ = writeln!(out, "{mark}* {}", self.line(line));
            }
        }
    }

    /// Writes a table. Wiki markup has no cells that take several columns or rows: empty ones stand beside and below them.
    fn table(&self, table: &Table, out: &mut String) {
        let mut taken: Vec<(usize, u8)> = Vec::new();
        for (at, row) in table.rows.iter().enumerate() {
            let (mut column, mut cells) = (0, row.iter().peekable());
            while cells.peek().is_some() || taken.iter().any(|(it, _)| *it == column) {
                let is_head = at == 0 || (table.heads_rows && column == 0);
                out.push_str(if is_head { "||" } else { "|" });
                if let Some(found) = taken.iter().position(|(it, _)| *it == column) {
                    out.push(' ');
                    taken[found].1 -= 1;
                    column += 1;
                } else if let Some(cell) = cells.next() {
                    let text = self.line(&cell.line);
                    out.push_str(if text.is_empty() { " " } else { &text });
                    for beside in 0..cell.span.0 {
                        if beside > 0 {
                            out.push_str(if is_head { "|| " } else { "| " });
                        }
                        if cell.span.1 > 1 {
                            // The row itself is the first of those that it takes.
                            taken.push((column, cell.span.1 - 1));
                        }
                        column += 1;
                    }
                }
                taken.retain(|(_, rows)| *rows > 0);
            }
            out.push_str(if at == 0 { "||\n" } else { "|\n" });
        }
    }

    fn line(&self, line: &[Span]) -> String {
        let mut out = String::new();
        for span in line {
            match span {
                Span::Text(text) => out.push_str(&escaped(text)),
                Span::Strong(text) => drop(write!(out, "*{}*", escaped(text))),
                Span::Em(text) => drop(write!(out, "_{}_", escaped(text))),
                Span::Strike(text) => drop(write!(out, "-{}-", escaped(text))),
                Span::Under(text) => drop(write!(out, "+{}+", escaped(text))),
                Span::Code(text) => drop(write!(out, "{{{{{text}}}}}")),
                Span::Color(color, text) => drop(write!(out, "{{color:{color}}}{}{{color}}", escaped(text))),
                Span::Link(text, url) => drop(write!(out, "[{}|{url}]", escaped(text))),
                Span::Card(url) => out.push_str(url),
                Span::Issue(plan) => {
                    out.push_str(&self.names.key(*plan).unwrap_or_else(|| "that issue".into()));
                }
                Span::Mention(id) => match self.names.person(*id) {
                    Some(person) => drop(write!(out, "[~{}]", person.name)),
                    None => out.push_str("the team"),
                },
                Span::Emoji(emoji) => out.push_str(emoji.parts().3),
                Span::Status(text, color) => {
                    let color = if *color == "neutral" { "grey" } else { color };
                    let _ = write!(out, "{{color:{color}}}*{}*{{color}}", escaped(text));
                }
                Span::Day(at) => drop(write!(out, "{}", time::day(*at))),
                Span::Break => out.push('\n'),
                Span::File(name) => drop(write!(out, "[^{name}]")),
            }
        }
        out
    }
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        if matches!(char, '{' | '}' | '[' | ']' | '|') {
            out.push('\\');
        }
        out.push(char);
    }
    out
}
