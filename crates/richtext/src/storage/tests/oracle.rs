//! Compares our trees of the corpus with those that Atlassian's own transformer of 2022 makes of the same
//! files.
//!
//! Both trees are reduced to what that transformer can express: bold text is bold however it is spelled, and
//! `?` replaces a node that one of the two can't express. Files that still differ are listed here with the
//! reason; docs/richtext-oracles.md explains them.

use std::collections::BTreeMap;

use super::super::read::read;
use super::corpus::{file, texts};
use crate::tree::{Kind, Node};
use crate::values::json::{elements, members, string};

/// The files whose trees differ from Atlassian's, grouped by the construct that causes the difference.
#[rustfmt::skip]
const KNOWN: &[(&str, &[&str])] = &[
    ("white space before inline nodes", &["atlaskit-cxhtml/cx090.xml", "md2conf/images.xml", "md2conf/math.xml"]),
    ("white space within a comment", &["atlaskit-cxhtml/cx025.xml"]),
    ("empty comment", &["atlaskit-cxhtml/cx023.xml"]),
    ("code with other marks", &["atlaskit-cxhtml/cx038.xml"]),
    ("title of code or a panel", &["atlaskit-cxhtml/cx061.xml", "atlaskit-cxhtml/page-code_macro.xml", "md2conf/missing.xml"]),
    ("HTML of the old editor", &[
        "atlaskit-cxhtml/cx063.xml", "atlaskit-cxhtml/cx064.xml", "atlaskit-cxhtml/cx065.xml", "atlaskit-cxhtml/cx066.xml",
        "atlaskit-cxhtml/cx069.xml", "atlaskit-cxhtml/cx071.xml", "atlaskit-cxhtml/cx105.xml",
    ]),
    ("links to pages and files", &[
        "atlaskit-cxhtml/cx112.xml", "atlaskit-cxhtml/cx114.xml", "atlaskit-cxhtml/cx116.xml", "md2conf/anchors.xml",
    ]),
    ("expand", &["atlaskit-cxhtml/page-bodied_extension.xml", "atlaskit-cxhtml/page-bodied_nested_extension.xml"]),
    ("custom panel", &["md2conf/macro.xml", "md2conf/panel.xml"]),
    ("`div` around blocks, and XML comments between blocks", &["md2conf/tags.xml"]),
];

#[test]
#[expect(clippy::print_stderr, reason = "the counts are for whoever compares")]
fn the_corpus_is_read_as_atlassian_reads_it() {
    let Some(oracle) = file("oracle/storage-to-adf.atlaskit-confluence-8.1.33.json") else { return };
    let oracle: BTreeMap<_, _> = members(&oracle).expect("an object").into_iter().collect();
    let mut counts: BTreeMap<String, [usize; 2]> = BTreeMap::new();
    let mut differing = Vec::new();
    let mut compared = 0;
    for (name, source) in texts() {
        let name = name.strip_prefix("storage/").unwrap_or(&name).to_owned();
        let found = oracle.get(&*name).and_then(|it| member(it, "adf"));
        let Some(theirs) = found else { continue };
        compared += 1;
        let theirs = blocks_of(theirs);
        let ours: Vec<_> = read(&source).0.iter().flat_map(ours).collect();
        for line in &theirs {
            let kind = line.split(['[', '{', ' ']).next().unwrap_or_default().to_owned();
            counts.entry(kind).or_default()[usize::from(!ours.contains(line))] += 1;
        }
        if ours != theirs {
            differing.push((name, ours, theirs));
        }
    }
    let known = KNOWN.iter().map(|it| format!("{}: {}", it.0, it.1.len())).collect::<Vec<_>>().join(", ");
    eprintln!(
        "{compared} files compared, {} differ ({known}); blocks alike and not: {counts:?}",
        differing.len()
    );
    for (name, ours, theirs) in &differing {
        let known = KNOWN.iter().any(|it| it.1.contains(&&**name));
        assert!(
            known,
            "{name}\n  ours:   {}\n  theirs: {}",
            ours.join("\n          "),
            theirs.join("\n          ")
        );
    }
    for name in KNOWN.iter().flat_map(|it| it.1) {
        assert!(differing.iter().any(|it| it.0 == *name), "{name} does not differ any more");
    }
}

fn member<'j>(object: &'j str, name: &str) -> Option<&'j str> {
    members(object)?.into_iter().find(|it| it.0 == name).map(|it| it.1)
}

fn blocks_of(doc: &str) -> Vec<String> {
    member(doc, "content").and_then(elements).unwrap_or_default().iter().map(|it| theirs(it)).collect()
}

/// Collapses each run of white space in `text` to one space, as a browser does.
fn collapsed(text: &str) -> String {
    let mut out = String::new();
    for found in text.chars() {
        let blank = found.is_ascii_whitespace();
        if !(blank && out.ends_with(' ')) {
            out.push(if blank { ' ' } else { found });
        }
    }
    out
}

