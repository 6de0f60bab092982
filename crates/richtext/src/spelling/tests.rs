//! Tests of reading documents that exceed the node limit, in each format.

use thin_vec::ThinVec;

use super::of;
use crate::diagnostic::Diagnostic;
use crate::document::Document;
use crate::format::{Dialect, Flavor, Format};
use crate::sidecar::Sidecar;
use crate::tree::{Kind, Node, NodeLimit, misplaced};

/// The most nodes by which the trees of these tests may exceed the limit: one raw node for each node that is
/// unfinished when the limit is reached.
const MORE: usize = 12;

fn read(format: Format, source: &str, most: usize) -> (ThinVec<Node<'_>>, Vec<Diagnostic>) {
    of(format).read_within(source, NodeLimit::of(most))
}

fn count(nodes: &[Node<'_>]) -> usize {
    nodes.iter().map(|it| 1 + count(&it.children)).sum()
}

/// Collects the raw nodes among `nodes` and their descendants into `to`. Asserts that no two raw blocks are
/// side by side.
fn raws<'n, 'a>(nodes: &'n [Node<'a>], to: &mut Vec<&'n Node<'a>>) {
    let beside = nodes.windows(2).find(|it| it.iter().all(|it| it.kind == Kind::RawBlock));
    assert!(beside.is_none(), "expected one for each place, but found {beside:?}");
    for node in nodes {
        to.extend(Some(node).filter(|it| it.kind.is_verbatim()));
        raws(&node.children, to);
    }
}

/// Returns the words of a text that begin with `w`, the numbered words of the test documents.
fn words(text: &str) -> Vec<&str> {
    text.split(|it: char| !it.is_alphanumeric()).filter(|it| it.starts_with('w')).collect()
}

