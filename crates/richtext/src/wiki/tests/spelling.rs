//! Tests of the spelling of wiki markup: how text is escaped, the positions of its characters, and the markup
//! of parts, code, breaks, pictures and links.

use thin_vec::thin_vec;

use super::{BOTH, read};
use crate::format::Dialect;
use crate::spelling::Spelling;
use crate::tree::{Kind, Mark, MarkKind, Node};
use crate::wiki::Wiki;
use crate::wiki::write::same::same_inlines;

#[test]
fn each_sign_in_each_block_is_the_text_it_was() {
    let blocks: [fn(Node<'static>) -> Node<'static>; 6] = [
        |it| Node::new(Kind::Paragraph).holding(thin_vec![it]),
        |it| Node::new(Kind::Heading).with_json("level", "2").holding(thin_vec![it]),
        |it| {
            Node::new(Kind::BulletList)
                .holding(thin_vec![Node::new(Kind::ListItem).holding(thin_vec![paragraph(it)])])
        },
        |it| {
            Node::new(Kind::Table).holding(thin_vec![
                Node::new(Kind::TableRow)
                    .holding(thin_vec![Node::new(Kind::TableCell).holding(thin_vec![paragraph(it)])]),
            ])
        },
        |it| Node::new(Kind::Panel).with("panelType", "info").holding(thin_vec![paragraph(it)]),
        |it| Node::new(Kind::Blockquote).with("wiki:form", "bq.").holding(thin_vec![paragraph(it)]),
    ];
    for sign in (0x20_u8..0x7f).filter(|it| !it.is_ascii_alphanumeric()).map(char::from) {
        for text in texts(sign) {
            for (index, block) in blocks.iter().enumerate() {
                for dialect in BOTH {
                    let tree = [block(Node::of_text(text.clone()))];
                    let written = Wiki { dialect, keep_raw: true }.document(&tree);
                    let again = read(&written, dialect);
                    assert_eq!(
                        again.iter().map(Node::plain_text).collect::<String>(),
                        text,
                        "{index} {written:?}"
                    );
                    assert_eq!(again[0].kind, tree[0].kind, "{text:?} {written:?}");
                    let is_json = written.starts_with("{adf");
                    assert!(!is_json, "{text:?} {index} {written:?}");
                }
            }
        }
    }
}

fn paragraph(text: Node<'static>) -> Node<'static> {
    Node::new(Kind::Paragraph).holding(thin_vec![text])
}

/// Returns texts in which the character `sign` is at positions where it could be read as markup.
fn texts(sign: char) -> Vec<String> {
    vec![
        format!("{sign}"),
        format!("{sign}{sign}"),
        format!("{sign} a"),
        format!("{sign}a{sign}"),
        format!("x {sign}a{sign} y"),
        format!("x {sign}{sign}a{sign}{sign} y"),
        format!("a{sign}"),
        format!("x {sign}{sign} y"),
        format!("x {sign}{sign}{sign} y"),
        format!("{sign}{sign}{sign}{sign}"),
        format!("\\{sign}a"),
        format!("({sign}) :{sign} &{sign}amp;"),
        format!("h1{sign} bq{sign} x"),
    ]
}

#[test]
fn a_text_put_between_others_is_read_as_itself() {
    let around =
        [("a ", " b"), ("*", "*"), ("", ""), ("[", "|http://x.y]"), ("|", "|"), ("x\n", "\ny"), ("\\\\", "")];
    for (before, after) in around {
        for text in [
            "1 * 2 * 3",
            "a_b",
            "[x]",
            "{code}",
            "C:\\\\d",
            "*a*",
            "&amp;",
            "a|b",
            ":)",
            "# a",
            "a -- b",
            "h1. x",
        ] {
            for dialect in BOTH {
                let wiki = Wiki { dialect, keep_raw: true };
                let spelling = wiki.text(text, Kind::Text, before, after);
                let source = format!("{before}{spelling}{after}");
                let blocks = read(&source, dialect);
                let shown: String = blocks.iter().map(Node::plain_text).collect();
                assert!(shown.contains(text), "{text:?} was spelled {source:?} and read {shown:?}");
            }
        }
    }
}

#[test]
fn a_character_has_the_place_of_what_spells_it() {
    let wiki = Wiki { dialect: Dialect::Jira, keep_raw: true };
    let spelling = "a\\*b &amp; c -- d&nbsp;\\\\x";
    let text = "a*b & c – d\u{a0}\\\\x";
    let place = |it: &str| wiki.place(spelling, Kind::Text, text.find(it).unwrap());
    assert_eq!(place("*"), Some(1));
    assert_eq!(place("b"), Some(3));
    assert_eq!(place("&"), Some(5));
    assert_eq!(place(" c"), Some(10));
    assert_eq!(place("–"), Some(13));
    assert_eq!(place("\u{a0}"), Some(17));
    assert_eq!(place("x"), Some(25));
    assert_eq!(wiki.place(spelling, Kind::Text, text.len()), Some(spelling.len()));
    assert_eq!(wiki.place(spelling, Kind::Text, text.find('–').unwrap() + 1), None, "within one character");
    assert_eq!(wiki.place("{x}", Kind::CodeBlock, 2), Some(2));
}

#[test]
fn parts_put_together_are_the_whole() {
    let source = "h1. a *b*\n\n* x\n** y\n* z\n\n||h|c|\n|a|\n* b|\n\nbq. q\n\n{panel}\np\n\nq\n{panel}";
    for dialect in BOTH {
        let wiki = Wiki { dialect, keep_raw: true };
        let blocks = read(source, dialect);
        let parts: Vec<_> = blocks.iter().map(|it| wiki.part(std::slice::from_ref(it), None)).collect();
        assert_eq!(parts.join(wiki.between(None)), wiki.document(&blocks));
        for block in &blocks {
            let whole = wiki.part(&block.children, Some(block));
            let single = |it| wiki.part(std::slice::from_ref(it), Some(block));
            let joined: Vec<_> = block.children.iter().map(single).collect();
            assert_eq!(joined.join(wiki.between(Some(block))), whole, "{:?}", block.kind);
        }
    }
}

#[test]
fn a_line_end_of_code_is_one_character_however_it_is_spelled() {
    let source = "{code}\r\na\r\nb\r\n{code}";
    let blocks = read(source, Dialect::Confluence);
    assert_eq!(blocks[0].children[0].text, "a\nb");
    let spelling = blocks[0].children[0].inner.of(source);
    let wiki = Wiki { dialect: Dialect::Confluence, keep_raw: true };
    assert_eq!(wiki.place(spelling, Kind::CodeBlock, 2), Some(3));
    assert_eq!(wiki.text("\n", Kind::CodeBlock, &spelling[..1], &spelling[1..]), "\r\n");
}

/// Returns these blocks as markup of Jira's dialect.
fn written(blocks: &[Node<'_>]) -> String {
    Wiki { dialect: Dialect::Jira, keep_raw: true }.document(blocks)
}

#[test]
fn code_in_no_language_is_not_written_as_if_it_were_in_one() {
    let code = |text: &'static str| Node::new(Kind::CodeBlock).holding(thin_vec![Node::of_text(text)]);
    assert_eq!(written(&[code("x")]), "{noformat}\nx\n{noformat}");
    assert_eq!(written(&[code("x").with("language", "java")]), "{code:java}\nx\n{code}");
    assert_eq!(written(&[code("x").with("language", "java").with("wiki:form", "code")]), "{code}\nx\n{code}");
    assert!(written(&[code("{noformat}")]).starts_with("{adf:"), "neither macro can hold it");
}

#[test]
fn a_break_before_a_blank_needs_no_reference() {
    let text = |text: &'static str| Node::of_text(text);
    let lines = [text("a"), Node::new(Kind::HardBreak), text(" b"), Node::new(Kind::HardBreak), text("c")];
    assert_eq!(written(&[Node::new(Kind::Paragraph).holding(lines.into())]), "a\\\\ b\nc");
}

#[test]
fn a_picture_of_which_all_is_said_in_words_remembers_no_spelling() {
    let source = "x !a.png|width=30,alt=A! y\n\n!a.png|align=right!";
    let blocks = read(source, Dialect::Jira);
    let image = &blocks[0].children[1];
    assert_eq!(
        (image.kind, image.get("wiki:params"), blocks[1].children[0].get("wiki:params")),
        (Kind::Image, None, None)
    );
    assert_eq!(written(&blocks), source);
    let odd = read("!a.png|align=right, width=3!", Dialect::Jira);
    assert_eq!(odd[0].children[0].text_of("wiki:params"), Some("align=right, width=3"));
}

#[test]
fn html_of_markdown_is_the_text_of_it_and_no_reason_for_json() {
    let html = |text: &'static str| Node::raw(Kind::RawInline, "markdown", text);
    let heading =
        |last| Node::new(Kind::Heading).with_json("level", "1").holding(thin_vec![Node::of_text("a "), last]);
    assert_eq!(written(&[heading(html("<b>"))]), "h1. a&#32;");
    assert_eq!(written(&[heading(html("&amp;<!-- x -->"))]), "h1. a &");
    assert_eq!(
        written(&[Node::new(Kind::Paragraph).holding(thin_vec![html("<br/>")]), heading(html("b"))]),
        "\n\nh1. a b"
    );
}

#[test]
fn a_link_that_markup_can_not_say_is_json_by_itself_and_leaves_its_line_alone() {
    let link = Mark::new(MarkKind::Link).with("href", "LICENSE");
    let text = Node::of_text("terms").marked(Mark::new(MarkKind::Strong)).marked(link);
    let blocks = [Node::new(Kind::Paragraph).holding(thin_vec![Node::of_text("the "), text])];
    let json = r#"{"type":"text","text":"terms","marks":[{"type":"link","attrs":{"href":"LICENSE"}}]}"#;
    let wiki = written(&blocks);
    assert_eq!(wiki, format!("the *{{adf:display=inline}}{json}{{adf}}*"));
    assert!(same_inlines(&read(&wiki, Dialect::Jira)[0].children, &blocks[0].children));
}
