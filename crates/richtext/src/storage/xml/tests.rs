//! Tests of cutting a text in storage format into items.

use super::*;

fn names(source: &str) -> (Vec<String>, usize) {
    let (xml, wrong) = Xml::parse(source);
    let shown = |it: usize| match xml.item(it).sort {
        Sort::Element => xml.name(it).to_owned(),
        sort => format!("{sort:?} {}", xml.raw(it)),
    };
    ((0..xml.items.len()).map(shown).collect(), wrong.len())
}

#[test]
fn every_byte_is_in_some_piece() {
    let source = "a<p x='>'>b<br/><!-- <c> --><?d e?><![CDATA[<f>]]></p></g>";
    let expected = [
        "Text a",
        "p",
        "Text b",
        "br",
        "Aside <!-- <c> -->",
        "Aside <?d e?>",
        "Data <![CDATA[<f>]]>",
        "Stray </g>",
    ];
    assert_eq!(names(source), (expected.map(str::to_owned).to_vec(), 1));
}

#[test]
fn attributes_are_read_in_either_quote_and_without() {
    let (xml, wrong) = Xml::parse("<a b=\"1&amp;\" c = '2\"' d=3/x e f=\"\"/>");
    let found: Vec<_> = xml.attributes(0).map(|it| format!("{}={}", it.name, it.value())).collect();
    assert_eq!(found, ["b=1&", "c=2\"", "d=3/x", "e=", "f="]);
    assert_eq!(wrong.len(), 1, "XML knows no attribute without a value");
}

#[test]
fn a_quote_that_never_ends_does_not_swallow_the_text() {
    let (xml, _) = Xml::parse("<a b=\"c>d</a>");
    assert_eq!((xml.attribute(0, "b").as_deref(), xml.raw(1)), (Some("c"), "d"));
}

#[test]
fn an_end_tag_closes_what_is_open_within() {
    let (xml, wrong) = Xml::parse("<a><b>c</a>d");
    let spans: Vec<_> = (0..xml.items.len()).map(|it| xml.raw(it)).collect();
    assert_eq!(spans, ["<a><b>c</a>", "<b>c", "c", "d"]);
    assert_eq!(wrong.len(), 1);
}
