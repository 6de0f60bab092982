//! Tests of what an edit of storage format needs: escaping inserted text, finding the position of a
//! character, and writing the children of a node.

use super::super::Storage;
use super::super::read::read;
use crate::spelling::Spelling;
use crate::tree::{Kind, Node};

/// Replaces the bytes `from..to` of the decoded text of `source`, which has only one text. Returns the new
/// source.
fn edit(source: &str, from: usize, to: usize, text: &str) -> String {
    let (blocks, _) = read(source);
    let node = only(&blocks);
    let within = if blocks[0].kind == Kind::CodeBlock { Kind::CodeBlock } else { Kind::Text };
    let spelling = node.inner.of(source);
    let place = |offset| {
        Storage { keep_raw: true }.place(spelling, within, offset).expect("a boundary")
            + node.inner.start as usize
    };
    let (start, end) = (place(from), place(to));
    let (before, after) = (&source[..start], &source[end..]);
    let inner_before = &source[node.inner.start as usize..start];
    let inner_after = &source[end..node.inner.end as usize];
    format!("{before}{}{after}", Storage { keep_raw: true }.text(text, within, inner_before, inner_after))
}

fn only<'n, 'a>(blocks: &'n [Node<'a>]) -> &'n Node<'a> {
    let mut node = &blocks[0];
    while let Some(child) = node.children.first() {
        node = child;
    }
    node
}

/// Replaces every range of the text in `source` with several other texts, and checks that the result reads as
/// the expected text without a diagnostic.
fn check(source: &str) {
    let (blocks, _) = read(source);
    let text = only(&blocks).text.clone();
    let boundaries: Vec<usize> = (0..=text.len()).filter(|it| text.is_char_boundary(*it)).collect();
    for new in ["", "x", "a<b> & \"c\" ]]> &amp;\u{a0}", "]]", "]]>", ">", "]", "<![CDATA[", "\r"] {
        for from in &boundaries {
            for to in boundaries.iter().filter(|it| *it >= from) {
                let edited = edit(source, *from, *to, new);
                let expected = format!("{}{new}{}", &text[..*from], &text[*to..]);
                let (again, wrong) = read(&edited);
                let found = again.first().map(Node::plain_text).unwrap_or_default();
                assert_eq!((found, wrong), (expected, Vec::new()), "{edited}");
            }
        }
    }
}

#[test]
fn text_is_edited_between_references() {
    check("<p>a&nbsp;&#228;ü&amp;\r\nb</p>");
}

#[test]
fn text_is_edited_across_sections() {
    check("<p>a<![CDATA[b<]]>c&lt;<![CDATA[d]]></p>");
    check("<p><![CDATA[ab]]]]><![CDATA[>c]]></p>");
}

#[test]
fn code_is_edited_in_its_section() {
    let code = |body: &str| {
        format!(
            "<ac:structured-macro ac:name=\"code\"><ac:plain-text-body>{body}</ac:plain-text-body></ac:structured-macro>"
        )
    };
    check(&code("<![CDATA[a]b]]]]><![CDATA[>c]]>"));
    check(&code("a &lt; b"));
}

#[test]
fn a_reference_is_one_unit() {
    let place = |offset| Storage { keep_raw: true }.place("a&auml;b", Kind::Text, offset);
    assert_eq!([0, 1, 2, 3, 4].map(place), [Some(0), Some(1), None, Some(7), Some(8)]);
    assert_eq!(place(5), None);
}

#[test]
fn parts_are_written_without_what_holds_them() {
    let part = |source: &str, path: &[usize]| {
        let (blocks, _) = read(source);
        let parent = path.iter().skip(1).fold(&blocks[path[0]], |it, at| &it.children[*at]);
        Storage { keep_raw: true }.part(&parent.children, Some(parent))
    };
    assert_eq!(part("<p>a &lt; <b>b</b></p>", &[0]), "a &lt; <b>b</b>");
    let code = "<ac:structured-macro ac:name=\"code\"><ac:plain-text-body><![CDATA[a<]]></ac:plain-text-body></ac:structured-macro>";
    assert_eq!(part(code, &[0]), "<![CDATA[a<]]>");
    assert_eq!(part("<ul><li>a</li><li>b</li></ul>", &[0]), "<li><p>a</p></li><li><p>b</p></li>");
    let table =
        "<table><colgroup><col style=\"width: 9px;\" /></colgroup><tbody><tr><td>a</td></tr></tbody></table>";
    assert_eq!(part(table, &[0]), "<tr><td><p>a</p></td></tr>");
    assert_eq!(Storage { keep_raw: true }.document(&read(table).0), table.replace("<td>a", "<td><p>a</p>"));
    let layout = "<ac:layout><ac:layout-section ac:type=\"two_equal\"><ac:layout-cell /><ac:layout-cell /></ac:layout-section></ac:layout>";
    assert_eq!(part(layout, &[0]), "<ac:layout-cell></ac:layout-cell><ac:layout-cell></ac:layout-cell>");
}
