//! The limits of docs/limits.md that a document can reach: what is taken at each, and what happens past it.

use plainwire_richtext::tree::Kind;
use plainwire_richtext::{Address, Conversion, Dialect, Document, Flavor, Format, Sidecar, adf, convert};

const EXTENDED: Format = Format::Markdown(Flavor::Extended);
const WIKI: Format = Format::Wiki(Dialect::Jira);

/// Returns a text in ADF with `content` in its root.
fn adf_of(content: &str) -> String {
    format!(r#"{{"type":"doc","version":1,"content":[{content}]}}"#)
}

/// Returns the messages about an ADF text that holds `count` numbers instead of blocks.
fn wrong_blocks(count: usize) -> usize {
    let source = adf_of(&vec!["1"; count].join(","));
    Document::read(Format::Adf, &source).diagnostics.len()
}

#[test]
fn a_source_of_more_than_a_gibibyte_is_not_read() {
    // Pages of zeros that are only read take no memory.
    let zeros = vec![0; (1 << 30) + 1];
    let source = str::from_utf8(&zeros).expect("zeros are text");
    let expected = "expected at most 1073741824 bytes, but found 1073741825";
    for format in [Format::Adf, Format::Storage, WIKI, EXTENDED] {
        let document = Document::read(format, source);
        assert_eq!((document.source, document.blocks.len()), ("", 0), "{format:?}");
        assert_eq!(document.diagnostics[0].message, expected, "{format:?}");
    }
    assert_eq!(adf::check(source)[0].message, expected);
}

#[test]
fn adf_has_at_most_1000_diagnostics() {
    assert_eq!([wrong_blocks(999), wrong_blocks(1_000), wrong_blocks(1_001)], [999, 1_000, 1_000]);
}

#[test]
fn wiki_markup_has_at_most_1000_diagnostics() {
    // Found while the tags are paired, and while blocks are read.
    for wrong in ["{quote:x}\n", "{adf}x{adf}\n\n"] {
        let count = |wrongs: usize| Document::read(WIKI, &wrong.repeat(wrongs)).diagnostics.len();
        assert_eq!([count(999), count(1_000), count(1_001)], [999, 1_000, 1_000], "{wrong}");
    }
}

#[test]
fn a_conversion_reports_at_most_100_mistakes() {
    let invalid = |conversion: Conversion| conversion.invalid.len();
    let of_schema =
        |count| invalid(convert(EXTENDED, Format::Adf, &":status[a]{color=freen}\n\n".repeat(count)));
    assert_eq!([of_schema(99), of_schema(100), of_schema(101)], [99, 100, 100]);
    let missing = |count| invalid(convert(EXTENDED, WIKI, &":mention[@a]\n\n".repeat(count)));
    assert_eq!([missing(99), missing(100), missing(101)], [99, 100, 100]);
}

#[test]
fn an_unknown_section_is_answered_with_at_most_20_headings() {
    let error = |count: usize| {
        let source: String = (0..count).map(|at| format!("# Part {at}\n\n")).collect();
        let document = Document::read(EXTENDED, &source);
        let address: Address = "Nothing".parse().expect("an address");
        document.section(&address).expect_err("no such section").to_string()
    };
    assert!(error(20).ends_with(", Part 18, Part 19"), "{}", error(20));
    assert!(error(21).ends_with(", Part 18, Part 19, and 1 more"), "{}", error(21));
}

#[test]
fn an_unknown_identifier_is_answered_with_at_most_5_identifiers() {
    let error = |count: usize| {
        let source: String = (0..count).map(|at| format!("<p ac:local-id=\"id{at}\">a</p>")).collect();
        let document = Document::read(Format::Storage, &source);
        let address: Address = "#nope".parse().expect("an address");
        document.section(&address).expect_err("no such section").to_string()
    };
    assert!(error(5).ends_with("but found only #id0, #id1, #id2, #id3, #id4"), "{}", error(5));
    assert!(error(6).ends_with(", #id3, #id4, and 1 more"), "{}", error(6));
}

#[test]
fn markdown_is_written_with_at_most_24_marks_of_a_node() {
    let written = |count: usize| {
        let mark = |at| format!(r##"{{"type":"textColor","attrs":{{"color":"#0000{at:02}"}}}}"##);
        let marks: Vec<String> = (0..count).map(mark).collect();
        let text = format!(r#"{{"type":"text","text":"a","marks":[{}]}}"#, marks.join(","));
        let source = adf_of(&format!(r#"{{"type":"paragraph","content":[{text}]}}"#));
        convert(Format::Adf, EXTENDED, &source).text.matches(":color[").count()
    };
    assert_eq!([written(23), written(24), written(25)], [23, 24, 24]);
}

#[test]
fn a_list_of_wiki_markup_has_at_most_30_levels() {
    let kind = |levels: usize| Document::read(WIKI, &format!("{} x", "*".repeat(levels))).blocks[0].kind;
    assert_eq!([kind(30), kind(31)], [Kind::BulletList, Kind::Paragraph]);
}

#[test]
fn a_row_of_wiki_markup_has_at_most_1000_cells() {
    let cells = |bars: usize| {
        let source = format!("{}|\n", "|a".repeat(bars));
        let document = Document::read(WIKI, &source);
        let row = &document.blocks[0].children[0];
        let last = row.children.last().map(|it| it.plain_text()).expect("a cell");
        (row.children.len(), last)
    };
    let last = |text: &str| text.to_owned();
    assert_eq!([cells(999), cells(1_000)], [(999, last("a")), (1_000, last("a"))]);
    assert_eq!([cells(1_001), cells(1_002)], [(1_000, last("a|a|")), (1_000, last("a|a|a|"))]);
}

#[test]
fn the_parameters_of_a_macro_of_wiki_markup_have_at_most_16_kib() {
    let kind = |bytes: usize| {
        let source = format!("{{panel:title={}}}\na\n{{panel}}", "x".repeat(bytes - 6));
        Document::read(WIKI, &source).blocks[0].kind
    };
    assert_eq!([kind(16_384), kind(16_385)], [Kind::Panel, Kind::Paragraph]);
}

#[test]
fn colours_of_wiki_markup_are_read_up_to_16_within_each_other() {
    let read = |count: usize| {
        let source = format!("b {}a{}", "{color:red}".repeat(count), "{color}".repeat(count));
        let text = &Document::read(WIKI, &source).blocks[0].children[1];
        (text.marks.len(), text.text.clone().into_owned())
    };
    assert_eq!([read(15), read(16)], [(1, "a".to_owned()), (1, "a".to_owned())]);
    assert_eq!(read(17), (1, "{color:red}a{color}".to_owned()));
}

/// A thousand losses are told of any number of slips, by each way.
#[test]
fn of_many_slips_a_thousand_are_told() {
    let rows = "| a | b |\n".repeat(20_000);
    let markdown = format!("x\n\n| c |\n| --- |\n{rows}");
    let converted = convert(Format::Markdown(Flavor::Extended), Format::Storage, &markdown);
    assert_eq!(converted.losses.len(), 1000);
    assert!(converted.losses.iter().all(|it| it.message.starts_with("expected 1 cells")));
    let document = Document::read(Format::Storage, "<p>x</p><p>y</p>");
    let (_, sidecar) = Sidecar::split(&document);
    let restored = sidecar.restore(&markdown).expect("its Markdown");
    assert_eq!(restored.losses.len(), 1000);
    let diagnostics = Document::read(Format::Markdown(Flavor::Extended), &markdown).diagnostics;
    assert_eq!(diagnostics.len(), 10_000);
}

#[test]
fn of_codes_with_other_marks_100_are_told() {
    let source = r#"{"version":1,"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"a"}]}]}"#;
    let (markdown, sidecar) = Sidecar::split(&Document::read(Format::Adf, source));
    let told = |count: usize| {
        let edited = format!("{markdown}\n{}", "**`x`**\n\n".repeat(count));
        let restored = sidecar.restore(&edited).expect("its own Markdown");
        assert_eq!(restored.losses, []);
        restored.diagnostics.len()
    };
    // Each block is an edit of its own; one paragraph with many codes is one.
    assert_eq!([told(2), told(3)], [2, 3]);
    let many = format!("{markdown}\n{}", "**`x`** ".repeat(101));
    assert_eq!(sidecar.restore(&many).expect("its own Markdown").diagnostics.len(), 100);
}

#[test]
fn blocks_that_markup_cannot_express_end_as_text() {
    let nested = |depth: usize| format!("{}- [ ] deep\n", "> ".repeat(depth));
    for depth in [2, 8, 40] {
        let converted = convert(
            EXTENDED,
            Format::Wiki(Dialect::Confluence),
            &format!("- item\n\n  {}", nested(depth).trim_end()),
        );
        assert!(converted.text.contains("deep"), "{}", converted.text);
        assert!(!converted.is_lossless());
    }
}
