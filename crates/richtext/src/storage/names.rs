//! The names of storage format: block elements, mark elements, and macros with an ADF node of their own.
//!
//! This file only classifies names; the reader makes the nodes.

use crate::tree::MarkKind;
use crate::values::macros;

/// The attribute of a macro element for the part of the node's `parameters` that child elements cannot
/// express, as JSON. Its value is [`ABSENT`] if the node has no `parameters`.
pub(super) const EXTRA_PARAMETERS: &str = "data-plainwire-parameters";
/// The value of [`EXTRA_PARAMETERS`] for a node that has no `parameters` at all, not even an empty object.
pub(super) const ABSENT: &str = "absent";

/// Returns whether the element `name` has no end tag in HTML, so that `<br>` equals `<br/>`.
pub(super) fn is_void(name: &str) -> bool {
    matches!(name, "br" | "hr" | "col" | "img" | "wbr" | "input" | "meta" | "area")
}

/// Returns whether an element of this name is always a block, even if text is beside it.
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

/// Returns whether the element `name` is a macro.
pub(super) fn is_macro(name: &str) -> bool {
    matches!(name, "ac:structured-macro" | "ac:macro")
}

/// Returns whether a macro of this name is a block even if it is within text and has no body of blocks. A
/// macro with such a body is always a block.
pub(super) fn is_block_macro(name: &str) -> bool {
    matches!(name, "code" | "noformat" | "expand") || macros::panel_type(name).is_some()
}

/// Returns the mark that the element `name` without attributes stands for, and whether that element is the
/// usual one for the mark.
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

/// The choice of element for a mark: its usual element (`strong`), or another one with the same meaning
/// (`b`).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelled {
    Usual,
    Otherwise,
}

/// Returns whether `text` can be the name of an element or an attribute.
pub(super) fn is_name(text: &str) -> bool {
    let start = |it: char| it.is_alphabetic() || it == '_';
    let within = |it: char| it.is_alphanumeric() || matches!(it, '_' | '-' | '.' | ':');
    text.starts_with(start) && text.chars().all(within)
}

/// Converts `panelIconId` to `panel-icon-id`.
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

/// Converts `panel-icon-id` to `panelIconId`.
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
