//! Tests of reading broken and odd sources: no panic, spans in order, no tree deeper than the limit.
//! `suite/bench/richtext` measures the time, and `tests/growth` the memory.

use super::*;

fn holds(source: &str) {
    let (nodes, _) = EXTENDED.read(source);
    assert_eq!(crate::tree::misplaced(&nodes, source), None, "{source:?}");
}

fn depth(nodes: &[Node<'_>]) -> usize {
    nodes.iter().map(|it| 1 + depth(&it.children)).max().unwrap_or(0)
}

const SMALL: &str = "# H :status[OK]{color=green} {align=center}\n\n> :::panel{type=info}\n> - [ ] a `b`\n>   - [x] **c** <u>d</u>\n> :::\n\n{layout=wide}\n| a | b |\n|---|---|\n| c\\|d | :mention[@x]{id=1} |\n\n<table>\n<tr>\n<td colspan=\"2\">\n\nx\n\n</td>\n</tr>\n</table>\n\n1) y\\\n   z &amp; ü\n   {indent=2}\n\n```js {wrap}\n:::\nlet a;\n```\n\n::card{url=x}\n\n![p](q \"r\")\n\n:::::layout\n::::column{width=50}\n:color[a *b*]{fg=#fff000}\n::::\n:::::\n";

#[test]
fn every_beginning_is_read() {
    for end in (0..=SMALL.len()).filter(|it| SMALL.is_char_boundary(*it)) {
        holds(&SMALL[..end]);
    }
}

#[test]
fn a_break_before_a_line_that_is_blank_to_commonmark_alone_stays_in_its_paragraph() {
    for source in [
        "a\u{c}\u{c}\n\u{c}",
        "- a  \n\u{c}\u{c}",
        "- b\u{c}\u{c}\u{c}\u{c}\n\u{c}\u{c}",
        "> a\\\n\u{c}",
        "[a\u{c}\u{c}\n\u{c}\u{c}\n::z",
    ] {
        holds(source);
    }
}

#[test]
fn every_end_is_read() {
    for start in (0..=SMALL.len()).filter(|it| SMALL.is_char_boundary(*it)) {
        holds(&SMALL[start..]);
    }
}

#[test]
fn changed_bytes_are_read_and_come_back() {
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let mut below = |limit: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % limit as u64) as usize
    };
    for round in 0..4000 {
        let mut chars: Vec<char> = SMALL.chars().collect();
        for _ in 0..=below(6) {
            let at = below(chars.len());
            match below(3) {
                0 => {
                    chars.remove(at);
                }
                1 => {
                    let again = chars[below(chars.len())];
                    chars.insert(at, again);
                }
                _ => {
                    let other = below(chars.len());
                    chars.swap(at, other);
                }
            }
        }
        let source: String = chars.into_iter().collect();
        holds(&source);
        comes_back(&read(&source), &format!("round {round} of {source:?}"));
    }
}

#[test]
fn what_is_repeated_is_no_deeper_than_the_limit() {
    let many = |part: &str| part.repeat((1 << 16) / part.len());
    for part in [
        "[",
        "]",
        "*",
        "**a",
        ">",
        "> ",
        "- ",
        "`",
        "``` ",
        "~",
        "<",
        "<u>",
        "<u></u>",
        "!",
        ":",
        "::",
        ":::panel{}\n",
        ":::\n",
        ":::panel{}\n:::\n",
        ":em[",
        ":em[:em{",
        ":em{a='",
        ":em[a]",
        "{",
        "{a=\"",
        "<td>\n",
        "<table>\n<tr>\n",
        "<table>\n<tr>\n<td>\n\n",
        "</td>\n",
        "\\",
        "&amp;",
        "# {\n",
        "a\n",
        "a\n{align=center}\n",
        "| a |\n",
        "- [ ] a\n",
        "1. ",
        "\u{f0000}",
        "![",
        "[a](",
        "*a _b ",
        "<!-- -->\n",
        ":mention[`",
        "a:status[",
        "- a\n  - b\n",
    ] {
        let source = many(part);
        let (nodes, _) = EXTENDED.read(&source);
        assert!(depth(&nodes) <= crate::tree::MAX_DEPTH, "{part:?} is {} deep", depth(&nodes));
        let _ = write(&nodes);
    }
}

#[test]
fn ten_thousand_deep_is_no_deeper_than_the_limit() {
    for source in
        ["> ".repeat(10_000) + "a", "- ".repeat(10_000) + "a", ":em[".repeat(10_000) + &"]".repeat(10_000), {
            let opens: String =
                (0..200).map(|it| format!("{}panel{{type=info}}\n", ":".repeat(210 - it))).collect();
            let closes: String = (0..200).rev().map(|it| format!("{}\n", ":".repeat(210 - it))).collect();
            opens + "a\n" + &closes
        }]
    {
        let (nodes, _) = EXTENDED.read(&source);
        assert!(depth(&nodes) <= crate::tree::MAX_DEPTH);
        assert_eq!(crate::tree::misplaced(&nodes, &source), None);
    }
    let (_, said) = EXTENDED.read(&("> ".repeat(200) + "a")).clone();
    assert!(said.iter().any(|it| it.message.contains("nested")), "{said:?}");
}

#[test]
fn what_holds_nothing_is_not_deep_however_often_it_comes() {
    for line in [
        "::macro{name=toc}",
        "::card{url=\"https://a.b\"}",
        "<br>",
        ":::panel{type=info}\na\n:::",
        "<table>\n<tr>\n<td>a</td>\n</tr>\n</table>",
    ] {
        let source = format!("{}# End", format!("{line}\n\ntext\n\n").repeat(300));
        let (nodes, said) = EXTENDED.read(&source);
        assert_eq!(said, [], "{line}");
        assert_eq!(nodes.last().map(|it| it.kind), Some(Kind::Heading), "{line}");
        assert_eq!(nodes.len(), 601, "{line}");
    }
}
