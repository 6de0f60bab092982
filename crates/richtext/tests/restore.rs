//! Restoring a source after an edit: which parts are copied, which are written anew, and which attributes of
//! old parts the new ones take over.

use plainwire_richtext::{Dialect, Document, Format, Sidecar};

const WIKI: Format = Format::Wiki(Dialect::Confluence);

/// Applies `edit` to the Markdown of `source`, and returns the restored source. Asserts that there are no
/// losses and no conflicts.
fn edited(format: Format, source: &str, edit: impl Fn(&str) -> String) -> String {
    let (markdown, sidecar) = Sidecar::split(&Document::read(format, source));
    let edited = edit(&markdown);
    assert_ne!(edited, markdown, "the edit edits nothing");
    let restored = sidecar.restore(&edited).expect("it is the sidecar's Markdown");
    assert!(restored.losses.is_empty() && restored.conflicts.is_empty(), "{edited}\n{restored:?}");
    restored.text
}

fn replaced(format: Format, source: &str, was: &str, is: &str) -> String {
    edited(format, source, |it| it.replace(was, is))
}

const COLOURED: &str = "zero\n\n{color:red}one\n\ntwo{color}\n\nthree";

#[test]
fn blocks_that_one_colour_spans_are_edited_together() {
    assert_eq!(replaced(WIKI, COLOURED, "one", "ones"), COLOURED.replace("one", "ones"));
}

#[test]
fn a_paragraph_between_blocks_that_one_colour_spans_belongs_to_them() {
    let text = edited(WIKI, COLOURED, |it| it.replace(":color[two]", "new\n\n:color[two]"));
    let again = Document::read(WIKI, &text);
    assert_eq!(again.blocks.len(), 5, "{text}");
    assert!(text.starts_with("zero\n\n") && text.ends_with("\n\nthree"), "{text}");
}

#[test]
fn one_of_two_blocks_that_one_colour_spans_can_be_deleted() {
    let text = edited(WIKI, COLOURED, |it| {
        it.split("\n\n").filter(|it| !it.contains("two")).collect::<Vec<_>>().join("\n\n")
    });
    assert_eq!(text, "zero\n\n{color:red}one{color}\n\nthree");
}

#[test]
fn text_without_a_paragraph_is_edited_where_it_stands() {
    assert_eq!(replaced(Format::Storage, "one <b >two</b> three", "three", "four"), "one <b >two</b> four");
}

#[test]
fn a_word_of_a_link_can_become_bold() {
    let source = "<p><ac:link ac:anchor=\"a\"><ac:link-body>go there</ac:link-body></ac:link></p>";
    let expected = source.replace("go", "<strong>go</strong>");
    assert_eq!(replaced(Format::Storage, source, "go ", "**go** "), expected);
}

#[test]
fn an_item_that_has_to_be_written_anew_leaves_the_others_as_they_are() {
    let text = replaced(WIKI, "*  zero\n* *one*\n*   three", "**one**", "**one**two");
    assert_eq!(text, "*  zero\n* {*}one{*}two\n*   three");
}

#[test]
fn an_item_that_is_moved_is_copied() {
    let source = "<ul><li >one <b >x</b></li><li>two</li><li>three</li></ul>";
    let text = edited(Format::Storage, source, |_| "- two\n- three\n- one **x**\n".to_owned());
    assert_eq!(text, "<ul><li>two</li><li>three</li><li >one <b >x</b></li></ul>");
}

#[test]
fn what_a_format_has_nothing_for_is_not_separated_from_its_neighbours() {
    let adf = r#"{"version":1,"type":"doc","content":[{"type":"panel","attrs":{"panelType":"info"},"content":[
 {"type":"paragraph",  "content":[{"type":"text","text":"one"}]},
 {"type":"paragraph",  "content":[{"type":"text","text":"two"}]}]}]}"#;
    let (markdown, sidecar) = Sidecar::split(&Document::read(Format::Adf, adf));
    let restored = sidecar.restore(&markdown.replace("two", "<!-- note -->\n\ntwo")).expect("its own");
    assert_eq!(restored.text, adf);
    assert_eq!(restored.losses.len(), 1, "{:?}", restored.losses);
}

#[test]
fn a_list_that_begins_with_another_number_keeps_the_ids_of_its_items() {
    let adf = r#"{"version":1,"type":"doc","content":[{"type":"orderedList","attrs":{"order":2},"content":[
 {"type":"listItem","attrs":{"localId":"i1"},"content":[{"type":"paragraph","attrs":{"localId":"p1"},"content":[{"type":"text","text":"one"}]}]}]}]}"#;
    let text = replaced(Format::Adf, adf, "2. one", "5. one");
    assert!(text.contains("\"order\":5") && text.contains("i1") && text.contains("p1"), "{text}");
}

#[test]
fn a_macro_with_another_layout_keeps_its_id_and_its_marks() {
    for name in ["", r#","name":"n""#] {
        let adf = format!(
            r#"{{"version":1,"type":"doc","content":[{{"type":"extension","attrs":{{"extensionType":"t","extensionKey":"k","layout":"wide",
 "parameters":{{"macroMetadata":{{"macroId":{{"value":"m1"}}}},"a":"b"}}}},"marks":[{{"type":"fragment","attrs":{{"localId":"f1"{name}}}}}]}}]}}"#
        );
        let text = replaced(Format::Adf, &adf, "key=k}", "key=k layout=full-width}");
        assert!(text.contains("full-width") && text.contains("m1") && text.contains("f1"), "{text}");
    }
}

#[test]
fn runs_that_one_element_holds_are_copied_once() {
    let text = replaced(Format::Storage, "<p><b>one <i>two</i></b> three</p>", "three", "~~three~~");
    assert_eq!(text, "<p><b>one <i>two</i></b> <del>three</del></p>");
}

#[test]
fn an_element_whose_text_is_gone_is_gone() {
    assert_eq!(replaced(Format::Storage, "<p>one <b >two</b></p>", " **two**", ""), "<p>one</p>");
    assert_eq!(replaced(Format::Storage, "<p><b >two</b> one</p>", "**two** ", ""), "<p>one</p>");
}

#[test]
fn many_blocks_in_another_order_keep_their_bytes() {
    let source: String = (0..120).map(|it| format!("<p >block {it}</p>")).collect();
    let text =
        edited(Format::Storage, &source, |it| it.trim_end().rsplit("\n\n").collect::<Vec<_>>().join("\n\n"));
    assert_eq!(text.matches("<p >").count(), 120, "{text}");
}

#[test]
fn a_document_of_which_every_block_was_changed_is_known_by_its_words() {
    let source = "* one\n** two\n*** {quote}\n\n\nfive\n{quote}\n**** six\n";
    let text = edited(Format::Wiki(Dialect::Jira), source, |it| {
        it.split("\n\n").filter(|it| !it.contains("five")).collect::<Vec<_>>().join("\n\n")
    });
    assert!(text.contains("six") && !text.contains("five"), "{text}");
}

#[test]
fn json_that_is_not_a_node_comes_back_as_it_was() {
    for source in [
        r#"{"version":1,"typ{":"doc","content":[]}"#,
        r#"{"version":1,"content":[{"type":"paragraph"}]}"#,
        "{}",
        r#"{"type":7,"content":{}}"#,
        "\u{feff} {\"typ\":\"doc\"} ",
    ] {
        let (markdown, sidecar) = Sidecar::split(&Document::read(Format::Adf, source));
        assert_eq!(sidecar.restore(&markdown).expect("its own Markdown").text, source, "{markdown}");
    }
}
