//! Broken and deeply nested sources: mistakes are reported with their positions, and the whole source is
//! still read. A sidecar that is broken or belongs to another document is refused.

use plainwire_richtext::tree::{Node, misplaced};
use plainwire_richtext::{Dialect, Document, Flavor, Format, Position, Sidecar, SidecarError, adf, convert};

use crate::corpus;

const MARKDOWN: Format = Format::Markdown(Flavor::Extended);
const WIKI: Format = Format::Wiki(Dialect::Confluence);
const ALL: [Format; 5] = [Format::Adf, Format::Storage, WIKI, Format::Wiki(Dialect::Jira), MARKDOWN];

/// Returns the first message about `source`, with its line and column; `nothing` without a message.
fn said(format: Format, source: &str) -> String {
    let document = Document::read(format, source);
    assert_eq!(misplaced(&document.blocks, source), None, "{source:?}");
    let first = document.diagnostics.first();
    first.map_or_else(|| "nothing".to_owned(), |it| it.shown(source).to_string())
}

fn says(format: Format, source: &str, place: &str, expected: &str) {
    let found = said(format, source);
    assert!(
        found.starts_with(&format!("{place}: ")) && found.contains(expected),
        "{source:?} says {found:?}"
    );
    // A sidecar restores the broken source unchanged.
    let (markdown, sidecar) = Sidecar::split(&Document::read(format, source));
    assert_eq!(sidecar.restore(&markdown).expect("its own").text, source);
}

#[test]
fn each_document_that_is_no_valid_adf_is_said_to_be_so_with_its_place() {
    let mut silent = Vec::new();
    for (name, source) in corpus::files("adf-invalid", "json") {
        let found = adf::check(&source);
        let Some(first) = found.first() else {
            silent.push(name);
            continue;
        };
        let position = Position::of(&source, first.span.start as usize);
        assert!(first.shown(&source).to_string().starts_with(&position.to_string()), "{name}");
        assert!((first.span.end as usize) <= source.len(), "{name}");
        assert!(first.message.starts_with("expected "), "{name}: {}", first.message);
    }
    // Atlassian's tests refused these documents in 2018. Its schema of today accepts eleven of them.
    assert!(silent.is_empty() || silent.len() == 11, "{} are said to be valid: {silent:?}", silent.len());
}

#[test]
fn json_that_breaks_off_is_said_where_it_does() {
    says(Format::Adf, "{\"type\":\"doc\",\n  \"content\":[{\"type\":\"rule\"", "2:28", "expected");
    says(Format::Adf, "", "1:1", "expected");
    says(Format::Adf, "no JSON", "1:1", "expected");
}

#[test]
fn an_element_that_is_not_closed_is_said_where_it_opens() {
    says(Format::Storage, "<p>a</p>\n<p>b", "2:1", "expected");
}

#[test]
fn an_end_without_a_beginning_is_said_where_it_is() {
    says(Format::Storage, "<p>a</p>\n</ul>", "2:1", "expected");
}

#[test]
fn an_entity_nobody_knows_is_said_where_it_is_and_kept() {
    says(Format::Storage, "<p>a\n&nosuch; b</p>", "2:1", "&nosuch;");
    let document = Document::read(Format::Storage, "<p>&nosuch;</p>");
    assert!(document.write(MARKDOWN).contains("nosuch"));
}

#[test]
fn a_macro_that_is_not_closed_is_said_where_it_opens() {
    says(WIKI, "a\n\n{code}\nb", "3:1", "{code}");
    says(WIKI, "{panel:title=x}\nb", "1:1", "{panel}");
}

#[test]
fn a_directive_that_is_not_closed_is_said_where_it_opens() {
    says(MARKDOWN, "a\n\n:::panel{type=info}\nb\n", "3:1", ":::");
}

/// Returns constructs that are nested deeply, most of them 10,000 levels, in each format.
fn deep() -> Vec<(Format, String)> {
    const DEEP: usize = 10_000;
    let around = |open: &str, inside: &str, close: &str| {
        format!("{}{inside}{}", open.repeat(DEEP), close.repeat(DEEP))
    };
    let adf = around(r#"{"type":"blockquote","content":["#, "", "]}");
    let lists: String = (1..1000).map(|it| format!("{} x\n", "*".repeat(it))).collect();
    vec![
        (Format::Adf, format!(r#"{{"version":1,"type":"doc","content":[{adf}]}}"#)),
        (Format::Storage, around("<blockquote>", "<p>x</p>", "</blockquote>")),
        (Format::Storage, around("<ul><li>", "x", "</li></ul>")),
        (Format::Storage, around("<b><i>", "x", "</i></b>")),
        (WIKI, around("{panel}", "x", "{panel}")),
        (WIKI, around("{info}{tip}", "x", "{tip}{info}")),
        (WIKI, around("{color:red}*", "x", "*{color}")),
        (WIKI, lists),
        (MARKDOWN, around("> ", "x", "")),
        (MARKDOWN, around("- ", "x", "")),
        (MARKDOWN, around("[", "x", "](y)")),
        (MARKDOWN, around(":color[", "x", "]{fg=#ff0000}")),
    ]
}

fn depth(nodes: &[Node<'_>]) -> usize {
    nodes.iter().map(|it| 1 + depth(&it.children)).max().unwrap_or(0)
}

#[test]
fn ten_thousand_in_each_other_go_through_each_conversion() {
    for (format, source) in deep() {
        let document = Document::read(format, &source);
        assert!(depth(&document.blocks) <= plainwire_richtext::tree::MAX_DEPTH + 8, "{format:?}");
        assert_eq!(misplaced(&document.blocks, &source), None, "{format:?}");
        for to in ALL {
            let text = convert(format, to, &source).text;
            assert!(text.len() < source.len() * 40, "{format:?} {:?} to {to:?}", &source[..20]);
        }
        let (markdown, sidecar) = Sidecar::split(&document);
        assert_eq!(sidecar.restore(&markdown).expect("its own").text, source);
    }
}

#[test]
fn markdown_of_another_document_is_refused() {
    let split = |source| Sidecar::split(&Document::read(Format::Storage, source));
    let (_, sidecar) = split("<h1>Goals</h1><p>one two three</p><p>four five six</p>");
    let (other, _) = split("<ul><li>seven</li></ul><pre>eight</pre><p>nine ten</p>");
    let error = sidecar.restore(&other).expect_err("it is of another document");
    assert_eq!(error, SidecarError::OtherDocument);
    assert_eq!(
        error.to_string(),
        "expected the Markdown this sidecar belongs to, but found that of another document"
    );
}

#[test]
fn a_sidecar_of_another_version_is_refused() {
    let (_, sidecar) = Sidecar::split(&Document::read(WIKI, "a"));
    let json = sidecar.to_json().replacen("\"version\":1", "\"version\":2", 1);
    let error = Sidecar::from_json(&json).expect_err("it is of another version");
    assert_eq!(error.to_string(), "expected a sidecar of version 1, but found version 2");
}

#[test]
fn what_is_no_sidecar_is_refused_with_its_place() {
    for (json, expected) in
        [("{", "line 1 column"), ("[]", "line 1 column"), (r#"{"version":1}"#, "missing field")]
    {
        let error = Sidecar::from_json(json).expect_err("it is none").to_string();
        assert!(error.contains(expected), "{error}");
    }
    let format = r#"{"version":1,"format":"html","entries":[],"after":""}"#;
    let error = Sidecar::from_json(format).expect_err("it is of no format we know").to_string();
    assert!(
        error.contains("expected the format adf, storage, wiki or markdown, but found \"html\""),
        "{error}"
    );
}
