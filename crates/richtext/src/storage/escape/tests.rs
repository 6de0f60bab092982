//! Tests of escaping text, and of the positions of characters in escaped text.

use super::*;

#[test]
fn what_is_encoded_is_decoded_to_the_same() {
    let text = "a<b>&amp;\u{a0}\"'\r\n]]>ü";
    let mut plain = String::new();
    encode(&mut plain, text);
    assert_eq!(plain, "a&lt;b&gt;&amp;amp;&nbsp;\"'&#13;\n]]&gt;ü");
    assert_eq!(decode(&plain), text);
    let mut data = OPEN.to_owned();
    encode_data(&mut data, text);
    data.push_str(CLOSE);
    assert_eq!(decode(&data), text);
    let mut value = String::new();
    encode_value(&mut value, text);
    assert!(!value.contains(['"', '<', '\n', '\r']));
    assert_eq!(decode_value(&value), text);
}

#[test]
fn references_are_read_where_they_mean_a_character() {
    let cases = [
        ("&auml;&#228;&#xE4;", "äää"),
        ("&foo;&;&#;&#x;&#0;&#xD800;&#1114112;", "&foo;&;&#;&#x;&#0;&#xD800;&#1114112;"),
        ("&amp;lt;", "&lt;"),
        ("a & b &", "a & b &"),
    ];
    for (spelling, text) in cases {
        assert_eq!(decode(spelling), text, "{spelling}");
    }
}

#[test]
fn what_is_not_changed_is_borrowed() {
    for spelling in ["a b", "<![CDATA[a&b]]>"] {
        assert!(matches!(decode(spelling), Cow::Borrowed(_)), "{spelling}");
    }
}
