//! Parts of a text that CommonMark reads alone in the same way as together, so that it never has to parse
//! more than one of them at a time.
//!
//! In: a text. Out: the ranges of its parts. A part begins after a blank line, at a line that can't continue
//! any open block. Where that is uncertain, the part does not end and becomes longer. [`super::definitions`]
//! finds the definitions of links in all parts.

use std::ops::Range;

/// The parts of a text.
pub(super) struct Parts {
    /// The ranges of the parts in order. Each but the last one has at least the requested length.
    pub(super) ranges: Vec<Range<usize>>,
    /// The ranges that may contain definitions of links, often much shorter than the parts. Empty if there is
    /// only one part: the parser finds the definitions in a text that it is given whole.
    pub(super) defining: Vec<Range<usize>>,
}

impl Parts {
    pub(super) fn of(text: &str, least: usize) -> Self {
        let mut parts = Self { ranges: Vec::new(), defining: Vec::new() };
        let mut signs = memchr::memmem::find_iter(text.as_bytes(), "]:").peekable();
        let (mut start, mut last) = (0, 0);
        let cuts = (text.len() > least).then(|| Cuts::new(text));
        for cut in cuts.into_iter().flatten().chain([text.len()]) {
            if signs.next_if(|it| *it < cut).is_some() {
                while signs.next_if(|it| *it < cut).is_some() {}
                match parts.defining.last_mut() {
                    Some(before) if cut - before.start <= TOGETHER => before.end = cut,
                    _ => parts.defining.push(last..cut),
                }
            }
            if cut - start >= least || cut == text.len() {
                parts.ranges.push(start..cut);
                start = cut;
            }
            last = cut;
        }
        if parts.ranges.len() == 1 {
            parts.defining.clear();
        }
        parts
    }
}

/// The length, in bytes, up to which ranges with definitions are joined and parsed at once. The fixed cost of
/// a parse by CommonMark is as high as the cost of parsing a few KiB of text.
const TOGETHER: usize = 4 << 10;

/// Iterator over the offsets at which parts may begin.
struct Cuts<'t> {
    text: &'t [u8],
    at: usize,
    /// An iterator over the offsets of the line feeds that are not yet consumed.
    ends: memchr::Memchr<'t>,
    /// True if the text contains a carriage return, which may end a line.
    returns: bool,
    /// The open top-level block that blank lines do not end, if any.
    open: Open,
    /// True if the previous line is blank.
    after_blank: bool,
    /// True if a line since the last blank line begins like HTML or like a definition of a link. A fence
    /// after such a line may be part of this HTML or definition, and open no block of code.
    covered: bool,
    /// The open top-level list item. `None` if none is open; otherwise the column at which its content
    /// begins, or `Some(None)` if that column is uncertain or it is uncertain whether an item is open.
    list: Option<Option<usize>>,
}

/// A top-level block that blank lines do not end.
#[derive(Clone, Copy)]
enum Open {
    Nothing,
    /// A fence of code: its sign (backtick or tilde), and the number of these signs.
    Fence(u8, usize),
    /// A block of HTML that ends with the line that contains this text, such as `-->`.
    Html(&'static str),
    /// It is uncertain whether a block is open. The rest of the text becomes one part.
    Unsure,
}

impl<'t> Cuts<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text: text.as_bytes(),
            at: 0,
            ends: memchr::memchr_iter(b'\n', text.as_bytes()),
            returns: memchr::memchr(b'\r', text.as_bytes()).is_some(),
            open: Open::Nothing,
            after_blank: true,
            covered: false,
            list: None,
        }
    }

    /// Updates the state for the next line. Returns whether a part may begin with this line.
    fn line(&mut self, line: &[u8]) -> bool {
        let indent = line.iter().take_while(|it| **it == b' ').count();
        let content = &line[indent..];
        match self.open {
            Open::Nothing => {}
            Open::Fence(sign, length) => {
                if indent < 4 && closes(content, sign, length) {
                    self.open = Open::Nothing;
                    self.after_blank = false;
                }
                return false;
            }
            Open::Html(end) => {
                if contains(line, end) {
                    self.open = Open::Nothing;
                    self.after_blank = false;
                }
                return false;
            }
            Open::Unsure => return false,
        }
        let Some(&first) = content.iter().find(|it| **it != b'\t') else {
            (self.after_blank, self.covered) = (true, false);
            return false;
        };
        let after_blank = std::mem::replace(&mut self.after_blank, false);
        let begins = after_blank && indent == 0 && content[0] == first && is_new(first);
        if begins {
            self.list = None;
        }
        self.items(indent, content, after_blank);
        // A line that is indented by four or more columns opens no top-level fence or block of HTML.
        if indent < 4 && content[0] != b'\t' {
            self.opens(indent, content);
            self.covered |= matches!(first, b'<' | b'[');
        }
        if self.returns && content.contains(&b'\r') {
            self.open = Open::Unsure;
        }
        begins && !matches!(self.open, Open::Unsure)
    }

    /// Updates [`list`](Self::list) for a line. `content` is the line without its `indent` columns of blanks;
    /// `after_blank` is whether a blank line precedes it.
    fn items(&mut self, indent: usize, content: &[u8], after_blank: bool) {
        match (marker(content), self.list) {
            (Some(width), list) if indent < 4 => {
                // In a paragraph or within an item, the marker may mean something else.
                let certain = indent == 0 && (after_blank || matches!(list, Some(Some(_))));
                let within = list.flatten().filter(|it| *it <= indent);
                self.list = Some(if certain { width } else { within });
            }
            (None, Some(Some(width))) if indent < width => self.list = Some(None),
            _ => {}
        }
    }

    /// Records the top-level block that the line opens, if it is one that blank lines do not end.
    fn opens(&mut self, indent: usize, content: &[u8]) {
        let within = self.list.flatten().is_some_and(|it| it <= indent);
        let opened = match content[0] {
            b'`' | b'~' => fence(content).map(|it| Open::Fence(content[0], it)),
            b'<' => html(content),
            _ => None,
        };
        let Some(opened) = opened.filter(|_| !within) else { return };
        let certain = !self.covered && (indent == 0 || self.list.is_none());
        self.open = if certain { opened } else { Open::Unsure };
    }
}

