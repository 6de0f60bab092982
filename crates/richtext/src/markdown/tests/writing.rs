//! Tests of writing Markdown: the text that a tree becomes, and in most tests also that the text is read back
//! as the same tree.

use thin_vec::thin_vec;

use super::*;
use crate::tree::{MACRO, Mark};

fn text(it: &'static str) -> Node<'static> {
    Node::of_text(it)
}

fn paragraph(it: &'static str) -> Node<'static> {
    Node::new(Kind::Paragraph).holding(thin_vec![text(it)])
}

fn check(nodes: &[Node<'static>], expected: &str) {
    assert_eq!(write(nodes).trim_end(), expected);
    comes_back(nodes, expected);
}

#[test]
fn every_block_comes_back() {
    let item = |children| Node::new(Kind::ListItem).holding(children);
    check(
        &[Node::new(Kind::BulletList).holding(thin_vec![item(thin_vec![paragraph("a")]), item(thin_vec![])])],
        "- a\n-",
    );
    check(
        &[Node::new(Kind::OrderedList)
            .with_json("order", "0")
            .holding(thin_vec![item(thin_vec![paragraph("a")])])],
        "0. a",
    );
    check(
        &[Node::new(Kind::OrderedList)
            .with_json("order", "1")
            .holding(thin_vec![item(thin_vec![paragraph("a")])])],
        "1) a",
    );
    check(&[Node::new(Kind::OrderedList).holding(thin_vec![item(thin_vec![paragraph("a")])])], "1. a");
    check(
        &[Node::new(Kind::OrderedList)
            .with_json("order", "12345678901")
            .holding(thin_vec![item(thin_vec![paragraph("a")])])],
        "{order=12345678901}\n\n1. a",
    );
    check(
        &[Node::new(Kind::BulletList)
            .holding(thin_vec![item(thin_vec![Node::new(Kind::Rule), paragraph("a")])])],
        "- ***\n\n  a",
    );
    let list = || Node::new(Kind::BulletList).holding(thin_vec![item(thin_vec![paragraph("a")])]);
    check(&[list(), list()], "- a\n\n* a");
    check(&[Node::new(Kind::Paragraph), paragraph("a")], "<!-- empty paragraph -->\n\na");
    check(&[Node::new(Kind::Heading).with_json("level", "3").holding(thin_vec![text("a #")])], "### a \\#");
    check(
        &[Node::new(Kind::Blockquote).holding(thin_vec![paragraph("a"), Node::new(Kind::Rule)])],
        "> a\n>\n> ---",
    );
    check(
        &[Node::new(Kind::CodeBlock)
            .with("language", "js")
            .with_json("wrap", "true")
            .with_json("hideLineNumbers", "true")
            .with("uniqueId", "u")
            .holding(thin_vec![text("a\n```\n\n")])],
        "````js {wrap hide-lines uniqueId=u}\na\n```\n\n\n````",
    );
    check(
        &[Node::new(Kind::Panel)
            .with("panelType", "custom")
            .with("panelIcon", ":x:")
            .with("panelColor", "#fff000")
            .holding(thin_vec![paragraph("a")])],
        ":::panel{type=custom panelIcon=:x: panelColor=#fff000}\na\n:::",
    );
    check(&[Node::new(Kind::BlockCard).with("url", "https://a.b")], "::card{url=https://a.b}");
    check(
        &[Node::new(Kind::BlockCard).with_json("datasource", "{\"id\":\"it's\",\"n\":1.50}")],
        "::card{datasource='{\"id\":\"it\\u0027s\",\"n\":1.50}'}".replace("\\\\", "\\").as_str(),
    );
    check(
        &[Node::new(Kind::EmbedCard).with("url", "u").with("layout", "wide").with_json("width", "33.30")],
        "::embed{url=u layout=wide width=33.30}",
    );
    check(&[Node::new(Kind::SyncBlock).with("resourceId", "r")], "::sync{resource=r}");
    check(
        &[Node::new(Kind::BodiedSyncBlock).with("resourceId", "r").holding(thin_vec![paragraph("a")])],
        ":::sync{resource=r}\na\n:::",
    );
    check(
        &[Node::new(Kind::Group)
            .with("/type", "div")
            .with("html:class", "a b")
            .holding(thin_vec![paragraph("a")])],
        ":::group{type=div html:class=\"a b\"}\na\n:::",
    );
    let frame = Node::new(Kind::ExtensionFrame).holding(thin_vec![paragraph("a")]);
    check(
        &[Node::new(Kind::MultiBodiedExtension)
            .with("extensionType", "t")
            .with("extensionKey", "k")
            .holding(thin_vec![frame])],
        "::::multi-ext{type=t key=k}\n:::frame\na\n:::\n::::",
    );
    check(&[Node::raw(Kind::RawBlock, "storage", "<p/>")], "```storage\n<p/>\n```");
    check(&[Node::raw(Kind::RawBlock, "wiki", "h1. a\n```")], "````wiki\nh1. a\n```\n````");
    check(&[Node::raw(Kind::RawBlock, "markdown", "<div>\n</div>")], "<div>\n</div>");
}

#[test]
fn layouts_and_expands_come_back() {
    let column = |it| {
        Node::new(Kind::LayoutColumn)
            .with_json("width", "33.33")
            .with("valign", "top")
            .holding(thin_vec![paragraph(it)])
    };
    let section = Node::new(Kind::LayoutSection)
        .marked(Mark::new(MarkKind::Breakout).with("mode", "wide"))
        .holding(thin_vec![column("a"), column("b")]);
    check(
        &[section],
        "::::layout{breakout=wide}\n:::column{width=33.33 valign=top}\na\n:::\n\n:::column{width=33.33 valign=top}\nb\n:::\n::::",
    );
    let nested = Node::new(Kind::NestedExpand).with("title", "i").holding(thin_vec![paragraph("a")]);
    check(
        &[Node::new(Kind::Expand).with("title", "o \"q\"").holding(thin_vec![nested.clone()])],
        "::::expand{title=\"o \\\"q\\\"\"}\n:::expand{title=i}\na\n:::\n::::",
    );
    check(&[nested], ":::expand{title=i nested=true}\na\n:::");
}

#[test]
fn media_come_back() {
    let file = || Node::new(Kind::Media).with("type", "file").with("id", "i").with("collection", "c");
    let single = |media| Node::new(Kind::MediaSingle).with("layout", "center").holding(thin_vec![media]);
    check(
        &[single(
            Node::new(Kind::Media)
                .with("type", "external")
                .with("url", "attachment:a b.png")
                .with("alt", "x"),
        )],
        "![x](<attachment:a b.png>)",
    );
    check(&[single(file())], "::media{id=i collection=c layout=center}");
    let mut captioned = single(file().with_json("width", "5").with_json("height", "6").marked(Mark {
        kind: MarkKind::Border,
        attrs: thin_vec![Attr::json("size", "2"), Attr::string("color", "#fff000")],
    }));
    captioned = captioned.with_json("width", "50").with("widthType", "percentage");
    captioned.children.push(Node::new(Kind::Caption).holding(thin_vec![text("t")]));
    check(
        &[captioned],
        ":::media{id=i collection=c file-width=5 file-height=6 mark:border='{\"size\":2,\"color\":\"#fff000\"}' layout=center width=50 widthType=percentage}\nt\n:::",
    );
    check(
        &[Node::new(Kind::MediaGroup).holding(thin_vec![file(), file().with("alt", "b c")])],
        ":::media-group\n::media{id=i collection=c}\n\n::media{id=i collection=c alt=\"b c\"}\n:::",
    );
    comes_back(
        &[Node::new(Kind::Paragraph)
            .holding(thin_vec![Node::new(Kind::Image).with("url", "u").with("alt", "a")])],
        "a picture alone in a paragraph",
    );
    comes_back(
        &[Node::new(Kind::Paragraph).holding(thin_vec![
            text("a"),
            Node::new(Kind::Image).with("url", "u").with_json("width", "3").with("title", "t"),
        ])],
        "a picture with a width",
    );
}

#[test]
fn tasks_and_decisions_come_back() {
    let task = |state, it| Node::new(Kind::TaskItem).with("state", state).holding(thin_vec![text(it)]);
    let nested = Node::new(Kind::TaskList).holding(thin_vec![task("DONE", "b")]);
    check(
        &[Node::new(Kind::TaskList).holding(thin_vec![
            task("TODO", "a"),
            nested,
            Node::new(Kind::TaskItem).with("state", "TODO"),
        ])],
        "- [ ] a\n  - [x] b\n- [ ]",
    );
    let block = |children| {
        Node::new(Kind::TaskList)
            .holding(thin_vec![Node::new(Kind::BlockTaskItem).with("state", "TODO").holding(children)])
    };
    comes_back(&[block(thin_vec![paragraph("a")])], "a block task of one paragraph");
    comes_back(&[block(thin_vec![paragraph("a"), paragraph("b")])], "a block task");
    let decision = |state| Node::new(Kind::DecisionItem).with("state", state).holding(thin_vec![text("a")]);
    check(
        &[Node::new(Kind::DecisionList).holding(thin_vec![decision("DECIDED"), decision("UNDECIDED")])],
        ":::decisions\n- [x] a\n- [ ] a\n:::",
    );
    comes_back(
        &[Node::new(Kind::DecisionList).holding(thin_vec![decision("PERHAPS")])],
        "a decision in another state",
    );
}

#[test]
fn tables_are_piped_if_that_says_all() {
    let cell = |kind, it| Node::new(kind).holding(thin_vec![paragraph(it)]);
    let row = |kind| Node::new(Kind::TableRow).holding(thin_vec![cell(kind, "a|b"), cell(kind, "c")]);
    let rows = || thin_vec![row(Kind::TableHeader), row(Kind::TableCell)];
    check(
        &[Node::new(Kind::Table)
            .with("layout", "wide")
            .with_json("isNumberColumnEnabled", "false")
            .holding(rows())],
        "{layout=wide isNumberColumnEnabled=false}\n\n| a\\|b | c |\n| --- | --- |\n| a\\|b | c |",
    );
    let spanned = cell(Kind::TableCell, "a")
        .with_json("colspan", "2")
        .with_json("colwidth", "[1,2]")
        .with("background", "#fff")
        .with("valign", "top");
    check(
        &[Node::new(Kind::Table).holding(thin_vec![Node::new(Kind::TableRow).holding(thin_vec![spanned])])],
        "<table>\n<tr>\n<td colspan=\"2\" colwidth='[1,2]' background=\"#fff\" valign=\"top\">\n\na\n\n</td>\n</tr>\n</table>",
    );
    comes_back(
        &[Node::new(Kind::Table).holding(thin_vec![
            row(Kind::TableCell),
            Node::new(Kind::TableRow),
            row(Kind::TableHeader),
        ])],
        "ragged rows",
    );
    comes_back(
        &[Node::new(Kind::Table).holding(thin_vec![Node::new(Kind::TableRow).holding(thin_vec![
            Node::new(Kind::TableCell),
            Node::new(Kind::TableCell).holding(thin_vec![Node::new(Kind::Table).holding(rows())]),
        ])])],
        "a table in a table",
    );
}

#[test]
fn extensions_come_back() {
    let parameters = "{\"macroParams\":{\"maxLevel\":{\"value\":\"3\"},\"style\":{\"value\":\"a b\"}},\"macroMetadata\":{\"macroId\":{\"value\":\"x\"},\"schemaVersion\":{\"value\":\"1\"}}}";
    let toc = |kind| {
        Node::new(kind)
            .with("extensionType", MACRO)
            .with("extensionKey", "toc")
            .with_json("parameters", parameters)
            .with("layout", "default")
    };
    check(&[toc(Kind::Extension)], "::macro{name=toc maxLevel=3 style=\"a b\" attr:layout=default}");
    check(
        &[toc(Kind::BodiedExtension).holding(thin_vec![paragraph("a")])],
        ":::macro{name=toc maxLevel=3 style=\"a b\" attr:layout=default}\na\n:::",
    );
    comes_back(
        &[Node::new(Kind::Paragraph).holding(thin_vec![toc(Kind::InlineExtension).with("text", "t")])],
        "a macro among text",
    );
    comes_back(
        &[Node::new(Kind::Extension)
            .with("extensionType", "t")
            .with("extensionKey", "k")
            .with_json("parameters", "{\"b\": 1e3,\n \"a\": [33.30, \"it's\"]}")],
        "any parameters",
    );
    let other = Node::new(Kind::Extension)
        .with("extensionType", MACRO)
        .with("extensionKey", "k")
        .with_json("parameters", "{\"macroParams\":{\"name\":{\"value\":\"x\"}}}");
    comes_back(&[other], "a parameter called name");
    let kept = read("::ext{type=t key=k parameters='{\"b\": 1e3, \"a\": 33.30}'}");
    assert_eq!(kept[0].get("parameters").map(Value::shown), Some("{\"b\": 1e3, \"a\": 33.30}"));
}

#[test]
fn every_inline_node_comes_back() {
    let one = |node: Node<'static>, expected: &str| {
        check(
            &[Node::new(Kind::Paragraph).holding(thin_vec![text("a "), node, text(" b")])],
            &format!("a {expected} b"),
        )
    };
    one(
        Node::new(Kind::Status).with("text", "Ok [x]").with("color", "green").with("style", "bold"),
        ":status[Ok \\[x\\]]{color=green style=bold}",
    );
    one(
        Node::new(Kind::Mention).with("id", "5b:1").with("text", "@A B").with("accessLevel", ""),
        ":mention[@A B]{id=5b:1 accessLevel=\"\"}",
    );
    one(Node::new(Kind::Mention).with("id", "1"), ":mention{id=\"1\"}");
    one(
        Node::new(Kind::Emoji).with("shortName", ":smile:").with("id", "1f604").with("text", "😄"),
        ":smile:",
    );
    one(Node::new(Kind::Date).with("timestamp", "1577923200000"), ":date[2020-01-02]");
    one(Node::new(Kind::Date).with_json("timestamp", "1577923200000"), ":date[2020-01-02]{ts=1577923200000}");
    one(Node::new(Kind::Date).with("timestamp", "soon"), ":date[]{ts=soon}");
    one(Node::new(Kind::Placeholder).with("text", "t"), ":placeholder[t]");
    one(
        Node::new(Kind::InlineCard).with("url", "https://a.b/c_d"),
        ":card[https://a.b/c\\_d]".replace("\\_", "_").as_str(),
    );
    one(Node::new(Kind::InlineCard).with_json("data", "{\"a\":[1]}"), ":card{data='{\"a\":[1]}'}");
    one(
        Node::new(Kind::MediaInline).with("id", "i").with("collection", "c").with("alt", "t"),
        ":media[t]{id=i collection=c}",
    );
    one(
        Node::new(Kind::InlineExtension)
            .with("extensionType", "t")
            .with("extensionKey", "k")
            .with("text", "x"),
        ":ext[x]{type=t key=k}",
    );
    one(Node::raw(Kind::RawInline, "storage", "<ac:x a=\"b\"/>"), ":raw[`<ac:x a=\"b\"/>`]{format=storage}");
    one(Node::raw(Kind::RawInline, "markdown", "<b>"), "<b>");
    one(Node::new(Kind::Image).with("url", "u").with("alt", "x").with("title", "t"), "![x](u \"t\")");
}

#[test]
fn marks_are_as_plain_as_their_place_allows() {
    let marked = |it, kind| text(it).marked(Mark::new(kind));
    let line = |runs, expected| check(&[Node::new(Kind::Paragraph).holding(runs)], expected);
    line(thin_vec![text("a"), marked("b", MarkKind::Em), text("c")], "a*b*c");
    line(thin_vec![marked("a ", MarkKind::Strong), text("b")], ":strong[a ]b");
    line(thin_vec![text("a"), marked("(b)", MarkKind::Strong), text("c")], "a:strong[(b)]c");
    line(thin_vec![marked("a", MarkKind::Em), marked("b", MarkKind::Strong)], "*a*:strong[b]");
    line(
        thin_vec![
            marked("a", MarkKind::Strong),
            marked("b", MarkKind::Strong).marked(Mark::new(MarkKind::Em)),
            text("!"),
        ],
        "**a*b***!",
    );
    line(thin_vec![marked("a\nb", MarkKind::Code)], ":code[a&#10;b]");
    let link = |it| text(it).marked(Mark::new(MarkKind::Link).with("href", "u v").with("title", "t"));
    line(thin_vec![link("a"), link("b").marked(Mark::new(MarkKind::Strong))], "[a**b**](<u v> \"t\")");
    let colored = text("a")
        .marked(Mark::new(MarkKind::TextColor).with("color", "#ff0000"))
        .marked(Mark::new(MarkKind::BackgroundColor).with("color", "#00ff00"));
    line(thin_vec![colored], ":color[a]{fg=#ff0000 bg=#00ff00}");
    line(
        thin_vec![
            text("a").marked(
                Mark::new(MarkKind::Annotation).with("id", "i").with("annotationType", "inlineComment"),
            ),
        ],
        ":comment[a]{id=i}",
    );
    line(thin_vec![text("a").marked(Mark::new(MarkKind::Other).with("/type", "html:cite"))], ":cite[a]");
    line(
        thin_vec![text("a").marked(Mark::new(MarkKind::Other).with("/type", "html:b").with("type", "x"))],
        ":mark[a]{type=html:b /type=x}",
    );
    line(
        thin_vec![text("a").marked(Mark::new(MarkKind::Link).with("href", "u").with("collection", "c"))],
        ":mark[a]{type=link href=u collection=c}",
    );
    line(
        thin_vec![
            marked("a", MarkKind::Underline),
            text("a").marked(Mark::new(MarkKind::Subsup).with("type", "sub")),
        ],
        "<u>a</u><sub>a</sub>",
    );
}

#[test]
fn marks_of_blocks_are_attributes() {
    let consumer = Mark { kind: MarkKind::DataConsumer, attrs: thin_vec![Attr::json("sources", "[\"a\"]")] };
    let fragment = Mark::new(MarkKind::Fragment).with("localId", "l").with("name", "n");
    let table = Node::new(Kind::Table).marked(fragment).holding(thin_vec![
        Node::new(Kind::TableRow)
            .holding(thin_vec![Node::new(Kind::TableHeader).holding(thin_vec![paragraph("a")])]),
    ]);
    comes_back(&[table], "a fragment");
    comes_back(
        &[Node::new(Kind::Extension).with("extensionType", "t").with("extensionKey", "k").marked(consumer)],
        "a consumer of data",
    );
    let breakout = Mark {
        kind: MarkKind::Breakout,
        attrs: thin_vec![Attr::string("mode", "wide"), Attr::json("width", "1000")],
    };
    check(
        &[Node::new(Kind::CodeBlock).marked(breakout)],
        "``` {breakout=wide breakout-width=1000}\n```".replace("``` {", "```{").as_str(),
    );
    check(
        &[paragraph("a").marked(Mark::new(MarkKind::FontSize).with("fontSize", "small"))],
        "a\n{size=small}",
    );
    check(
        &[Node::new(Kind::Heading)
            .with_json("level", "1")
            .marked(Mark::new(MarkKind::Alignment).with("align", "center"))
            .holding(thin_vec![text("a")])],
        "# a {align=center}",
    );
}

#[test]
fn the_plain_flavour_is_for_reading() {
    let panel = Node::new(Kind::Panel).with("panelType", "error").holding(thin_vec![
        Node::new(Kind::Paragraph).holding(thin_vec![
            Node::new(Kind::Status).with("text", "OK").with("color", "green"),
            text(" "),
            Node::new(Kind::Mention).with("id", "1").with("text", "@A"),
            text(" "),
            Node::new(Kind::Date).with("timestamp", "1577923200000"),
            text(" x").marked(Mark::new(MarkKind::TextColor).with("color", "#ff0000")),
        ],)
    ]);
    let expand = Node::new(Kind::Expand).with("title", "T").holding(thin_vec![panel]);
    assert_eq!(
        PLAIN.document(&[expand]),
        "<details>\n<summary>T</summary>\n\n> [!CAUTION]\n> **[OK]** @A 2020-01-02 x\n\n</details>\n"
    );
}

#[test]
fn parts_stand_as_in_their_parent() {
    let list = Node::new(Kind::BulletList);
    let item = || Node::new(Kind::ListItem).holding(thin_vec![paragraph("a")]);
    assert_eq!(EXTENDED.part(&[item(), item()], Some(&list)), "- a\n- a");
    assert_eq!(
        EXTENDED.part(&[text("*"), Node::new(Kind::HardBreak), text("b")], Some(&Node::new(Kind::Paragraph))),
        "\\*\\\nb"
    );
    assert_eq!((EXTENDED.between(Some(&list)), EXTENDED.between(None)), ("\n", "\n\n"));
    assert_eq!(EXTENDED.text("a*b", Kind::Text, "x", "y"), "a\\*b");
    assert_eq!(EXTENDED.text("a*b", Kind::Text, "`x", "y`"), "a*b");
    assert_eq!(EXTENDED.text("a*b", Kind::CodeBlock, "", ""), "a*b");
    assert_eq!(EXTENDED.place("a&amp;\\*b", Kind::Text, 2), Some(6));
    assert_eq!(EXTENDED.place("a&amp;\\*b", Kind::Text, 3), Some(8));
    assert_eq!(EXTENDED.place("a\n> b", Kind::Text, 2), Some(4));
}
