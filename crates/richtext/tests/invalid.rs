//! Mistakes in Markdown, such as attributes that ADF does not allow: a conversion reports them with their
//! positions, an edit only those that it adds.

use plainwire_richtext::{Dialect, Document, Flavor, Format, Sidecar, adf, convert};

const EXTENDED: Format = Format::Markdown(Flavor::Extended);

/// Markdown with a mistake, and the one message about it, with its position.
const WRONG: [(&str, &str); 19] = [
    (
        ":status[OK]{color=freen}",
        "1:1: status: color: expected neutral, purple, blue, red, yellow, green or a colour such as #0052cc, but found \"freen\"",
    ),
    ("a :mention[@x]{id=a accessLevel=3}", "1:3: mention: accessLevel: expected a string, but found 3"),
    (
        "a\n\n:::panel{type=blue}\na\n:::",
        "3:1: panel: panelType: expected one of info, note, tip, warning, error, success, custom, but found \"blue\"",
    ),
    (":::panel{type=info foo=1}\na\n:::", "1:1: panel: expected no `foo`"),
    (
        "::embed{url=https://x layout=foo}",
        "1:1: embedCard: layout: expected one of wide, full-width, center, wrap-right, wrap-left, align-end, align-start, but found \"foo\"",
    ),
    ("::media{id=a collection=c width=-5}", "1:1: mediaSingle: width: expected at least 0, but found -5"),
    ("::media{id=1 collection=c}", "1:1: media: id: expected a string, but found 1"),
    (":::expand{title=3}\nx\n:::", "1:1: expand: title: expected a string, but found 3"),
    (
        ":::expand{breakout=zz}\nx\n:::",
        "1:1: breakout: mode: expected one of wide, full-width, but found \"zz\"",
    ),
    ("a\n{align=left}", "1:1: alignment: align: expected one of center, end, but found \"left\""),
    ("a\n{indent=9}", "1:1: indentation: level: expected at most 6, but found 9"),
    (
        "::::layout\n:::column{width=50}\na\n:::\n:::column{width=140}\na\n:::\n::::",
        "5:1: layoutColumn: width: expected at most 100, but found 140",
    ),
    ("{order=-1}\n\n1. a", "1:1: orderedList: order: expected at least 0, but found -1"),
    (
        "{layout=foo}\n\n| a |\n| - |",
        "1:1: table: layout: expected one of wide, full-width, center, align-end, align-start, default, but found \"foo\"",
    ),
    (
        "<table>\n<tr>\n<td colspan=\"x\">a</td>\n</tr>\n</table>",
        "3:1: tableCell: colspan: expected a number, but found \"x\"",
    ),
    (":::panel{type=info /order=3}\na\n:::", "1:1: panel: expected no key `order`"),
    (":comment[t]{id=3}", "1:1: annotation: id: expected a string, but found 3"),
    (":mark[text]{type=foo}", "1:1: expected a mark of ADF, but found `foo`"),
    ("- [ ] a\n\n```rust {wrap=3}\nx\n```", "3:1: codeBlock: wrap: expected true or false, but found 3"),
];

#[test]
fn what_adf_does_not_allow_is_said_where_it_was_written() {
    for (markdown, said) in WRONG {
        let converted = convert(EXTENDED, Format::Adf, markdown);
        assert!(!adf::check(&converted.text).is_empty(), "{markdown}: {}", converted.text);
        let found: Vec<_> = converted.invalid.iter().map(|it| it.shown(markdown).to_string()).collect();
        assert_eq!(found, [said], "{markdown}");
    }
}

#[test]
fn what_adf_allows_is_not_complained_of() {
    for markdown in [
        ":status[OK]{color=green} :mention[@x]{id=\"1\"} :date[2026-01-02]",
        ":::panel{type=custom panelIcon=x panelColor=#ffffff}\na\n{align=end}\n:::",
        "::media{id=a collection=c width=5 layout=wide}\n\n{order=3}\n\n1. a",
        ":color[x]{fg=red} :cite[y] <u>z</u>",
    ] {
        let converted = convert(EXTENDED, Format::Adf, markdown);
        assert_eq!((converted.invalid, adf::check(&converted.text)), (vec![], vec![]), "{markdown}");
    }
}