fn holds_all(format: Format, source: &str, most: usize) {
    let shown = || format!("{format} {most} {source:?}");
    let (blocks, said) = read(format, source, most);
    assert_eq!(misplaced(&blocks, source), None, "{}", shown());
    assert!(count(&blocks) <= most + MORE, "{} nodes in {}: {blocks:?}", count(&blocks), shown());
    let found = format!("expected at most {most} nodes, but found more: the rest is kept as raw source");
    let all = count(&of(format).read(source).0);
    let times = said.iter().filter(|it| it.message == found).count();
    assert_eq!(said.len(), times, "{}: {said:?}", shown());
    let mut kept = Vec::new();
    raws(&blocks, &mut kept);
    assert_eq!(times, usize::from(!kept.is_empty()), "{} {all}: {blocks:?}", shown());
    assert!(all <= most + MORE || times == 1, "{} {all}: {blocks:?}", shown());
    assert!(all * 3 > most || times == 0, "{} {all}: {blocks:?}", shown());
    for raw in kept {
        // The span of a node that has marks includes the element that writes the marks; `inner` is the span
        // without that element.
        let place = if raw.marks.is_empty() { raw.span } else { raw.inner };
        assert_eq!(raw.text, place.of(source), "{}", shown());
        assert_eq!(raw.text_of("/format"), Some(format.name()), "{}", shown());
    }
    if let Some(said) = said.first() {
        let from = said.span.start as usize;
        assert!(source.is_char_boundary(from) && from < source.len(), "{}: {said:?}", shown());
    }
    let written = of(format).document(&blocks);
    assert_eq!(words(&written), words(source), "{}: {written}", shown());
    let (again, _) = of(format).read(&written);
    let whole = of(format).read(source).0;
    let text = |blocks: &[Node<'_>]| blocks.iter().map(Node::plain_text).collect::<Vec<_>>().concat();
    let bare = |text: String| text.split_whitespace().collect::<Vec<_>>().concat();
    assert_eq!(bare(text(&again)), bare(text(&whole)), "{}: {written}", shown());
}

/// Asserts that the unedited Markdown of a document, read with the node limit `most`, restores its source.
fn comes_back(format: Format, source: &str, most: usize) {
    let (blocks, diagnostics) = read(format, source, most);
    let (markdown, sidecar) =
        Sidecar::split(&Document { format, source, blocks, diagnostics, keep_raw: false });
    let restored = sidecar.restore(&markdown).expect("it is its own sidecar");
    assert_eq!(restored.text, source, "{most} {markdown}");
}

/// Asserts for each source, read with rising limits on the number of nodes, that nothing of it is lost.
fn all_hold(format: Format, sources: &[String]) {
    for source in sources {
        let nodes = count(&of(format).read(source).0);
        assert!(nodes > 20, "{nodes} in {source}");
        for most in (1..60).chain([nodes, nodes * 3]) {
            holds_all(format, source, most);
            if most % 7 == 0 && !matches!(format, Format::Markdown(_)) {
                comes_back(format, source, most);
            }
        }
    }
}

fn many(begin: &str, middle: &str, end: &str) -> String {
    let middle: String = (0..24).map(|it| middle.replace('#', &format!("w{it}"))).collect();
    format!("{begin}{middle}{end}")
}

#[test]
fn wiki_markup_keeps_what_there_is_no_room_for() {
    let sources = [
        many("", "|#a|#b|\n", ""),
        many("|", "#|", ""),
        many("", "||#a|*#b* #c|\n", "\n\nwlast"),
        many("", "* #\n", "\nwlast"),
        many("", "* #a\n** #b\n*** #c\n", ""),
        many("", "- *#a* #b\n", "h1. wlast"),
        many("", "*#* ", ""),
        many("", "#a :) ", ""),
        many("", "#\n", ""),
        many("{color:red}", "#a _#b_ ", "{color} wlast"),
        many("[", "*#* ", "|http://a.example] wlast"),
        many("", "bq. #\n\n", ""),
        many("", "h2. #\n\n#a\n\n", ""),
        many("", "{panel:title=#}\n#a\n\n#b *#c*\n{panel}\n", ""),
        many("{quote}", "#a\n\n* #b\n\n", "{quote}\nwlast"),
        many("", "{code}\n#\n{code}\n#b\n\n", ""),
    ];
    all_hold(Format::Wiki(Dialect::Jira), &sources);
    all_hold(Format::Wiki(Dialect::Confluence), &sources);
}

#[test]
fn storage_format_keeps_what_there_is_no_room_for() {
    let panel = "<ac:structured-macro ac:name=\"info\"><ac:rich-text-body>";
    let ends = "</ac:rich-text-body></ac:structured-macro>";
    let sources = [
        many("<table><tbody>", "<tr><td>#a</td><td><p>#b</p></td></tr>", "</tbody></table>"),
        many("<table><tr>", "<td>#a</td>", "</tr></table><p>wlast</p>"),
        many("<ul>", "<li>#</li>", "</ul>"),
        many("<ul>", "<li>#a<ol><li>#b<ul><li>#c</li></ul></li></ol></li>", "</ul> <p>wlast</p>"),
        many("", "<p>#a <b>#b</b></p>", ""),
        many("<p>", "<b>#</b> ", "</p>"),
        many("<p><b>w ", "<i>#</i> #a ", "</b> wlast</p>"),
        many("", "#a <b>#b</b> ", ""),
        many("", "<blockquote><p>#a</p><p>#b</p></blockquote>", ""),
        many("", &format!("{panel}<p>#a</p><h1>#b</h1>{ends}"), ""),
        many(panel, "<p>#a</p> #b ", &format!("{ends}<p>wlast</p>")),
        many(
            "<ac:task-list>",
            "<ac:task><ac:task-status>complete</ac:task-status><ac:task-body>#</ac:task-body></ac:task>",
            "</ac:task-list>",
        ),
        many(
            "<ac:layout>",
            "<ac:layout-section ac:type=\"single\"><ac:layout-cell><p>#</p></ac:layout-cell></ac:layout-section>",
            "</ac:layout>",
        ),
        many("<div>", "<div>#a<p>#b</p></div>", "</div>"),
    ];
    all_hold(Format::Storage, &sources);
}

#[test]
fn adf_keeps_what_there_is_no_room_for() {
    let text = |it: &str| format!(r#"{{"type":"text","text":"{it}"}}"#);
    let paragraph = |it: &str| format!(r#"{{"type":"paragraph","content":[{}]}}"#, text(it));
    let list = |it: &str, within: &str| {
        format!(
            r#"{{"type":"bulletList","content":[{{"type":"listItem","content":[{}{within}]}}]}}"#,
            paragraph(it)
        )
    };
    let cell = |it: &str| format!(r#"{{"type":"tableCell","content":[{}]}}"#, paragraph(it));
    let row = format!(r#"{{"type":"tableRow","content":[{} , {}]}},"#, cell("#a"), cell("#b"));
    let item = format!(r#"{{"type":"listItem","content":[{}]}},"#, paragraph("#"));
    let doc = |begin: &str, middle: &str, end: &str| {
        let all = many("", middle, "");
        let all = all.trim_end_matches(',');
        format!(r#"{{"version":1,"type":"doc","content":[{begin}{all}{end}]}}"#)
    };
    let column = |it: &str| {
        format!(r#"{{"type":"layoutColumn","attrs":{{"width":50}},"content":[{}]}}"#, paragraph(it))
    };
    let section = format!(r#"{{"type":"layoutSection","content":[{},{}]}},"#, column("#a"), column("#b"));
    let sources = [
        doc("", &section, ""),
        doc("", &format!("{},", paragraph("#")), ""),
        doc(r#"{"type":"table","content":["#, &row, "]}"),
        doc(
            r#"{"type":"table","content":[{"type":"tableRow","content":["#,
            &format!("{},", cell("#")),
            "]}]}",
        ),
        doc(r#"{"type":"orderedList","content":["#, &item, &format!("]}},{}", paragraph("wlast"))),
        doc("", &format!("{},", list("#a", &format!(",{}", list("#b", "")))), ""),
        doc(r#"{"type":"paragraph","content":["#, &format!("{},", text("#")), "]}"),
        doc(
            "",
            &format!(r#"{{"type":"panel","content":[{}],"attrs":{{"panelType":"info"}}}},"#, paragraph("#")),
            "",
        ),
        doc(
            "",
            &format!(r#"{{"type":"blockquote","content":[{},{}]}},"#, paragraph("#a"), paragraph("#b")),
            "",
        ),
    ];
    all_hold(Format::Adf, &sources);
    for source in &sources {
        let json = |it: &str| serde_json::from_str::<serde_json::Value>(it).expect("it is JSON");
        for most in 1..60 {
            let written = of(Format::Adf).document(&read(Format::Adf, source, most).0);
            assert_eq!(json(&written), json(source), "{most}");
        }
    }
}

#[test]
fn markdown_keeps_what_there_is_no_room_for() {
    let sources = [
        many("| wa | wb |\n| - | - |\n", "| #a | *#b* |\n", ""),
        many("", "- #a\n", "\nwlast"),
        many("", "- #a\n  - #b\n    1. #c\n", ""),
        many("", "- [x] #a\n- #b\n", ""),
        many("", "*#* ", ""),
        many("", "#a\\\n#b ", ""),
        many("", "#a *#b*\n\n", ""),
        many("", "> #a\n>\n> #b *#c*\n\n", ""),
        many("", "## #a\n\n#b\n\n", ""),
        many("", ":::panel{type=info}\n#a\n\n#b\n:::\n\n", ""),
        many(":::panel{type=info}\nwa\n\n", "#a\n\n#b\n\n", ":::\n\nwlast"),
        many("", "{align=center}\n## #a\n\n", ""),
        many("", "```\n#a\n```\n\n", ""),
        many("", ":color[*#a* #b]{fg=#ff0000} ".replace("#f", "§f").as_str(), ""),
        many("<table>\n<tr>\n<td>\n\n", "#a\n\n", "</td>\n</tr>\n</table>\n\nwlast"),
    ];
    let sources = sources.map(|it| it.replace('§', "#"));
    all_hold(Format::Markdown(Flavor::Extended), &sources);
}
