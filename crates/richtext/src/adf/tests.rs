//! Tests of those parts of the ADF format that are private to this crate.

use super::{Adf, node_json};
use crate::spelling::Spelling as _;
use crate::tree::{Kind, Node, NodeLimit};

fn read_node(json: &str) -> Node<'_> {
    super::read_node(json, &NodeLimit::default(), 0)
}

#[test]
fn each_character_of_a_text_has_its_place_in_the_spelling() {
    let spelling = r#"aé\n\u00e9\ud83d\ude00\ud800\"😀\/z"#;
    let text = super::text::decode(spelling);
    assert_eq!(text, "aé\né\u{1f600}\u{fffd}\"\u{1f600}/z");
    let starts: Vec<_> =
        text.char_indices().map(|it| Adf { keep_raw: true }.place(spelling, Kind::Text, it.0)).collect();
    let expected = [0, 1, 3, 5, 11, 23, 29, 31, 35, 37];
    assert_eq!(starts, expected.map(Some));
    assert_eq!(Adf { keep_raw: true }.place(spelling, Kind::Text, text.len()), Some(spelling.len()));
    assert_eq!(Adf { keep_raw: true }.place(spelling, Kind::Text, 2), None, "within a character");
    assert_eq!(Adf { keep_raw: true }.place(spelling, Kind::Text, text.len() + 1), None);
    for (offset, _) in text.char_indices() {
        let place = Adf { keep_raw: true }
            .place(spelling, Kind::Text, offset)
            .expect("it is the start of a character");
        assert_eq!(super::text::decode(&spelling[place..]), text[offset..]);
    }
}

#[test]
fn every_character_is_spelled_so_that_it_is_read_again() {
    let text: String = (0..=0x300).filter_map(char::from_u32).chain(['\u{2028}', '\u{1f600}']).collect();
    let spelled = Adf { keep_raw: true }.text(&text, Kind::Text, "", "");
    assert_eq!(super::text::decode(&spelled), text);
    assert_eq!(serde_json::from_str::<String>(&format!("\"{spelled}\"")).expect("it is JSON"), text);
}

#[test]
fn siblings_are_written_with_what_stands_between_them() {
    let source = r#"{"type":"bulletList","content":[{"type":"listItem","content":[{"type":"paragraph"}]}]}"#;
    let list = read_node(source);
    let item = Node::new(Kind::ListItem);
    let expected = r#"{"type":"listItem","content":[{"type":"paragraph"}]}"#;
    assert_eq!(
        Adf { keep_raw: true }.part(&[item.clone(), item], Some(&list)),
        [expected, expected].join(Adf { keep_raw: true }.between(Some(&list)))
    );
    assert_eq!(Adf { keep_raw: true }.part(&list.children, Some(&list)), list.inner.of(source));
}

#[test]
fn a_node_alone_keeps_what_the_schema_has_no_place_for() {
    let node = Node::new(Kind::Panel).with("param:title", "t").with("panelType", "info");
    let json = node_json(&node);
    assert_eq!(json, r#"{"type":"panel","attrs":{"param:title":"t","panelType":"info"},"content":[]}"#);
    assert_eq!(read_node(&json).kind, Kind::Panel);
    assert_eq!(read_node(r#"{"type":"text","text":"a"}"#).kind, Kind::Text);
    for other in ["", "7", "{", "{} x", r#"{"type":"later"}"#] {
        assert_eq!((read_node(other).kind, &*read_node(other).text), (Kind::RawBlock, other));
    }
}

#[test]
fn a_surrogate_takes_no_other_character_for_its_other_half() {
    assert_eq!(super::text::decode(r"\ud800\u0041\ud83d\ud83d\ude00"), "\u{fffd}A\u{fffd}\u{1f600}");
}

#[test]
fn a_value_that_is_no_json_is_written_as_a_string() {
    let node = Node::new(Kind::Rule).with_json("a", "{").with_json("b", "\"\n\"");
    assert_eq!(node_json(&node), r#"{"type":"rule","attrs":{"a":"{","b":"\n"}}"#);
}

#[test]
fn several_objects_are_nodes_only_where_an_array_held_them() {
    let fence = "```adf\n{\"type\":\"later\"},{\"type\":\"text\",\"text\":\"b\"}\n```";
    let there =
        crate::convert_with(crate::Format::EDITED, crate::Format::Adf, fence, |it| it.keep_raw = true);
    assert_eq!(there.losses, [], "{}", there.text);
    assert_eq!(super::check(&there.text), [], "{}", there.text);
}
