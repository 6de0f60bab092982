//! Marks of text and blocks.

use std::borrow::Cow;

use thin_vec::ThinVec;

use super::attr::{Attr, Value};
use super::node::add;

/// A property of a node: bold, a link, a colour. Most marks of blocks set the layout (alignment, breakout).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark<'a> {
    /// The kind of mark.
    pub kind: MarkKind,
    /// The attributes, in the order of the source.
    pub attrs: ThinVec<Attr<'a>>,
}

/// The marks of ADF's schema, and [`Other`](Self::Other) for all other marks. Each variant lists the
/// attributes of its marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MarkKind {
    /// A link. Attributes: `href`; optional are `title`, `id`, `collection`, `occurrenceKey`.
    Link,
    /// A comment on the text. Attributes: `id`, `annotationType`.
    Annotation,
    /// The colour of the text. Attribute: `color` (`#rrggbb`).
    TextColor,
    /// The colour behind the text. Attribute: `color` (`#rrggbb`).
    BackgroundColor,
    /// Underlined text.
    Underline,
    /// Text below or above the line. Attribute: `type` (`sub` or `sup`).
    Subsup,
    /// Text that is struck through.
    Strike,
    /// Bold text.
    Strong,
    /// Italic text.
    Em,
    /// Code in a line of text, shown in a monospaced font.
    Code,
    /// The alignment of a block. Attribute: `align`.
    Alignment,
    /// The indentation of a block. Attribute: `level` (1 to 6).
    Indentation,
    /// The font size of a block. Attribute: `fontSize`.
    FontSize,
    /// The width of a block that is wider than the text. Attributes: `mode`; optional is `width`.
    Breakout,
    /// The border of a media node. Attributes: `size`, `color`.
    Border,
    /// An identity by which other nodes can refer to the node. Attributes: `localId`; optional is `name`.
    Fragment,
    /// The nodes from which this node takes its data, such as a chart from a table. Attribute: `sources`.
    DataConsumer,
    /// A mark that ADF's schema does not have. The attribute `/type` has its name; for an HTML element, the
    /// name is `html:` and the element's name.
    Other,
}

/// Maps kinds of marks to their names in ADF and back; [`MarkKind::Other`] has none. The lookup runs for
/// every mark, so it is a `match` rather than a table.
macro_rules! names {
    ($($kind:ident $name:literal,)*) => {
        /// Returns the kind with this name in ADF; `None` if ADF has no such mark.
        fn named(name: &str) -> Option<MarkKind> {
            match name {
                $($name => Some(MarkKind::$kind),)*
                _ => None,
            }
        }

        /// Returns the kind's name in ADF; `None` for [`MarkKind::Other`].
        fn name(kind: MarkKind) -> Option<&'static str> {
            match kind {
                $(MarkKind::$kind => Some($name),)*
                _ => None,
            }
        }
    };
}

names! {
    Link "link",
    Annotation "annotation",
    TextColor "textColor",
    BackgroundColor "backgroundColor",
    Underline "underline",
    Subsup "subsup",
    Strike "strike",
    Strong "strong",
    Em "em",
    Code "code",
    Alignment "alignment",
    Indentation "indentation",
    FontSize "fontSize",
    Breakout "breakout",
    Border "border",
    Fragment "fragment",
    DataConsumer "dataConsumer",
}

impl MarkKind {
    /// Returns the kind with this name in ADF; `None` if ADF has no such mark.
    #[must_use]
    pub fn of_adf(name: &str) -> Option<Self> {
        named(name)
    }
}

impl<'a> Mark<'a> {
    /// Creates a mark without attributes.
    #[must_use]
    pub fn new(kind: MarkKind) -> Self {
        Self { kind, attrs: ThinVec::new() }
    }

    /// Adds an attribute with a string value.
    #[must_use]
    pub fn with(mut self, name: impl Into<Cow<'a, str>>, value: impl Into<Cow<'a, str>>) -> Self {
        add(&mut self.attrs, Attr::string(name, value));
        self
    }

    /// Returns the mark's name in ADF. For [`MarkKind::Other`] it is the value of the attribute `/type`, or
    /// `other` if there is none.
    #[must_use]
    pub fn name(&self) -> &str {
        let known = name(self.kind);
        known.or_else(|| self.text("/type")).unwrap_or("other")
    }

    /// Returns the value of the attribute `name`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value<'a>> {
        self.attrs.iter().find(|it| it.name == name).map(|it| &it.value)
    }

    /// Returns the value of the attribute `name`, if it is a string.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_str()
    }
}
