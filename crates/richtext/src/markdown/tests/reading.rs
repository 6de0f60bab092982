//! Tests of reading Markdown: the tree that each source becomes.

use super::*;

fn check(source: &str, expected: &str) {
    assert_eq!(shown(&read(source)).trim_end(), expected.trim(), "{source:?}");
    assert_eq!(crate::tree::misplaced(&read(source), source), None, "{source:?}");
}

#[test]
fn a_colon_in_prose_begins_no_directive() {
    for text in [
        "at 10:30 sharp",
        "a:b",
        ":smirk_of_nobody: there",
        "1:100:1",
        "std::vec{1}",
        "see :unknown[x]",
        "\\:status[OK]",
    ] {
        let plain = text.trim_start_matches('\\');
        check(text, &format!("Paragraph [] [] \"\"\n Text [] [] {plain:?}"));
    }
}

#[test]
fn an_emoji_is_known_by_its_short_name() {
    let emoji = |short: &str, id: &str, text: &str| {
        format!(
            "Paragraph [] [] \"\"\n Emoji [\"id=\\\"{id}\\\"\", \"shortName=\\\"{short}\\\"\", \"text=\\\"{text}\\\"\"] [] \"\""
        )
    };
    check(":smile:", &emoji(":smile:", "1f604", "\u{1f604}"));
    check(":emoji[smile]", &emoji(":smile:", "1f604", "\u{1f604}"));
    check(":emoji[nobody]", "Paragraph [] [] \"\"\n Emoji [\"shortName=\\\":nobody:\\\"\"] [] \"\"");
}

#[test]
fn a_directive_counts_as_a_letter_for_emphasis() {
    check(
        "**:status[OK]{color=green}**",
        "Paragraph [] [] \"\"\n Status [\"color=\\\"green\\\"\", \"text=\\\"OK\\\"\"] [\"Strong[]\"] \"\"",
    );
}

#[test]
fn a_directive_in_code_or_an_address_is_what_it_is() {
    check("`:status[OK]`", "Paragraph [] [] \"\"\n Text [] [\"Code[]\"] \":status[OK]\"");
    check(
        "[a](http://x:card[b])",
        "Paragraph [] [] \"\"\n Text [] [\"Link[\\\"href=\\\\\\\"http://x:card[b]\\\\\\\"\\\"]\"] \"a\"",
    );
    check(
        "```\n:::\n:status[OK]\n::card{url=x}\n```",
        "CodeBlock [] [] \"\"\n Text [] [] \":::\\n:status[OK]\\n::card{url=x}\"",
    );
}

#[test]
fn code_that_begins_before_a_directive_comes_first() {
    check("`:status[a` b]", "Paragraph [] [] \"\"\n Text [] [\"Code[]\"] \":status[a\"\n Text [] [] \" b]\"");
}

#[test]
fn containers_need_no_blank_lines() {
    check(
        "text\n:::panel{type=info}\n# T\n- a\n:::\nmore",
        "Paragraph [] [] \"\"\n Text [] [] \"text\"\nPanel [\"panelType=\\\"info\\\"\"] [] \"\"\n Heading [\"level=1\"] [] \"\"\n  Text [] [] \"T\"\n BulletList [] [] \"\"\n  ListItem [] [] \"\"\n   Paragraph [] [] \"\"\n    Text [] [] \"a\"\nParagraph [] [] \"\"\n Text [] [] \"more\"",
    );
}

#[test]
fn containers_are_closed_in_quotes_and_items() {
    check(
        "> :::expand\n> a\n> :::\n\n- :::expand\n  b\n  :::",
        "Blockquote [] [] \"\"\n Expand [] [] \"\"\n  Paragraph [] [] \"\"\n   Text [] [] \"a\"\nBulletList [] [] \"\"\n ListItem [] [] \"\"\n  Expand [] [] \"\"\n   Paragraph [] [] \"\"\n    Text [] [] \"b\"",
    );
}

#[test]
fn what_is_not_closed_is_text_and_said() {
    let (nodes, said) = EXTENDED.read(":::panel{type=info}\na\n");
    assert_eq!(nodes[0].plain_text(), ":::panel{type=info}");
    assert_eq!(nodes.len(), 2);
    assert_eq!(said.len(), 1, "{said:?}");
    assert_eq!(said[0].span.of(":::panel{type=info}\na\n"), ":::panel{type=info}");
}

