//! Tests of trees that were not read from wiki markup: they are written, and read again.

use thin_vec::{ThinVec, thin_vec};

use super::{BOTH, merged, read, shown};
use crate::corpus;
use crate::empty_lines::joined;
use crate::spelling::Spelling;
use crate::tree::{Kind, Mark, MarkKind, Node, NodeLimit, misplaced};
use crate::wiki::Wiki;

/// Checks that `nodes` are equal after writing and reading. Returns the markup of each dialect.
fn survives(nodes: &[Node<'_>], name: &str) -> [String; 2] {
    BOTH.map(|dialect| {
        let written = Wiki { dialect, keep_raw: true }.document(nodes);
        let again = read(&written, dialect);
        assert_eq!(normal(&again), normal(nodes), "{name} {dialect:?} was written {written}");
        drop(again);
        written
    })
}

/// Returns the nodes as text, without what markup can't express.
fn normal(nodes: &[Node<'_>]) -> String {
    shown(&plain(&merged(nodes, false)))
}

fn plain<'a>(nodes: &[Node<'a>]) -> ThinVec<Node<'a>> {
    let keep = |it: &Node<'_>| !(it.kind == Kind::Text && it.text.is_empty());
    let one = |it: &Node<'a>| {
        // Items and cells have one paragraph.
        let is_line = matches!(it.kind, Kind::ListItem | Kind::TableCell | Kind::TableHeader);
        if is_line { plainer(&it.clone().holding(joined(&it.children))) } else { plainer(it) }
    };
    nodes.iter().filter(|it| keep(it)).map(one).collect()
}

fn plainer<'a>(node: &Node<'a>) -> Node<'a> {
    let mut node = node.clone();
    node.attrs.retain(|it| {
        !matches!(it.name.as_ref(), "localId" | "parameters") && crate::wiki::write::is_said(it, node.kind)
    });
    if node.kind == Kind::HardBreak {
        node.attrs.clear();
    }
    node.marks.sort_by_key(|it| it.kind);
    node.children = plain(&node.children);
    if node.children.is_empty() && matches!(node.kind, Kind::ListItem | Kind::TableCell | Kind::TableHeader) {
        node.children.push(Node::new(Kind::Paragraph));
    }
    node
}

#[test]
fn every_document_of_the_adf_corpus_is_written_so_that_it_is_read_again() {
    for (name, json) in corpus::files("adf", "json") {
        let doc: Option<serde_json::Value> = serde_json::from_str(&json).ok();
        let is_doc = doc.as_ref().and_then(|it| it["type"].as_str()) == Some("doc");
        if !doc.is_some_and(|it| it["content"].is_array()) {
            continue;
        }
        let panel = json.replacen("\"doc\"", "\"expand\"", 1);
        if is_doc {
            let holder = crate::adf::read_node(&panel, &NodeLimit::default(), 0);
            // Some example documents were written for an older schema; their trees are skipped.
            if misplaced(&holder.children, "").is_none() {
                survives(&holder.children, &name);
            }
        }
    }
}

