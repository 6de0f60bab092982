//! The outline of an HTML page: its title, its links and its visible text, read tag by tag.
//!
//! In: HTML. Out: an [`Outline`]. No tree is made, so that neither the depth nor the number of elements costs memory.

use std::cell::RefCell;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

/// The largest number of links that are kept.
const MAX_LINKS: usize = 2_000;

/// The outline of a page.
#[derive(Debug, Default)]
pub(super) struct Outline {
    pub(super) title: String,
    pub(super) description: String,
    pub(super) language: String,
    /// Address and text of each link.
    pub(super) links: Vec<(String, String)>,
    /// The visible text, with a line for each block.
    pub(super) text: String,
}

/// Returns the outline of a page.
pub(super) fn outline(html: &str) -> Outline {
    let tokenizer = Tokenizer::new(Sink::default(), TokenizerOpts::default());
    let queue = BufferQueue::default();
    queue.push_back(StrTendril::from_slice(html));
    let _ = tokenizer.feed(&queue);
    tokenizer.end();
    let mut outline = tokenizer.sink.0.into_inner().outline;
    let lines = outline.text.lines().map(|it| it.split_whitespace().collect::<Vec<_>>().join(" "));
    outline.text = lines.filter(|it| !it.is_empty()).collect::<Vec<_>>().join("\n");
    outline
}

#[derive(Default)]
struct Sink(RefCell<Reading>);

#[derive(Default)]
struct Reading {
    outline: Outline,
    /// The number of open elements whose text nobody sees.
    hidden: usize,
    in_title: bool,
    in_link: bool,
}

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut reading = self.0.borrow_mut();
        match token {
            Token::TagToken(tag) => {
                reading.tag(&tag);
                return raw(&tag);
            }
            Token::CharacterTokens(text) => reading.text(&text),
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

impl Reading {
    fn tag(&mut self, tag: &Tag) {
        let (name, is_start) = (&*tag.name, tag.kind == TagKind::StartTag);
        match name {
            "title" => self.in_title = is_start && self.outline.title.is_empty(),
            "script" | "style" | "noscript" | "template" | "svg" => {
                self.hidden = if is_start { self.hidden + 1 } else { self.hidden.saturating_sub(1) };
            }
            "html" if is_start => self.outline.language = value(tag, "lang").unwrap_or_default(),
            "meta" if is_start => self.meta(tag),
            "a" => self.link(tag, is_start),
            name if !is_inline(name) => self.outline.text.push('\n'),
            _ => {}
        }
    }

    fn meta(&mut self, tag: &Tag) {
        let name = value(tag, "name").or_else(|| value(tag, "property")).unwrap_or_default();
        let is_description = matches!(&*name.to_ascii_lowercase(), "description" | "og:description");
        if is_description && self.outline.description.is_empty() {
            self.outline.description = value(tag, "content").unwrap_or_default();
        }
    }

    fn link(&mut self, tag: &Tag, is_start: bool) {
        let href = value(tag, "href").filter(|_| is_start && self.outline.links.len() < MAX_LINKS);
        self.in_link = href.is_some();
        self.outline.links.extend(href.map(|it| (it, String::new())));
    }

    fn text(&mut self, text: &str) {
        if self.in_title {
            self.outline.title.push_str(text);
        } else if self.hidden == 0 {
            self.outline.text.push_str(text);
            if self.in_link
                && let Some((_, link)) = self.outline.links.last_mut()
            {
                link.push_str(text);
            }
        }
    }
}

/// Tells how the contents of an element are read: in a script there are no tags.
fn raw(tag: &Tag) -> TokenSinkResult<()> {
    match &*tag.name {
        _ if tag.kind == TagKind::EndTag => TokenSinkResult::Continue,
        "script" => TokenSinkResult::RawData(RawKind::ScriptData),
        "style" | "noscript" => TokenSinkResult::RawData(RawKind::Rawtext),
        "title" | "textarea" => TokenSinkResult::RawData(RawKind::Rcdata),
        _ => TokenSinkResult::Continue,
    }
}

fn value(tag: &Tag, name: &str) -> Option<String> {
    tag.attrs.iter().find(|it| &*it.name.local == name).map(|it| it.value.to_string())
}

fn is_inline(name: &str) -> bool {
    matches!(
        name,
        "abbr"
            | "b"
            | "bdi"
            | "bdo"
            | "cite"
            | "code"
            | "del"
            | "em"
            | "font"
            | "i"
            | "img"
            | "ins"
            | "kbd"
            | "mark"
            | "q"
            | "s"
            | "samp"
            | "small"
            | "span"
            | "strong"
            | "sub"
            | "sup"
            | "time"
            | "u"
            | "var"
            | "wbr"
    )
}
