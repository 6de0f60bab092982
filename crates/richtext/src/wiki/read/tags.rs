//! Finds macro tags before anything else is read.
//!
//! In: the source. Out: the opening tags in order, each with the position of its closing tag, if it has one.
//! Pairs are properly nested. All other text is skipped, and so are bodies of macros that are not wiki
//! markup.

use std::collections::BTreeMap;

use crate::format::Dialect;
use crate::wiki::names::{self, Class};

/// An opening macro tag `{name:params}`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tag<'a> {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) name: &'a str,
    pub(crate) params: &'a str,
    pub(crate) class: Class,
    /// The offset at which the closing tag begins; `None` if there is none.
    pub(crate) close: Option<usize>,
    /// True if nothing but the tag and blanks is on its line.
    alone: bool,
}

impl Tag<'_> {
    /// Returns the offset at which the macro ends: after its closing tag, or after the opening tag if it has
    /// no closing tag.
    pub(crate) fn whole_end(&self) -> usize {
        self.close.map_or(self.end, |it| it + self.name.len() + 2)
    }

    /// Returns whether the macro is a block; otherwise it is an inline node or, without a required closing
    /// tag, text.
    pub(crate) fn is_block(&self) -> bool {
        match self.class {
            Class::Status => false,
            Class::Adf if self.close.is_some() => !self.params.contains("display=inline"),
            Class::Raw if self.close.is_some() => !self.params.contains("display=inline"),
            Class::Single | Class::Unknown if self.close.is_none() => self.alone && self.name != "anchor",
            _ => self.close.is_some(),
        }
    }

    /// Returns whether the closing tag that the macro requires is missing.
    pub(crate) fn is_unclosed(&self) -> bool {
        self.close.is_none() && self.class.has_body() && self.class != Class::Unknown
    }
}

/// Finds the opening macro tags of `source`, and their closing tags.
pub(crate) fn tags(source: &str, dialect: Dialect) -> Vec<Tag<'_>> {
    let mut scan = Scan {
        source,
        dialect,
        tags: Vec::new(),
        open: Vec::new(),
        counts: BTreeMap::new(),
        no_close: Vec::new(),
    };
    scan.run();
    scan.tags
}

struct Scan<'a> {
    source: &'a str,
    dialect: Dialect,
    tags: Vec<Tag<'a>>,
    /// The indices in `tags` of the opening tags for which no closing tag has been found so far.
    open: Vec<usize>,
    /// For each name, the number of tags of that name in `open`.
    counts: BTreeMap<&'a str, usize>,
    /// The names of macros with a verbatim body for which a search has shown that the remaining source has no
    /// closing tag, so that the search is not repeated.
    no_close: Vec<&'a str>,
}

impl<'a> Scan<'a> {
    fn run(&mut self) {
        let bytes = self.source.as_bytes();
        let mut at = 0;
        let mut mono_until = 0;
        while let Some(found) = self.source[at..].find('{') {
            let start = at + found;
            at = start + 1;
            if is_escaped(bytes, start) {
                continue;
            }
            if bytes.get(at) == Some(&b'{') {
                if start >= mono_until {
                    match mono_end(bytes, start, bytes.len()) {
                        Ok(end) => at = end,
                        Err(looked_until) => mono_until = looked_until,
                    }
                }
                continue;
            }
            if start > 0 && bytes[start - 1] == b'$' {
                continue;
            }
            if let Some(end) = self.tag(start) {
                at = end;
            }
        }
    }

