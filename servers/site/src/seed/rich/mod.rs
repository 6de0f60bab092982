//! Rich text: documents that know both forms in which Jira stores them.
//!
//! In: blocks and spans, built by hand. Out: ADF for Cloud, wiki markup for Data Center. Neither is made of the other one.

mod adf;
mod wiki;

pub(in crate::seed) use adf::write as adf;
pub(in crate::seed) use wiki::write as wiki;

/// A document.
pub(in crate::seed) type Doc = Vec<Block>;
/// What a paragraph has.
pub(in crate::seed) type Line = Vec<Span>;

/// A part of a line.
#[derive(Clone, Debug)]
pub(in crate::seed) enum Span {
    Text(String),
    Strong(String),
    Em(String),
    Strike(String),
    Under(String),
    Code(String),
    Color(&'static str, String),
    Link(String, String),
    /// A link that shows the title of its page.
    Card(String),
    /// An issue, by its number in the plan.
    Issue(usize),
    /// A person, by id.
    Mention(i64),
    Emoji(Emoji),
    /// A lozenge: its text and its colour.
    Status(&'static str, &'static str),
    /// A day, by a time in it.
    Day(i64),
    Break,
    /// A file that is attached.
    File(String),
}

/// An emoji.
#[derive(Clone, Copy, Debug)]
pub(in crate::seed) enum Emoji {
    Check,
    Party,
    Smile,
    Thumb,
    Warning,
}

impl Emoji {
    /// The short name, the id, the character, and what stands for it in wiki markup.
    fn parts(self) -> (&'static str, &'static str, &'static str, &'static str) {
        match self {
            Self::Check => (":white_check_mark:", "2705", "✅", "(/)"),
            Self::Party => (":tada:", "1f389", "🎉", "🎉"),
            Self::Smile => (":slight_smile:", "1f642", "🙂", ":)"),
            Self::Thumb => (":thumbsup:", "1f44d", "👍", "(y)"),
            Self::Warning => (":warning:", "26a0", "⚠️", "(!)"),
        }
    }
}

/// A block of a document.
#[derive(Clone, Debug)]
pub(in crate::seed) enum Block {
    Para(Line),
    Head(u8, String),
    Bullets(Vec<Item>),
    Numbers(Vec<Item>),
    /// A list of tasks: whether each is done.
    Tasks(Vec<(bool, Line)>),
    Decisions(Vec<Line>),
    /// Code, with its language.
    Code(&'static str, String),
    /// A panel: its type and its blocks.
    Panel(&'static str, Doc),
    Quote(Doc),
    Expand(String, Doc),
    Rule,
    Table(Table),
    /// A picture that is attached: its name, width and height.
    Picture(String, u32, u32),
    /// Files that are attached.
    Files(Vec<String>),
}

/// An item of a list, with a list of its own below.
#[derive(Clone, Debug)]
pub(in crate::seed) struct Item(pub(in crate::seed) Line, pub(in crate::seed) Vec<Line>);

/// A table. The first row is its header.
#[derive(Clone, Debug)]
pub(in crate::seed) struct Table {
    pub(in crate::seed) rows: Vec<Vec<Cell>>,
    /// Whether the first column has headers, too.
    pub(in crate::seed) heads_rows: bool,
}

/// A cell of a table.
#[derive(Clone, Debug)]
pub(in crate::seed) struct Cell {
    pub(in crate::seed) line: Line,
    /// The columns and rows that it takes.
    pub(in crate::seed) span: (u8, u8),
    pub(in crate::seed) background: Option<&'static str>,
}

impl Cell {
    /// Makes a cell with text.
    pub(in crate::seed) fn of(text: impl AsRef<str>) -> Self {
        Self { line: line(text.as_ref()), span: (1, 1), background: None }
    }

    /// Makes a cell with spans.
    pub(in crate::seed) fn with(spans: Line) -> Self {
        Self { line: spans, span: (1, 1), background: None }
    }
}

/// A person as documents name them.
#[derive(Clone, Debug)]
pub(in crate::seed) struct Named {
    pub(in crate::seed) account_id: String,
    pub(in crate::seed) name: String,
    pub(in crate::seed) display_name: String,
}

/// What documents name: people by their ids, and issues by their numbers in the plan.
pub(in crate::seed) trait Names {
    /// Returns a person.
    fn person(&self, id: i64) -> Option<Named>;
    /// Returns the key of an issue that exists already.
    fn key(&self, plan: usize) -> Option<String>;
}

/// A mark of a sentence, and the span that it makes.
type Mark = (&'static str, fn(String) -> Span);

/// Makes spans of a sentence: `` `code` ``, `**strong**` and `//emphasis//`.
pub(in crate::seed) fn line(text: &str) -> Line {
    let mut spans = Line::new();
    let mut rest = text;
    let marks: [Mark; 3] = [("`", Span::Code), ("**", Span::Strong), ("//", Span::Em)];
    'text: while !rest.is_empty() {
        let mut starts: Vec<_> =
            marks.iter().filter_map(|(mark, make)| Some((rest.find(mark)?, *mark, make))).collect();
        starts.sort_by_key(|(at, ..)| *at);
        for (at, mark, make) in starts {
            let inner = at + mark.len();
            let Some(length) = rest[inner..].find(mark) else { continue };
            // The slashes of an address are no emphasis.
            if length == 0 || (mark == "//" && rest[..at].ends_with(':')) {
                continue;
            }
            if at > 0 {
                spans.push(Span::Text(rest[..at].to_owned()));
            }
            spans.push(make(rest[inner..inner + length].to_owned()));
            rest = &rest[inner + length + mark.len()..];
            continue 'text;
        }
        spans.push(Span::Text(rest.to_owned()));
        break;
    }
    spans
}

/// Makes a paragraph of a sentence.
pub(in crate::seed) fn para(text: &str) -> Block {
    Block::Para(line(text))
}

/// Makes items without lists below them.
pub(in crate::seed) fn items<'a>(texts: impl IntoIterator<Item = &'a str>) -> Vec<Item> {
    texts.into_iter().map(|it| Item(line(it), Vec::new())).collect()
}
