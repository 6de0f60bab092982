//! Definitions of links (`[name]: address`), which apply to a whole text wherever they appear in it.
//!
//! In: the ranges of a text that may contain definitions. Out: the target of each name. If a name is defined
//! twice, the first definition counts.

use std::ops::Range;

use pulldown_cmark::{BrokenLink, CowStr, Event, LinkType, Options, Parser, Tag};

/// The definitions of a text.
#[derive(Default)]
pub(super) struct Definitions {
    /// A Markdown text of lines `[name]: number`. CommonMark parses it to look up a name, because CommonMark
    /// knows which names are equal (ignoring case).
    names: String,
    /// The address and title of each definition, by the number in `names`.
    targets: Vec<(String, String)>,
}

/// A lookup of the definitions of links by name.
pub(super) struct Names<'d> {
    parser: Parser<'d>,
    targets: &'d [(String, String)],
}

impl Definitions {
    /// Finds the definitions in `ranges` of `text`. CommonMark must read each range alone in the same way as
    /// within the text.
    pub(super) fn of(text: &str, ranges: &[Range<usize>]) -> Self {
        let mut found = Self::default();
        ranges.iter().for_each(|it| found.add(&text[it.clone()]));
        found
    }

    fn add(&mut self, text: &str) {
        let parser = Parser::new_ext(text, super::OPTIONS);
        for (name, it) in parser.reference_definitions().iter() {
            self.names.push_str(&format!("[{name}]: {}\n\n", self.targets.len()));
            let title = it.title.as_deref().unwrap_or_default();
            self.targets.push((it.dest.to_string(), title.to_owned()));
        }
    }

    pub(super) fn names(&self) -> Names<'_> {
        Names { parser: Parser::new_ext(&self.names, Options::empty()), targets: &self.targets }
    }
}

impl<'d> Names<'d> {
    /// Returns whether there are no definitions.
    pub(super) fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// Returns the address and the title for `link`, whose name is not defined in the part of the text that
    /// CommonMark is parsing. Returns `None` if no other part defines the name.
    pub(super) fn missing(&self, link: &BrokenLink<'_>) -> Option<(CowStr<'d>, CowStr<'d>)> {
        self.target(&link.reference)
    }

    /// If the event begins a link or picture that refers to a definition by name, sets its target to that of
    /// the name's first definition in the text. CommonMark may have taken a later definition, because it sees
    /// only one part of the text.
    pub(super) fn settle(&self, event: &mut Event<'d>) {
        if let Event::Start(
            Tag::Link { link_type, dest_url, title, id } | Tag::Image { link_type, dest_url, title, id },
        ) = event
            && matches!(link_type, LinkType::Reference | LinkType::Collapsed | LinkType::Shortcut)
            && let Some((address, of_first)) = self.target(id)
        {
            (*dest_url, *title) = (address, of_first);
        }
    }

    fn target(&self, name: &str) -> Option<(CowStr<'d>, CowStr<'d>)> {
        let definition = self.parser.reference_definitions().get(name)?;
        let (address, title) = self.targets.get(definition.dest.parse::<usize>().ok()?)?;
        Some((CowStr::Borrowed(address), CowStr::Borrowed(title)))
    }
}
