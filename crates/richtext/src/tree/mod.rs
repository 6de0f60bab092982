//! Tree of a document, common to all formats: ADF's vocabulary, with spans in the source.
//!
//! In: the nodes that a reader found. Out: the nodes that a writer needs. The tree does not know how a format
//! is spelled.
//!
//! All readers keep these rules, so that every writer can rely on them:
//!
//! - Nodes, marks and attributes have the names and types of ADF (`full.json` of `@atlaskit/adf-schema`
//!   57.7.22). Data that ADF has no attribute for is an [`Attr`] with a colon in its name. Marks do not nest:
//!   each [`Kind::Text`] lists all marks that apply to it.
//! - A Confluence macro is an `extension`, a `bodiedExtension` (its body is blocks) or an `inlineExtension`.
//!   Its `extensionType` is [`MACRO`], its `extensionKey` the macro's name. Its `parameters` are as
//!   Confluence writes them: `{"macroParams":{"maxLevel":{"value":"3"}},"macroMetadata":{…}}`, with the
//!   metadata `{"macroId":{"value":"…"},"schemaVersion":{"value":"1"}}`. A plain text body is the parameter
//!   `__bodyContent`; the parameter without a name is called `""`.
//! - A Confluence macro that ADF has a node for is that node: `info tip note warning panel` (`panel`),
//!   `code noformat` (`codeBlock`), `expand`, `status`, tasks, layouts. Its parameters without an ADF
//!   attribute are attributes `param:NAME`; `ac:macro-id`, `ac:schema-version` and other attributes of the
//!   element keep their names; HTML attributes are `html:NAME`; `wiki:form` records which of two spellings
//!   was used.
//! - Attributes `wiki:…` are for the writer of wiki markup, and attributes `storage:…` for that of storage
//!   format. Of these, `form`, `body`, `element`, `lines`, `language`, `width` and `section` only record a
//!   spelling and have no meaning; other attributes (`storage:comment`, `storage:extra`, `wiki:params`) hold
//!   content that the tree has no other place for.
//! - An HTML element or a sign of wiki markup that ADF has no mark for is a [`MarkKind::Other`] whose `/type`
//!   is `html:` and the element's name: a citation (`<cite>`, `??…??`, `:cite[…]`) is `html:cite` in all
//!   formats.
//! - A link within Confluence has the `href` `confluence:SPACE/Title#anchor`, `confluence:/Title` without a
//!   space, `attachment:NAME` or `#anchor`. Its parts are percent-encoded where they contain `/`, `#`, `%` or
//!   white space. `jira:KEY` is a Jira issue; `shortcut:KEY/PARAMETER` is a shortcut that a Confluence
//!   administrator defined. `values/hrefs.rs` reads and writes these. A link that shows the title of its
//!   target is an `inlineCard` with the address in its `url`.
//! - A person is a `mention`. Its `id` is the account id; failing that it is the user key or user name, and
//!   then an attribute `ri:userkey` or `ri:username` has it too.
//! - A hard break has no marks, whatever contains it: no product shows them, and ADF's schema has none there.
//! - A picture within text is a [`Kind::Image`]. A picture alone in its paragraph is a `mediaSingle` with a
//!   `media` of type `external`, also if its `url` is `attachment:NAME`.
//! - Input that the reader can't understand is a raw node: a [`Kind::RawBlock`] or [`Kind::RawInline`] that
//!   has the source verbatim.
//!
//! Rules for spans ([`Node::span`], [`Node::inner`]): children are in order within their parent's `inner` and
//! do not overlap; bytes between them (white space, commas) belong to no node. Inline nodes inside one
//! element that writes their marks (`<b>x <i>y</i></b>`) all have the `span` of the outermost such element,
//! because it can only be copied whole. A block without a spelling of its own (the paragraph of
//! `<li>text</li>`) has the span of its children.

mod attr;
mod check;
mod kind;
mod mark;
mod node;
mod node_limit;
mod span;

pub use attr::{Attr, Value};
pub use check::misplaced;
pub use kind::{Holds, Kind};
pub use mark::{Mark, MarkKind};
pub use node::Node;
pub(crate) use node::{add, all};
pub(crate) use node_limit::NodeLimit;
pub use span::Span;
/// The list type of nodes, from the crate `thin-vec`. An empty list takes the memory of one pointer; an empty
/// `Vec` takes three times as much, and most lists of nodes are empty.
pub use thin_vec::{ThinVec, thin_vec};

/// The `extensionType` of Confluence's macros.
pub const MACRO: &str = "com.atlassian.confluence.macro.core";

/// The most levels of nodes within nodes. Deeper content is kept raw.
pub const MAX_DEPTH: usize = 100;

/// The largest number of nodes in a document; a table whose cells are single letters reaches it at 4 MB of
/// source. The source after that is kept raw, as one [`Kind::RawBlock`] or [`Kind::RawInline`] in each node
/// that is not finished at that point, and one diagnostic has the position of the first such raw node. A
/// construct that can only be read as a whole is kept raw as a whole: in wiki markup a paragraph, an item or
/// a row; in storage format also a list, a table or a layout; in Markdown a top-level block. The tree may
/// exceed the limit by a few nodes for each level.
pub const MAX_NODES: usize = 1 << 22;
