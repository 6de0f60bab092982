//! Edits of several kinds, as an assistant makes them.
//!
//! In: the Markdown of a document. Out: the Markdown after each edit of a kind, with the blocks that the edit
//! touches.

use std::ops::Range;

use plainwire_richtext::tree::{Kind, MarkKind, Node};
use plainwire_richtext::{Document, Flavor, Format};

const MARKDOWN: Format = Format::Markdown(Flavor::Extended);

/// A kind of edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum EditKind {
    /// Insert a word at the beginning of a block's text.
    WordAtStart,
    /// Insert a word between two words of a block's text.
    WordInMiddle,
    /// Replace the first word of a block's text.
    FirstWordReplaced,
    /// Make a word bold.
    WordMadeBold,
    /// Delete a block.
    BlockDeleted,
    /// Insert a paragraph between two blocks.
    ParagraphAdded,
    /// Add an item at the end of a list.
    ItemAdded,
    /// Add a row at the end of a table.
    RowAdded,
    /// Insert a word in each of two blocks.
    TwoBlocks,
    /// Move an inline node without a Markdown syntax of its own to another block.
    NodeMoved,
    /// Delete an inline node without a Markdown syntax of its own.
    NodeDeleted,
}

pub(crate) const KINDS: [EditKind; 11] = [
    EditKind::WordAtStart,
    EditKind::WordInMiddle,
    EditKind::FirstWordReplaced,
    EditKind::WordMadeBold,
    EditKind::BlockDeleted,
    EditKind::ParagraphAdded,
    EditKind::ItemAdded,
    EditKind::RowAdded,
    EditKind::TwoBlocks,
    EditKind::NodeMoved,
    EditKind::NodeDeleted,
];

/// The Markdown after an edit, and the parts that the edit touches.
pub(crate) struct Edited {
    pub(crate) markdown: String,
    /// The parts of the document that the edit touches, by blocks of the Markdown before the edit.
    pub(crate) touches: Vec<Touch>,
    /// The changes of the Markdown that make the edit.
    pub(crate) changes: Vec<Change>,
}

impl Edited {
    /// Returns whether the two edits change different parts of the Markdown, and can be made together.
    pub(crate) fn is_apart(&self, other: &Self) -> bool {
        let beside = |a: &Change, b: &Change| a.0.end < b.0.start || b.0.end < a.0.start;
        self.changes.iter().all(|one| other.changes.iter().all(|two| beside(one, two)))
    }
}

/// Returns the edit that makes all of `edits`, which are [apart](Edited::is_apart).
pub(crate) fn together(markdown: &str, edits: &[&Edited]) -> Edited {
    let changes = edits.iter().flat_map(|it| it.changes.clone()).collect();
    let touches = edits.iter().flat_map(|it| it.touches.clone()).collect();
    Maker { markdown, blocks: &[] }.changed(changes, touches)
}

/// A part of the document that an edit may change. The number is the index of a block of the Markdown before
/// the edit.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Touch {
    /// The block with this index may change, because the edit changes something inside it.
    Block(usize),
    /// The block with this index and the separators around it may change, because the edit deletes the block,
    /// or an equal block beside it, or the blocks beside the deleted one become one.
    Gone(usize),
    /// The gap before the block with this index may change (the end of the document if the index is the
    /// number of blocks), because the edit inserts a block there.
    Before(usize),
}

/// Returns the edits of one kind that can be made in `markdown`.
pub(crate) fn edits(kind: EditKind, markdown: &str) -> Vec<Edited> {
    let read = Document::read(MARKDOWN, markdown);
    let maker = Maker { markdown, blocks: &read.blocks };
    match kind {
        EditKind::WordAtStart => maker.in_texts(|it| it.start()),
        EditKind::WordInMiddle => maker.in_texts(|it| it.middle()),
        EditKind::FirstWordReplaced => maker.in_texts(|it| it.first_word()),
        EditKind::WordMadeBold => maker.in_texts(|it| it.bold()),
        EditKind::BlockDeleted => maker.deleted(),
        EditKind::ParagraphAdded => maker.paragraphs(),
        EditKind::ItemAdded => {
            maker.below(&[Kind::BulletList, Kind::OrderedList, Kind::TaskList], Maker::item)
        }
        EditKind::RowAdded => maker.below(&[Kind::Table], Maker::row),
        EditKind::TwoBlocks => maker.pairs(),
        EditKind::NodeMoved => maker.moved(),
        EditKind::NodeDeleted => maker.without_nodes(),
    }
}

