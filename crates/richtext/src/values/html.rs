//! Visible text of HTML.
//!
//! In: HTML that the other formats can't represent. Out: its text.

use super::entities;

/// Returns the visible text of `html`: without tags, comments and declarations, and with character references
/// decoded. Text that only looks like a tag, such as `<3`, stays.
pub(crate) fn seen(html: &str) -> String {
    let (mut text, mut rest) = (String::new(), html);
    // If the end of a tag or a comment is not found, none follows in the remaining text. Remembering this
    // avoids searching for it again and again.
    let mut ends = Ends { tags: true, comments: true };
    while let Some(at) = rest.find(['<', '&']) {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        let len = match entities::reference(rest) {
            Some((found, len)) => {
                text.push(found);
                len
            }
            None => ends.tag(rest).unwrap_or_else(|| {
                text.push_str(&rest[..1]);
                1
            }),
        };
        rest = &rest[len..];
    }
    text.push_str(rest);
    text
}

/// The end signs that may still follow in the remaining text. If a search for an end sign finds none, the
/// field for that sign becomes `false`, so that the search is not repeated.
struct Ends {
    /// True if a `>`, the end of a tag, may follow.
    tags: bool,
    /// True if a `-->`, the end of a comment, may follow.
    comments: bool,
}

impl Ends {
    /// Returns the length of the tag, comment or declaration at the start of `rest`; `None` if `rest` begins
    /// with none of these, or if the end is missing.
    fn tag(&mut self, rest: &str) -> Option<usize> {
        let begins = |it: char| it.is_ascii_alphabetic() || matches!(it, '/' | '!' | '?');
        rest.strip_prefix('<')?.starts_with(begins).then_some(())?;
        let is_comment = rest.starts_with("<!--");
        let (close, may_end) = if is_comment { ("-->", &mut self.comments) } else { (">", &mut self.tags) };
        let end = if *may_end { rest.find(close) } else { None };
        *may_end = end.is_some();
        Some(end? + close.len())
    }
}

#[cfg(test)]
mod tests {
    use super::seen;

    #[test]
    fn tags_and_comments_show_nothing_and_references_their_characters() {
        for (html, text) in [
            ("<div a=\"b\">x <b>y</b></div>", "x y"),
            ("a <!-- <b> --> c", "a  c"),
            ("AT&amp;T &lt;b&gt; &nosuch; & &#65;", "AT&T <b> &nosuch; & A"),
            ("1 < 2 <3 </p", "1 < 2 <3 </p"),
            ("<!DOCTYPE x><?php y ?>z", "z"),
        ] {
            assert_eq!(seen(html), text, "{html}");
        }
    }
}
