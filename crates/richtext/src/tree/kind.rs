//! Kinds of nodes.

/// The kind of a node: the nodes of ADF, and four kinds that only this crate has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are those of ADF, which says what each of them is")]
pub enum Kind {
    Paragraph,
    Heading,
    BulletList,
    OrderedList,
    ListItem,
    TaskList,
    TaskItem,
    BlockTaskItem,
    DecisionList,
    DecisionItem,
    Blockquote,
    CodeBlock,
    Rule,
    Panel,
    Expand,
    NestedExpand,
    LayoutSection,
    LayoutColumn,
    Table,
    TableRow,
    TableHeader,
    TableCell,
    MediaSingle,
    MediaGroup,
    Media,
    Caption,
    BlockCard,
    EmbedCard,
    Extension,
    BodiedExtension,
    MultiBodiedExtension,
    ExtensionFrame,
    SyncBlock,
    BodiedSyncBlock,
    /// Not in ADF: the blocks in an element that this crate does not interpret (`div`). The attribute `/type`
    /// names the element.
    Group,
    /// Not in ADF: a block kept verbatim, in [`Node::text`](super::Node::text). The attribute `/format` names
    /// its format.
    RawBlock,
    Text,
    HardBreak,
    Mention,
    Emoji,
    Date,
    Status,
    Placeholder,
    InlineCard,
    MediaInline,
    InlineExtension,
    /// Not in ADF: a picture within text. Its attributes are `url` (an address, or `attachment:NAME`), and
    /// optionally `alt`, `title`, `width`, `height`.
    Image,
    /// Not in ADF: an inline construct kept verbatim, in [`Node::text`](super::Node::text). The attribute
    /// `/format` names its format.
    RawInline,
}

/// Maps kinds to their names in ADF and back. The lookup runs for every node, so it is a `match` rather than
/// a table.
macro_rules! names {
    ($($kind:ident $name:literal,)*) => {
        /// Returns the kind with this name in ADF; `None` if ADF has no such node.
        fn named(name: &str) -> Option<Kind> {
            match name {
                $($name => Some(Kind::$kind),)*
                _ => None,
            }
        }

        /// Returns the kind's name in ADF; `None` if ADF has no such node.
        fn name(kind: Kind) -> Option<&'static str> {
            match kind {
                $(Kind::$kind => Some($name),)*
                _ => None,
            }
        }
    };
}

names! {
    Text "text",
    Paragraph "paragraph",
    ListItem "listItem",
    TableCell "tableCell",
    TableRow "tableRow",
    HardBreak "hardBreak",
    Heading "heading",
    BulletList "bulletList",
    OrderedList "orderedList",
    TaskList "taskList",
    TaskItem "taskItem",
    BlockTaskItem "blockTaskItem",
    DecisionList "decisionList",
    DecisionItem "decisionItem",
    Blockquote "blockquote",
    CodeBlock "codeBlock",
    Rule "rule",
    Panel "panel",
    Expand "expand",
    NestedExpand "nestedExpand",
    LayoutSection "layoutSection",
    LayoutColumn "layoutColumn",
    Table "table",
    TableHeader "tableHeader",
    MediaSingle "mediaSingle",
    MediaGroup "mediaGroup",
    Media "media",
    Caption "caption",
    BlockCard "blockCard",
    EmbedCard "embedCard",
    Extension "extension",
    BodiedExtension "bodiedExtension",
    MultiBodiedExtension "multiBodiedExtension",
    ExtensionFrame "extensionFrame",
    SyncBlock "syncBlock",
    BodiedSyncBlock "bodiedSyncBlock",
    Mention "mention",
    Emoji "emoji",
    Date "date",
    Status "status",
    Placeholder "placeholder",
    InlineCard "inlineCard",
    MediaInline "mediaInline",
    InlineExtension "inlineExtension",
}

/// The children that a kind of node may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// No children.
    Nothing,
    /// Blocks: paragraphs, lists, panels; also the items of a list and the rows of a table.
    Blocks,
    /// Inline nodes: text, and nodes within text.
    Inlines,
}

impl Kind {
    /// Returns the kind with this name in ADF; `None` if ADF has no such node.
    #[must_use]
    pub fn of_adf(name: &str) -> Option<Self> {
        named(name)
    }

    /// Returns the kind's name in ADF; `None` if ADF has no such node.
    #[must_use]
    pub fn adf_name(self) -> Option<&'static str> {
        name(self)
    }

    /// Returns whether nodes of this kind are inline: text itself, or nodes that occur among text.
    #[must_use]
    pub fn is_inline(self) -> bool {
        self as u8 >= Self::Text as u8
    }

    /// Returns whether nodes of this kind are raw: their content is [`Node::text`](super::Node::text),
    /// verbatim.
    #[must_use]
    pub fn is_verbatim(self) -> bool {
        matches!(self, Self::RawBlock | Self::RawInline)
    }

    /// Returns which children nodes of this kind may have.
    #[must_use]
    pub fn holds(self) -> Holds {
        match self {
            Self::Paragraph
            | Self::Heading
            | Self::TaskItem
            | Self::DecisionItem
            | Self::CodeBlock
            | Self::Caption => Holds::Inlines,
            Self::Rule
            | Self::Media
            | Self::BlockCard
            | Self::EmbedCard
            | Self::Extension
            | Self::SyncBlock
            | Self::RawBlock => Holds::Nothing,
            it if it.is_inline() => Holds::Nothing,
            _ => Holds::Blocks,
        }
    }
}