#[test]
fn a_closer_that_is_too_short_closes_nothing() {
    let (nodes, said) = EXTENDED.read("::::panel{type=info}\na\n\n:::\n\nb\n::::\n");
    assert_eq!(nodes.len(), 1, "{}", shown(&nodes));
    assert_eq!(nodes[0].children.len(), 2 + usize::from(!said.is_empty()));
}

#[test]
fn alerts_are_panels() {
    for (name, kind) in [
        ("NOTE", "info"),
        ("TIP", "success"),
        ("IMPORTANT", "note"),
        ("WARNING", "warning"),
        ("CAUTION", "error"),
    ] {
        check(
            &format!("> [!{name}]\n> a"),
            &format!(
                "Panel [\"panelType=\\\"{kind}\\\"\"] [] \"\"\n Paragraph [] [] \"\"\n  Text [] [] \"a\""
            ),
        );
    }
}

#[test]
fn attributes_go_to_their_block() {
    check(
        "a\n{align=center indent=2}",
        "Paragraph [] [\"Alignment[\\\"align=\\\\\\\"center\\\\\\\"\\\"]\", \"Indentation[\\\"level=2\\\"]\"] \"\"\n Text [] [] \"a\"",
    );
    check(
        "# a {align=end} #",
        "Heading [\"level=1\"] [\"Alignment[\\\"align=\\\\\\\"end\\\\\\\"\\\"]\"] \"\"\n Text [] [] \"a\"",
    );
    check(
        "```js {wrap breakout=wide}\n```",
        "CodeBlock [\"language=\\\"js\\\"\", \"wrap=true\"] [\"Breakout[\\\"mode=\\\\\\\"wide\\\\\\\"\\\"]\"] \"\"",
    );
    check(
        "{order=07}\n\nb",
        "Paragraph [] [] \"\"\n Text [] [] \"{order=07}\"\nParagraph [] [] \"\"\n Text [] [] \"b\""
            .replace(
                "Paragraph [] [] \"\"\n Text [] [] \"{order=07}\"\nParagraph [] []",
                "Paragraph [\"order=\\\"07\\\"\"] []",
            )
            .as_str(),
    );
    check("a {x=y}", "Paragraph [] [] \"\"\n Text [] [] \"a {x=y}\"");
}

#[test]
fn other_braces_are_text() {
    check("# a {x=y}", "Heading [\"level=1\"] [] \"\"\n Text [] [] \"a {x=y}\"");
    check("a\n{x=y}", "Paragraph [] [] \"\"\n Text [] [] \"a {x=y}\"");
    check("{x=y}", "Paragraph [] [] \"\"\n Text [] [] \"{x=y}\"");
}

#[test]
fn attributes_without_a_block_are_text_and_said() {
    let (nodes, said) = EXTENDED.read("{layout=wide}");
    assert_eq!((nodes[0].plain_text().as_str(), said.len()), ("{layout=wide}", 1));
}

#[test]
fn values_say_what_they_are() {
    let source = "::ext{type=t key=k a=1 b=true c=x d=\"1\" e='[1, 2]' f=33.30 g='\"s\"'}";
    let nodes = read(source);
    let value = |name: &str| nodes[0].get(name).map(|it| (it.as_str().is_some(), it.shown().to_owned()));
    for (name, is_string, shown) in [
        ("a", false, "1"),
        ("b", false, "true"),
        ("c", true, "x"),
        ("d", true, "1"),
        ("e", false, "[1, 2]"),
        ("f", false, "33.30"),
        ("g", true, "s"),
    ] {
        assert_eq!(value(name), Some((is_string, shown.to_owned())), "{name}");
    }
}

#[test]
fn a_picture_alone_is_a_block() {
    check(
        "![a](u)",
        "MediaSingle [\"layout=\\\"center\\\"\"] [] \"\"\n Media [\"alt=\\\"a\\\"\", \"type=\\\"external\\\"\", \"url=\\\"u\\\"\"] [] \"\"",
    );
    check(
        "x ![a](u)",
        "Paragraph [] [] \"\"\n Text [] [] \"x \"\n Image [\"alt=\\\"a\\\"\", \"url=\\\"u\\\"\"] [] \"\"",
    );
}

