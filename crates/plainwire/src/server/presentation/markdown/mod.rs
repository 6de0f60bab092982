//! Markdown from a value: the one way in which data become text for a reader.
//!
//! In: the tree of a value, and its schema. Out: Markdown. Members that fit into a line are a list at the beginning, then
//! each other member has a heading. Lists of like objects are tables. The names of members are those of the JSON, so that
//! a reader of either finds everything in the other.

use serde_json::Value;

use super::tree::Tree;
use words::Place;

mod hint;
#[cfg(test)]
mod tests;
mod words;

use hint::Hint;

/// The text in place of a value that is null or empty.
const NONE: &str = "*none*";

/// The highest level of a heading in Markdown. Below it, names stand alone in bold.
const MAX_LEVEL: usize = 6;

/// The members by which an object is named, in the order in which they are tried.
const TITLES: [&str; 3] = ["title", "name", "id"];

/// Returns a value as Markdown, with a line break at the end. `schema` is the schema of the value, which says what its
/// texts are: see [`Hint`].
pub(super) fn markdown(value: &Tree, schema: Option<&Value>) -> String {
    let mut writer = Writer { out: String::new() };
    let hint = Hint::of(schema);
    match value {
        Tree::Object(members) => {
            let title = title(members);
            title.iter().for_each(|(_, text)| writer.heading(1, text));
            writer.object(members, title.map(|(name, _)| name), 1, hint);
        }
        other => writer.value(other, "item", 1, hint),
    }
    if writer.out.is_empty() {
        writer.out.extend([NONE, "\n"]);
    }
    writer.out
}

/// Returns the Markdown of a question: a heading, the text, and a list of values.
pub(super) fn question(title: &str, text: &str, values_title: &str, values: &[String]) -> String {
    let mut writer = Writer { out: String::new() };
    writer.heading(2, title);
    writer.text(text, Hint::default());
    if !values.is_empty() {
        writer.begin();
        words::push_label(&mut writer.out, values_title, Place::Start);
        writer.out.push('\n');
        writer.begin();
        for value in values {
            writer.out.push_str("- ");
            words::push(&mut writer.out, value, Place::Start);
            writer.out.push('\n');
        }
    }
    writer.out
}

/// Returns a value as a part of a line; `None` if it needs a block. It may stand at any place of the line.
#[cfg(feature = "templates")]
pub(super) fn in_line(value: &Tree) -> Option<String> {
    inline(value, Place::Start)
}

/// Returns a value as a cell of a table; `None` if it needs a block.
#[cfg(feature = "templates")]
pub(super) fn in_cell(value: &Tree) -> Option<String> {
    inline(value, Place::Cell)
}

/// Returns a text as code within a line.
#[cfg(feature = "templates")]
pub(super) fn span(text: &str) -> String {
    let mut out = String::new();
    words::code(&mut out, text, Place::Within);
    out
}

/// Returns the text of a heading.
#[cfg(feature = "templates")]
pub(super) fn heading(text: &str) -> String {
    let mut out = String::new();
    words::push(&mut out, text, Place::Heading);
    out
}

/// Returns a text as a block: in the language `markdown` in a quotation, in another one in a fence, and without one in
/// paragraphs.
#[cfg(feature = "templates")]
pub(super) fn block(text: &str, language: Option<&str>) -> String {
    let mut writer = Writer { out: String::new() };
    writer.text_in(text, language);
    writer.out
}

struct Writer {
    out: String,
}

impl Writer {
    /// Writes the members of an object without the member `titled`, which is in the heading already.
    fn object(&mut self, members: &[(String, Tree)], titled: Option<&str>, level: usize, hint: Hint<'_>) {
        let rest = || members.iter().filter(|(name, _)| titled != Some(name));
        let in_line = |it: &&(String, Tree)| {
            hint.member(&it.0).language().is_none() && inline(&it.1, Place::Within).is_some()
        };
        let mut lines = rest().filter(in_line).peekable();
        if lines.peek().is_some() {
            self.begin();
        }
        for (name, value) in lines {
            self.out.push_str("- ");
            words::push_label(&mut self.out, name, Place::Within);
            self.out.extend([" ", &inline(value, Place::Within).unwrap_or_default(), "\n"]);
        }
        for (name, value) in rest().filter(|it| !in_line(it)) {
            self.heading(level + 1, name);
            self.value(value, name, level + 1, hint.member(name));
        }
    }

    /// Writes a value below its heading. `name` names it, and the elements of a list.
    fn value(&mut self, value: &Tree, name: &str, level: usize, hint: Hint<'_>) {
        match value {
            Tree::Object(members) => self.object(members, None, level, hint),
            Tree::List(list) => match Table::of(list, hint.items()) {
                Some(table) => self.table(&table),
                None => self.list(list, name, level, hint.items()),
            },
            Tree::Text(text) => self.text(text, hint),
            other => {
                self.begin();
                self.out.extend([&inline(other, Place::Start).unwrap_or_default(), "\n"]);
            }
        }
    }

    fn list(&mut self, list: &[Tree], name: &str, level: usize, hint: Hint<'_>) {
        let items = list.iter().map(|it| inline(it, Place::Start)).collect::<Option<Vec<_>>>();
        if let Some(items) = items.filter(|_| hint.language().is_none()) {
            self.begin();
            items.iter().for_each(|text| self.out.extend(["- ", text, "\n"]));
            return;
        }
        for (number, value) in (1..).zip(list) {
            let members = if let Tree::Object(members) = value { &**members } else { &[] };
            if let Some((titled, text)) = title(members) {
                self.heading(level + 1, text);
                self.object(members, Some(titled), level + 1, hint);
            } else {
                self.heading(level + 1, &format!("{name} {number}"));
                self.value(value, name, level + 1, hint);
            }
        }
    }

