//! Reads inline tokens that need no pairing: emoticons, pictures, web addresses.

use thin_vec::{ThinVec, thin_vec};

use super::Reader;
use super::tags::is_escaped;
use crate::tree::{Attr, Kind, Node, Span};
use crate::values::emoticons::{EMOTICONS, Emoticon};
use crate::values::hrefs;

/// Returns the emoticon at the start of `text`, if there is one.
pub(super) fn emoticon(text: &[u8]) -> Option<&'static Emoticon> {
    EMOTICONS.iter().find(|it| text.starts_with(it.spelling.as_bytes()))
}

/// Creates the emoji node for an emoticon. An unusual spelling is recorded in `wiki:form`.
pub(super) fn emoji(found: &Emoticon) -> Node<'static> {
    let node =
        Node::new(Kind::Emoji).with("shortName", found.short).with("id", found.id).with("text", found.text);
    let usual = EMOTICONS.iter().find(|it| it.short == found.short).map_or(found.spelling, |it| it.spelling);
    if usual == found.spelling { node } else { node.with("wiki:form", found.spelling) }
}

/// The schemes whose addresses become links without brackets.
const SCHEMES: [&str; 9] = ["http", "https", "ftp", "ftps", "file", "irc", "news", "nntp", "svn"];

/// Returns whether addresses of this scheme become links without brackets.
pub(crate) fn is_scheme(name: &str) -> bool {
    SCHEMES.contains(&name)
}

impl<'a> Reader<'a> {
    /// Returns the start and the end of the web address whose scheme ends at `colon`, if there is one. Its
    /// scheme must not begin before `from`.
    pub(super) fn address(&self, from: usize, colon: usize, end: usize) -> Option<(usize, usize)> {
        let bytes = self.bytes();
        if !bytes[colon..end].starts_with(b"://") {
            return None;
        }
        let letters =
            bytes[from..colon].iter().rev().take(8).take_while(|it| it.is_ascii_alphabetic()).count();
        let start = colon - letters;
        let follows_word =
            start > from && self.source[from..start].ends_with(|it: char| it.is_alphanumeric());
        if !is_scheme(&self.source[start..colon]) || follows_word {
            return None;
        }
        let stop = self.address_end(colon + 3, end);
        (stop > colon + 3).then_some((start, stop))
    }

    /// Returns the offset at which the web address whose host begins at `at` ends: before the first character
    /// that cannot be part of an address, and without trailing punctuation.
    fn address_end(&self, at: usize, end: usize) -> usize {
        let is_part = |it: &u8| {
            *it > b' '
                && !matches!(
                    it,
                    b'"' | b'<' | b'>' | b'|' | b'{' | b'}' | b'[' | b']' | b'^' | b'`' | b'\\' | 0x7f
                )
        };
        let bytes = &self.bytes()[at..end];
        let mut len = bytes.iter().take_while(|it| is_part(it)).count();
        let mut open = bytes[..len].iter().filter(|it| **it == b'(').count();
        let mut closed = bytes[..len].iter().filter(|it| **it == b')').count();
        while len > 0 {
            match bytes[len - 1] {
                b'.' | b',' | b';' | b':' | b'!' | b'?' | b'\'' | b'*' | b'_' | b'-' | b'+' => {}
                b')' if closed > open => closed -= 1,
                b'(' => open -= 1,
                _ => break,
            }
            len -= 1;
        }
        at + len
    }

    /// Returns the offset after the picture whose first `!` is at `at`, if there is one. `from` is the end of
    /// the previous token.
    pub(super) fn image_end(&self, from: usize, at: usize, end: usize) -> Option<usize> {
        let before = self.source[from..at].chars().next_back();
        let is_emoticon = before == Some('(') && self.bytes()[at..end].get(1) == Some(&b')');
        let is_within = before.is_some_and(|it| it.is_alphanumeric() || it == '!');
        if is_emoticon || is_within || is_escaped(self.bytes(), at) {
            return None;
        }
        let rest = &self.source[at + 1..end];
        let len = rest.bytes().position(|it| matches!(it, b'!' | b'\n'))?;
        let content = &rest[..len];
        let is_content = rest.as_bytes()[len] == b'!' && !content.is_empty();
        let is_tight = !content.starts_with([' ', '\t']) && !content.ends_with([' ', '\t']);
        let mut after = rest[len + 1..].chars();
        let is_free = match after.next() {
            // Another picture may follow directly.
            Some('!') => after.next().is_some_and(|it| !it.is_whitespace() && it != '!'),
            it => !it.is_some_and(char::is_alphanumeric),
        };
        let is_picture = is_content && is_tight && is_free && parse_image(content).is_some();
        (is_picture && !self.has_tag(at, at + len)).then_some(at + len + 2)
    }

    /// Makes the node of the picture between `at` and `end`, including its two `!`.
    pub(super) fn image(&self, at: usize, end: usize) -> Node<'a> {
        let content = &self.source[at + 1..end - 1];
        let mut node = Node::new(Kind::Image);
        node.attrs = parse_image(content).unwrap_or_default();
        node.at(Span::new(at, end), Span::new(at + 1, end - 1))
    }
}

/// Parses the text between the two `!` of a picture, such as `a.png|width=30,alt=A`, into the attributes of
/// its node. Returns `None` if the text can't be that of a picture.
pub(crate) fn parse_image(content: &str) -> Option<ThinVec<Attr<'_>>> {
    let (name, params) =
        content.split_once('|').map_or((content, None), |(name, params)| (name, Some(params)));
    let name = name.trim();
    if name.is_empty()
        || content.contains('\r')
        || name.contains(['[', ']', '{', '}', '"']) && !name.contains("://")
    {
        return None;
    }
    let url = if name.contains("://") { name.to_owned() } else { hrefs::attachment(name) };
    let mut attrs = thin_vec![Attr::string("url", url)];
    for part in params.into_iter().flat_map(|it| it.split([',', '|'])) {
        let Some((key, value)) = part.split_once('=') else { continue };
        let value = value.trim().trim_matches('"');
        let is_number = value.len() < 9 && value.bytes().all(|it| it.is_ascii_digit());
        let number = value.trim_start_matches('0');
        match key.trim() {
            key @ ("width" | "height") if is_number && !number.is_empty() => {
                attrs.push(Attr::json(if key == "width" { "width" } else { "height" }, number.to_owned()));
            }
            "alt" => attrs.push(Attr::string("alt", value)),
            "title" => attrs.push(Attr::string("title", value)),
            _ => {}
        }
    }
    if let Some(params) = params.filter(|it| *it != image_params(&attrs, None)) {
        attrs.push(Attr::string("wiki:params", params));
    }
    Some(attrs)
}

/// Returns the text after the bar of a picture with these attributes, such as `width=30,alt=A,align=left`.
pub(crate) fn image_params(attrs: &[Attr<'_>], align: Option<&str>) -> String {
    let is = |it: &Attr<'_>, name: &str| it.name.strip_prefix("html:").unwrap_or(&it.name) == name;
    let of = |name: &str| attrs.iter().find(|it| is(it, name)).map(|it| it.value.shown().to_owned());
    let said = ["width", "height", "alt", "title"].into_iter();
    let mut params: Vec<String> = said.filter_map(|it| Some(format!("{it}={}", of(it)?))).collect();
    params.extend(align.map(|it| format!("align={it}")));
    params.join(",")
}