fn theirs(node: &str) -> String {
    let name = member(node, "type").and_then(string).unwrap_or_default().into_owned();
    let attrs = member(node, "attrs").unwrap_or("{}");
    let said = |name: &str| member(attrs, name).and_then(string).map(std::borrow::Cow::into_owned);
    let children = member(node, "content").and_then(elements).unwrap_or_default();
    let inlines = children.iter().map(|it| (inline_of(it), marks_of(it)));
    match &*name {
        "paragraph" | "heading" | "codeBlock" | "taskItem" => {
            let level = member(attrs, "level").unwrap_or_default();
            let text = run(inlines.collect(), name == "codeBlock");
            format!(
                "{name}{level}{}[{text}]",
                said("language").map(|it| format!("{{{it}}}")).unwrap_or_default()
            )
        }
        "panel" => format!("panel{{{}}}[{}]", said("panelType").unwrap_or_default(), joined(&children)),
        "confluenceUnsupportedBlock" => "?".to_owned(),
        _ => format!("{name}[{}]", joined(&children)),
    }
}

fn joined(children: &[&str]) -> String {
    children.iter().map(|it| theirs(it)).collect::<Vec<_>>().join(" ")
}

fn inline_of(node: &str) -> String {
    let name = member(node, "type").and_then(string).unwrap_or_default();
    match &*name {
        "text" => member(node, "text").and_then(string).unwrap_or_default().into_owned(),
        "hardBreak" => "\n".to_owned(),
        "confluenceUnsupportedInline" | "inlineExtension" | "confluenceJiraIssue" => "\u{1}?".to_owned(),
        name => format!("\u{1}{name}"),
    }
}

fn marks_of(node: &str) -> Vec<String> {
    let marks = member(node, "marks").and_then(elements).unwrap_or_default();
    let mut names: Vec<_> = marks
        .iter()
        .map(|it| match &*member(it, "type").and_then(string).unwrap_or_default() {
            "confluenceInlineComment" => "annotation".to_owned(),
            name => name.to_owned(),
        })
        .collect();
    names.sort();
    names.dedup();
    names
}

/// Returns inline nodes, each given as text and marks, in short form. White space is collapsed unless they
/// are `code`.
fn run(nodes: Vec<(String, Vec<String>)>, code: bool) -> String {
    let mut out: Vec<(String, Vec<String>)> = Vec::new();
    for (text, marks) in nodes {
        match out.last_mut() {
            Some(last) if last.1 == marks && !text.starts_with('\u{1}') && !last.0.starts_with('\u{1}') => {
                last.0.push_str(&text)
            }
            _ => out.push((text, marks)),
        }
    }
    let shown = out.iter().map(|it| {
        let text = if code { it.0.clone() } else { collapsed(&it.0) };
        if it.1.is_empty() { text } else { format!("<{}>{text}</>", it.1.join(" ")) }
    });
    let joined: String = shown.collect();
    if code { joined } else { joined.trim().to_owned() }
}

/// Returns a block of our tree in the short form in which the trees are compared; a group is replaced by its
/// contents.
fn ours(node: &Node<'_>) -> Vec<String> {
    let children = || node.children.iter().flat_map(ours).collect::<Vec<_>>().join(" ");
    let name = node.kind.adf_name().unwrap_or_default();
    vec![match node.kind {
        Kind::Group => return node.children.iter().flat_map(ours).collect(),
        Kind::Paragraph | Kind::Heading | Kind::CodeBlock | Kind::TaskItem => {
            let level = node.integer("level").map(|it| it.to_string()).unwrap_or_default();
            let inlines = node.children.iter().map(our_inline).collect();
            let language = node.text_of("language").map(|it| format!("{{{it}}}")).unwrap_or_default();
            format!("{name}{level}{language}[{}]", run(inlines, node.kind == Kind::CodeBlock))
        }
        Kind::Panel => format!("panel{{{}}}[{}]", node.text_of("panelType").unwrap_or_default(), children()),
        Kind::RawBlock | Kind::Extension | Kind::MediaSingle => "?".to_owned(),
        Kind::BodiedExtension | Kind::Expand | Kind::NestedExpand | Kind::LayoutSection => "?".to_owned(),
        _ => format!("{name}[{}]", children()),
    }]
}

fn our_inline(node: &Node<'_>) -> (String, Vec<String>) {
    let mut marks: Vec<_> = node
        .marks
        .iter()
        .filter(|it| !it.name().starts_with("html:"))
        .map(|it| it.name().to_owned())
        .collect();
    marks.sort();
    marks.dedup();
    let text = match node.kind {
        Kind::Text => node.text.to_string(),
        Kind::HardBreak => "\n".to_owned(),
        Kind::Emoji | Kind::Date => format!("\u{1}{}", node.kind.adf_name().unwrap_or_default()),
        _ => "\u{1}?".to_owned(),
    };
    (text, marks)
}