#[test]
fn nested_tasks_are_siblings() {
    check(
        "- [ ] a\n  - [x] b\n- c",
        "TaskList [] [] \"\"\n TaskItem [\"state=\\\"TODO\\\"\"] [] \"\"\n  Text [] [] \"a\"\n TaskList [] [] \"\"\n  TaskItem [\"state=\\\"DONE\\\"\"] [] \"\"\n   Text [] [] \"b\"\nBulletList [] [] \"\"\n ListItem [] [] \"\"\n  Paragraph [] [] \"\"\n   Text [] [] \"c\"",
    );
}

#[test]
fn tables_of_html_hold_markdown() {
    check(
        "<table>\n<tr>\n<td colspan=\"2\">\n\n- a\n\n</td>\n<th>b &amp; c</th>\n</tr>\n</table>",
        "Table [] [] \"\"\n TableRow [] [] \"\"\n  TableCell [\"colspan=2\"] [] \"\"\n   BulletList [] [] \"\"\n    ListItem [] [] \"\"\n     Paragraph [] [] \"\"\n      Text [] [] \"a\"\n  TableHeader [] [] \"\"\n   Paragraph [] [] \"\"\n    Text [] [] \"b & c\"",
    );
}

#[test]
fn details_are_expands() {
    check(
        "<details>\n<summary>T &amp; U</summary>\n\na\n\n</details>",
        "Expand [\"title=\\\"T & U\\\"\"] [] \"\"\n Paragraph [] [] \"\"\n  Text [] [] \"a\"",
    );
}

#[test]
fn other_html_is_kept() {
    check("<div>\n*a*\n</div>", "RawBlock [\"/format=\\\"markdown\\\"\"] [] \"<div>\\n*a*\\n</div>\"");
    check(
        "a <b>c</b>",
        "Paragraph [] [] \"\"\n Text [] [] \"a \"\n RawInline [\"/format=\\\"markdown\\\"\"] [] \"<b>\"\n Text [] [] \"c\"\n RawInline [\"/format=\\\"markdown\\\"\"] [] \"</b>\"",
    );
}

#[test]
fn fences_of_other_formats_are_theirs() {
    check("```adf\n{\"type\":\"rule\"}\n```", "Rule [] [] \"\"");
    check("```csf\n<p/>\n```", "RawBlock [\"/format=\\\"storage\\\"\"] [] \"<p/>\"");
    check(
        "``` {language=\"adf\"}\n{}\n```",
        "CodeBlock [\"language=\\\"adf\\\"\"] [] \"\"\n Text [] [] \"{}\"",
    );
}

#[test]
fn the_day_that_is_shown_counts() {
    let stamp = |source: &str| read(source)[0].children[0].get("timestamp").map(|it| it.shown().to_owned());
    assert_eq!(stamp(":date[2020-01-02]").as_deref(), Some("1577923200000"));
    assert_eq!(stamp(":date[2020-01-02]{ts=\"1577923200001\"}").as_deref(), Some("1577923200001"));
    assert_eq!(stamp(":date[2020-01-03]{ts=\"1577923200001\"}").as_deref(), Some("1578009600000"));
}

#[test]
fn the_box_of_a_numbered_item_is_text() {
    for source in ["1. [x]  a *b*", "1. c\n\n2. [x]  a *b*\n\n   d", "> 1. c\n>\n> 2. [ ] a"] {
        let nodes = read(source);
        let said: String = nodes.iter().map(Node::plain_text).collect();
        let expected: String =
            source.split(['\n', '>', '*']).map(|it| it.trim_start_matches(['1', '2', '.', ' '])).collect();
        assert_eq!(said, expected, "{source:?}");
        assert_eq!(crate::tree::misplaced(&nodes, source), None, "{source:?}");
    }
}

#[test]
fn a_line_may_end_behind_the_box_of_a_numbered_item() {
    for (source, expected) in [
        ("1. [x]\n   a *b*", "[x] a b"),
        ("1. [x]\r\n   a", "[x] a"),
        ("1. [x]  \n   a", "[x]\na"),
        ("> 1. [ ]\n>    a", "[ ] a"),
        ("1. c\n2. [x]\n   a\n\n   d", "c[x] ad"),
        ("- a\n\n2. [x]\n  c", "a[x]c"),
        ("2. A *b*\n\n2. [x] ", "A b[x]"),
    ] {
        let nodes = read(source);
        assert_eq!(nodes.iter().map(Node::plain_text).collect::<String>(), expected, "{source:?}");
        assert_eq!(crate::tree::misplaced(&nodes, source), None, "{source:?}");
    }
}