fn text(it: &'static str) -> Node<'static> {
    Node::of_text(it)
}

fn strong(it: &'static str) -> Node<'static> {
    text(it).marked(Mark::new(MarkKind::Strong))
}

fn paragraph(held: ThinVec<Node<'static>>) -> Node<'static> {
    Node::new(Kind::Paragraph).holding(held)
}

fn block(kind: Kind, held: ThinVec<Node<'static>>) -> Node<'static> {
    Node::new(kind).holding(held)
}

#[test]
fn a_mark_within_a_word_stands_in_braces() {
    let [written, _] = survives(&[paragraph(thin_vec![text("a"), strong("b"), text("c")])], "");
    assert_eq!(written, "a{*}b{*}c");
}

#[test]
fn a_mark_with_blanks_at_its_ends_stays_where_it_is() {
    survives(&[paragraph(thin_vec![text("a"), strong(" b "), text("c")])], "");
    survives(&[paragraph(thin_vec![strong(" ")])], "");
}

#[test]
fn marks_side_by_side_stay_apart() {
    let em = || text("b").marked(Mark::new(MarkKind::Em));
    survives(
        &[paragraph(thin_vec![strong("a"), em(), strong("c"), em().marked(Mark::new(MarkKind::Strong))])],
        "",
    );
    let code = text("}}x{{").marked(Mark::new(MarkKind::Code));
    survives(
        &[paragraph(thin_vec![code.clone(), strong("*"), code.marked(Mark::new(MarkKind::Strong))])],
        "",
    );
}

#[test]
fn breaks_stand_at_ends_in_headings_and_one_after_another() {
    let rest = || Node::new(Kind::HardBreak);
    survives(&[paragraph(thin_vec![rest(), text("a"), rest(), rest(), rest(), text("b"), rest()])], "");
    let [written, _] = survives(
        &[Node::new(Kind::Heading).with_json("level", "1").holding(thin_vec![text("a"), rest(), text("b")])],
        "",
    );
    assert_eq!(written, "h1. a\\\\b");
}

#[test]
fn what_markup_can_not_say_is_json() {
    let [written, _] = survives(&[paragraph(thin_vec![])], "");
    assert_eq!(written, "{adf:display=block}{\"type\":\"paragraph\"}{adf}");
    let date = Node::new(Kind::Date).with("timestamp", "0");
    let [written, _] = survives(&[paragraph(thin_vec![text("a "), date])], "");
    assert_eq!(written, "a {adf:display=inline}{\"type\":\"date\",\"attrs\":{\"timestamp\":\"0\"}}{adf}");
    let wide = block(Kind::TableCell, thin_vec![paragraph(thin_vec![text("a")])]).with_json("colspan", "2");
    let [written, _] = survives(&[block(Kind::Table, thin_vec![block(Kind::TableRow, thin_vec![wide])])], "");
    assert!(written.starts_with("{adf:display=block}{\"type\":\"table\""));
    let tasks = block(
        Kind::TaskList,
        thin_vec![Node::new(Kind::TaskItem).with("state", "DONE").holding(thin_vec![text("{adf}")])],
    );
    survives(&[tasks], "");
}

#[test]
fn blocks_stand_in_items_and_cells() {
    let code = || Node::new(Kind::CodeBlock).with("language", "java").holding(thin_vec![text("a|b\n\n* c")]);
    let list = || {
        block(Kind::BulletList, thin_vec![block(Kind::ListItem, thin_vec![paragraph(thin_vec![text("x")])])])
    };
    let item = |held| block(Kind::ListItem, held);
    let panel = || {
        Node::new(Kind::Panel).with("panelType", "info").holding(thin_vec![paragraph(thin_vec![text("p")])])
    };
    let two = || thin_vec![paragraph(thin_vec![text("a")]), paragraph(thin_vec![text("b")])];
    let mixes = || {
        thin_vec![
            thin_vec![paragraph(thin_vec![text("a")]), code(), list()],
            thin_vec![code(), paragraph(thin_vec![text("a")])],
            thin_vec![list(), paragraph(thin_vec![text("a")])],
            thin_vec![list(), list()],
            two(),
            thin_vec![panel(), Node::new(Kind::Rule)],
            thin_vec![paragraph(thin_vec![]), list()],
            thin_vec![],
        ]
    };
    for mix in mixes() {
        let one = block(Kind::OrderedList, thin_vec![item(mix.clone()), item(mix.clone())]);
        survives(&[one], "item");
        let cell = |it: &ThinVec<Node<'static>>| block(Kind::TableCell, it.clone());
        survives(
            &[block(Kind::Table, thin_vec![block(Kind::TableRow, thin_vec![cell(&mix), cell(&mix)])])],
            "cell",
        );
    }
}

#[test]
fn a_macro_does_not_stand_in_itself_and_tags_in_text_find_no_others() {
    let panel = |held| Node::new(Kind::Panel).with("panelType", "note").holding(held);
    survives(&[panel(thin_vec![panel(thin_vec![paragraph(thin_vec![text("a")])])])], "");
    let loose = || paragraph(thin_vec![text("{panel}")]);
    survives(
        &[loose(), loose(), paragraph(thin_vec![text("{color:red}")]), paragraph(thin_vec![text("{color}")])],
        "",
    );
    let code = |it| block(Kind::CodeBlock, thin_vec![text(it)]);
    survives(&[code("{code}"), code("{code}{noformat}"), code("\n"), code("")], "");
}

#[test]
fn raw_things_of_other_formats_come_back() {
    let storage = || Node::raw(Kind::RawBlock, "storage", "<ac:x>{panel}</ac:x>");
    let among = Node::raw(Kind::RawInline, "storage", "<u>x</u>");
    let end = Node::raw(Kind::RawBlock, "storage", "a{plainwire-raw}b");
    survives(&[storage(), paragraph(thin_vec![text("a "), among, text(" b")]), end], "");
    let html = Node::raw(Kind::RawInline, "markdown", "<!-- x --><kbd>*K*</kbd>");
    let wiki = Wiki { dialect: crate::Dialect::Jira, keep_raw: true };
    assert_eq!(wiki.document(&[paragraph(thin_vec![text("a "), html])]), "a \\*K\\*");
}

#[test]
fn a_sign_of_one_cell_does_not_find_its_fellow_in_another() {
    let cell = |it| block(Kind::TableCell, thin_vec![paragraph(thin_vec![text(it)])]);
    survives(
        &[block(
            Kind::Table,
            thin_vec![block(Kind::TableRow, thin_vec![cell("!a"), cell("b!"), cell("{{c"), cell("d}}")])],
        )],
        "",
    );
}
