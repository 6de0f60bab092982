//! Doc comments as descriptions: a model reads the text that a person reads above the function.
//!
//! In: the attributes of an item. Out: the description, and those of its arguments; or an error if the macro cannot
//! see the text of a doc comment.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Attribute, Error, Expr, ExprLit, Lit, Meta, Result};

use crate::entry::Kind;

/// Returns the doc comment of an item up to its first heading, as one text.
///
/// Lines of a paragraph are joined into one; lists, tables and code keep their lines. Everything below a
/// heading, such as `# Errors`, is for people who read the source.
pub(crate) fn description(attributes: &[Attribute]) -> Option<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut fenced = false;
    for line in attributes.iter().filter_map(text).flat_map(|text| lines_of(&text)) {
        let trimmed = line.trim();
        if !fenced && trimmed.starts_with('#') {
            break;
        }
        let fence = trimmed.starts_with("```");
        match lines.last_mut() {
            Some(last) if !fenced && !fence && goes_on(last, trimmed) => *last += &format!(" {trimmed}"),
            _ => lines.push(if fenced { line.trim_end() } else { trimmed }.to_owned()),
        }
        fenced ^= fence;
    }
    lines.dedup_by(|line, before| line.is_empty() && before.is_empty());
    let text = lines.join("\n").trim().to_owned();
    (!text.is_empty()).then_some(text)
}

/// The description of an argument in the section `# Arguments` of a doc comment.
#[derive(Debug)]
pub(crate) struct Described {
    pub(crate) name: String,
    pub(crate) span: Span,
    pub(crate) text: String,
}

/// Returns the descriptions of arguments in the section `# Arguments`: the items of its list that begin with a name,
/// as in ``- `limit`: how many at most`` or ``* `limit` - how many at most``, with the lines that go on.
pub(crate) fn arguments(attributes: &[Attribute]) -> Vec<Described> {
    let mut found: Vec<Described> = Vec::new();
    let (mut is_inside, mut goes_on, mut fenced) = (false, false, false);
    let texts = attributes.iter().filter_map(|it| Some((it.span(), text(it)?)));
    for (span, line) in
        texts.flat_map(|(span, text)| lines_of(&text).into_iter().map(move |line| (span, line)))
    {
        let line = line.trim();
        fenced ^= line.starts_with("```");
        if !fenced && line.starts_with('#') {
            is_inside = line.trim_start_matches('#').trim().eq_ignore_ascii_case("arguments");
            goes_on = false;
        } else if is_inside && !fenced {
            match (item(line), found.last_mut()) {
                (Some((name, text)), _) => {
                    found.push(Described { name: name.to_owned(), span, text: text.to_owned() });
                    goes_on = true;
                }
                (None, Some(last)) if goes_on && !line.is_empty() && !starts_an_item(line) => {
                    last.text += &format!(" {line}");
                }
                _ => goes_on = false,
            }
        }
    }
    found
}

/// Returns the name and the text of a list item that begins with a name: in backticks, or before a colon or a dash.
fn item(line: &str) -> Option<(&str, &str)> {
    let rest = line.strip_prefix("- ").or_else(|| line.strip_prefix("* "))?.trim_start();
    let (name, rest) = match rest.strip_prefix('`') {
        Some(rest) => rest.split_once('`')?,
        None => [":", " - ", " – ", " — "]
            .iter()
            .find_map(|sign| rest.split_once(sign))
            .filter(|it| is_name(it.0))?,
    };
    Some((
        name.strip_prefix("r#").unwrap_or(name),
        rest.trim_start().trim_start_matches([':', '-', '–', '—']).trim(),
    ))
}

/// Returns whether a word is written as names of arguments are.
fn is_name(word: &str) -> bool {
    word.starts_with(|it: char| it.is_ascii_lowercase() || it == '_')
        && word.chars().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '_')
}

