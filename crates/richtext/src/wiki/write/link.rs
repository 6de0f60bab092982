//! Writes links, mentions and cards.

use super::Writer;
use crate::format::Dialect;
use crate::tree::{Mark, MarkKind, Node};
use crate::values::hrefs::{self, Target};
use crate::wiki::read;

/// Returns whether `target` can be written unchanged between the brackets of a link.
fn legal(target: &str) -> bool {
    let mut signs = target.chars();
    while let Some(it) = signs.next() {
        let is_end = matches!(it, '[' | ']' | '|' | '\n' | '\r');
        // The reader skips the character after a backslash.
        if is_end || it == '\\' && signs.next().is_none_or(|it| it == '\n') {
            return false;
        }
    }
    !target.is_empty() && target.trim() == target
}

impl Writer {
    /// Returns the spelling of `href` as the target of a link, the part after the bar; `None` if wiki markup
    /// has no link to `href`, for example because it is the relative path of a file.
    pub(super) fn target(&self, href: &str) -> Option<String> {
        let target = if let Some(name) = href.strip_prefix("attachment:") {
            format!("^{}", hrefs::decode(name)?)
        } else if let Some(key) = href.strip_prefix("jira:").filter(|_| self.dialect == Dialect::Jira) {
            key.to_owned()
        } else if href.starts_with("confluence:") && self.dialect == Dialect::Confluence {
            page_of(href)?
        } else {
            href.to_owned()
        };
        let leads = read::href(target.trim(), self.dialect).is_some_and(|it| it == href);
        (leads && legal(&target)).then_some(target)
    }

    /// Returns the markup of a mention, `[~name]` or `[~accountid:id]`; `None` if it has no id that can be
    /// written.
    pub(super) fn mention(node: &Node<'_>) -> Option<String> {
        let id = node.text_of("id").filter(|it| legal(it))?;
        let person =
            if node.text_of("ri:username").is_some() { id.to_owned() } else { format!("accountid:{id}") };
        let text = node.text_of("text").filter(|_| node.text_of("wiki:form") == Some("alias"));
        let text = text.filter(|it| legal(it) || it.starts_with('!') && !it.contains(['[', ']', '\n', '\\']));
        Some(match text {
            Some(text) => format!("[{text}|~{person}]"),
            None => format!("[~{person}]"),
        })
    }

    /// Returns the markup of a card within text; `None` if a link can't express all of it.
    pub(super) fn inline_card(&self, node: &Node<'_>) -> Option<String> {
        let url = node.text_of("url")?;
        if url.starts_with("confluence:")
            && self.dialect == Dialect::Confluence
            && node.text_of("wiki:card").is_none()
        {
            return Some(format!("[{}]", self.target(url)?));
        }
        card(node, node.text_of("wiki:card").unwrap_or("smart-link"))
    }

    /// Returns the part of a link that follows its text: `|href]`, or `|href|title]`. Returns `None` if a
    /// link can't express all of `mark`.
    pub(super) fn link_end(&self, mark: &Mark<'_>) -> Option<String> {
        let is_said = |name: &str| matches!(name, "href" | "title" | "localId") || name.contains(':');
        if !mark.attrs.iter().all(|it| is_said(&it.name)) {
            return None;
        }
        let target = self.target(mark.text("href")?)?;
        match mark.text("title") {
            Some(title) if title.contains([']', '[', '\n', '\r', '\\']) || is_card_form(title) => None,
            Some(title) => Some(format!("|{target}|{title}]")),
            None => Some(format!("|{target}]")),
        }
    }
}

fn is_card_form(title: &str) -> bool {
    matches!(title, "smart-link" | "smart-card" | "smart-embed")
}

/// Returns the target `SPACE:Title#anchor` for the `href` of a page in Confluence.
fn page_of(href: &str) -> Option<String> {
    let Some(Target::Page { space, title, anchor }) = Target::of(href) else { return None };
    let colon = if space.is_empty() { "" } else { ":" };
    let anchor = anchor.map(|it| format!("#{it}")).unwrap_or_default();
    Some(format!("{space}{colon}{title}{anchor}"))
}

/// Returns the markup of a card, `[url|url|form]`; `form` is `smart-link`, `smart-card` or `smart-embed`.
/// Returns `None` if this markup can't express all of the card.
pub(super) fn card(node: &Node<'_>, form: &str) -> Option<String> {
    let is_said = |name: &str| matches!(name, "url" | "localId" | "layout") || name.contains(':');
    if !node.attrs.iter().all(|it| is_said(&it.name)) {
        return None;
    }
    let url = node.text_of("url").filter(|it| legal(it))?;
    let alias = node.text_of("wiki:alias").filter(|it| legal(it)).unwrap_or(url);
    Some(format!("[{alias}|{url}|{form}]"))
}

/// Returns `picture`, the markup of a picture that is a block, with the markup of the link in `marks` around
/// it, if `marks` has a link. Returns `None` if markup can't express the marks.
pub(super) fn linked(picture: String, marks: &[Mark<'_>], writer: &Writer) -> Option<String> {
    match marks {
        [] => Some(picture),
        [mark] if mark.kind == MarkKind::Link && !picture.contains(['[', ']']) => {
            Some(format!("[{picture}{}", writer.link_end(mark)?))
        }
        _ => None,
    }
}
