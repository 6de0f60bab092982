//! Tests of texts that look like Markdown syntax. Most tests check that such texts are read back unchanged
//! from blocks of many kinds; one checks that prose is written without needless escapes.

use thin_vec::{ThinVec, thin_vec};

use super::*;
use crate::dice::Dice;
use crate::tree::Mark;

fn holders(runs: ThinVec<Node<'static>>) -> Vec<ThinVec<Node<'static>>> {
    let paragraph = || Node::new(Kind::Paragraph).holding(runs.clone());
    let listed = |kind| {
        thin_vec![
            Node::new(kind).holding(thin_vec![Node::new(Kind::ListItem).holding(thin_vec![paragraph()])])
        ]
    };
    let cell = |kind| Node::new(kind).holding(thin_vec![paragraph()]);
    let row = |kind| Node::new(Kind::TableRow).holding(thin_vec![cell(kind), cell(kind)]);
    let spanned = Node::new(Kind::TableCell).with_json("colspan", "2").holding(thin_vec![paragraph()]);
    let task = Node::new(Kind::TaskItem).with("state", "TODO").holding(runs.clone());
    let decision = Node::new(Kind::DecisionItem).with("state", "DECIDED").holding(runs.clone());
    let media = Node::new(Kind::Media).with("type", "file").with("id", "1").with("collection", "c");
    let caption = Node::new(Kind::Caption).holding(runs.clone());
    vec![
        thin_vec![paragraph()],
        thin_vec![paragraph().marked(Mark::new(MarkKind::Alignment).with("align", "center"))],
        thin_vec![Node::new(Kind::Heading).with_json("level", "2").holding(runs.clone())],
        thin_vec![
            Node::new(Kind::Heading)
                .with_json("level", "1")
                .marked(Mark::new(MarkKind::Alignment).with("align", "end"))
                .holding(runs.clone()),
        ],
        listed(Kind::BulletList),
        listed(Kind::OrderedList),
        thin_vec![Node::new(Kind::Blockquote).holding(thin_vec![paragraph(), paragraph()])],
        thin_vec![Node::new(Kind::Panel).with("panelType", "info").holding(thin_vec![paragraph()])],
        thin_vec![Node::new(Kind::Table).holding(thin_vec![row(Kind::TableHeader), row(Kind::TableCell)])],
        thin_vec![
            Node::new(Kind::Table).holding(thin_vec![Node::new(Kind::TableRow).holding(thin_vec![spanned])])
        ],
        thin_vec![Node::new(Kind::TaskList).holding(thin_vec![task])],
        thin_vec![Node::new(Kind::DecisionList).holding(thin_vec![decision])],
        thin_vec![Node::new(Kind::MediaSingle).with("layout", "center").holding(thin_vec![media, caption])],
    ]
}

fn survives(runs: ThinVec<Node<'static>>) {
    for (at, blocks) in holders(runs).into_iter().enumerate() {
        comes_back(&blocks, &format!("holder {at}"));
    }
}

#[test]
fn every_punctuation_survives_at_every_place() {
    for sign in (0x21u8..0x7f).filter(u8::is_ascii_punctuation).map(char::from) {
        for text in [
            format!("{sign}"),
            format!("{sign}{sign}{sign}"),
            format!("{sign}a"),
            format!("{sign} a"),
            format!("a{sign}"),
            format!("a {sign}"),
            format!("a{sign}b"),
            format!("a {sign} b"),
            format!("a {sign}b{sign} c"),
            format!("{sign}{sign}a{sign}{sign}"),
        ] {
            survives(thin_vec![Node::of_text(text)]);
        }
    }
}

#[test]
fn white_space_survives() {
    for text in [
        " a",
        "a ",
        "a  b",
        "  a  ",
        " ",
        "\u{a0}",
        "\u{a0}a\u{a0}",
        "a\nb",
        "\n",
        "a\n\nb\n",
        "\ta\tb\t",
        "a\r\nb",
        "\u{2003}a\u{2003}",
        "\u{feff}a",
        "a\u{b}\u{c}b",
    ] {
        survives(thin_vec![Node::of_text(text)]);
        survives(thin_vec![Node::of_text(text).marked(Mark::new(MarkKind::Strong))]);
        survives(thin_vec![Node::of_text(text).marked(Mark::new(MarkKind::Code))]);
    }
}

#[test]
fn what_looks_like_markdown_survives() {
    for text in [
        "1. a",
        "1) a",
        "123456789. a",
        "1234567890. a",
        "# a",
        "####### a",
        "#a",
        "a #",
        "a ##",
        "- a",
        "-",
        "--- ",
        "***",
        "___",
        "+ a",
        "> a",
        "===",
        "a {b=c}",
        "{align=center}",
        "a {align=center}",
        "[a](b)",
        "[a]: b",
        "[a][b]",
        "![a](b)",
        "[ ] a",
        "[x] a",
        "[!NOTE]",
        "<b>",
        "<http://a.b>",
        "</b>",
        "<!-- a -->",
        "<?a?>",
        "&amp;",
        "&#32;",
        "&copy",
        "&notanentity;",
        "`a`",
        "``a`",
        "~~~",
        "```",
        "~a~",
        "~~a~~",
        ":status[OK]",
        ":status{a=b}",
        "::card{url=x}",
        ":::panel{type=info}",
        ":::",
        "::::",
        ":status",
        "a:status[x]{color=red}",
        "| a |",
        "|---|",
        "a | b",
        "\\",
        "\\\\",
        "\\*",
        "a\\",
        "C:\\x",
        "\\|",
        "|\\|",
        "a\\|b",
        "*a*",
        "**a**",
        "_a_",
        "__a__",
        "a*b*c",
        "*a",
        "a* b*",
        "\u{f0000}\u{f0001}",
        "\u{e000}",
        "{",
        "}",
        "{}",
        "![",
        "!",
        "<",
        "a<",
        "&",
        "]",
        "](",
        "[",
        "]:",
        "a]",
        "$a$",
        "^a^",
        "==a==",
        "[[a]]",
        "[^1]",
        "https://a.b/c_d*e*f",
        "a@b.c",
    ] {
        survives(thin_vec![Node::of_text(text)]);
        survives(thin_vec![
            Node::of_text("x "),
            Node::of_text(text).marked(Mark::new(MarkKind::Strong)),
            Node::of_text(" y"),
        ]);
        survives(thin_vec![
            Node::of_text(text).marked(Mark::new(MarkKind::Link).with("href", text).with("title", text)),
        ]);
        survives(thin_vec![
            Node::of_text(text).marked(Mark::new(MarkKind::Code)),
            Node::new(Kind::HardBreak),
            Node::of_text(text),
        ]);
        survives(thin_vec![
            Node::new(Kind::Status).with("text", text).with("color", text),
            Node::of_text(text)
        ]);
        survives(thin_vec![
            Node::of_text(text).marked(Mark::new(MarkKind::TextColor).with("color", "#ff0000")),
            Node::of_text(text),
        ]);
    }
}

#[test]
fn plain_prose_stays_plain_prose() {
    for text in [
        "snake_case and a_b_c",
        "3*4 is 12",
        "(c) 2026",
        "C:\\x and D:\\y",
        "a < b, c > d",
        "AT&T & co",
        "at 10:30, see a:b",
        "50% #tag",
        "~5 min",
        "wait... what? yes!",
        "a - b + c = d",
        "[1] and [two] are notes",
        "{braces} inside {too}",
        "it's \"quoted\"",
        "2. is not a list here? 2.5 neither",
        "https://example.com/a_b?c=d&e=f#g",
        "a | b",
        "x == y != z",
        "Größe: 5 µm – naïve",
        "key: value",
        "a * b",
        "say :smirk_of_nobody: now, at 1:100:1",
        "wow!",
    ] {
        let expected = text.replace("2. is", "2\\. is");
        assert_eq!(
            write(&[Node::new(Kind::Paragraph).holding(thin_vec![Node::of_text(text)])]),
            format!("{expected}\n")
        );
    }
}

#[test]
fn backticks_in_code_need_longer_ones_around() {
    for text in [
        "`",
        "``",
        "a`b",
        "`a",
        "a``b`",
        " a ",
        "  ",
        " ",
        "a ",
        "a|b",
        "[",
        "]",
        ":status[",
        ":status[OK]{color=green}",
        "\\",
        "\\|",
    ] {
        survives(thin_vec![Node::of_text(text).marked(Mark::new(MarkKind::Code))]);
        survives(thin_vec![
            Node::of_text(text)
                .marked(Mark::new(MarkKind::Code))
                .marked(Mark::new(MarkKind::Link).with("href", "u")),
        ]);
        survives(thin_vec![
            Node::of_text(text)
                .marked(Mark::new(MarkKind::Code))
                .marked(Mark::new(MarkKind::TextColor).with("color", "#fff000")),
        ]);
        comes_back(
            &[Node::new(Kind::CodeBlock).with("language", text).holding(thin_vec![Node::of_text(text)])],
            text,
        );
    }
}

fn random_marks(dice: &mut Dice, mut node: Node<'static>) -> Node<'static> {
    for (at, mark) in [
        Mark::new(MarkKind::Strong),
        Mark::new(MarkKind::Em),
        Mark::new(MarkKind::Strike),
        Mark::new(MarkKind::Underline),
        Mark::new(MarkKind::Subsup).with("type", "sup"),
        Mark::new(MarkKind::TextColor).with("color", "#ff0000"),
        Mark::new(MarkKind::BackgroundColor).with("color", "#00ff00"),
        Mark::new(MarkKind::Annotation).with("annotationType", "inlineComment").with("id", "1"),
        Mark::new(MarkKind::Link).with("href", "https://a.b/(c)"),
        Mark::new(MarkKind::Code),
        Mark::new(MarkKind::Other).with("/type", "html:cite"),
    ]
    .into_iter()
    .enumerate()
    {
        if dice.below(if at < 3 { 2 } else { 8 }) == 0 {
            node = node.marked(mark);
        }
    }
    node
}

#[test]
fn marks_in_any_order_survive_beside_each_other() {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let texts = [
        "a", "b c", " d", "e ", "*", "_f_", "(g)", "h.", "!", "1", "é", "“q”", ":", "[i]", "{j}", "<k", "&",
        "\\", "`", "~", "#", "-", "|",
    ];
    for round in 0..6000 {
        let runs: ThinVec<_> = (0..=dice.below(5))
            .map(|_| match dice.below(12) {
                0 => Node::new(Kind::HardBreak),
                1 => {
                    let status = Node::new(Kind::Status).with("text", "OK").with("color", "green");
                    random_marks(&mut dice, status)
                }
                2 => Node::new(Kind::Emoji).with("shortName", ":x:"),
                3 => Node::new(Kind::Image).with("url", "u").with("alt", "a"),
                _ => {
                    let mut text = String::new();
                    for _ in 0..=dice.below(2) {
                        text.push_str(texts[dice.below(texts.len())]);
                    }
                    random_marks(&mut dice, Node::of_text(text))
                }
            })
            .collect();
        let holders = holders(runs);
        let at = round % holders.len();
        comes_back(&holders[at], &format!("round {round}, holder {at}"));
    }
}
