//! Tests of trees that were not read from storage format: they are written, and most are read again.

use thin_vec::{ThinVec, thin_vec};

use super::super::write::part;
use super::comes_back;
use super::corpus::json_files;
use crate::tree::{Attr, Holds, Kind, Mark, MarkKind, Node, NodeLimit};
use crate::values::json::{elements, members};

#[test]
fn every_document_of_adf_comes_back() {
    let mut raw = 0;
    for (name, text) in json_files() {
        let content = members(&text).and_then(|it| it.into_iter().find(|it| it.0 == "content"));
        for block in content.and_then(|it| elements(it.1)).unwrap_or_default() {
            let node = crate::adf::read_node(block, &NodeLimit::default(), 0);
            if node.kind.is_inline() || node.text_of("/format").is_some() || !is_lawful(&node) {
                continue;
            }
            let written = comes_back(&[node]);
            raw += usize::from(written.contains("plainwire-raw"));
            assert!(!name.is_empty());
        }
    }
    assert!(raw < 60, "{raw} blocks of ADF have no spelling of their own");
}

/// Returns whether inline nodes and blocks are only where our readers put them, in `node` and its
/// descendants.
fn is_lawful(node: &Node<'_>) -> bool {
    let inlines = node.children.iter().filter(|it| it.kind.is_inline()).count();
    let lawful = match node.kind.holds() {
        Holds::Nothing => node.children.is_empty(),
        Holds::Blocks => inlines == 0,
        Holds::Inlines => inlines == node.children.len(),
    };
    lawful && node.children.iter().all(is_lawful)
}