struct Maker<'m> {
    markdown: &'m str,
    blocks: &'m [Node<'m>],
}

/// A range of the Markdown in bytes, and the text that replaces it.
pub(crate) type Change = (Range<usize>, String);

impl Maker<'_> {
    fn changed(&self, mut changes: Vec<Change>, touches: Vec<Touch>) -> Edited {
        let mut markdown = self.markdown.to_owned();
        changes.sort_by_key(|it| it.0.start);
        for (range, new) in changes.iter().rev() {
            markdown.replace_range(range.clone(), new);
        }
        Edited { markdown, touches, changes }
    }

    /// Returns one edit for the first text of each innermost block. `edit` returns `None` for a text that it
    /// can't change.
    fn in_texts(&self, edit: impl Fn(&Text<'_>) -> Option<Change>) -> Vec<Edited> {
        let mut all = Vec::new();
        for (at, block) in self.blocks.iter().enumerate() {
            let mut texts = Vec::new();
            gather(block, self.markdown, &mut texts);
            all.extend(
                texts.iter().filter_map(&edit).map(|it| self.changed(vec![it], vec![Touch::Block(at)])),
            );
        }
        all
    }

    /// Returns one edit for each block that is plain in the sense of [`is_plain`]; the edit deletes the block.
    fn deleted(&self) -> Vec<Edited> {
        let plain = |it: &(usize, &Node<'_>)| is_plain(it.1);
        let gone = |(at, block): (usize, &Node<'_>)| {
            let start = block.span.start as usize;
            let end = self.blocks.get(at + 1).map_or(self.markdown.len(), |it| it.span.start as usize);
            let edited = self.changed(vec![(start..end, String::new())], vec![Touch::Gone(at)]);
            // A neighbour counts as touched too if it equals the deleted block, because the test can't know
            // which of them is gone, or if the neighbours become one block, as two lists do.
            let spelled = |at: usize| self.blocks.get(at).map(|it| it.span.of(self.markdown));
            let (before, after) = (at.checked_sub(1), at + 1);
            let equal = |it: usize| spelled(it) == spelled(at);
            let merges = Document::read(MARKDOWN, &edited.markdown).blocks.len() + 1 < self.blocks.len();
            let beside = before.into_iter().chain([after]).filter(|it| *it < self.blocks.len());
            let also = beside.filter(|it| merges || equal(*it)).map(Touch::Gone);
            let touches = edited.touches.iter().copied().chain(also).collect();
            Edited { touches, ..edited }
        };
        self.blocks.iter().enumerate().filter(plain).map(gone).collect()
    }

    fn paragraphs(&self) -> Vec<Edited> {
        let places = self.blocks.iter().map(|it| it.span.start as usize);
        let before = places.enumerate().map(|(at, start)| {
            self.changed(vec![(start..start, "New zebra paragraph.\n\n".to_owned())], vec![Touch::Before(at)])
        });
        let end = self.markdown.len();
        let last = self.changed(
            vec![(end..end, "\nNew zebra paragraph.\n".to_owned())],
            vec![Touch::Before(self.blocks.len())],
        );
        before.chain([last]).collect()
    }

    /// Returns one edit for each node of these kinds in the document; no edit for a node for which `edit`
    /// returns `None`.
    fn below(&self, kinds: &[Kind], edit: impl Fn(&Self, &Node<'_>) -> Option<Change>) -> Vec<Edited> {
        let mut all = Vec::new();
        for (at, block) in self.blocks.iter().enumerate() {
            let mut found = Vec::new();
            of_kinds(block, kinds, &mut found);
            let changes = found.iter().filter_map(|it| edit(self, it));
            all.extend(changes.map(|it| self.changed(vec![it], vec![Touch::Block(at)])));
        }
        all
    }

    /// Returns the text from the start of a line to the offset `start` in it: quote signs and the marker of
    /// an item. For a new line, callers keep the quote signs and replace the marker by white space.
    fn prefix(&self, start: usize) -> &str {
        let line = self.markdown[..start].rfind('\n').map_or(0, |it| it + 1);
        &self.markdown[line..start]
    }

    fn item(&self, list: &Node<'_>) -> Option<Change> {
        let last = list.children.iter().rev().find(|it| it.kind != Kind::TaskList)?;
        if list.span.is_empty() || last.span.is_empty() {
            return None;
        }
        let (start, end) = (last.span.start as usize, list.span.end as usize);
        let prefix: String = self.prefix(start).chars().map(|it| if it == '>' { '>' } else { ' ' }).collect();
        let spelled = &self.markdown[start..end];
        let sign = spelled.chars().next()?;
        let marker = match list.kind {
            Kind::TaskList => format!("{sign} [ ] "),
            Kind::BulletList => format!("{sign} "),
            _ => {
                let number: String = spelled.chars().take_while(char::is_ascii_digit).collect();
                let sign = spelled.as_bytes().get(number.len())?;
                format!("{}{} ", number.parse::<u32>().ok()? + 1, char::from(*sign))
            }
        };
        let end = start + spelled.trim_end().len();
        Some((end..end, format!("\n{prefix}{marker}zebra")))
    }

    fn row(&self, table: &Node<'_>) -> Option<Change> {
        let spelled = table.span.of(self.markdown);
        let last = table.children.last()?;
        if !spelled.starts_with('|') || table.children.len() < 2 {
            return None;
        }
        let prefix: String = self
            .prefix(table.span.start as usize)
            .chars()
            .map(|it| if it == '>' { '>' } else { ' ' })
            .collect();
        let end = table.span.start as usize + spelled.trim_end().len();
        Some((end..end, format!("\n{prefix}|{}", " zebra |".repeat(last.children.len()))))
    }

    /// Returns one edit for each two successive blocks with text and, if there are three or more such blocks,
    /// one for the first and the last. The edit inserts a word in both blocks.
    fn pairs(&self) -> Vec<Edited> {
        let mut ends: Vec<(usize, Change)> = Vec::new();
        for (at, block) in self.blocks.iter().enumerate() {
            let mut texts = Vec::new();
            gather(block, self.markdown, &mut texts);
            ends.extend(texts.iter().find_map(Text::start).map(|it| (at, it)));
        }
        let both = |a: &(usize, Change), b: &(usize, Change)| {
            self.changed(vec![a.1.clone(), b.1.clone()], vec![Touch::Block(a.0), Touch::Block(b.0)])
        };
        let mut all: Vec<Edited> = ends.windows(2).map(|it| both(&it[0], &it[1])).collect();
        if let [first, _, .., last] = &ends[..] {
            all.push(both(first, last));
        }
        all
    }

    /// Returns the index of the block and the range of each inline node that is written as a directive
    /// (`:name…`), stands among text, has no marks, and whose Markdown appears only once.
    fn nodes(&self) -> Vec<(usize, Range<usize>)> {
        let mut all = Vec::new();
        for (at, block) in self.blocks.iter().enumerate() {
            let mut found = Vec::new();
            among_text(block, &mut found);
            let once = |it: &&Node<'_>| {
                let spelled = it.span.of(self.markdown);
                it.marks.is_empty() && spelled.starts_with(':') && self.markdown.matches(spelled).count() == 1
            };
            all.extend(found.into_iter().filter(once).map(|it| (at, it.span.range())));
        }
        all
    }

    fn moved(&self) -> Vec<Edited> {
        let mut places: Vec<(usize, usize)> = Vec::new();
        for (at, block) in self.blocks.iter().enumerate() {
            let mut texts = Vec::new();
            gather(block, self.markdown, &mut texts);
            let first = texts.iter().find(|it| !it.is_code && !it.is_marked).and_then(Text::start);
            places.extend(first.map(|it| (at, it.0.start)));
        }
        let to = |from: usize| places.iter().rev().find(|it| it.0 != from);
        let one = |(from, range): (usize, Range<usize>)| {
            let (block, at) = *to(from)?;
            let new = format!("{} ", &self.markdown[range.clone()]);
            let changes = vec![(range, String::new()), (at..at, new)];
            Some(self.changed(changes, vec![Touch::Block(from), Touch::Block(block)]))
        };
        self.nodes().into_iter().filter_map(one).collect()
    }

    fn without_nodes(&self) -> Vec<Edited> {
        let one = |(at, range)| self.changed(vec![(range, String::new())], vec![Touch::Block(at)]);
        self.nodes().into_iter().map(one).collect()
    }
}

const AMONG_TEXT: [Kind; 8] = [
    Kind::Mention,
    Kind::Emoji,
    Kind::Date,
    Kind::Status,
    Kind::Placeholder,
    Kind::InlineCard,
    Kind::MediaInline,
    Kind::InlineExtension,
];

/// The first text node of an innermost block.
struct Text<'m> {
    start: usize,
    spelled: &'m str,
    is_code: bool,
    is_strong: bool,
    is_marked: bool,
    /// Whether another inline node follows this text in its block.
    goes_on: bool,
}

