//! Code spans and the addresses of links, which have other rules of escaping than text.

/// Writes `text` as a code span. In a cell of a pipe table, pipes get a backslash.
pub(super) fn code(out: &mut String, text: &str, cell: bool) {
    let longest = text.split(|it| it != '`').map(str::len).max().unwrap_or(0);
    // One backtick more than the longest run in the text. A shorter run that the text does not contain would
    // also do, but is harder to read.
    let fence = "`".repeat(longest + 1);
    let spaced = text.starts_with(' ') && text.ends_with(' ') && !text.trim_matches(' ').is_empty();
    let padding = if spaced || text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    out.push_str(&fence);
    out.push_str(padding);
    if cell {
        out.push_str(&text.replace('|', "\\|"))
    } else {
        out.push_str(text)
    }
    out.push_str(padding);
    out.push_str(&fence);
}

/// Writes the end of a link or picture, with its address and title: `](href "title")`.
pub(super) fn destination(out: &mut String, href: &str, title: Option<&str>, cell: bool) {
    out.push_str("](");
    let pointed = href
        .contains(|it: char| it.is_whitespace() || it.is_control() || matches!(it, '(' | ')' | '<' | '>'));
    if pointed || (href.is_empty() && title.is_some()) {
        out.push('<');
        guarded(out, href, cell);
        out.push('>');
    } else {
        guarded(out, href, cell);
    }
    if let Some(title) = title {
        out.push_str(" \"");
        guarded(out, title, cell);
        out.push('"');
    }
    out.push(')');
}

/// Writes an address or title, escaped. Markdown reads only escapes and entities in it, and the signs that
/// end it.
fn guarded(out: &mut String, text: &str, cell: bool) {
    let mut rest = text;
    while let Some(it) = rest.chars().next() {
        let after = &rest[it.len_utf8()..];
        match it {
            '|' if cell => out.push_str("&#124;"),
            '\\' if cell && after.starts_with('|') => out.push_str("&#92;"),
            '\\' if !after.starts_with(|it: char| it.is_ascii_punctuation()) && !after.is_empty() => {
                out.push(it)
            }
            '`' | '<' | '>' | '"' | '[' | ']' | '{' | '}' | '\\' => out.extend(['\\', it]),
            '&' if super::super::spelled::entity(rest).is_some() => out.push_str("\\&"),
            '\0' => out.push('\u{fffd}'),
            _ if it.is_control() => out.push_str(&format!("&#{};", it as u32)),
            _ => out.push(it),
        }
        rest = after;
    }
}
