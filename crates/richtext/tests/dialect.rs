//! The page docs/extended-markdown.md: what it says to write is read as it says.

use std::fs;
use std::path::Path;

use plainwire_richtext::tree::{Kind, Node};
use plainwire_richtext::{Document, Flavor, Format, convert};

const MARKDOWN: Format = Format::Markdown(Flavor::Extended);

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/extended-markdown.md");
    fs::read_to_string(path).expect("the page").replace("https://…", "https://example.com/a")
}

/// Returns the codes in the table of what to write that are whole: directives, links and pictures.
fn examples(page: &str) -> Vec<String> {
    let rows = page.lines().filter(|it| it.starts_with("| ") && !it.contains("---"));
    let codes = rows.flat_map(|it| it.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>());
    let is_whole =
        |it: &String| it.starts_with([':', '[', '!', '<']) && !it.starts_with(":::") && *it != ":-:";
    codes.filter(is_whole).collect()
}

fn kinds<'n>(nodes: &'n [Node<'_>], found: &mut Vec<&'n Node<'n>>) {
    for node in nodes {
        found.push(node);
        kinds(&node.children, found);
    }
}

#[test]
fn what_the_page_says_to_write_is_read() {
    let page = page();
    let examples = examples(&page);
    assert!(examples.len() >= 18, "{examples:?}");
    for example in &examples {
        let document = Document::read(MARKDOWN, example);
        assert!(document.diagnostics.is_empty(), "{example}: {:?}", document.diagnostics);
        let mut nodes = Vec::new();
        kinds(&document.blocks, &mut nodes);
        let is_text = |it: &&Node<'_>| it.kind == Kind::Text && it.marks.is_empty();
        let plain: String = nodes.iter().copied().filter(is_text).map(|it| it.text.to_string()).collect();
        assert!(!plain.contains([':', '[', '<', '{']), "{example} is read as the text {plain:?}");
    }
}

#[test]
fn the_boxes_of_the_page_are_read() {
    let page = page();
    for (name, source) in [
        (":::panel{type=info}", ":::panel{type=info}\ntext\n:::"),
        (":::warning", ":::warning\ntext\n:::"),
        (":::expand[More details]", ":::expand[More details]\ntext\n:::"),
        (":::column{width=50}", "::::layout\n:::column{width=50}\na\n:::\n:::column{width=50}\nb\n:::\n::::"),
        ("- [x] We sail on Friday", ":::decisions\n- [x] We sail on Friday\n:::"),
        (":::macro{name=excerpt}", ":::macro{name=excerpt}\ntext\n:::"),
        ("```plantuml {macro}", "```plantuml {macro}\n@startuml\n```"),
        (
            ":::media{url=attachment:chart.png layout=center}",
            ":::media{url=attachment:chart.png layout=center}\nwhat\n:::",
        ),
        ("|  |  |", "|  |  |\n| --- | --- |\n| a \\| b | `c \\| d` |"),
        ("<td colspan=\"2\">", "<table>\n<tr>\n<td colspan=\"2\">**a**</td>\n</tr>\n</table>"),
    ] {
        assert!(page.contains(name), "{name} is not on the page");
        let converted = convert(MARKDOWN, Format::Storage, source);
        assert!(converted.is_lossless() && converted.invalid.is_empty(), "{source}: {:?}", converted.losses);
        assert!(converted.diagnostics.is_empty(), "{source}: {:?}", converted.diagnostics);
        assert!(!converted.text.contains(":::"), "{}", converted.text);
    }
}

#[test]
fn the_page_fits_on_two_screens() {
    let page = page();
    assert!(page.lines().count() <= 60 && page.len() < 5_000, "{} lines", page.lines().count());
}
