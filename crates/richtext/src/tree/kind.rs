//! The kinds of node.

/// What a node is: the vocabulary of ADF, and what other formats have besides.
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
    /// Not of ADF: blocks that an element holds together which means nothing to us (`div`). Its name is the attribute `/type`.
    Group,
    /// Not of ADF: a block kept as it was written, in [`Node::text`](super::Node::text). The attribute `/format` names its format.
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
    /// Not of ADF: a picture among text. `url` (an address, or `attachment:NAME`), perhaps `alt`, `title`, `width`, `height`.
    Image,
    /// Not of ADF: something among text kept as it was written, in [`Node::text`](super::Node::text). `/format` names its format.
    RawInline,
}

/// The kinds ADF has, by the names it gives them. Asked of every node, so a match and no table.
macro_rules! names {
    ($($kind:ident $name:literal,)*) => {
        /// The kind ADF calls so.
        fn named(name: &str) -> Option<Kind> {
            match name {
                $($name => Some(Kind::$kind),)*
                _ => None,
            }
        }

        /// What ADF calls the kind.
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

/// What the children of a node are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// None.
    Nothing,
    /// Paragraphs, lists, panels; of a list its items, of a table its rows.
    Blocks,
    /// Text and what stands among it.
    Inlines,
}

impl Kind {
    /// The kind ADF calls so.
    #[must_use]
    pub fn of_adf(name: &str) -> Option<Self> {
        named(name)
    }

    /// What ADF calls it; nothing if ADF has no such node.
    #[must_use]
    pub fn adf_name(self) -> Option<&'static str> {
        name(self)
    }

    /// Whether it stands among text.
    #[must_use]
    pub fn is_inline(self) -> bool {
        self as u8 >= Self::Text as u8
    }

    /// Whether [`Node::text`](super::Node::text) is what it is about, as it was written.
    #[must_use]
    pub fn is_verbatim(self) -> bool {
        matches!(self, Self::RawBlock | Self::RawInline)
    }

    /// What its children are.
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
