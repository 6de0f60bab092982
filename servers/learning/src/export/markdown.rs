//! Resources as Markdown.

use super::facts;
use crate::resource::Resource;

pub(super) fn page(title: &str, resources: &[Resource]) -> String {
    let mut page = format!("# {}\n", escape(title));
    for it in resources {
        // The parser of addresses writes `<`, `>` and blanks as codes.
        let url = url::Url::parse(&it.url).map(String::from).unwrap_or_default();
        page += &format!(
            "\n## {}\n\n<{url}>\n\n{}\n\n*{}*\n",
            escape(&it.title),
            escape(&it.description),
            escape(&facts(it))
        );
    }
    page
}

/// Returns a text on one line in which no character is markup.
fn escape(text: &str) -> String {
    let text = text.trim_start();
    // `1.` and `1)` begin a list, if they are at the beginning.
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let mut out = String::with_capacity(text.len());
    for (at, it) in text.char_indices() {
        let is_markup = "\\`*_[]<>|#~&".contains(it)
            || at == 0 && "+-=".contains(it)
            || at == digits && digits > 0 && ".)".contains(it);
        match it {
            '\n' | '\r' => out.push(' '),
            it if is_markup => out.extend(['\\', it]),
            it => out.push(it),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_is_markup() {
        assert_eq!(escape("# a*b_c <i>[x](y)`\n1. z."), "\\# a\\*b\\_c \\<i\\>\\[x\\](y)\\` 1. z.");
        assert_eq!(escape("1. a"), "1\\. a");
        assert_eq!(escape(" - a-b"), "\\- a-b");
        assert_eq!(escape("a &amp; b"), "a \\&amp; b");
    }
}
