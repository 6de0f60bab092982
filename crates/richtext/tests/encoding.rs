//! Byte order marks and line ends, which are not part of the content, and characters that a format can't
//! write, which are reported as losses.

use plainwire_richtext::{
    Dialect, Document, Flavor, Format, LossKind, Sidecar, convert, tree::Kind, tree::misplaced,
};

const MARK: char = '\u{feff}';

const TITLED: [(Format, &str); 4] = [
    (Format::Wiki(Dialect::Confluence), "h1. Title\n\nText and *more*."),
    (Format::Storage, "<h1>Title</h1><p>Text and <b>more</b>.</p>"),
    (Format::Markdown(Flavor::Extended), "# Title\n\nText and **more**."),
    (
        Format::Adf,
        r#"{"type":"doc","version":1,"content":[{"type":"heading","attrs":{"level":1},"content":[{"type":"text","text":"Title"}]},{"type":"paragraph","content":[{"type":"text","text":"Text and "},{"type":"text","text":"more","marks":[{"type":"strong"}]},{"type":"text","text":"."}]}]}"#,
    ),
];

#[test]
fn a_byte_order_mark_is_no_part_of_the_text() {
    for (format, text) in TITLED {
        let marked = format!("{MARK}{text}");
        let document = Document::read(format, &marked);
        assert_eq!(document.blocks[0].kind, Kind::Heading, "{format}");
        assert_eq!(document.blocks[0].plain_text(), "Title", "{format}");
        assert_eq!(misplaced(&document.blocks, &marked), None, "{format}");
        let markdown = Format::Markdown(Flavor::Extended);
        assert_eq!(convert(format, markdown, &marked).text, convert(format, markdown, text).text, "{format}");
    }
}

#[test]
fn a_byte_order_mark_comes_back_with_an_edit() {
    for (format, text) in TITLED {
        let marked = format!("{MARK}{text}");
        let (markdown, sidecar) = Sidecar::split(&Document::read(format, &marked));
        assert_eq!(sidecar.restore(&markdown).expect("it is its own").text, marked, "{format}");
        let edited = markdown.replace("Title", "Title edited");
        let restored = sidecar.restore(&edited).expect("it is its own").text;
        assert_eq!(restored, marked.replace("Title", "Title edited"), "{format}");
        let with_mark = sidecar.restore(&format!("{MARK}{edited}")).expect("it is its own");
        assert_eq!(with_mark.text, restored, "{format}");
    }
}

#[test]
fn the_letter_that_is_a_byte_order_mark_stays_a_letter() {
    let json = r#"{"type":"doc","version":1,"content":[{"type":"paragraph","content":[{"type":"text","text":"\ufeffa"}]}]}"#;
    for (format, _) in TITLED {
        let there = convert(Format::Adf, format, json);
        assert!(there.losses.is_empty(), "{format}: {:?}", there.losses);
        assert_eq!(Document::read(format, &there.text).blocks[0].plain_text(), "\u{feff}a", "{format}");
    }
}

#[test]
fn what_xml_has_no_place_for_is_told_as_lost() {
    let json = r#"{"type":"doc","version":1,"content":[{"type":"paragraph","content":[{"type":"text","text":"a\u0001\u000bb\u001f\u0009c"}]},{"type":"codeBlock","content":[{"type":"text","text":"d\u0000]]>e"}]}]}"#;
    let there = convert(Format::Adf, Format::Storage, json);
    let forbidden = |it: char| it.is_control() && !matches!(it, '\t' | '\n' | '\r');
    assert!(!there.text.contains(forbidden), "{}", there.text);
    assert!(there.text.contains("a\u{fffd}\u{fffd}b\u{fffd}\tc"), "{}", there.text);
    let content = there.losses.iter().filter(|it| it.kind == LossKind::Content).count();
    assert_eq!(content, there.losses.len(), "{:?}", there.losses);
    assert!(content >= 2, "{:?}", there.losses);
}

#[test]
fn a_lone_node_behind_a_byte_order_mark_gets_a_document_when_it_gets_company() {
    let node = r#"{"type":"paragraph","content":[{"type":"text","text":"a"}]}"#;
    let (markdown, sidecar) = Sidecar::split(&Document::read(Format::Adf, &format!("{MARK}{node}")));
    let restored = sidecar.restore(&format!("{markdown}\n\nb\n")).expect("it is its own").text;
    let document = restored.strip_prefix(MARK).expect("the mark is there");
    assert_eq!(plainwire_richtext::adf::check(document), [], "{document}");
    assert!(document.contains(node), "{document}");
}

#[test]
fn what_is_kept_as_it_was_written_keeps_its_ends_of_lines() {
    let storage = "<p>a</p>\r\n<fab:media-group>\r\n  <fab:media media-id=\"1\" />\r\n</fab:media-group>";
    let adf =
        "{\"type\":\"doc\",\"version\":1,\"content\":[{\"type\":\"news\",\r\n\"attrs\":{\r\n\"id\":1}}]}";
    for (format, source, was, is) in
        [(Format::Storage, storage, "\"1\"", "\"2\""), (Format::Adf, adf, ":1}}", ":2}}")]
    {
        let there = convert(format, Format::Markdown(Flavor::Extended), source);
        assert_eq!(there.losses, [], "{format}");
        let (markdown, sidecar) = Sidecar::split(&Document::read(format, source));
        assert!(markdown.contains(was) && !markdown.contains('\r'), "{markdown}");
        let restored = sidecar.restore(&markdown.replace(was, is)).expect("it is its own").text;
        assert_eq!(restored, source.replace(was, is), "{format}");
    }
}

/// Directives are read by putting characters of the planes for private use in their place. A reference to such
/// a character must not be taken for a directive.
#[test]
fn a_reference_to_any_character_is_that_character_and_no_directive() {
    let markdown = Format::Markdown(Flavor::Extended);
    for number in [0xF_0000, 0xF_0001, 0xF_7FFF, 0xF_8000, 0xF_FFFD, 0x10_0000, 0x10_FFFD] {
        let letter = char::from_u32(number).expect("a character");
        for spelled in
            [format!("&#{number};"), format!("&#x{number:X};"), format!("&#X{number:x};"), letter.to_string()]
        {
            let text = format!(
                "A :status[approved]{{color=green}} b.\n\nVotes: {spelled}{spelled}x [{spelled}](a{spelled}b \"{spelled}\")"
            );
            let document = Document::read(markdown, &text);
            let votes = &document.blocks[1];
            assert_eq!(votes.plain_text(), format!("Votes: {letter}{letter}x {letter}"), "{text}");
            let storage = convert(markdown, Format::Storage, &text);
            assert_eq!(storage.losses, [], "{text}");
            assert_eq!(storage.text.matches("approved").count(), 1, "{}", storage.text);
        }
    }
}

#[test]
fn a_directive_is_read_although_many_characters_are_referred_to() {
    let markdown = Format::Markdown(Flavor::Extended);
    let all: String = (0xF_0000..0xF_0400).map(|number| format!("&#{number};")).collect();
    let text = format!("{all} :status[approved]{{color=green}} and `&#983040;` {all}");
    let storage = convert(markdown, Format::Storage, &text);
    assert!(storage.text.contains("approved") && !storage.text.contains(":status"), "{}", storage.text);
    assert!(storage.text.contains("<code>&amp;#983040;</code>"), "{}", storage.text);
}
