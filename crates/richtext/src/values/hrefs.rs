//! Addresses of link targets in Confluence: `confluence:SPACE/Title#anchor`, `attachment:NAME`,
//! `shortcut:KEY/PARAMETER`, `#anchor`.
//!
//! In: the parts of an address. Out: the address, and back. Other data that a format has about a target is
//! not in the address; the readers keep it in attributes.

use std::borrow::Cow;

/// The target of a link within Confluence.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Target<'h> {
    /// A page. `space` is empty in a link that states no space, `title` in a link to a whole space.
    Page { space: Cow<'h, str>, title: Cow<'h, str>, anchor: Option<Cow<'h, str>> },
    /// A file attached to a page.
    Attachment { name: Cow<'h, str>, anchor: Option<Cow<'h, str>> },
    /// A shortcut link: `key` names an address that a Confluence administrator defined, and `parameter` is
    /// inserted into it.
    Shortcut { key: Cow<'h, str>, parameter: Cow<'h, str> },
    /// An anchor on the page that contains the link.
    Anchor { anchor: Cow<'h, str> },
}

impl<'h> Target<'h> {
    /// Parses an address; `None` if it is malformed, or leads to another kind of target, such as a web page.
    pub(crate) fn of(href: &'h str) -> Option<Self> {
        let (place, anchor) = href.split_once('#').map_or((href, None), |it| (it.0, Some(it.1)));
        let anchor = match anchor {
            Some(it) => Some(decode(it)?),
            None => None,
        };
        if let Some(page) = place.strip_prefix("confluence:") {
            let (space, title) = page.split_once('/')?;
            return Some(Self::Page { space: decode(space)?, title: decode(title)?, anchor });
        }
        if let Some(name) = place.strip_prefix("attachment:") {
            return Some(Self::Attachment { name: decode(name)?, anchor });
        }
        if let Some(shortcut) = place.strip_prefix("shortcut:") {
            let (key, parameter) = shortcut.split_once('/')?;
            let (key, parameter) = (decode(key)?, decode(parameter)?);
            return anchor.is_none().then_some(Self::Shortcut { key, parameter });
        }
        anchor.filter(|_| place.is_empty()).map(|anchor| Self::Anchor { anchor })
    }

    /// Returns the address of the target, in the form that [`Target::of`] parses.
    pub(crate) fn href(&self) -> String {
        let mut out = String::new();
        let (head, parts, anchor): (_, &[&str], _) = match self {
            Self::Page { space, title, anchor } => ("confluence:", &[space, title], anchor.as_ref()),
            Self::Attachment { name, anchor } => ("attachment:", &[name], anchor.as_ref()),
            Self::Shortcut { key, parameter } => ("shortcut:", &[key, parameter], None),
            Self::Anchor { anchor } => ("", &[], Some(anchor)),
        };
        out.push_str(head);
        for (index, part) in parts.iter().enumerate() {
            out.push_str(if index == 0 { "" } else { "/" });
            encode(&mut out, part);
        }
        if let Some(anchor) = anchor {
            out.push('#');
            encode(&mut out, anchor);
        }
        out
    }
}

/// Parses `href` like [`Target::of`], but returns `None` also if [`Target::href`] spells the address
/// differently: written as an element of storage format and read again, such an address would change.
pub(crate) fn exact(href: &str) -> Option<Target<'_>> {
    Target::of(href).filter(|it| it.href() == href)
}

/// Returns the address of the attachment `name`.
pub(crate) fn attachment(name: &str) -> String {
    Target::Attachment { name: name.into(), anchor: None }.href()
}

/// Appends `part`, a part of an address, to `out`. `/`, `#`, `%` and white space are percent-encoded.
fn encode(out: &mut String, part: &str) {
    for found in part.chars() {
        if found.is_whitespace() || matches!(found, '/' | '#' | '%') {
            let mut bytes = [0; 4];
            found.encode_utf8(&mut bytes).bytes().for_each(|it| out.push_str(&format!("%{it:02X}")));
        } else {
            out.push(found);
        }
    }
}

/// Decodes the percent-encoding in a part of an address; `None` if an escape is malformed or the result is
/// not UTF-8.
pub(crate) fn decode(part: &str) -> Option<Cow<'_, str>> {
    if !part.contains('%') {
        return Some(Cow::Borrowed(part));
    }
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let digits = after.get(..2).and_then(|it| std::str::from_utf8(it).ok());
        bytes.push(u8::from_str_radix(digits?, 16).ok()?);
        rest = &after[2..];
    }
    String::from_utf8(bytes).ok().map(Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_come_back_from_their_parts() {
        let page = |space: &'static str, title: &'static str, anchor: Option<&'static str>| Target::Page {
            space: space.into(),
            title: title.into(),
            anchor: anchor.map(Cow::Borrowed),
        };
        let cases = [
            (page("TS", "A b/c#d%", Some("e f")), "confluence:TS/A%20b%2Fc%23d%25#e%20f"),
            (page("", "Titel", None), "confluence:/Titel"),
            (page("ZAA", "", None), "confluence:ZAA/"),
            (Target::Attachment { name: "a b.pdf".into(), anchor: None }, "attachment:a%20b.pdf"),
            (Target::Anchor { anchor: "x".into() }, "#x"),
            (Target::Shortcut { key: "jira".into(), parameter: "A-1".into() }, "shortcut:jira/A-1"),
        ];
        for (target, href) in cases {
            assert_eq!(target.href(), href);
            assert_eq!(Target::of(href), Some(target), "{href}");
        }
    }

    #[test]
    fn other_addresses_lead_out_of_confluence() {
        for href in ["https://x/#a", "", "confluence:x", "mailto:a@b", "/wiki"] {
            assert_eq!(Target::of(href), None, "{href}");
        }
        assert_eq!(exact("attachment:a b"), None, "a blank would have been encoded");
        for broken in ["attachment:%", "attachment:%zz", "attachment:%ff", "confluence:A/B#%f"] {
            assert_eq!(Target::of(broken), None, "{broken}");
        }
    }
}
