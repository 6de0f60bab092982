//! The names in wiki markup: macros, colours, and the background colours of panels.

use crate::format::Dialect;
use crate::values::colours;

/// The language that Jira and Confluence assume for a `{code}` that states none.
pub(super) const DEFAULT_LANGUAGE: &str = "java";

/// The class of a macro, which decides how it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// `{code}` and `{noformat}`: a code block.
    Code,
    /// Atlassian's `{adf}`, with a body of JSON.
    Adf,
    /// This crate's own `{plainwire-raw}`, with a body in another format.
    Raw,
    /// A macro of Confluence with a body that is not wiki markup.
    Plain,
    /// `{quote}`: a block quote.
    Quote,
    /// A panel: `{panel}`, and in Confluence also `{info}`, `{tip}`, `{note}` and `{warning}`.
    Panel,
    /// Confluence's `{expand}`: content that a click shows.
    Expand,
    /// Confluence's `{section}` and `{column}`: a layout.
    Layout,
    /// Confluence's `{status}`: a coloured label within text, without a body.
    Status,
    /// Another macro that never has a body, such as `{toc}`.
    Single,
    /// An unknown macro of Confluence: it has a body if the source contains a closing tag for it.
    Unknown,
}

impl Class {
    /// Returns whether the body of a macro of this class is kept as it is, not read as wiki markup.
    pub(super) fn is_verbatim(self) -> bool {
        matches!(self, Self::Code | Self::Adf | Self::Raw | Self::Plain)
    }

    /// Returns whether a macro of this class can have a body and a closing tag.
    pub(super) fn has_body(self) -> bool {
        !matches!(self, Self::Status | Self::Single)
    }
}

/// Returns the class of the macro `name` in this dialect; `None` if `{name}` is plain text there, because the
/// dialect has no such macro.
pub(super) fn class(name: &str, dialect: Dialect) -> Option<Class> {
    let both = match name {
        "code" | "noformat" => Some(Class::Code),
        "adf" => Some(Class::Adf),
        "plainwire-raw" => Some(Class::Raw),
        "quote" => Some(Class::Quote),
        "panel" => Some(Class::Panel),
        "anchor" => Some(Class::Single),
        _ => None,
    };
    if both.is_some() || dialect == Dialect::Jira {
        return both;
    }
    Some(match name {
        "info" | "tip" | "note" | "warning" => Class::Panel,
        "expand" => Class::Expand,
        "section" | "column" => Class::Layout,
        "status" => Class::Status,
        _ if PLAIN.contains(&name) => Class::Plain,
        _ if SINGLE.contains(&name) => Class::Single,
        _ => Class::Unknown,
    })
}

/// The macros of Confluence with a body of plain text.
const PLAIN: [&str; 16] = [
    "csv",
    "groovy",
    "html",
    "latex",
    "markdown",
    "mathblock",
    "mathinline",
    "mermaid",
    "mermaid-cloud",
    "plantuml",
    "plantumlcloud",
    "plantumlrender",
    "pygmentize",
    "script",
    "sql",
    "style",
];

/// The macros of Confluence without a body.
#[rustfmt::skip]
const SINGLE: [&str; 52] = [
    "attachments", "blog-posts", "blog-posts-list", "change-history", "children", "content-report-table", "contentbylabel",
    "contributors", "contributors-summary", "create-from-template", "create-space-button", "detailssummary", "drawio",
    "excerpt-include", "favpages", "gadget", "gallery", "gliffy", "global-reports", "im", "include", "index", "jira", "jirachart",
    "jiraissues", "junitreport", "labels-list", "listlabels", "livesearch", "loremipsum", "multimedia", "navmap", "network",
    "pagetree", "pagetreesearch", "popular-labels", "profile", "profile-picture", "recently-updated",
    "recently-updated-dashboard", "related-labels", "rss", "search", "space-attachments", "space-details", "spaces",
    "tasks-report-macro", "toc", "userlister", "view-file", "viewpdf", "widget",
];

/// The background colours by which Jira distinguishes the types of panels, each with ADF's name of the type.
/// A panel with another background, or without one, has the first type.
pub(super) const BACKGROUNDS: [(&str, &str); 5] = [
    ("#deebff", "info"),
    ("#e3fcef", "success"),
    ("#fffae6", "warning"),
    ("#ffebe6", "error"),
    ("#eae6ff", "note"),
];

/// Returns the colour that `{color:name}` sets, as `#rrggbb`; `None` if it is unknown.
pub(super) fn colour(name: &str) -> Option<String> {
    let name = name.trim();
    if name.starts_with('#') {
        colours::hex(name).map(|it| it.to_ascii_lowercase())
    } else {
        colours::named(name)
    }
}
