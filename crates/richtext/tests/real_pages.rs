//! Constructs of real pages and issues that are missing from small examples. Most are easy to read in
//! Markdown and come back; what another format can't express is reported as lost.

use plainwire_richtext::{Dialect, Document, Flavor, Format, LossKind, Sidecar, adf, convert, convert_with};

const MARKDOWN: Format = Format::Markdown(Flavor::Extended);
const WIKI: Format = Format::Wiki(Dialect::Confluence);
const JIRA: Format = Format::Wiki(Dialect::Jira);

/// Returns the Markdown of `source`. Asserts that nothing is lost, and that the sidecar restores the source
/// to the byte.
fn markdown(format: Format, source: &str) -> String {
    let conversion = convert(format, MARKDOWN, source);
    assert!(conversion.is_lossless(), "{source}\n{:?}", conversion.losses);
    let (markdown, sidecar) = Sidecar::split(&Document::read(format, source));
    assert_eq!(sidecar.restore(&markdown).expect("its own").text, source);
    conversion.text.trim_end().to_owned()
}

fn reads(format: Format, source: &str, expected: &str) {
    assert_eq!(markdown(format, source), expected, "{source}");
}

/// Returns the ADF of `source`, and the messages of its losses except lost identifiers. Asserts that the ADF
/// is valid.
fn valid(format: Format, source: &str) -> (String, Vec<String>) {
    let conversion = convert(format, Format::Adf, source);
    assert_eq!(adf::check(&conversion.text), [], "{source}\n{}", conversion.text);
    let lost = conversion.losses.into_iter().filter(|it| it.kind != LossKind::Identity);
    (conversion.text, lost.map(|it| it.message).collect())
}

#[test]
fn a_break_at_the_edge_of_bold_text_is_a_break() {
    reads(Format::Storage, "<p><strong>a<br />b</strong>c</p>", "**a\\\nb**c");
    reads(Format::Storage, "<p><strong>a<br /></strong>b</p>", "**a**\\\nb");
    reads(Format::Storage, "<p>a <strong><br /></strong>b</p>", "a&#32;\\\nb");
}

#[test]
fn a_link_of_a_break_alone_is_kept_as_it_was_written() {
    let source = "<p>a<a href=\"x\"><br /></a>b</p>";
    reads(Format::Storage, source, "a:raw[`<a href=\"x\"><br /></a>`]{format=storage}b");
}

#[test]
fn a_line_that_is_a_break_alone_is_written_as_one() {
    reads(Format::Storage, "<p><br /></p><p>a</p>", "<br>\n\na");
    reads(Format::Storage, "<p><br />a</p>", "<br>a");
    reads(Format::Storage, "<p><br /><br /></p>", "<br><br>");
    reads(Format::Storage, "<ul><li><br /><ul><li>a</li></ul></li></ul>", "- <br>\n\n  - a");
    let centred = "<p style=\"text-align: center;\"><br /></p>";
    reads(Format::Storage, centred, ":raw[{\"type\":\"hardBreak\"}]{format=adf}\n{align=center}");
}

#[test]
fn the_items_of_a_list_keep_what_is_said_of_them_without_json() {
    let source =
        "<ul><li style=\"list-style-type: none;\"><ul><li>a</li></ul></li><li class=\"x\">b</li></ul>";
    let expected = "- {item/html:style=\"list-style-type: none;\"}\n\n  - a\n\n- {item/html:class=x}\n\n  b";
    reads(Format::Storage, source, expected);
}

#[test]
fn what_is_said_of_an_item_means_nothing_elsewhere() {
    let document = Document::read(MARKDOWN, "{item/html:class=x}\n\n- a\n");
    assert_eq!(document.blocks.len(), 2);
    assert_eq!(document.diagnostics.len(), 1, "{:?}", document.diagnostics);
}

/// A task inside a task, as Confluence writes it.
const TASKS: &str = "<ac:task-list><ac:task><ac:task-id>1</ac:task-id><ac:task-status>incomplete</ac:task-status>\
    <ac:task-body>a<ac:task-list><ac:task><ac:task-id>2</ac:task-id><ac:task-status>complete</ac:task-status>\
    <ac:task-body>b</ac:task-body></ac:task></ac:task-list></ac:task-body></ac:task></ac:task-list>";

#[test]
fn tasks_in_a_task_are_a_list_in_its_item() {
    reads(Format::Storage, TASKS, "- [ ] a\n\n  - [x] b\n\n  <!-- -->");
}

#[test]
fn a_task_that_begins_with_a_list_is_one() {
    let source = TASKS.replace("<ac:task-body>a", "<ac:task-body><ul><li>c</li></ul>");
    reads(Format::Storage, &source, "- [ ] <!-- empty -->\n\n  - c\n\n  * [x] b\n\n  <!-- -->");
}

