//! One tree for all formats: ADF's vocabulary, with the places in the source.
//!
//! In: what a reader found. Out: what a writer needs. Nothing here knows how a format is spelled.
//!
//! What all readers keep to, so that every writer can rely on it:
//!
//! - Nodes, marks and attributes have ADF's names and types (`full.json` of `@atlaskit/adf-schema` 57.7.22). What ADF has no place
//!   for is an [`Attr`] with a colon in its name. Marks are flat: each [`Kind::Text`] has all of its own.
//! - A macro of Confluence is an `extension`, a `bodiedExtension` (body of blocks) or an `inlineExtension`, with `extensionType`
//!   [`MACRO`], `extensionKey` its name, and `parameters` as Confluence writes them:
//!   `{"macroParams":{"maxLevel":{"value":"3"}},"macroMetadata":{"macroId":{"value":"…"},"schemaVersion":{"value":"1"}}}`; a body of plain
//!   text is the parameter `__bodyContent`, the parameter without a name is called `""`.
//! - Macros ADF has a node for are that node: `info tip note warning panel` (`panel`), `code noformat` (`codeBlock`), `expand`,
//!   `status`, tasks, layouts. Their parameters without a place are attributes `param:NAME`; `ac:macro-id`, `ac:schema-version` and other
//!   attributes of the element keep their names; attributes of HTML are `html:NAME`; which spelling of two was used is `wiki:form`.
//! - `wiki:…` and `storage:…` belong to that format alone: no other looks at them. `form`, `body`, `element`, `lines`, `language`, `width` and
//!   `section` only remember how something was spelled and mean nothing; the others (`storage:comment`, `storage:extra`, `wiki:params`)
//!   hold what the tree has no word for.
//! - An element or sign that ADF has no mark for is [`MarkKind::Other`] whose `/type` is `html:` and the element's name: a citation
//!   (`<cite>`, `??…??`, `:cite[…]`) is `html:cite` in all formats.
//! - A link to something in Confluence has the `href` `confluence:SPACE/Title#anchor`, `confluence:/Title` without a space,
//!   `attachment:NAME`, `#anchor`; parts are percent-encoded where they hold `/`, `#`, `%` or white space. `jira:KEY` is an issue of Jira,
//!   `shortcut:KEY/PARAMETER` what Confluence's administrator says. `values/hrefs.rs` spells and reads these. A link that shows the title of
//!   what it leads to is an `inlineCard` with that `url`.
//! - A person is a `mention`; `id` is the account id, or else the user key or name, and then `ri:userkey` or `ri:username` says so.
//! - A hard break has no marks, whatever it stands in: nothing shows them, and ADF's schema has none there.
//! - A picture among text is [`Kind::Image`]; alone in its paragraph it is a `mediaSingle` with a `media` of type `external`, also if its
//!   `url` is `attachment:NAME`.
//! - What can't be understood is [`Kind::RawBlock`] or [`Kind::RawInline`], verbatim.
//!
//! Of places ([`Node::span`], [`Node::inner`]): children stand in order within their parent's `inner`, and do not overlap; what lies
//! between them (white space, commas) is nobody's. Inline nodes that share marks which one element writes (`<b>x <i>y</i></b>`) have one
//! and the same `span`, that of the outermost element: it can only be copied whole. A block without a spelling of its own (the paragraph
//! of `<li>text</li>`) has the span of what it holds.

mod attr;
mod check;
mod kind;
mod mark;
mod node;
mod room;
mod span;

pub use attr::{Attr, Value};
pub use check::misplaced;
pub use kind::{Holds, Kind};
pub use mark::{Mark, MarkKind};
pub use node::Node;
pub(crate) use node::add;
pub(crate) use room::Room;
pub use span::Span;
/// What nodes hold things in: a `Vec` of one word, since most of them hold nothing. From the crate `thin-vec`.
pub use thin_vec::{ThinVec, thin_vec};

/// The `extensionType` of Confluence's macros.
pub const MACRO: &str = "com.atlassian.confluence.macro.core";

/// How deep nodes may stand in each other. What stands deeper is kept as it was written.
pub const MAX_DEPTH: usize = 100;

/// How many nodes a document may have; a table of single letters has as many in 4 MB. What follows is kept as it was written, as one
/// [`Kind::RawBlock`] or [`Kind::RawInline`] in each place that is open, and one diagnostic says where that begins. What is only
/// understood as a whole is kept as a whole: in wiki markup a paragraph, an item, a row; in storage format also a list, a table, a
/// layout; in Markdown a block at the top. There may be some more nodes, a few for each level.
pub const MAX_NODES: usize = 1 << 22;