/// Refuses doc comments whose text is elsewhere, as in `#[doc = include_str!("…")]`. A macro does not see
/// that text, so the entry would have no description, or half of one.
pub(crate) fn literal(attributes: &[Attribute], kind: Kind) -> Result<()> {
    let elsewhere = attributes.iter().filter(|it| is_doc(it) && text(it).is_none());
    let mut values = elsewhere.filter_map(|it| it.meta.require_name_value().ok().map(|doc| &doc.value));
    match values.next() {
        Some(value) => {
            let text = format!(
                "expected a doc comment with literal text, since it is the description: write \
                 `#[{}(description = …)]` for other text",
                kind.attribute()
            );
            Err(Error::new_spanned(value, text))
        }
        None => Ok(()),
    }
}

/// Returns whether `line` continues the paragraph or the list item of the line before it.
fn goes_on(before: &str, line: &str) -> bool {
    !before.is_empty() && !before.starts_with("```") && !line.is_empty() && !starts_an_item(line)
}

/// Returns whether a line begins a list item, a table row or a quotation.
fn starts_an_item(line: &str) -> bool {
    let numbered = line.split_once(". ").is_some_and(|(number, _)| number.parse::<u32>().is_ok());
    numbered || ["- ", "* ", "+ ", "|", ">"].iter().any(|mark| line.starts_with(mark))
}

pub(crate) fn is_doc(attribute: &Attribute) -> bool {
    attribute.path().is_ident("doc")
}

fn text(attribute: &Attribute) -> Option<String> {
    match &attribute.meta {
        Meta::NameValue(doc) if doc.path.is_ident("doc") => match &doc.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

fn lines_of(text: &str) -> Vec<String> {
    text.split('\n').map(|line| line.strip_prefix(' ').unwrap_or(line).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    fn described(lines: &[&str]) -> Option<String> {
        let attributes: Vec<Attribute> = lines.iter().map(|line| parse_quote!(#[doc = #line])).collect();
        description(&attributes)
    }

    #[test]
    fn joins_the_lines_of_a_paragraph() {
        assert_eq!(described(&[" Adds two", " numbers."]).as_deref(), Some("Adds two numbers."));
        assert_eq!(described(&[" One.", "", "", " Two", " three."]).as_deref(), Some("One.\n\nTwo three."));
    }

    #[test]
    fn keeps_lists_and_code_as_they_are() {
        let list = described(&[" Takes:", " - one", " - two", "", " Ends."]);
        assert_eq!(list.as_deref(), Some("Takes:\n- one\n- two\n\nEnds."));
        let code = described(&[" Like:", " ```", "   a", "", " b", " ```", " Ends."]);
        assert_eq!(code.as_deref(), Some("Like:\n```\n  a\n\nb\n```\nEnds."));
    }

    #[test]
    fn a_section_describes_arguments_by_name() {
        let lines = [
            " Finds.",
            " ```",
            " # Arguments",
            " - `a`: no",
            " ```",
            "",
            " # Arguments",
            "",
            " Two of them:",
            " - `word`: a part",
            "   of the title",
            " * `limit` - how many",
            "",
            " Not this.",
            " - other",
            " # Errors",
            " - `none`: never",
        ];
        let attributes: Vec<Attribute> = lines.iter().map(|line| parse_quote!(#[doc = #line])).collect();
        let found: Vec<_> = arguments(&attributes).into_iter().map(|it| (it.name, it.text)).collect();
        let pair = |name: &str, text: &str| (name.to_owned(), text.to_owned());
        assert_eq!(found, [pair("word", "a part of the title"), pair("limit", "how many")]);
    }

    #[test]
    fn leaves_out_what_stands_below_a_heading() {
        assert_eq!(described(&[" Adds.", "", " # Errors", " Never."]).as_deref(), Some("Adds."));
        assert_eq!(described(&[" # Errors", " Never."]), None);
        assert_eq!(described(&[]), None);
    }
}
