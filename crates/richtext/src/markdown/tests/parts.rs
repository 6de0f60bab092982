//! Tests that a text is read the same whether the CommonMark parser gets it in parts, as it gets long texts,
//! or whole. Two more tests check the spans of blocks that are kept without children or as raw source.

use thin_vec::ThinVec;

use super::super::read::Rest;
use super::*;
use crate::corpus;
use crate::dice::Dice;
use crate::tree::{Kind, NodeLimit};

fn in_parts(source: &str, least: usize) -> (ThinVec<Node<'_>>, Vec<crate::Diagnostic>) {
    let read = super::super::read::in_parts(source, least, NodeLimit::default(), Rest::Whole, &|_| true);
    (read.blocks, read.diagnostics)
}

/// Asserts that `source` has the same nodes, spans and diagnostics whether the CommonMark parser gets it in
/// the shortest parts or whole.
fn alike(source: &str) {
    let ((ours, said), (whole, expected)) = (in_parts(source, 1), in_parts(source, usize::MAX));
    assert_eq!(ours, whole, "{source:?}");
    assert_eq!(said, expected, "{source:?}");
}

#[test]
fn blank_lines_within_a_block_do_not_part_it() {
    for source in [
        "```\na\n\nb\n```\n\nc",
        "~~~~ x\n\na\n~~~\n\nb\n~~~~~\n\nc",
        "- a\n\n  b\n\n- c\n\n      d\n\n1. e\n\nf",
        "- a\n\n  ```\n  b\n\n  c\n  ```\n\nd\n\n```\ne\n\nf",
        "<!-- a\n\nb\n\n``` -->\n\nc",
        "<pre>\n\na\n\n</pre>\n\n<PRE>\n\nb\n\n</PRE>\n\nc",
        "    a\n\n    b\n\nc",
        "> a\n\n> b\n\nc\n\n:::panel{type=info}\n\na\n\n:::\n\nb",
    ] {
        alike(source);
    }
}

#[test]
fn links_are_defined_in_any_part() {
    alike("[a] [B][] [c][A]\n\n[b]: /b \"B\"\n\n> [a]: </a b>\n\n![a]\n\n[c]: /c");
    let read = in_parts("[a]\n\n[A]: /first 'T'\n\nb\n\n[a]: /second\n[a]", 1).0;
    let links: Vec<_> = read.iter().filter_map(|it| it.children[0].marks.first()).collect();
    let expected = Mark::new(MarkKind::Link).with("href", "/first").with("title", "T");
    assert_eq!(links, [&expected, &expected]);
}

#[test]
fn a_long_text_has_several_parts() {
    let text = "a\n\n```\nb\n\nc\n```\n\nd [e]\n\n* f\n".repeat(3000);
    let parts = super::super::read::part_lengths(&text);
    assert!(parts.len() > 1 && parts.iter().all(|it| *it < 40 << 10), "{parts:?}");
    assert_eq!(read(&text), in_parts(&text, usize::MAX).0);
}

/// Lines that open, close or continue blocks, and lines that only look as if they did.
const LINES: [&str; 64] = [
    "",
    "",
    "",
    "",
    "",
    "",
    "a",
    "b",
    "    c",
    "\td",
    " e",
    "  f",
    "   g",
    "```",
    "```",
    "````",
    "``` x",
    "~~~",
    "  ```",
    " ```",
    "   ~~~",
    "    ```",
    "- ```",
    "1. ~~~",
    "> ```",
    "- h",
    "-",
    "* * *",
    "+\ti",
    "2. j",
    "1) k",
    "10. l",
    "  - m",
    "    - n",
    "---",
    "***",
    "===",
    "# o",
    "> p",
    ">",
    "<!--",
    "-->",
    "<!-- q -->",
    " <!--",
    "<!-->",
    "<pre>",
    "</pre>",
    "<PRE>",
    "<prefix",
    "<?",
    "?>",
    "<!A",
    "<div>",
    "</div>",
    "<u>",
    "[r]: /r",
    "[R]: /s 't'",
    "[r]:",
    "[r] [t][R]",
    "> [t]: /t",
    "| a |",
    "|---|",
    ":::panel{type=info}",
    ":::",
];

