//! What is said of a run of text.

use std::borrow::Cow;

use thin_vec::ThinVec;

use super::attr::{Attr, Value};
use super::node::add;

/// A mark of ADF: bold, a link, a colour. On blocks it says how they are set (alignment, breakout).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark<'a> {
    /// Which one.
    pub kind: MarkKind,
    /// What it says besides, in the order of the source.
    pub attrs: ThinVec<Attr<'a>>,
}

/// The marks of ADF's schema, and what other formats have besides.
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
    /// Of a typewriter.
    Code,
    /// Of a block: `align`.
    Alignment,
    /// Of a block: `level` 1 to 6.
    Indentation,
    /// Of a block: `fontSize`.
    FontSize,
    /// Of a block: `mode`, perhaps `width`.
    Breakout,
    /// Of media: `size`, `color`.
    Border,
    /// `localId`, perhaps `name`.
    Fragment,
    /// `sources`.
    DataConsumer,
    /// One that ADF's schema does not have: its name is the attribute `/type`; of an element of HTML `html:` and the element's name.
    Other,
}

/// Kinds with the names they have in ADF; [`MarkKind::Other`] has none of its own. Asked of every node, so a match and no table.
macro_rules! names {
    ($($kind:ident $name:literal,)*) => {
        /// The kind ADF calls so.
        fn named(name: &str) -> Option<MarkKind> {
            match name {
                $($name => Some(MarkKind::$kind),)*
                _ => None,
            }
        }

        /// What ADF calls the kind.
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
    /// The kind ADF calls so.
    #[must_use]
    pub fn of_adf(name: &str) -> Option<Self> {
        named(name)
    }
}

impl<'a> Mark<'a> {
    /// A mark that says nothing besides.
    #[must_use]
    pub fn new(kind: MarkKind) -> Self {
        Self { kind, attrs: ThinVec::new() }
    }

    /// With a string besides.
    #[must_use]
    pub fn with(mut self, name: impl Into<Cow<'a, str>>, value: impl Into<Cow<'a, str>>) -> Self {
        add(&mut self.attrs, Attr::string(name, value));
        self
    }

    /// What ADF calls it; for [`MarkKind::Other`] the name it came with.
    #[must_use]
    pub fn name(&self) -> &str {
        let known = name(self.kind);
        known.or_else(|| self.text("/type")).unwrap_or("other")
    }

    /// The attribute of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value<'a>> {
        self.attrs.iter().find(|it| it.name == name).map(|it| &it.value)
    }

    /// The attribute of this name, if it is a string.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_str()
    }
}