#[test]
fn tasks_in_a_task_stand_after_it_in_adf() {
    let (text, _) = valid(Format::Storage, TASKS);
    assert!(!text.contains("com.plainwire.raw"), "{text}");
    assert!(text.contains(r#"]},{"type":"taskList","#), "{text}");
}

#[test]
fn a_table_with_a_head_is_one_with_pipes() {
    let source = "<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>b</td></tr></tbody></table>";
    reads(Format::Storage, source, "| a |\n| --- |\n| b |");
}

#[test]
fn a_link_does_not_show_which_version_it_was_made_from() {
    let page = "<ri:page ri:content-title=\"P\" ri:version-at-save=\"6\" />";
    let source = format!(
        "<p><ac:link>{page}<ac:plain-text-link-body><![CDATA[x]]></ac:plain-text-link-body></ac:link></p>"
    );
    reads(Format::Storage, &source, "[x](confluence:/P)");
}

#[test]
fn the_parameter_without_a_name_is_an_underscore() {
    let anchor = "<ac:structured-macro ac:name=\"anchor\"><ac:parameter ac:name=\"\">x</ac:parameter></ac:structured-macro>";
    reads(Format::Storage, &format!("<h2>{anchor}a</h2>"), "## :macro{name=anchor _=x}a");
    reads(WIKI, "h2. {anchor:x}a", "## :macro{name=anchor _=x}a");
    let named = anchor.replace("ac:parameter ac:name=\"\"", "ac:parameter ac:name=\"_\"");
    assert!(markdown(Format::Storage, &named).starts_with("::ext{"));
}

#[test]
fn code_does_not_show_where_its_lines_began() {
    reads(JIRA, "{code:java}a{code}", "```java\na\n```");
}

#[test]
fn blanks_at_the_end_of_a_line_are_part_of_its_end() {
    reads(JIRA, "a \t\nb", "a\\\nb");
    reads(JIRA, "* a \nb", "- a\\\n  b");
}

#[test]
fn a_section_of_one_column_is_what_it_holds_in_adf() {
    let source = "<ac:layout><ac:layout-section ac:type=\"single\"><ac:layout-cell><p>a</p></ac:layout-cell></ac:layout-section></ac:layout>";
    let (text, lost) = valid(Format::Storage, source);
    assert_eq!(
        text,
        r#"{"version":1,"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"a"}]}]}"#
    );
    assert!(!lost.is_empty());
}

#[test]
fn what_adf_has_no_attribute_for_is_told_and_left_out() {
    for (format, source) in [
        (JIRA, "!a.png|title=b!"),
        (Format::Storage, "<p>a <ac:structured-macro ac:name=\"b\" data-layout=\"wide\" /></p>"),
        (MARKDOWN, "<table width=\"100%\">\n<tr>\n<td width=\"50%\" align=\"left\">a</td>\n</tr>\n</table>"),
    ] {
        let (_, lost) = valid(format, source);
        assert!(!lost.is_empty(), "{source}");
        markdown(format, source);
    }
}

#[test]
fn braces_after_a_fence_that_say_nothing_we_know_are_the_language() {
    for info in ["{.haskell}", "{pull-quote}", "hs {foo=1}"] {
        let source = format!("```{info}\na\n```");
        reads(MARKDOWN, &source, &source);
        let (text, _) = valid(MARKDOWN, &source);
        assert!(text.contains(&format!("{{\"language\":\"{info}\"}}")), "{text}");
    }
    assert!(convert(MARKDOWN, Format::Adf, "```hs {wrap}\na\n```").text.contains(r#""wrap":true"#));
}

#[test]
fn an_attribute_with_the_name_of_a_mark_is_no_mark() {
    let document = |block: &str| format!(r#"{{"version":1,"type":"doc","content":[{block}]}}"#);
    let heading =
        r#"{"type":"heading","attrs":{"level":2,"align":"center"},"content":[{"type":"text","text":"a"}]}"#;
    reads(Format::Adf, &document(heading), "## a {attr:align=center}");
    let code = r#"{"type":"codeBlock","attrs":{"foo":1},"content":[{"type":"text","text":"a"}]}"#;
    reads(Format::Adf, &document(code), "```{attr:foo=1}\na\n```");
}

#[test]
fn what_only_json_can_say_keeps_the_elements_in_it() {
    let group = "<div class=\"a\"><p>b <img src=\"c.png\" /></p></div>";
    let source = format!(
        "<ac:task-list><ac:task><ac:task-status>other</ac:task-status><ac:task-body>{group}</ac:task-body></ac:task></ac:task-list>"
    );
    let shown = markdown(Format::Storage, &source);
    assert!(shown.starts_with("```adf\n") && shown.contains("c.png"), "{shown}");
}

#[test]
fn a_document_without_content_is_empty_and_takes_blocks() {
    let source = r#"{"version":1,"type":"doc"}"#;
    let (markdown, sidecar) = Sidecar::split(&Document::read(Format::Adf, source));
    assert_eq!(markdown, "");
    let restored = sidecar.restore("a\n").expect("it is its own");
    assert_eq!(adf::check(&restored.text), [], "{}", restored.text);
    let odd = r#"{"type":"doc","contents":[]}"#;
    assert!(markdown_of(odd).contains("contents"), "nothing is dropped");
}

fn markdown_of(source: &str) -> String {
    convert(Format::Adf, MARKDOWN, source).text
}

#[test]
fn a_picture_beside_a_text_is_an_attachment_in_markup() {
    let written = convert(MARKDOWN, JIRA, "a ![](x.png) b\n\n![c](d/e.png)\n");
    assert_eq!(written.text.trim_end(), "a !x.png! b\n\n!d/e.png|alt=c!");
    assert!(written.losses.iter().any(|it| it.message.contains("attachment:x.png")), "{:?}", written.losses);
}

#[test]
fn a_picture_that_markup_has_no_place_for_is_a_link() {
    let written = convert(MARKDOWN, JIRA, "a![b](x.png)");
    assert!(written.text.contains(r#""href":"x.png""#), "{}", written.text);
    assert!(!written.is_lossless());
}

#[test]
fn a_block_that_adf_has_among_text_comes_back_from_storage() {
    let source = r#"{"version":1,"type":"doc","content":[{"type":"paragraph","content":[{"type":"rule"}]}]}"#;
    let storage = convert_with(Format::Adf, Format::Storage, source, |it| it.keep_raw = true);
    assert!(storage.is_lossless(), "{:?}", storage.losses);
    let again = convert(Format::Storage, Format::Adf, &storage.text);
    assert_eq!(again.text, source);
    assert!(!convert(Format::Adf, Format::Storage, source).is_lossless());
}
