//! The bookmark file of Netscape, which all browsers write: HTML that was never closed.
//!
//! In: HTML. Out: entries, each with its folders. It is read tag by tag: 100,000 bookmarks are never a tree.

use std::cell::RefCell;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

use super::{Entries, Entry, MAX_FOLDERS};
use crate::line::{MAX_LINE, one_line};

/// The greatest depth of folders. What is deeper stays in the folder above.
const MAX_DEPTH: usize = 100;

pub(super) fn read(html: &str) -> Entries {
    let tokenizer = Tokenizer::new(Sink::default(), TokenizerOpts::default());
    let queue = BufferQueue::default();
    queue.push_back(StrTendril::from_slice(html));
    let _ = tokenizer.feed(&queue);
    tokenizer.end();
    let mut reading = tokenizer.sink.0.into_inner();
    reading.finish();
    reading.entries
}

#[derive(Default)]
struct Sink(RefCell<Reading>);

#[derive(Default)]
struct Reading {
    entries: Entries,
    /// The names of the open folders.
    folders: Vec<String>,
    /// The name of the folder whose list comes next.
    next: String,
    /// The bookmark that is being read. Its description stands behind it.
    entry: Option<Entry>,
    text: Text,
}

/// The place to which the text belongs.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Text {
    #[default]
    Nowhere,
    Title,
    Folder,
    Description,
}

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut reading = self.0.borrow_mut();
        match token {
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => reading.start(&tag),
            Token::TagToken(tag) => reading.end(&tag.name),
            Token::CharacterTokens(text) => reading.text(&text),
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

impl Reading {
    fn start(&mut self, tag: &Tag) {
        let value =
            |name: &str| tag.attrs.iter().find(|it| &*it.name.local == name).map(|it| it.value.to_string());
        match &*tag.name {
            "a" => {
                self.finish();
                let tags = value("tags").unwrap_or_default();
                let tags = tags.split(',').map(|it| it.trim().to_owned()).filter(|it| !it.is_empty());
                self.entry = Some(Entry {
                    url: value("href").unwrap_or_default(),
                    tags: tags.collect(),
                    folders: self.folders.iter().rev().take(MAX_FOLDERS).cloned().collect(),
                    added: value("add_date").and_then(|it| it.parse().ok()),
                    ..Entry::default()
                });
                self.text = Text::Title;
            }
            "h1" | "h2" | "h3" => {
                self.finish();
                // The heading of the whole file is no folder.
                self.text = if &*tag.name == "h1" { Text::Nowhere } else { Text::Folder };
                self.next.clear();
            }
            "dd" => self.text = Text::Description,
            "dt" => self.finish(),
            "dl" => {
                self.finish();
                if self.folders.len() < MAX_DEPTH {
                    let name = std::mem::take(&mut self.next);
                    self.folders.push(one_line(&name, MAX_LINE).unwrap_or_default());
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, name: &str) {
        match name {
            "a" | "h1" | "h2" | "h3" => self.text = Text::Nowhere,
            "dl" => {
                self.finish();
                self.folders.pop();
            }
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        match (self.text, &mut self.entry) {
            (Text::Title, Some(entry)) => entry.title.push_str(text),
            (Text::Description, Some(entry)) => entry.description.push_str(text),
            (Text::Folder, _) => self.next.push_str(text),
            _ => {}
        }
    }

    /// Ends the bookmark that is being read.
    fn finish(&mut self) {
        self.text = Text::Nowhere;
        if let Some(entry) = self.entry.take() {
            self.entries.push(entry);
        }
    }
}
