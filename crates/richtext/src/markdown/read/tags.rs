//! Pairs of the HTML tags `<u>`, `<sub>` and `<sup>` with their closing tags, within text.

use pulldown_cmark::Event;

use super::inline::Placed;
use crate::tree::{Mark, MarkKind};

/// The role of an inline tag in a pair.
#[derive(Clone, Copy, Default)]
pub(super) enum Pair {
    #[default]
    None,
    /// The tag opens an element, which the event with this index closes.
    Opens(Html, usize),
    Closes,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Html {
    Underline,
    Sub,
    Sup,
}

impl Html {
    fn of(tag: &str) -> Option<(Self, bool)> {
        Some(match tag {
            "<u>" => (Self::Underline, true),
            "</u>" => (Self::Underline, false),
            "<sub>" => (Self::Sub, true),
            "</sub>" => (Self::Sub, false),
            "<sup>" => (Self::Sup, true),
            "</sup>" => (Self::Sup, false),
            _ => return None,
        })
    }

    pub(super) fn mark(self) -> Mark<'static> {
        match self {
            Self::Underline => Mark::new(MarkKind::Underline),
            Self::Sub => Mark::new(MarkKind::Subsup).with("type", "sub"),
            Self::Sup => Mark::new(MarkKind::Subsup).with("type", "sup"),
        }
    }
}

/// Returns, for each event, its role in a pair of HTML tags. Both tags of a pair are inside the same Markdown
/// element, with at least one event between them. All other events have the role [`Pair::None`].
pub(super) fn pair(events: &[Placed<'_>]) -> Vec<Pair> {
    let mut pairs = vec![Pair::None; events.len()];
    let mut open: Vec<Vec<(Html, usize)>> = vec![Vec::new()];
    for (at, (event, _)) in events.iter().enumerate() {
        match event {
            Event::Start(_) => open.push(Vec::new()),
            Event::End(_) => {
                open.pop();
            }
            Event::InlineHtml(text) => {
                let (Some((html, opens)), Some(level)) = (Html::of(text), open.last_mut()) else { continue };
                if opens {
                    level.push((html, at));
                } else if level.iter().rev().take(MAX_TAGS).any(|it| it.0 == html) {
                    while let Some((found, opener)) = level.pop() {
                        if found == html {
                            if opener + 1 < at {
                                pairs[opener] = Pair::Opens(html, at);
                                pairs[at] = Pair::Closes;
                            }
                            break;
                        }
                    }
                }
            }
            _ => {}
        }
    }
    pairs
}

/// The number of open tags that are searched for the partner of a closing tag, beginning with the last one
/// opened.
const MAX_TAGS: usize = 64;