/// Returns block nodes of many kinds, including some that ADF does not allow, groups and raw blocks.
fn kinds() -> ThinVec<Node<'static>> {
    let text = || Node::of_text("a <&>\" \r\n\u{a0}]]> b");
    let paragraph = || Node::new(Kind::Paragraph).holding(thin_vec![text()]);
    let holding = |kind, child| Node::new(kind).holding(thin_vec![child]);
    let media = || Node::new(Kind::Media).with("type", "external").with("url", "http://x/?a=1&b=2");
    let file = Node::new(Kind::Media).with("type", "file").with("id", "i").with("collection", "c");
    let extension =
        |kind| Node::new(kind).with("extensionType", crate::tree::MACRO).with("extensionKey", "toc");
    let cell = |kind| holding(kind, paragraph());
    let task = |kind: Kind, child| holding(kind, child).with("localId", "t").with("state", "DONE");
    let decision = holding(Kind::DecisionItem, text()).with("localId", "d").with("state", "DECIDED");
    let column = |width: &'static str| holding(Kind::LayoutColumn, paragraph()).with_json("width", width);
    thin_vec![
        paragraph(),
        holding(Kind::Heading, text()).with_json("level", "3"),
        holding(Kind::BulletList, holding(Kind::ListItem, paragraph())),
        holding(Kind::OrderedList, holding(Kind::ListItem, paragraph())).with_json("order", "0"),
        Node::new(Kind::TaskList).with("localId", "l").holding(thin_vec![
            task(Kind::TaskItem, text()),
            task(Kind::BlockTaskItem, paragraph()),
            holding(Kind::TaskList, task(Kind::TaskItem, text())).with("localId", "n"),
        ]),
        holding(Kind::DecisionList, decision).with("localId", "x"),
        holding(Kind::Blockquote, paragraph()),
        holding(Kind::CodeBlock, text()).with("language", "rust"),
        Node::new(Kind::CodeBlock),
        Node::new(Kind::Rule),
        holding(Kind::Panel, paragraph()).with("panelType", "tip"),
        holding(Kind::Panel, paragraph()).with("panelType", "custom").with("panelIcon", ":x:").with("panelColor", "#fff"),
        holding(Kind::Panel, paragraph()).with("panelType", "custom"),
        holding(Kind::Panel, paragraph()).with("panelType", "custom").with("panelColor", "#EAE6FF"),
        holding(Kind::Panel, paragraph()).with("panelType", "info"),
        holding(Kind::Expand, holding(Kind::NestedExpand, paragraph()).with("title", "n")).with("title", ""),
        holding(Kind::Expand, holding(Kind::Expand, paragraph())),
        Node::new(Kind::LayoutSection).holding(thin_vec![column("33.33"), column("66.67")]),
        Node::new(Kind::LayoutSection).holding(thin_vec![column("50.0"), column("50"), column("1")]),
        holding(Kind::Table, Node::new(Kind::TableRow).holding(thin_vec![
            cell(Kind::TableHeader).with_json("colspan", "2").with_json("colwidth", "[10, 20.50]"),
            cell(Kind::TableCell).with_json("rowspan", "2").with("background", "#ffffff").with("valign", "top"),
            cell(Kind::TableCell).with_json("colwidth", "[7]"),
        ]))
        .with_json("isNumberColumnEnabled", "true")
        .with("layout", "default")
        .with_json("width", "760")
        .with("displayMode", "fixed"),
        Node::new(Kind::Table).holding(thin_vec![
            holding(Kind::TableRow, cell(Kind::TableCell).with_json("colwidth", "[100]")),
            holding(Kind::TableRow, cell(Kind::TableCell)),
            holding(Kind::TableRow, cell(Kind::TableCell).with_json("colwidth", "[1,2]")),
            holding(Kind::TableRow, cell(Kind::TableCell).with_json("colwidth", "null")),
        ]),
        holding(Kind::MediaSingle, media().with("alt", "x")).with("layout", "center"),
        Node::new(Kind::MediaSingle)
            .with("layout", "wide")
            .with_json("width", "50")
            .holding(thin_vec![media(), holding(Kind::Caption, text())]),
        holding(Kind::MediaSingle, file.clone()).with("layout", "center"),
        holding(Kind::MediaGroup, file),
        Node::new(Kind::BlockCard).with("url", "http://x"),
        Node::new(Kind::BlockCard).with_json("datasource", "{\"id\":\"1\"}"),
        Node::new(Kind::EmbedCard).with("url", "http://x").with("layout", "center").with_json("width", "66.60"),
        extension(Kind::Extension),
        extension(Kind::Extension).with_json("parameters", r#"{"macroParams":{"a":{"value":1}}}"#),
        extension(Kind::Extension).with_json("parameters", r#"{"macroParams":{"a":{"value":"1"}},"macroMetadata":{"title":"T","macroId":{"value":""}},"x":null}"#),
        extension(Kind::BodiedExtension).holding(thin_vec![paragraph()]),
        extension(Kind::Extension).with("text", "t").with("layout", "wide").with("localId", "l"),
        Node::new(Kind::Extension).with("extensionType", "com.forge").with("extensionKey", "k"),
        holding(Kind::MultiBodiedExtension, holding(Kind::ExtensionFrame, paragraph())),
        Node::new(Kind::SyncBlock).with("resourceId", "r"),
        holding(Kind::BodiedSyncBlock, paragraph()).with("resourceId", "r"),
        holding(Kind::Group, paragraph()).with("/type", "html:div"),
        holding(Kind::Group, Node::new(Kind::Rule)).with("/type", "html:p"),
        holding(Kind::Group, paragraph()).with("/type", "html:table"),
        holding(Kind::Group, Node::raw(Kind::RawBlock, "wiki", "{x}")).with("/type", "html:p"),
        holding(Kind::Group, Node::raw(Kind::RawBlock, "wiki", "{x}")).with("/type", "html:future"),
        Node::raw(Kind::RawBlock, "wiki", "{x}\n]]>"),
        Node::raw(Kind::RawBlock, "adf", "{\"type\":\"future\"}"),
        Node::raw(Kind::RawBlock, "storage", "<ac:x><p>"),
    ]
}

fn inlines() -> ThinVec<Node<'static>> {
    let extension = Node::new(Kind::InlineExtension)
        .with("extensionType", crate::tree::MACRO)
        .with("extensionKey", "anchor")
        .with_json("parameters", r#"{"macroParams":{"":{"value":"x"}}}"#);
    thin_vec![
        Node::of_text(" a <&>\" \u{a0}]]> \n\r\t b "),
        Node::new(Kind::HardBreak),
        Node::new(Kind::HardBreak).with("text", "\n"),
        Node::new(Kind::Mention).with("id", "1:2").with("accessLevel", "CONTAINER"),
        Node::new(Kind::Emoji).with("shortName", ":smile:").with("id", "1f604").with("text", "😄"),
        Node::new(Kind::Date).with("timestamp", "1577923200000"),
        Node::new(Kind::Date).with("timestamp", "1577923200001"),
        Node::new(Kind::Date).with_json("timestamp", "1577923200000"),
        Node::new(Kind::Date).with("timestamp", "x"),
        Node::new(Kind::Status).with("text", "OK").with("color", "green").with("style", "bold"),
        Node::new(Kind::Status).with("text", "OK").with("color", "neutral"),
        Node::new(Kind::Status).with("text", "OK").with("color", "#Ab1234"),
        Node::new(Kind::Status).with("text", "").with("color", "green"),
        Node::new(Kind::Placeholder).with("text", "a & <b>"),
        Node::new(Kind::InlineCard).with("url", "http://x/?a&b"),
        Node::new(Kind::InlineCard).with("url", "confluence:S/T#a"),
        Node::new(Kind::InlineCard).with_json("data", "{\"a\":1}"),
        Node::new(Kind::MediaInline).with("id", "i").with("collection", "c"),
        extension,
        Node::new(Kind::Image).with("url", "attachment:a.png").with("alt", "A").with_json("width", "5"),
        Node::new(Kind::Image).with("url", "http://x").with("width", "5"),
        Node::raw(Kind::RawInline, "wiki", "{x}"),
        Node::raw(Kind::RawInline, "storage", "</b>"),
    ]
}

fn marks() -> ThinVec<Mark<'static>> {
    let new = Mark::new;
    let mut indented = new(MarkKind::Fragment);
    indented.attrs.push(Attr::json("localId", "5"));
    thin_vec![
        new(MarkKind::Link).with("href", "http://x/?a&\"b").with("title", "t").with("collection", "c"),
        new(MarkKind::Link).with("href", "confluence:S/T"),
        new(MarkKind::Link).with("href", "#x"),
        new(MarkKind::Link).with("href", "attachment:a b"),
        new(MarkKind::Annotation).with("id", "i").with("annotationType", "inlineComment"),
        new(MarkKind::Annotation).with("id", "i").with("annotationType", "other"),
        new(MarkKind::TextColor).with("color", "#aBc123"),
        new(MarkKind::TextColor).with("color", "red"),
        new(MarkKind::BackgroundColor).with("color", "#abc123"),
        new(MarkKind::Underline),
        new(MarkKind::Subsup).with("type", "sub"),
        new(MarkKind::Subsup).with("type", "other"),
        new(MarkKind::Strike),
        new(MarkKind::Strong),
        new(MarkKind::Em),
        new(MarkKind::Code),
        indented,
        new(MarkKind::Other).with("/type", "future").with("x", "y"),
        new(MarkKind::Other).with("/type", "html:kbd"),
        new(MarkKind::Other).with("/type", "html:p"),
    ]
}