impl Iterator for Cuts<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        while self.at < self.text.len() && !matches!(self.open, Open::Unsure) {
            let start = self.at;
            let end = self.ends.next().unwrap_or(self.text.len());
            self.at = end + 1;
            let line = &self.text[start..end];
            if self.line(line.strip_suffix(b"\r").unwrap_or(line)) && start > 0 {
                return Some(start);
            }
        }
        None
    }
}

/// Returns whether a line with this first byte, after a blank line, certainly begins a new block. It does not
/// if the byte is white space or may begin the marker of an item.
fn is_new(first: u8) -> bool {
    first > b' ' && !matches!(first, b'-' | b'+' | b'*' | b'0'..=b'9' | 0x7F)
}

/// Returns the width of the list marker that `content` begins with, including the white space after it;
/// `Some(None)` if that width is uncertain, and `None` if there is no marker.
fn marker(content: &[u8]) -> Option<Option<usize>> {
    let digits = content.iter().take_while(|it| it.is_ascii_digit()).count();
    let sign = *content.get(digits)?;
    let marks = if digits == 0 { matches!(sign, b'-' | b'+' | b'*') } else { matches!(sign, b'.' | b')') };
    if !marks {
        return None;
    }
    let rest = &content[digits + 1..];
    if !matches!(rest.first(), None | Some(b' ' | b'\t')) {
        return None;
    }
    let blanks = rest.iter().take_while(|it| **it == b' ').count();
    let rule = content.iter().all(|it| matches!(it, b' ' | b'\t') || *it == sign);
    let clear = (1..5).contains(&blanks) && rest.get(blanks).is_some_and(|it| *it != b'\t') && !rule;
    Some((clear && digits < 10).then_some(digits + 1 + blanks))
}

/// Returns the number of signs of the fence that `content` begins with; `None` if `content` is not an opening
/// fence.
fn fence(content: &[u8]) -> Option<usize> {
    let sign = content[0];
    let length = content.iter().take_while(|it| **it == sign).count();
    (length >= 3 && (sign == b'~' || !content[length..].contains(&b'`'))).then_some(length)
}

fn closes(content: &[u8], sign: u8, length: usize) -> bool {
    let signs = content.iter().take_while(|it| **it == sign).count();
    signs >= length && content[signs..].iter().all(|it| *it == b' ')
}

/// Returns the block of HTML that begins with the line `content`, if blank lines do not end such a block and
/// it does not end on this line; otherwise `None`.
fn html(content: &[u8]) -> Option<Open> {
    const TAGS: [(&str, &str); 4] =
        [("<pre", "</pre>"), ("<script", "</script>"), ("<style", "</style>"), ("<textarea", "</textarea>")];
    const SIGNS: [(&str, &str); 3] = [("<!--", "-->"), ("<?", "?>"), ("<![CDATA[", "]]>")];
    let named = |it: &&(&str, &str)| {
        let (name, rest) = content.split_at_checked(it.0.len()).unwrap_or_default();
        let ended = rest.first().is_none_or(|it| it.is_ascii_whitespace() || *it == b'>');
        name.eq_ignore_ascii_case(it.0.as_bytes()) && ended
    };
    let signed = |it: &&(&str, &str)| content.starts_with(it.0.as_bytes());
    let declared = || content.starts_with(b"<!") && content.get(2).is_some_and(u8::is_ascii_alphabetic);
    let found = TAGS.iter().find(named).or_else(|| SIGNS.iter().find(signed));
    let end = found.map(|it| it.1).or_else(|| declared().then_some(">"))?;
    (!contains(content, end)).then_some(Open::Html(end))
}

fn contains(line: &[u8], what: &str) -> bool {
    memchr::memmem::find(line, what.as_bytes()).is_some()
}
