//! Reading and writing ADF: the documents of the corpora, valid documents, and broken ones.

#[path = "../corpus/mod.rs"]
mod corpus;
#[path = "../generator/mod.rs"]
mod generator;
mod trees;

use plainwire_richtext::tree::{Kind, Mark, MarkKind, Node, ThinVec, misplaced, thin_vec};
use plainwire_richtext::{Document, Format, adf};
use serde_json::Value;

fn read(source: &str) -> Document<'_> {
    let document = Document::read(Format::Adf, source);
    assert_eq!(misplaced(&document.blocks, source), None, "{source}");
    document
}

fn value(json: &str) -> Value {
    serde_json::from_str(json).unwrap_or_else(|error| panic!("{error}: {json}"))
}

fn written(source: &str) -> Value {
    value(&read(source).write(Format::Adf))
}

/// Returns the list of blocks in `source`, which is a document, a list of nodes, or a single node.
fn content(source: &Value) -> Value {
    match source {
        Value::Array(_) => source.clone(),
        Value::Object(members) if members.get("type") == Some(&"doc".into()) => members["content"].clone(),
        node => Value::Array(vec![node.clone()]),
    }
}

/// Returns the documents that Atlassian's converters made, each with a name that contains the name of its
/// source file.
fn recorded() -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (name, text) in corpus::files("oracle", "json") {
        for (file, result) in value(&text).as_object().into_iter().flatten() {
            let documents = ["adf", "adf_roundtrip"].into_iter().filter_map(|it| result.get(it));
            found.extend(documents.map(|it| (format!("{name} {file}"), it.to_string())));
        }
    }
    found
}

#[test]
fn a_valid_document_of_the_corpora_comes_back_the_same() {
    let files = corpus::files("adf", "json").into_iter().chain(corpus::files("adf-invalid", "json"));
    for (name, source) in files.chain(recorded()) {
        if adf::check(&source).is_empty() {
            assert_eq!(content(&written(&source)), content(&value(&source)), "{name}");
        }
    }
}

#[test]
fn what_is_written_is_valid_where_the_source_was() {
    for (name, source) in corpus::files("adf", "json").into_iter().chain(recorded()) {
        if adf::check(&source).is_empty() {
            assert_eq!(adf::check(&read(&source).write(Format::Adf)), [], "{name}");
        }
    }
}

#[test]
fn the_verdicts_are_those_of_a_validator_of_json_schemas() {
    // The counts are those of Draft4Validator (Python's jsonschema) with full.json. It agreed with this crate
    // on every single document.
    for (folder, valid, all) in [("adf", 60, 110), ("adf-invalid", 11, 71)] {
        let files = corpus::files(folder, "json");
        let documents: Vec<_> = files.iter().filter(|it| !it.0.ends_with("INDEX.json")).collect();
        let sound = documents.iter().filter(|it| adf::check(&it.1).is_empty()).count();
        if !files.is_empty() {
            assert_eq!((sound, documents.len()), (valid, all), "{folder}");
        }
    }
}

#[test]
fn a_generated_document_is_valid_and_comes_back_the_same() {
    for seed in 0..150 {
        let source = generator::generate(seed, 6);
        assert_eq!(adf::check(&source), [], "seed {seed}");
        assert_eq!(content(&written(&source)), content(&value(&source)), "seed {seed}");
        assert_eq!(read(&source).diagnostics, [], "seed {seed}");
    }
}

#[test]
fn generated_documents_have_every_node_and_mark() {
    let all: String = (0..150).map(|seed| generator::generate(seed, 6)).collect();
    let names = "blockCard blockTaskItem blockquote bodiedExtension bodiedSyncBlock bulletList caption codeBlock date decisionItem \
        decisionList embedCard emoji expand extension hardBreak heading inlineCard inlineExtension layoutColumn layoutSection listItem \
        media mediaGroup mediaInline mediaSingle mention nestedExpand orderedList panel paragraph placeholder rule status syncBlock \
        table tableCell tableHeader tableRow taskItem taskList text alignment annotation backgroundColor border breakout code \
        dataConsumer em fontSize fragment indentation link strike strong subsup textColor underline";
    for name in names.split_whitespace() {
        assert!(all.contains(&format!("\"type\":\"{name}\"")), "{name}");
    }
}

/// Returns damaged copies of a source: cut off, or with bytes removed, repeated or inserted.
fn mutations(source: &str, seed: u64) -> Vec<String> {
    let (mut state, mut found) = (seed | 1, Vec::new());
    for _ in 0..12 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let (at, long) = ((state >> 8) as usize % source.len(), 1 + (state >> 50) as usize % 9);
        let end = (at + long).min(source.len());
        let bytes = source.as_bytes();
        let mutated = match state >> 40 & 3 {
            0 => bytes[..at].to_vec(),
            1 => [&bytes[..at], &bytes[end..]].concat(),
            2 => [&bytes[..end], &bytes[at..]].concat(),
            _ => [&bytes[..at], &b"{}[]\",:\\0x"[..long], &bytes[at..]].concat(),
        };
        found.extend(String::from_utf8(mutated));
    }
    found
}