#[test]
fn lines_in_any_order_are_read_alike() {
    let mut dice = Dice(0x51_7e4a);
    for _ in 0..40_000 {
        let lines: Vec<&str> = (0..2 + dice.below(14)).map(|_| LINES[dice.below(LINES.len())]).collect();
        alike(&lines.join(if dice.below(20) == 0 { "\r\n" } else { "\n" }));
    }
}

#[test]
fn corpora_are_read_alike() {
    for (name, text) in corpora::markdown() {
        let ((ours, _), (whole, _)) = (in_parts(&text, 1), in_parts(&text, usize::MAX));
        assert!(ours == whole, "{name}");
    }
    let all: Vec<String> = corpora::markdown().into_iter().map(|it| it.1).collect();
    alike(&all.join("\n\n"));
    let mut dice = Dice(7);
    for (_, text) in corpus::files("markdown", "md") {
        let mut lines: Vec<&str> = text.lines().collect();
        for _ in 0..20 {
            let (from, to) = (dice.below(lines.len()), dice.below(lines.len()));
            lines.swap(from, to);
            alike(&lines.join("\n"));
        }
    }
}

#[test]
fn blocks_that_nobody_wants_hold_nothing_and_stand_where_they_do() {
    let source = "# a\n\n{align=center}\n- b\n\n:::panel{type=info}\nc\n:::\n\nd *e*\n\n> f\n";
    let (all, _) = EXTENDED.read(source);
    let some = super::super::blocks_where(source, &|text| text.starts_with('d'));
    let places = |nodes: &[Node<'_>]| nodes.iter().map(|it| (it.kind, it.span, it.inner)).collect::<Vec<_>>();
    assert_eq!(places(&some.blocks), places(&all));
    let held: Vec<usize> = some.blocks.iter().map(|it| it.children.len()).collect();
    assert_eq!(held, [0, 0, 1, 2, 0]);
    let bare: Vec<&str> = some.bare.iter().map(|it| &source[*it as usize..][..1]).collect();
    assert_eq!(bare, ["#", "-", "c", ">"]);
}

#[test]
fn a_block_there_is_no_room_for_leaves_the_others_where_they_are() {
    let source = "a *b* `c`\n\n- d *e*\n- f\n\n  g *h*\n\n:::panel{type=info}\ni *j*\n\nk\n:::\n\n> l *m*\n>\n> n\n\n| o |\n| - |\n| p |\n\nq *r*\n\n```\ns\n```\n\nt";
    let read = |most: usize, keep: &dyn Fn(&str) -> bool| {
        super::super::read::in_parts(source, 1, NodeLimit::of(most), Rest::ByBlock, keep)
    };
    let places = |most: usize, keep: &dyn Fn(&str) -> bool| -> Vec<_> {
        read(most, keep).blocks.iter().map(|it| it.span).collect()
    };
    let all = &|_: &str| true;
    let expected = places(usize::MAX, all);
    assert_eq!(expected.len(), 8);
    for most in 0..60 {
        assert_eq!(places(most, all), expected, "{most}");
        assert_eq!(places(most, &|_| false), expected, "{most}");
        assert_eq!(places(most, &|it| it.contains('*')), expected, "{most}");
    }
    let full = read(8, all);
    let kinds: Vec<_> = full.blocks.iter().map(|it| it.kind).collect();
    assert_eq!(kinds[..2], [Kind::Paragraph, Kind::RawBlock], "{kinds:?}");
    assert_eq!(full.blocks[1].text, "- d *e*\n- f\n\n  g *h*");
    assert_eq!(full.diagnostics.len(), 1);
    // A block that `keep` rejects does not count against the limit of nodes.
    let last = read(12, &|it| it == "q *r*");
    let paragraph = last.blocks.iter().find(|it| it.span.of(source) == "q *r*").expect("it is there");
    assert_eq!((paragraph.kind, paragraph.children.len()), (Kind::Paragraph, 2));
}
