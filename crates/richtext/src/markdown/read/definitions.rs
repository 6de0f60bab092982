//! Definitions of links (`[name]: address`), which count in all of a text wherever they stand.
//!
//! In: ranges of a text in which there may be any. Out: what a name leads to. Of two definitions of one name the first counts.

use std::ops::Range;

use pulldown_cmark::{BrokenLink, CowStr, Event, LinkType, Options, Parser, Tag};

/// The definitions of a text.
#[derive(Default)]
pub(super) struct Definitions {
    /// A text of `[name]: number`, by which CommonMark finds the number of a name: names are compared without looking at case.
    names: String,
    /// Address and title by number.
    targets: Vec<(String, String)>,
}

/// A way to look names up.
pub(super) struct Names<'d> {
    parser: Parser<'d>,
    targets: &'d [(String, String)],
}

impl Definitions {
    /// Finds those in some ranges of `text`, each of which CommonMark reads alike alone.
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
    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// What a name leads to that the part it is used in does not define.
    pub(super) fn missing(&self, link: &BrokenLink<'_>) -> Option<(CowStr<'d>, CowStr<'d>)> {
        self.target(&link.reference)
    }

    /// Has the event lead to what the first definition says, where its part has another one.
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