    /// Reads the tag at `start`: adds it if it opens a macro, or records it as the end of the open macro that
    /// it closes. Returns the offset at which to continue, or `None` if there is no tag.
    fn tag(&mut self, start: usize) -> Option<usize> {
        let (name, params, end) = split(self.source, start)?;
        if name == "color" {
            return Some(end);
        }
        let class = names::class(name, self.dialect)?;
        let bare = end == start + name.len() + 2;
        if bare && self.counts.get(name).is_some_and(|it| *it > 0) {
            self.close(name, start);
            return Some(end);
        }
        let mut tag =
            Tag { start, end, name, params, class, close: None, alone: alone(self.source, start, end) };
        if class.is_verbatim() {
            tag.close = self.verbatim_close(name, end);
        } else if class.has_body() {
            self.open.push(self.tags.len());
            *self.counts.entry(name).or_default() += 1;
        }
        self.tags.push(tag);
        Some(tag.whole_end())
    }

    fn close(&mut self, name: &str, at: usize) {
        while let Some(index) = self.open.pop() {
            let open = &mut self.tags[index];
            if let Some(count) = self.counts.get_mut(open.name) {
                *count -= 1;
            }
            if open.name == name {
                open.close = Some(at);
                return;
            }
        }
    }

    fn verbatim_close(&mut self, name: &'a str, from: usize) -> Option<usize> {
        if self.no_close.contains(&name) {
            return None;
        }
        let found = self.source[from..].find(&format!("{{{name}}}"));
        if found.is_none() {
            self.no_close.push(name);
        }
        Some(from + found?)
    }
}

/// Returns whether the byte at `at` is escaped: exactly one backslash precedes it.
pub(crate) fn is_escaped(bytes: &[u8], at: usize) -> bool {
    at > 0 && bytes[at - 1] == b'\\' && (at == 1 || bytes[at - 2] != b'\\')
}

/// Returns the offset at which the `{{…}}` that begins at `start` ends. The error is the offset at which the
/// search stopped without success: the end of the line, or `limit`.
pub(crate) fn mono_end(bytes: &[u8], start: usize, limit: usize) -> Result<usize, usize> {
    let mut at = start + 2;
    while at < limit && bytes[at] != b'\n' {
        if bytes[at] == b'}' && at + 1 < limit && bytes[at + 1] == b'}' && at > start + 2 {
            // Of three braces the first belongs to the text.
            let third = at + 2 < limit && bytes[at + 2] == b'}';
            return Ok(if third { at + 3 } else { at + 2 });
        }
        at += 1;
    }
    Err(at)
}

/// Splits the tag at `start` into its name and its parameters, and returns these with the offset at which the
/// tag ends; `None` if there is no tag at `start`.
pub(crate) fn split(source: &str, start: usize) -> Option<(&str, &str, usize)> {
    let bytes = source.as_bytes();
    let name_start = start + 1;
    if !bytes.get(name_start).is_some_and(u8::is_ascii_alphabetic) {
        return None;
    }
    let is_name = |it: &u8| it.is_ascii_alphanumeric() || matches!(it, b'-' | b'_');
    let len = bytes[name_start..].iter().take(64).take_while(|it| is_name(it)).count();
    let name_end = name_start + len;
    let name = &source[name_start..name_end];
    match bytes.get(name_end) {
        Some(b'}') => Some((name, "", name_end + 1)),
        Some(b':') => {
            let rest = &bytes[name_end + 1..];
            let len = rest.iter().take(MAX_PARAMS + 1).position(|it| matches!(it, b'}' | b'\n' | b'{'))?;
            let params = (rest[len] == b'}').then(|| &source[name_end + 1..name_end + 1 + len])?;
            Some((name, params, name_end + len + 2))
        }
        _ => None,
    }
}

/// The largest number of bytes in the parameters of a macro. A tag with more is text.
const MAX_PARAMS: usize = 16 * 1024;

fn alone(source: &str, start: usize, end: usize) -> bool {
    let blank = |it: &&u8| matches!(it, b' ' | b'\t' | b'\r');
    let bytes = source.as_bytes();
    let before = bytes[..start].iter().rev().take(256).find(|it| !blank(it));
    let after = bytes[end..].iter().take(256).find(|it| !blank(it));
    before.is_none_or(|it| *it == b'\n') && after.is_none_or(|it| *it == b'\n')
}
