//! The names of storage format: which elements are blocks, which macros ADF has a node for.
//!
//! Names only; what an element means is the business of the reader.

use crate::tree::MarkKind;
use crate::values::macros;

/// The attribute of a macro with what of its parameters' JSON the element has no place for; [`ABSENT`] if there was none at all.
pub(super) const EXTRA_PARAMETERS: &str = "data-plainwire-parameters";
/// Says that a node has no parameters, not even empty ones.
pub(super) const ABSENT: &str = "absent";

/// Whether HTML knows no end tag of it, so that `<br>` is as good as `<br/>`.
pub(super) fn is_void(name: &str) -> bool {
    matches!(name, "br" | "hr" | "col" | "img" | "wbr" | "input" | "meta" | "area")
}

/// Whether an element is a block wherever it stands.
#[rustfmt::skip]
pub(super) fn is_block(name: &str) -> bool {
    matches!(
        name,
        "p" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "ul" | "ol" | "li" | "table" | "colgroup" | "thead" | "tbody" | "tfoot" | "tr"
            | "td" | "th" | "blockquote" | "hr" | "pre" | "div" | "section" | "article" | "header" | "footer" | "main" | "nav" | "aside"
            | "figure" | "figcaption" | "center" | "address" | "dl" | "dt" | "dd" | "details" | "summary" | "form" | "fieldset"
            | "ac:layout" | "ac:layout-section" | "ac:layout-cell" | "ac:task-list" | "ac:task" | "ac:rich-text-body"
    )
}

/// Whether an element is a macro.
pub(super) fn is_macro(name: &str) -> bool {
    matches!(name, "ac:structured-macro" | "ac:macro")
}

/// Whether a macro of this name is a block also among text; one with a body of blocks always is.
pub(super) fn is_block_macro(name: &str) -> bool {
    matches!(name, "code" | "noformat" | "expand") || macros::panel_type(name).is_some()
}

/// The mark that an element without attributes is, and whether another name is the usual one.
pub(super) fn mark(name: &str) -> Option<(MarkKind, Spelled)> {
    Some(match name {
        "strong" => (MarkKind::Strong, Spelled::Usual),
        "b" => (MarkKind::Strong, Spelled::Otherwise),
        "em" => (MarkKind::Em, Spelled::Usual),
        "i" => (MarkKind::Em, Spelled::Otherwise),
        "u" => (MarkKind::Underline, Spelled::Usual),
        "ins" => (MarkKind::Underline, Spelled::Otherwise),
        "del" => (MarkKind::Strike, Spelled::Usual),
        "s" | "strike" => (MarkKind::Strike, Spelled::Otherwise),
        "sub" | "sup" => (MarkKind::Subsup, Spelled::Usual),
        "code" => (MarkKind::Code, Spelled::Usual),
        "tt" => (MarkKind::Code, Spelled::Otherwise),
        _ => return None,
    })
}

/// Whether a mark is written with the element it usually has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelled {
    Usual,
    Otherwise,
}

/// Whether `text` may be the name of an element or an attribute.
pub(super) fn is_name(text: &str) -> bool {
    let start = |it: char| it.is_alphabetic() || it == '_';
    let within = |it: char| it.is_alphanumeric() || matches!(it, '_' | '-' | '.' | ':');
    text.starts_with(start) && text.chars().all(within)
}

/// `panelIconId` as `panel-icon-id`.
pub(super) fn kebab(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 2);
    for found in name.chars() {
        if found.is_ascii_uppercase() {
            out.push('-');
        }
        out.push(found.to_ascii_lowercase());
    }
    out
}

/// `panel-icon-id` as `panelIconId`.
pub(super) fn camel(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut upper = false;
    for found in name.chars() {
        match found {
            '-' => upper = true,
            it if upper => {
                out.push(it.to_ascii_uppercase());
                upper = false;
            }
            it => out.push(it),
        }
    }
    out
}