impl Text<'_> {
    fn start(&self) -> Option<Change> {
        let at = self.start + self.spelled.len() - self.spelled.trim_start().len();
        Some((at..at, "zebra ".to_owned()))
    }

    fn middle(&self) -> Option<Change> {
        let half = self.spelled.len() / 2;
        let is_between = |at: &usize| {
            let (before, after) = self.spelled.split_at(*at);
            before.ends_with(char::is_alphanumeric) && after[1..].starts_with(char::is_alphanumeric)
        };
        let blanks = self.spelled.match_indices(' ').map(|it| it.0).filter(is_between);
        let at = self.start + blanks.min_by_key(|it| it.abs_diff(half))?;
        Some((at..at, " zebra".to_owned()))
    }

    fn first_word(&self) -> Option<Change> {
        let blank = self.spelled.len() - self.spelled.trim_start().len();
        let word = self.spelled[blank..].split_whitespace().next()?;
        let from = self.start + blank;
        Some((from..from + word.len(), "zebra".to_owned()))
    }

    fn bold(&self) -> Option<Change> {
        if self.is_code || self.is_strong {
            return None;
        }
        let mut at = 0;
        for word in self.spelled.split(' ') {
            let ends = at + word.len() == self.spelled.len();
            let is_word = !word.is_empty() && word.chars().all(char::is_alphanumeric);
            if is_word && !(ends && self.goes_on) {
                let from = self.start + at;
                return Some((from..from + word.len(), format!("**{word}**")));
            }
            at += word.len() + 1;
        }
        None
    }
}