#[test]
fn what_an_author_writes_is_checked_for_each_format_and_what_a_source_has_is_not() {
    for format in [Format::Storage, Format::Wiki(Dialect::Jira)] {
        let found = convert(EXTENDED, format, ":status[OK]{color=freen} :date[2026-2-31]").invalid;
        let found: Vec<_> = found.iter().map(|it| &*it.message).collect();
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].contains("\"freen\"") && found[1].contains("\"2026-2-31\""), "{found:?}");
    }
    let adf = r#"{"version":1,"type":"doc","content":[{"type":"panel","attrs":{"panelType":"blue"},"content":[]}]}"#;
    assert_eq!(convert(Format::Adf, Format::Adf, adf).invalid, [], "the source was no better");
}

/// A document with an invalid attribute in its first block.
const OLD: &str = r#"{"version":1,"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"a "},{"type":"status","attrs":{"text":"OK","color":"freen"}}]},{"type":"paragraph","content":[{"type":"text","text":"b"}]}]}"#;

#[test]
fn an_edit_is_told_what_it_makes_invalid_and_not_what_was_so_before() {
    let document = Document::read(Format::Adf, OLD);
    let (markdown, sidecar) = Sidecar::split(&document);
    let restored = |edited: &str| sidecar.restore(edited).expect("its own");
    assert_eq!(restored(&markdown.replace("a ", "c ")).invalid, []);
    let edited = markdown.replace('b', "b :status[NO]{color=rad}");
    let found = restored(&edited);
    let said: Vec<_> = found.invalid.iter().map(|it| it.shown(&edited).to_string()).collect();
    let colours = "expected neutral, purple, blue, red, yellow, green or a colour such as #0052cc";
    assert_eq!(said, [format!("3:3: status: color: {colours}, but found \"rad\"")]);
    assert!(found.text.contains("rad"), "it is told, and made");
    let new = restored(&format!("{markdown}\n\n:::panel{{type=blue}}\nx\n:::\n"));
    assert_eq!(new.invalid.len(), 1, "{:?}", new.invalid);
}

#[test]
fn an_edit_of_a_section_is_told_so_too() {
    let document = Document::read(Format::Adf, OLD);
    let section = |at: &str| document.section(&at.parse().expect("an address")).expect("there is one");
    assert_eq!(section("[1]").patch("b :status[NO]{color=rad}").invalid.len(), 1);
    assert_eq!(section("[0]").patch(&section("[0]").markdown().replace('a', "c")).invalid, []);
}

/// Replaces `from` by `to` in the Markdown of `source`, and restores the source.
fn edit(format: Format, source: &str, from: &str, to: &str) -> plainwire_richtext::Restored {
    let (markdown, sidecar) = Sidecar::split(&Document::read(format, source));
    assert!(markdown.contains(from), "{markdown}");
    sidecar.restore(&markdown.replace(from, to)).expect("its own")
}

