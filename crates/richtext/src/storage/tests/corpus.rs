//! Tests that read and write the corpus of storage format: its files as they are, and damaged copies.

use super::super::{escape, read::read, write::part};
use super::shape::shape;
use crate::tree::{Kind, Node, misplaced};

pub(super) use crate::corpus as files;
pub(super) use crate::corpus::file;

pub(super) fn texts() -> Vec<(String, String)> {
    files::files("storage", "xml")
}

pub(super) fn json_files() -> Vec<(String, String)> {
    files::files("adf", "json")
}

#[test]
fn every_place_is_right() {
    for (name, source) in texts() {
        let (blocks, _) = read(&source);
        assert_eq!(misplaced(&blocks, &source), None, "{name}");
        spelled(&blocks, &source);
    }
}

#[test]
fn every_file_comes_back_from_what_is_written_of_it() {
    for (name, source) in texts() {
        let (blocks, _) = read(&source);
        let written = part(&blocks, None, true);
        let (again, wrong) = read(&written);
        assert_eq!(shape(&again), shape(&blocks), "{name}\n{written}");
        assert_eq!(wrong, [], "{name}\n{written}");
    }
}

#[test]
fn damaged_files_are_read_with_right_places() {
    for (_, source) in own().into_iter().chain(texts()) {
        damaged(&source);
    }
}

/// Returns small sources in storage format with many constructs, so that the tests check something without
/// the corpus.
pub(super) fn own() -> Vec<(String, String)> {
    let texts = [
        "<p style=\"text-align: center\">a <b>b<i>c</i></b>&nbsp;&#228;<!-- c --><![CDATA[x<y]]></p><ul><li>a<ul><li>b</li></ul></li></ul>",
        "<ac:structured-macro ac:name=\"code\"><ac:plain-text-body><![CDATA[a]]]]><![CDATA[>b]]></ac:plain-text-body></ac:structured-macro>",
        "<p><ac:link ac:anchor='a'><ri:page ri:content-title=\"T\" /><ac:link-body><b>x</b></ac:link-body></ac:link>ü<ac:image><ri:url ri:value=\"u\"/></ac:image></p>",
        "<table><colgroup><col style=\"width: 10px\"/></colgroup><tbody><tr><td colspan=\"2\">a</td><th><p>b</p></th></tr></tbody></table>",
    ];
    texts.into_iter().map(|it| (String::new(), it.to_owned())).collect()
}

/// Checks that damaged copies of `source` are read with right spans, and that their trees are equal after
/// writing and reading. The copies have characters removed, doubled and swapped. A small `source` is also cut
/// off before each of its characters.
fn damaged(source: &str) {
    let check = |text: &str| {
        let (blocks, _) = read(text);
        assert_eq!(misplaced(&blocks, text), None, "{text}");
        spelled(&blocks, text);
        let written = part(&blocks, None, true);
        let (again, _) = read(&written);
        same(&again, &blocks, text);
    };
    if source.len() < 600 {
        source.char_indices().for_each(|it| check(&source[..it.0]));
    }
    let characters: Vec<char> = source.chars().collect();
    let mut random = 0x2545_F491_4F6C_DD1D_u64;
    let rounds = if source.len() < 4_000 { 24 } else { 4 };
    for _ in 0..rounds {
        let mut damaged = characters.clone();
        for _ in 0..3 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let length = damaged.len().max(1);
            let at = usize::try_from(random >> 33).unwrap_or(0) % length;
            match (random >> 20) % 3 {
                _ if damaged.is_empty() => {}
                0 => drop(damaged.remove(at)),
                1 => damaged.insert(at, damaged[at]),
                _ => damaged.swap(at, (at * 7 + 3) % length),
            }
        }
        check(&damaged.into_iter().collect::<String>());
    }
}

/// Checks that the blocks `again` mean the same as `blocks`; fails at the first block that differs. `text` is
/// for the message.
fn same(again: &[Node<'_>], blocks: &[Node<'_>], text: &str) {
    for (again, block) in again.iter().zip(blocks) {
        assert_eq!(shape(std::slice::from_ref(again)), shape(std::slice::from_ref(block)), "in {text}");
    }
    assert_eq!(again.len(), blocks.len(), "{text}");
}

/// Checks that the source at the span of each text decodes to the text, and that each character of the text
/// has a position in that source.
fn spelled(nodes: &[Node<'_>], source: &str) {
    for node in nodes {
        spelled(&node.children, source);
        if node.kind != Kind::Text || node.inner.is_empty() {
            continue;
        }
        let spelling = node.inner.of(source);
        assert_eq!(escape::decode(spelling), node.text);
        let mut before = 0;
        for (offset, _) in node.text.char_indices() {
            let at = escape::place(spelling, offset).unwrap_or_else(|| panic!("{offset} of {spelling}"));
            assert!(at >= before && spelling.is_char_boundary(at), "{offset} of {spelling}");
            before = at + 1;
        }
        assert!(
            escape::place(spelling, node.text.len()).is_some_and(|it| it >= before),
            "the end of {spelling}"
        );
    }
}
