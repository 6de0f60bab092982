//! Losses that an edit may have: `--allow-loss`, for some kinds of them or for some lines.

use std::ops::RangeInclusive;
use std::str::FromStr;

use plainwire_richtext::LossKind;

/// Losses that `--allow-loss` allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Allowed {
    All,
    Kind(LossKind),
    Conflict,
    Invalid,
    /// All losses in these lines of the Markdown, counted from 1.
    Lines(RangeInclusive<usize>),
}

impl Allowed {
    /// Returns whether this allows a loss of the kind `kind` at `line`.
    pub(super) fn loss(&self, kind: LossKind, line: usize) -> bool {
        match self {
            Self::All => true,
            Self::Kind(allowed) => kind == *allowed,
            Self::Lines(lines) => lines.contains(&line),
            Self::Conflict | Self::Invalid => false,
        }
    }

    /// Returns whether this allows content at `line` that is not valid.
    pub(super) fn invalid(&self, line: usize) -> bool {
        match self {
            Self::All | Self::Invalid => true,
            Self::Lines(lines) => lines.contains(&line),
            Self::Kind(_) | Self::Conflict => false,
        }
    }

    /// Returns whether this allows conflicts. They are about the document, not about a line of the Markdown.
    pub(super) fn conflict(&self) -> bool {
        matches!(self, Self::All | Self::Conflict)
    }
}

impl FromStr for Allowed {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        Ok(match word {
            "all" => Self::All,
            "content" => Self::Kind(LossKind::Content),
            "attribute" => Self::Kind(LossKind::Attribute),
            "conflict" => Self::Conflict,
            "invalid" => Self::Invalid,
            _ => {
                let (first, last) = word.split_once('-').unwrap_or((word, word));
                let number = |it: &str| it.parse::<usize>().ok().filter(|it| *it > 0);
                match (number(first), number(last)) {
                    (Some(first), Some(last)) if first <= last => Self::Lines(first..=last),
                    _ => {
                        return Err(format!(
                            "expected content, attribute, conflict, invalid, all, or lines such as 7 or 7-9, but found {word:?}"
                        ));
                    }
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_are_allowed_by_kind_and_by_line() {
        let allowed = |word: &str| word.parse::<Allowed>().expect("it is one");
        assert!(
            allowed("all").loss(LossKind::Content, 1)
                && allowed("all").conflict()
                && allowed("all").invalid(1)
        );
        assert!(
            allowed("content").loss(LossKind::Content, 1) && !allowed("content").loss(LossKind::Attribute, 1)
        );
        assert!(allowed("7-9").loss(LossKind::Content, 8) && !allowed("7-9").loss(LossKind::Content, 10));
        assert!(allowed("7").invalid(7) && !allowed("7").conflict());
        assert!("0".parse::<Allowed>().is_err() && "9-7".parse::<Allowed>().is_err());
    }
}