    fn table(&mut self, table: &Table<'_>) {
        self.begin();
        self.out.push('|');
        for name in &table.columns {
            self.out.push(' ');
            words::push(&mut self.out, name, Place::Cell);
            self.out.push_str(" |");
        }
        self.out.extend(["\n|", &" --- |".repeat(table.columns.len()), "\n"]);
        for row in &table.rows {
            self.out.push('|');
            for cell in row {
                self.out.extend([" ", cell, " |"]);
            }
            self.out.push('\n');
        }
    }

    /// Writes a text as a block: Markdown in a quotation, code in a fence, and other text in paragraphs.
    fn text(&mut self, text: &str, hint: Hint<'_>) {
        self.text_in(text, hint.language());
    }

    fn text_in(&mut self, text: &str, language: Option<&str>) {
        self.begin();
        match language {
            Some("markdown") => {
                // In a quotation, nothing of the text can reach beyond its end.
                for line in text.lines() {
                    self.out.extend([if line.is_empty() { ">" } else { "> " }, line, "\n"]);
                }
            }
            Some(language) => self.fence(text, language),
            None if text.is_empty() => {
                words::push(&mut self.out, text, Place::Start);
                self.out.push('\n');
            }
            None if needs_fence(text) => self.fence(text, ""),
            None => {
                let mut lines = text.lines().peekable();
                while let Some(line) = lines.next() {
                    if !line.is_empty() {
                        words::push(&mut self.out, line, Place::Start);
                        // A backslash keeps the line break within a paragraph.
                        let is_last = lines.peek().is_none_or(|next| next.is_empty());
                        self.out.push_str(if is_last { "" } else { "\\" });
                    }
                    self.out.push('\n');
                }
            }
        }
    }

    fn fence(&mut self, text: &str, language: &str) {
        let fence = "`".repeat(words::longest_run(text, '`').max(2) + 1);
        let end = if text.ends_with('\n') || text.is_empty() { "" } else { "\n" };
        self.out.extend([&*fence, language, "\n", text, end, &*fence, "\n"]);
    }

    fn heading(&mut self, level: usize, text: &str) {
        self.begin();
        if level <= MAX_LEVEL {
            self.out.extend([&"#".repeat(level), " "]);
            words::push(&mut self.out, text, Place::Heading);
        } else {
            words::push_label(&mut self.out, text, Place::Start);
        }
        self.out.push('\n');
    }

    /// Begins a block: an empty line parts it from the block before it.
    fn begin(&mut self) {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
    }
}

/// A list of like objects, as a table.
struct Table<'t> {
    columns: Vec<&'t str>,
    rows: Vec<Vec<String>>,
}

impl<'t> Table<'t> {
    /// Returns the table of a list; `None` if its elements are no objects, or have values that do not fit into a line.
    fn of(list: &'t [Tree], hint: Hint<'_>) -> Option<Self> {
        let mut columns: Vec<&str> = Vec::new();
        for element in list {
            let Tree::Object(members) = element else { return None };
            for (name, _) in members {
                if !columns.contains(&&**name) {
                    columns.push(name);
                }
            }
        }
        if columns.is_empty() || columns.iter().any(|name| hint.member(name).language().is_some()) {
            return None;
        }
        let cell = |element: &Tree, name: &str| match element.member(name) {
            Some(value) => inline(value, Place::Cell),
            None => Some(String::new()),
        };
        let row = |element| columns.iter().map(|name| cell(element, name)).collect::<Option<Vec<_>>>();
        let rows = list.iter().map(row).collect::<Option<Vec<_>>>()?;
        Some(Self { columns, rows })
    }
}

/// Returns a value as a part of a line; `None` if it needs a block.
fn inline(value: &Tree, place: Place) -> Option<String> {
    match value {
        Tree::Null => Some(NONE.to_owned()),
        Tree::Bool(it) => Some(it.to_string()),
        Tree::Number(it) => Some(it.to_string()),
        Tree::Text(text) => words::is_inline(text).then(|| {
            let mut out = String::new();
            words::push(&mut out, text, place);
            out
        }),
        Tree::List(list) if list.is_empty() => Some(NONE.to_owned()),
        Tree::Object(members) if members.is_empty() => Some(NONE.to_owned()),
        Tree::List(list) => {
            // Of texts with commas, nobody could see where one ends.
            let is_part = |it: &Tree| match it {
                Tree::Text(text) => !text.contains(',') && text.chars().count() <= MAX_PART,
                Tree::Bool(_) | Tree::Number(_) => true,
                Tree::Null | Tree::List(_) | Tree::Object(_) => false,
            };
            let parts = list.iter().all(is_part).then(|| list.iter().map(|it| inline(it, Place::Within)));
            Some(parts?.collect::<Option<Vec<_>>>()?.join(", "))
        }
        Tree::Object(_) => None,
    }
}

/// The maximal number of characters of a text in a list that stands in one line.
const MAX_PART: usize = 60;

/// Returns the member that names an object, and its text.
fn title(members: &[(String, Tree)]) -> Option<(&str, &str)> {
    let named = |title: &&str| {
        let (name, value) = members.iter().find(|(name, _)| name == title)?;
        Some((&**name, value.text().filter(|it| words::is_inline(it) && !it.trim().is_empty())?))
    };
    TITLES.iter().find_map(named)
}

/// Returns whether paragraphs would not show a text as it is: blanks at the ends of its lines, and more than one empty line,
/// would be lost.
fn needs_fence(text: &str) -> bool {
    let is_bad = |line: &str| line.trim() != line || line.chars().any(char::is_control);
    text.contains("\n\n\n")
        || text.starts_with('\n')
        || text.ends_with('\n')
        || text.contains('\r')
        || text.lines().any(is_bad)
}
