//! Marks of text and blocks.

use std::borrow::Cow;

use thin_vec::ThinVec;

use super::attr::{Attr, Value};
use super::node::add;

/// A mark of ADF: bold, a link, a colour. Marks of a block set its layout (alignment, breakout).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark<'a> {
    /// The kind of mark.
    pub kind: MarkKind,
    /// The attributes, in the order of the source.
    pub attrs: ThinVec<Attr<'a>>,
}

/// The marks of ADF's schema, and [`Other`](Self::Other) for those of other formats. Each variant lists its
/// attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MarkKind {
    /// `href`, and perhaps `title`, `id`, `collection`, `occurrenceKey`.
    Link,
    /// `id`, `annotationType`.
    Annotation,
    /// `color`: `#rrggbb`.
    TextColor,
    /// `color`: `#rrggbb`.
    BackgroundColor,
    /// Underlined.
    Underline,
    /// `type`: `sub` or `sup`.
    Subsup,
    /// Struck through.
    Strike,
    /// Bold.
    Strong,
    /// Italic.
    Em,
    /// Code: monospaced.
    Code,
    /// On blocks: `align`.
    Alignment,
    /// On blocks: `level` 1 to 6.
    Indentation,
    /// On blocks: `fontSize`.
    FontSize,
    /// On blocks: `mode`, perhaps `width`.
    Breakout,
    /// On media: `size`, `color`.
    Border,
    /// `localId`, perhaps `name`.
    Fragment,
    /// `sources`.
    DataConsumer,
    /// A mark that ADF's schema does not have. The attribute `/type` has its name; for an HTML element that
    /// is `html:` and the element's name.
    Other,
}

/// Maps kinds to their names in ADF and back; [`MarkKind::Other`] has none. The lookup runs for every mark,
/// so it is a `match` rather than a table.
macro_rules! names {
    ($($kind:ident $name:literal,)*) => {
        /// Returns the kind with this name in ADF.
        fn named(name: &str) -> Option<MarkKind> {
            match name {
                $($name => Some(MarkKind::$kind),)*
                _ => None,
            }
        }

        /// Returns the kind's name in ADF.
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
    /// Returns the kind with this name in ADF.
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

    /// Adds a string attribute.
    #[must_use]
    pub fn with(mut self, name: impl Into<Cow<'a, str>>, value: impl Into<Cow<'a, str>>) -> Self {
        add(&mut self.attrs, Attr::string(name, value));
        self
    }

    /// Returns the mark's name in ADF; for [`MarkKind::Other`] the name it has in its source.
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