#[test]
fn what_an_edit_empties_is_valid_and_told() {
    let inner = r#"{"type":"paragraph","content":[{"type":"text","text":"deep"}]}"#;
    for (name, attrs, inner) in [
        ("panel", r#""attrs":{"panelType":"info"},"#, inner.to_owned()),
        ("blockquote", "", inner.to_owned()),
        ("expand", r#""attrs":{"title":"t"},"#, inner.to_owned()),
        ("bulletList", "", format!(r#"{{"type":"listItem","content":[{inner}]}}"#)),
    ] {
        let block = format!(r#"{{"type":"{name}",{attrs}"content":[{inner}]}}"#);
        let source = format!(r#"{{"version":1,"type":"doc","content":[{block},{{"type":"rule"}}]}}"#);
        assert_eq!(adf::check(&source), [], "{name}");
        let restored = edit(Format::Adf, &source, "deep", "");
        assert_eq!(adf::check(&restored.text), [], "{name}: {}", restored.text);
        let section = Document::read(Format::Adf, &source);
        let section = section.section(&"[0]".parse().expect("an address")).expect("there is one");
        let patched = section.patch(&section.markdown().replace("deep", ""));
        assert_eq!(adf::check(&patched.text), [], "{name}: {}", patched.text);
    }
}

/// Returns the messages about invalid attributes after `from` is replaced by `to` in the Markdown of `page`.
fn told(from: &str, to: &str) -> Vec<String> {
    let page = r#"<p>Ask <ac:link><ri:user ri:account-id="5b10" /></ac:link> <ac:structured-macro ac:name="status"><ac:parameter ac:name="title">OK</ac:parameter><ac:parameter ac:name="colour">Green</ac:parameter></ac:structured-macro></p><p>b</p>"#;
    let restored = edit(Format::Storage, page, from, to);
    restored.invalid.into_iter().map(|it| it.message).collect()
}

#[test]
fn what_other_formats_have_no_spelling_for_is_told_of_an_edit_too() {
    assert_eq!(told("Ask", "Call"), Vec::<String>::new());
    assert_eq!(told("\n\nb", "\n\nb :mention[@Jane]"), ["mention \"@Jane\": expected `id`, but found none"]);
    assert_eq!(told("{color=green}", ""), Vec::<String>::new(), "a status without a colour is a neutral one");
    assert_eq!(told("\n\nb", "\n\n:::panel\nx\n:::"), ["panel: expected `panelType`, but found none"]);
    assert!(told("color=green", "color=freen")[0].starts_with("status: color: expected neutral, "));
}

#[test]
fn a_mention_with_another_name_and_the_old_id_is_told() {
    let markdown = "a :mention[@Jane Doe]{id=5b10}";
    let wiki = convert(EXTENDED, Format::Storage, "a :mention[@Jane Doe]{id=5b10}\n\nb").text;
    let mut document = Document::read(Format::Storage, &wiki);
    let names = r#"{"users":[{"accountId":"5b10","name":"Jane Doe"}]}"#;
    document.resolve(&serde_json::from_str::<plainwire_richtext::Names>(names).expect("names"), EXTENDED);
    let (text, sidecar) = Sidecar::split(&document);
    assert!(text.starts_with(markdown), "{text}");
    let renamed = sidecar.restore(&text.replace("Jane Doe", "Janet")).expect("its own").invalid;
    assert_eq!(renamed.len(), 1);
    assert_eq!(
        renamed[0].message,
        "mention: expected the name \"@Jane Doe\" for the id 5b10, but found \"@Janet\""
    );
    assert_eq!(sidecar.restore(&text.replace("a :", "c :")).expect("its own").invalid, []);
}

#[test]
fn old_mistakes_hide_no_new_ones() {
    let status = r#"{"type":"status","attrs":{"text":"OK","color":"freen"}}"#;
    let many = vec![status; 120].join(",");
    let source = format!(
        r#"{{"version":1,"type":"doc","content":[{{"type":"paragraph","content":[{many},{{"type":"text","text":" end"}}]}}]}}"#
    );
    assert_eq!(edit(Format::Adf, &source, "end", "fin").invalid, []);
    assert_eq!(edit(Format::Adf, &source, "end", "end :status[OK]{color=freen}").invalid.len(), 1);
}

#[test]
fn a_node_that_adf_does_not_have_and_a_day_that_is_none_are_told() {
    let said = |markdown: &str| {
        let converted = convert(EXTENDED, Format::Adf, markdown);
        converted.invalid.into_iter().map(|it| it.message).collect::<Vec<_>>()
    };
    assert_eq!(said("```adf\n{\"type\":\"nope\"}\n```"), ["expected a node type of ADF, but found \"nope\""]);
    assert_eq!(
        said(":date[hello] :date[2026-02-28]"),
        ["date: expected a day such as 2026-02-28, but found \"hello\""]
    );
}