#[test]
fn a_broken_source_is_read_in_its_place_and_written_as_json() {
    let corpora = corpus::files("adf", "json").into_iter().map(|it| it.1);
    let sources = corpora.chain((0..40).map(|seed| generator::generate(seed, 3)));
    for (seed, source) in sources.filter(|it| it.len() < 5_000).enumerate() {
        for mutated in mutations(&source, seed as u64 * 77 + 5) {
            let document = read(&mutated);
            value(&document.write(Format::Adf));
            if serde_json::from_str::<Value>(&mutated).is_err() {
                assert!(!document.diagnostics.is_empty(), "{mutated}");
            }
        }
    }
}

#[test]
fn a_source_may_end_at_any_byte() {
    let source = generator::generate(11, 1);
    for end in (0..source.len()).filter(|it| source.is_char_boundary(*it)) {
        let document = read(&source[..end]);
        assert!(!document.diagnostics.is_empty(), "{end}");
    }
}

#[test]
fn ten_thousand_nodes_in_each_other_are_kept_raw_below_the_hundredth() {
    let deep = r#"{"type":"blockquote","content":["#.repeat(10_000) + &"]}".repeat(10_000);
    let source = format!(r#"{{"type":"doc","content":[{deep}]}}"#);
    let document = read(&source);
    assert_eq!(document.diagnostics[0].message, "expected at most 100 nested nodes, but found more");
    assert_eq!(adf::check(&source)[0].message, "expected at most 100 nested nodes, but found more");
    for half in [&source[..source.len() / 2], "[[[[", &"[".repeat(100_000), &r#"{"a":"#.repeat(100_000)] {
        assert!(!read(half).diagnostics.is_empty());
    }
}

/// Asserts that reading `source` gives exactly one diagnostic, `expected`, which has the form `line:column:
/// message`.
#[track_caller]
fn says(source: &str, expected: &str) {
    let document = read(source);
    let shown: Vec<_> = document.diagnostics.iter().map(|it| it.shown(source).to_string()).collect();
    assert_eq!(shown, [expected], "{source}");
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    says("", "1:1: expected a document of ADF, but found the end of the text");
    says("nonsense", "1:1: expected a document of ADF, but found 'n'");
    says("{\"type\":\"doc\",\n\"content\":[]} x", "2:15: expected the end of the text, but found 'x'");
    says(
        r#"{"type":"doc","content":[{"type":"rule"}"#,
        "1:41: expected ',' or ']', but found the end of the text",
    );
    says(
        r#"[{"type":"paragraph","content":"x"}]"#,
        "1:32: expected `content` to be an array, but found a string",
    );
    says(
        r#"[{"type":"paragraph","content":[{"type":"text"}]}]"#,
        "1:33: expected `text` to be a string, but found none",
    );
    says(
        r#"{"type":"doc","content":[{"type":"text","text":"x"}]}"#,
        "1:26: expected a block in a doc, but found a text",
    );
    says(
        r#"[{"type":"paragraph","content":[{"type":"rule"}]}]"#,
        "1:33: expected an inline node among text, but found a rule",
    );
    says(r#"[{"type":"paragraph","content":[7]}]"#, "1:33: expected a node, but found a number");
    says(
        r#"[{"type":"rule","attrs":{"a":1,"a":2}}]"#,
        "1:38: expected the key \"a\" once, but found it again",
    );
    says(r#"[{"type":7}]"#, "1:10: expected `type` to be a string, but found a number");
    says(
        r#"[{"type":"paragraph","content":[{"type":"text","text":"a\ud800"}]}]"#,
        "1:57: expected a surrogate pair, but found half of one",
    );
    says(
        "[{\"type\":\"paragraph\",\"content\":[{\"type\":\"text\",\"text\":\"a\u{1}\"}]}]",
        "1:57: expected control characters to be escaped, but found an unescaped one",
    );
}

#[test]
fn the_schema_is_said_to_be_broken_where_it_is() {
    let says = |source: &str, expected: &str| {
        let found: Vec<_> = adf::check(source).iter().map(|it| it.shown(source).to_string()).collect();
        assert_eq!(found, [expected], "{source}");
    };
    let document = |content: &str| format!("{{\"version\":1,\"type\":\"doc\",\"content\":[\n{content}]}}");
    says(&document(r#"{"type":"heading","attrs":{"level":7}}"#), "2:36: expected at most 6, but found 7");
    says(
        &document(r#"{"type":"panel","attrs":{"panelType":"x"},"content":[]}"#),
        "2:38: expected one of info, note, tip, warning, error, success, custom, but found \"x\"",
    );
    says(
        &document(
            r#"{"type":"paragraph","content":[{"type":"text","text":"x","marks":[{"type":"link","attrs":{}}]}]}"#,
        ),
        "2:90: expected `href`, but found an object without it",
    );
    says(
        &document(r#"{"type":"blockquote","content":[{"type":"heading","attrs":{"level":1}}]}"#),
        concat!(
            "2:33: expected one of paragraph, orderedList, bulletList, codeBlock, mediaSingle, mediaGroup, extension, ",
            "but found a heading"
        ),
    );
    says(
        &document(
            r#"{"type":"paragraph","content":[{"type":"status","attrs":{"text":"x","color":"teal"}}]}"#,
        ),
        "2:77: expected neutral, purple, blue, red, yellow, green or a colour such as #0052cc, but found \"teal\"",
    );
    says(&document(r#"{"type":"rule","zz":1}"#), "2:16: expected one of type, attrs, but found `zz`");
}

fn spelled(blocks: ThinVec<Node<'_>>) -> String {
    Document { format: Format::Adf, source: "", blocks, diagnostics: Vec::new(), keep_raw: false }
        .write(Format::Adf)
}

/// Returns the types of the nodes in a document, with their texts: `bulletList(listItem(paragraph("a")))`.
fn outline(json: &str) -> String {
    fn of(nodes: &[Node<'_>]) -> String {
        let each = nodes.iter().map(|it| match it.kind {
            Kind::Text => format!("{:?}", it.text),
            kind if it.children.is_empty() => kind.adf_name().unwrap_or("raw").to_owned(),
            kind => format!("{}({})", kind.adf_name().unwrap_or("raw"), of(&it.children)),
        });
        each.collect::<Vec<_>>().join(" ")
    }
    of(&read(json).blocks)
}

fn paragraph(text: &'static str) -> Node<'static> {
    Node::new(Kind::Paragraph).holding(thin_vec![Node::of_text(text)])
}

fn holding(kind: Kind, children: impl Into<ThinVec<Node<'static>>>) -> Node<'static> {
    Node::new(kind).holding(children.into())
}

#[test]
fn what_is_kept_of_another_format_comes_back() {
    let raw = Node::raw(Kind::RawBlock, "storage", "<ac:x a=\"1\">\n</ac:x>");
    let blocks = thin_vec![raw.clone()];
    let kept = Document { format: Format::Adf, source: "", blocks, diagnostics: Vec::new(), keep_raw: true };
    let json = kept.write(Format::Adf);
    assert_eq!(
        json,
        r#"{"version":1,"type":"doc","content":[{"type":"extension","attrs":{"extensionType":"com.plainwire.raw","extensionKey":"storage","parameters":{"source":"<ac:x a=\"1\">\n</ac:x>"}}}]}"#
    );
    let read = read(&json);
    assert_eq!((read.blocks[0].kind, &read.blocks[0].text), (raw.kind, &raw.text));
    assert_eq!(read.blocks[0].attrs, raw.attrs);
}

#[test]
fn what_is_kept_is_found_in_json_with_white_space_too() {
    let source = "{\"type\":\"extension\",\n\"attrs\":{\"extensionType\":\"com.plainwire.raw\",\"extensionKey\":\"wiki\",\n\
        \"parameters\" : {\n\t\"source\" : \"a\\nb\"\n}}}";
    let block = &read(source).blocks[0];
    assert_eq!((block.kind, &*block.text, block.text_of("/format")), (Kind::RawBlock, "a\nb", Some("wiki")));
}

#[test]
fn control_characters_are_written_as_json_wants_them() {
    let source = "[{\"type\":\"rule\",\"attrs\":{\n\"a\":{\"b\":\"\t\"}},\"x\":\"\u{1}\"},{\"type\":\"later\",\"y\":\"\n\"}]";
    let json = read(source).write(Format::Adf);
    assert_eq!(
        json,
        r#"{"version":1,"type":"doc","content":[{"type":"rule","attrs":{"a":{"b":"\t"}},"x":"\u0001"},{"type":"later","y":"\n"}]}"#
    );
}

#[test]
fn a_needed_identifier_depends_on_the_place_alone() {
    let tasks = || {
        spelled(thin_vec![holding(
            Kind::TaskList,
            [holding(Kind::TaskItem, []), holding(Kind::TaskItem, [])]
        )])
    };
    let json = tasks();
    assert_eq!(json, tasks());
    let mut found: Vec<_> = json.match_indices("\"localId\":\"").map(|it| &json[it.0..it.0 + 48]).collect();
    found.dedup();
    assert_eq!(found.len(), 3, "{json}");
}

/// Asserts that the JSON of `node` is unchanged after reading and writing, including the order of its keys.
#[track_caller]
fn stays(node: &str) {
    let source = format!(r#"{{"version":1,"type":"doc","content":[{node}]}}"#);
    assert_eq!(read(&source).write(Format::Adf), source);
}

#[test]
fn what_the_schema_does_not_know_and_how_it_was_spelled_stays() {
    stays(r#"{"type":"rule","attrs":{"a":33.30,"b":1e3,"c":12345678901234567890,"d":{ "z": 1, "a": [ ] }}}"#);
    stays(r#"{"type":"unheardOf","content":[ {"type":"x"} ]}"#);
    stays(r#"{"type":"paragraph","attrs":{},"content":[],"marks":[],"future":{"a":1}}"#.replace(",\"content\":[],\"marks\":[]", "").as_str());
    stays(
        r#"{"type":"paragraph","content":[{"type":"text","text":"x","marks":[{"type":"glow","attrs":{"a":1}}]}]}"#,
    );
    stays(r#"{"type":"rule","attrs":{"a:b":"c"}}"#);
    stays(r#"{"type":"rule","attrs":{"a":"\ud800"}}"#);
    stays(r#"{"type":"rule","content":"x"}"#);
}

#[test]
fn the_keys_of_a_node_may_stand_in_any_order() {
    let source = r#" {"content":[{"marks":[{"attrs":{"href":"x"},"type":"link"}],"text":"a","type":"text"}],"type":"paragraph"}"#;
    let document = read(source);
    let text = &document.blocks[0].children[0];
    assert_eq!((text.inner.of(source), text.marks[0].text("href")), ("a", Some("x")));
    assert_eq!(document.blocks[0].inner.of(source), &source[13..source.len() - 21]);
    assert_eq!(document.blocks[0].span.of(source), source.trim());
}

#[test]
fn a_fragment_and_a_list_of_nodes_are_documents() {
    assert_eq!(outline("\u{feff} {\"type\":\"text\",\"text\":\"a\"}\n"), "paragraph(\"a\")");
    assert_eq!(outline(r#"[{"type":"text","text":"a"},{"type":"rule"}]"#), "paragraph(\"a\") rule");
    assert_eq!(outline(r#"{"type":"tableRow","content":[]}"#), "tableRow");
    assert_eq!(outline("[]"), "");
}

#[test]
fn of_a_text_that_ends_early_everything_is_kept() {
    let source =
        r#"{"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"a"},{"type":"te"#;
    assert_eq!(outline(source), r#"paragraph("a" raw)"#);
    let document = read(source);
    assert_eq!(document.blocks[0].children[1].text, r#"{"type":"te"#);
}

#[test]
fn what_follows_where_a_list_of_nodes_is_no_json_is_kept() {
    let source = r#"{"type":"doc","content":[{"type":"rule"} "rest"#;
    assert_eq!(outline(source), "rule raw");
    assert_eq!(read(source).blocks[1].text, "\"rest");
}

#[test]
fn of_a_key_that_stands_twice_the_last_one_counts() {
    let document = read(r#"[{"type":"rule","attrs":{"a":1,"b":2,"a":3},"content":"x","type":"heading"}]"#);
    assert_eq!(
        document.blocks[0].kind,
        Kind::RawBlock,
        "the last type is a heading's, and its content no array"
    );
    let document = read(r#"[{"type":"rule","attrs":{"a":1,"b":2,"a":3}}]"#);
    let shown: Vec<_> = document.blocks[0].attrs.iter().map(|it| (&*it.name, it.value.shown())).collect();
    assert_eq!(shown, [("a", "3"), ("b", "2")]);
}

#[test]
fn a_node_of_unknown_type_is_inline_where_its_siblings_are() {
    assert_eq!(outline(r#"[{"type":"text","text":"a"},{"type":"later"}]"#), "paragraph(\"a\" raw)");
    assert_eq!(outline(r#"[{"type":"later"},{"type":"rule"}]"#), "raw rule");
    let source = r#"{"type":"paragraph","content":[{"type":"later"}]}"#;
    assert_eq!(read(source).blocks[0].children[0].kind, Kind::RawInline);
}

#[test]
fn code_keeps_of_its_marks_those_that_may_be_with_it() {
    let text = Node::of_text("x").marked(Mark::new(MarkKind::Strong)).marked(Mark::new(MarkKind::Em));
    let json = spelled(thin_vec![holding(Kind::Paragraph, [text.marked(Mark::new(MarkKind::Code))])]);
    assert!(json.contains(r#""marks":[{"type":"code"}]"#), "{json}");
}
