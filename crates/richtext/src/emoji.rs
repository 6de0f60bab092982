//! Emoji by their short names, `:tada:`: the emoticons of Atlassian's products, and the short names of GitHub.

use std::borrow::Cow;

use crate::tree::{Attr, Kind, Node};
use crate::values::emoticons::EMOTICONS;

/// Returns the emoji with this short name, which has colons around it; `None` if none is known by it.
pub(crate) fn named<'a>(short: &str) -> Option<Node<'a>> {
    let (id, text) = known(short)?;
    Some(Node::new(Kind::Emoji).with("shortName", short.to_owned()).with("id", id).with("text", text))
}

/// Returns the id and the text of the emoji with this short name.
fn known(short: &str) -> Option<(Cow<'static, str>, &'static str)> {
    if let Some(it) = EMOTICONS.iter().find(|it| it.short == short) {
        return Some((it.id.into(), it.text));
    }
    let name = short.strip_prefix(':')?.strip_suffix(':')?;
    let text = emojis::get_by_shortcode(name)?.as_str();
    // Atlassian's ids leave out the sign that asks for a picture.
    let points = text.chars().filter(|it| *it != '\u{fe0f}').map(|it| format!("{:x}", it as u32));
    Some((points.collect::<Vec<_>>().join("-").into(), text))
}

/// Returns the short name that `text` begins with, such as `:tada:`; `None` if it begins with none that is known.
pub(crate) fn name_at(text: &str) -> Option<&str> {
    let name = text.strip_prefix(':')?;
    let end = name.bytes().take(LONGEST).take_while(|it| is_part(*it)).count();
    let short = &text[..end + 1 + usize::from(name[end..].starts_with(':'))];
    (short.len() == end + 2 && end > 0 && known(short).is_some()).then_some(short)
}

/// Returns whether a short name may contain `byte` between its colons.
pub(crate) fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'+' | b'-')
}

/// The length of the longest short name that is looked for, in bytes without its colons.
const LONGEST: usize = 64;

/// Returns whether a short name may begin after this character: not after a digit, as in a time, and not in a path.
pub(crate) fn may_follow(before: Option<char>) -> bool {
    before.is_none_or(|it| !it.is_numeric() && !matches!(it, ':' | '_' | '\\' | '/'))
}

/// Returns whether the emoji is the one that [`named`] returns for its short name, in this order or another. Attributes that
/// only identify it do not count.
pub(crate) fn is_named(node: &Node<'_>) -> bool {
    let Some(named) = node.text_of("shortName").and_then(named) else { return false };
    let is_same = |it: &Attr<'_>| it.is_incidental() || named.get(&it.name) == Some(&it.value);
    node.attrs.iter().all(is_same) && named.attrs.iter().all(|it| node.get(&it.name).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn emoji_are_known_by_the_names_of_atlassian_and_of_github() {
        let shown = |short: &str| {
            let node = named(short)?;
            Some(format!(
                "{} {}",
                node.text_of("id").unwrap_or_default(),
                node.text_of("text").unwrap_or_default()
            ))
        };
        assert_eq!(shown(":check_mark:").as_deref(), Some("atlassian-check_mark :check_mark:"));
        assert_eq!(shown(":tada:").as_deref(), Some("1f389 \u{1f389}"));
        assert_eq!(shown(":+1:").as_deref(), Some("1f44d \u{1f44d}"));
        assert_eq!(shown(":party_parrot:"), None);
    }

    #[test]
    fn a_short_name_ends_with_its_second_colon() {
        assert_eq!(name_at(":tada: x"), Some(":tada:"));
        assert_eq!(name_at(":tada"), None);
        assert_eq!(name_at("::"), None);
        assert_eq!(name_at(":30:"), None);
    }
}