/// Collects the first text of each innermost block. Text in an `adf` fence is left out, since it is in JSON
/// and has an empty span.
fn gather<'m>(node: &Node<'_>, markdown: &'m str, texts: &mut Vec<Text<'m>>) {
    let is_text = |it: &Node<'_>| it.kind == Kind::Text && !it.text.trim().is_empty() && !it.inner.is_empty();
    if let Some(at) = node.children.iter().position(is_text) {
        let text = &node.children[at];
        let spelled = text.inner.of(markdown);
        let is_code = text.mark(MarkKind::Code).is_some();
        let ticks = if is_code { spelled.len() - spelled.trim_start_matches('`').len() } else { 0 };
        texts.push(Text {
            start: text.inner.start as usize + ticks,
            spelled: &spelled[ticks..spelled.len() - ticks],
            is_code: is_code || node.kind == Kind::CodeBlock,
            is_strong: text.mark(MarkKind::Strong).is_some(),
            is_marked: !text.marks.is_empty(),
            goes_on: at + 1 < node.children.len(),
        });
    }
    node.children.iter().for_each(|it| gather(it, markdown, texts));
}

/// Collects the inline nodes that have no Markdown syntax of their own. Leaves out those in a block without
/// text, because the block would not stay when the node is deleted.
fn among_text<'n, 'a>(node: &'n Node<'a>, found: &mut Vec<&'n Node<'a>>) {
    if node.children.iter().any(|it| it.kind == Kind::Text && !it.text.trim().is_empty()) {
        found.extend(node.children.iter().filter(|it| AMONG_TEXT.contains(&it.kind)));
    }
    node.children.iter().for_each(|it| among_text(it, found));
}

fn of_kinds<'n, 'a>(node: &'n Node<'a>, kinds: &[Kind], found: &mut Vec<&'n Node<'a>>) {
    if kinds.contains(&node.kind) {
        found.push(node);
    }
    node.children.iter().for_each(|it| of_kinds(it, kinds, found));
}

/// Returns whether the node and everything in it are of kinds that Markdown has a syntax for. Images and raw
/// nodes do not count. Marks are not checked.
fn is_plain(node: &Node<'_>) -> bool {
    use Kind::{
        Blockquote, BulletList, CodeBlock, HardBreak, Heading, ListItem, OrderedList, Paragraph, Rule, Table,
        TableCell, TableHeader, TableRow, TaskItem, TaskList, Text,
    };
    const PLAIN: [Kind; 16] = [
        Blockquote,
        BulletList,
        CodeBlock,
        HardBreak,
        Heading,
        ListItem,
        OrderedList,
        Paragraph,
        Rule,
        Table,
        TableCell,
        TableHeader,
        TableRow,
        TaskItem,
        TaskList,
        Text,
    ];
    PLAIN.contains(&node.kind)
        && node.mark(MarkKind::Annotation).is_none()
        && node.children.iter().all(is_plain)
}
