//! Writes links, mentions and cards.

use super::Writer;
use crate::format::Dialect;
use crate::tree::{Mark, MarkKind, Node};
use crate::values::hrefs::{self, Target};
use crate::wiki::read;

/// Returns whether `target` can be written in brackets unchanged.
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
    /// Returns the target to write after the bar for this `href`; `None` if wiki markup has no link to it,
    /// such as to a file next to the text.
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

    /// Writes `[~name]` or `[~accountid:id]`.
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

    /// Writes a card within text; returns `None` if a link can't express all of it.
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

    /// Returns the end of a link, after its text: `|href]`, or `|href|title]`.
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

/// Returns `SPACE:Title#anchor` for the `href` of a page.
fn page_of(href: &str) -> Option<String> {
    let Some(Target::Page { space, title, anchor }) = Target::of(href) else { return None };
    let colon = if space.is_empty() { "" } else { ":" };
    let anchor = anchor.map(|it| format!("#{it}")).unwrap_or_default();
    Some(format!("{space}{colon}{title}{anchor}"))
}

/// Writes `[url|url|form]`.
pub(super) fn card(node: &Node<'_>, form: &str) -> Option<String> {
    let is_said = |name: &str| matches!(name, "url" | "localId" | "layout") || name.contains(':');
    if !node.attrs.iter().all(|it| is_said(&it.name)) {
        return None;
    }
    let url = node.text_of("url").filter(|it| legal(it))?;
    let alias = node.text_of("wiki:alias").filter(|it| legal(it)).unwrap_or(url);
    Some(format!("[{alias}|{url}|{form}]"))
}

/// Adds the link, if there is one, to a picture that is a block.
pub(super) fn linked(picture: String, marks: &[Mark<'_>], writer: &Writer) -> Option<String> {
    match marks {
        [] => Some(picture),
        [mark] if mark.kind == MarkKind::Link && !picture.contains(['[', ']']) => {
            Some(format!("[{picture}{}", writer.link_end(mark)?))
        }
        _ => None,
    }
}