#[test]
fn every_kind_of_block_comes_back() {
    kinds().into_iter().for_each(|it| drop(comes_back(&[it])));
    comes_back(&kinds());
}

#[test]
fn every_block_comes_back_with_attributes_it_has_no_word_for() {
    for mut node in kinds().into_iter().filter(|it| it.kind != Kind::RawBlock) {
        node = node.with("future", "a\"<").with_json("flag", "true").with("/version", "2");
        if node.get("localId").is_none() {
            node = node.with("localId", "own");
        }
        comes_back(&[node]);
    }
}

#[test]
fn every_block_comes_back_with_marks_of_blocks() {
    let level = |mut it: Mark<'static>| {
        it.attrs.push(Attr::json("level", "2"));
        it
    };
    let marks = [
        Mark::new(MarkKind::Alignment).with("align", "center"),
        Mark::new(MarkKind::Alignment).with("align", "start"),
        level(Mark::new(MarkKind::Indentation)),
        Mark::new(MarkKind::FontSize).with("fontSize", "small"),
        Mark::new(MarkKind::Breakout).with("mode", "wide"),
        Mark::new(MarkKind::Breakout).with("mode", "other"),
        Mark::new(MarkKind::Fragment).with("localId", "f"),
    ];
    for node in kinds().into_iter().filter(|it| it.kind != Kind::RawBlock) {
        for mark in &marks {
            comes_back(&[node.clone().marked(mark.clone())]);
        }
        comes_back(&[node
            .clone()
            .marked(marks[0].clone())
            .marked(marks[2].clone())
            .marked(marks[3].clone())]);
    }
}

#[test]
fn every_inline_node_comes_back_with_every_mark() {
    let paragraph = |nodes| Node::new(Kind::Paragraph).holding(nodes);
    comes_back(&[paragraph(inlines())]);
    for node in inlines() {
        comes_back(&[paragraph(thin_vec![node.clone()])]);
        // A hard break can't have marks.
        for mark in marks().into_iter().filter(|_| node.kind != Kind::HardBreak) {
            comes_back(&[paragraph(thin_vec![
                Node::of_text("x"),
                node.clone().marked(mark.clone()),
                Node::of_text("y").marked(mark),
            ])]);
        }
    }
}

#[test]
fn every_pair_of_marks_comes_back_in_any_order() {
    for one in marks() {
        for other in marks().into_iter().filter(|it| it.kind != one.kind) {
            let text = |it: &'static str| Node::of_text(it);
            let nodes = thin_vec![
                text("a").marked(one.clone()),
                text("b").marked(other.clone()).marked(one.clone()),
                text("c").marked(other.clone()),
                text(" d "),
            ];
            comes_back(&[Node::new(Kind::Paragraph).holding(nodes)]);
        }
    }
}

#[test]
fn shared_marks_are_written_once() {
    let strong = || Mark::new(MarkKind::Strong);
    let link = || Mark::new(MarkKind::Link).with("href", "http://x");
    let nodes = [
        Node::of_text("a").marked(strong()).marked(link()),
        Node::of_text("b").marked(link()).marked(Mark::new(MarkKind::Em)).marked(strong()),
        Node::of_text("c").marked(link()),
    ];
    assert_eq!(part(&nodes, None, true), "<a href=\"http://x\"><strong>a<em>b</em></strong>c</a>");
}

#[test]
fn raw_html_of_markdown_is_the_text_a_reader_sees() {
    let nodes = [
        Node::raw(Kind::RawBlock, "markdown", "<div align=\"center\">a &amp; b</div>"),
        Node::raw(Kind::RawBlock, "markdown", "<!-- gone -->"),
    ];
    assert_eq!(part(&nodes, None, true), "<p>a &amp; b</p>");
}
