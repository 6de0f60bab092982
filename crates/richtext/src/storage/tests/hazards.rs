//! Tests of the traps of storage format, one test for each.

use super::super::read::read;
use super::super::write::part;
use super::{comes_back, shown};
use crate::tree::{Kind, MAX_DEPTH, misplaced};

/// Checks that `source` is read as the tree `expected` (in short form) without a diagnostic, and that the
/// tree is equal after writing and reading.
fn check(source: &str, expected: &str) {
    let (blocks, wrong) = read(source);
    assert_eq!(super::shape(&blocks), expected, "{source}");
    assert_eq!(wrong, [], "{source}");
    assert_eq!(misplaced(&blocks, source), None, "{source}");
    comes_back(&blocks);
}

#[test]
fn other_spellings_of_marks_are_kept() {
    check(
        "<p><b>a</b><i>b</i><s>c</s><strike>c</strike><ins>d</ins><tt>e</tt><strong>f</strong></p>",
        r#"Paragraph["a"+Strong{storage:form="b"} "b"+Em{storage:form="i"} "c"+Strike{storage:form="s"} "c"+Strike{storage:form="strike"} "d"+Underline{storage:form="ins"} "e"+Code{storage:form="tt"} "f"+Strong]"#,
    );
}

#[test]
fn a_line_break_needs_no_slash() {
    check("<p>a<br>b<br/>c<br />d</p>", r#"Paragraph["a" HardBreak "b" HardBreak "c" HardBreak "d"]"#);
}

#[test]
fn styles_of_paragraphs_are_alignment_and_indentation() {
    check(
        "<p style=\"text-align: right;margin-left: 60.0px; color: x\">a</p>",
        r#"Paragraph{html:style="color: x"}+Alignment{align="end"}+Indentation{level=2}["a"]"#,
    );
    check("<p style=\"text-align: left\">a</p>", r#"Paragraph{html:style="text-align: left"}["a"]"#);
}

#[test]
fn colours_are_read_from_each_spelling_and_variables_stay() {
    check(
        "<p><span style=\"color: rgb(255,86,48);\">a</span><span style=\"background-color: #ABC; x: y\">b</span><span style=\"color: var(--ds-text)\">c</span></p>",
        r##"Paragraph["a"+TextColor{color="#ff5630"} "b"+BackgroundColor{color="#AABBCC"}+Other{/type="html:span" html:style="x: y"} "c"+Other{/type="html:span" html:style="color: var(--ds-text)"}]"##,
    );
}

#[test]
fn panels_have_other_names_than_in_adf() {
    for (name, panel) in
        [("info", "info"), ("tip", "success"), ("note", "warning"), ("warning", "error"), ("panel", "note")]
    {
        check(
            &format!(
                "<ac:structured-macro ac:name=\"{name}\" ac:schema-version=\"1\" ac:macro-id=\"m\"><ac:parameter ac:name=\"title\">T</ac:parameter><ac:rich-text-body><p>a</p></ac:rich-text-body></ac:structured-macro>"
            ),
            &format!(r#"Panel{{ac:macro-id="m" panelType="{panel}" param:title="T"}}[Paragraph["a"]]"#),
        );
    }
}

#[test]
fn a_panel_with_an_icon_or_a_colour_is_a_custom_one() {
    check(
        "<ac:structured-macro ac:name=\"panel\"><ac:parameter ac:name=\"panelIconId\">1f4a1</ac:parameter><ac:parameter ac:name=\"bgColor\">var(--ds-x)</ac:parameter><ac:parameter ac:name=\"borderStyle\">dashed</ac:parameter><ac:rich-text-body /></ac:structured-macro>",
        r#"Panel{panelColor="var(--ds-x)" panelIconId="1f4a1" panelType="custom" param:borderStyle="dashed"}"#,
    );
    check(
        "<ac:structured-macro ac:name=\"panel\"><ac:parameter ac:name=\"bgColor\">#FFFFFF</ac:parameter><ac:rich-text-body /></ac:structured-macro>",
        r##"Panel{panelColor="#FFFFFF" panelType="custom"}"##,
    );
    check(
        "<ac:structured-macro ac:name=\"panel\"><ac:rich-text-body><p>a</p></ac:rich-text-body><ac:parameter ac:name=\"bgColor\">#EAE6FF</ac:parameter></ac:structured-macro>",
        r##"Panel{panelType="note" param:bgColor="#EAE6FF"}[Paragraph["a"]]"##,
    );
}

#[test]
fn code_may_close_a_section_within() {
    check(
        "<ac:structured-macro ac:name=\"code\"><ac:parameter ac:name=\"language\">c</ac:parameter><ac:parameter ac:name=\"title\">t</ac:parameter><ac:plain-text-body><![CDATA[\na[b[0]]]]><![CDATA[>c &amp;\n]]></ac:plain-text-body></ac:structured-macro>",
        r#"CodeBlock{language="c" param:title="t"}["\na[b[0]]>c &amp;\n"]"#,
    );
}

#[test]
fn lines_end_with_a_line_feed_whatever_ends_them_in_the_source() {
    check(
        "<p>a\r\nb&#13;c</p><ac:structured-macro ac:name=\"code\"><ac:plain-text-body><![CDATA[a\r\nb\rc]]></ac:plain-text-body></ac:structured-macro>",
        r#"Paragraph["a\nb\rc"] CodeBlock["a\nb\nc"]"#,
    );
}

#[test]
fn noformat_and_pre_are_code_without_a_language() {
    check(
        "<ac:structured-macro ac:name=\"noformat\"><ac:plain-text-body><![CDATA[x]]></ac:plain-text-body></ac:structured-macro><pre>a &lt; b</pre>",
        r#"CodeBlock{storage:form="noformat"}["x"] CodeBlock{storage:form="pre"}["a < b"]"#,
    );
}

#[test]
fn breakout_of_code_and_expand_is_a_parameter() {
    check(
        "<ac:structured-macro ac:name=\"expand\"><ac:parameter ac:name=\"title\">T</ac:parameter><ac:parameter ac:name=\"breakoutMode\">wide</ac:parameter><ac:parameter ac:name=\"breakoutWidth\">760</ac:parameter><ac:rich-text-body><p>a</p></ac:rich-text-body></ac:structured-macro>",
        r#"Expand{title="T"}+Breakout{mode="wide" width=760}[Paragraph["a"]]"#,
    );
}

#[test]
fn an_expand_in_a_cell_is_a_nested_one() {
    let expand = "<ac:structured-macro ac:name=\"expand\"><ac:rich-text-body><p>a</p></ac:rich-text-body></ac:structured-macro>";
    check(
        &format!("<table><tbody><tr><td>{expand}</td></tr></tbody></table>"),
        r#"Table[TableRow[TableCell[NestedExpand[Paragraph["a"]]]]]"#,
    );
}

#[test]
fn status_knows_colour_in_both_spellings() {
    let status = |name: &str, colour: &str| {
        format!(
            "<p><ac:structured-macro ac:name=\"status\"><ac:parameter ac:name=\"{name}\">{colour}</ac:parameter><ac:parameter ac:name=\"title\">OK</ac:parameter><ac:parameter ac:name=\"subtle\">true</ac:parameter></ac:structured-macro></p>"
        )
    };
    check(&status("colour", "Green"), r#"Paragraph[Status{color="green" param:subtle="true" text="OK"}]"#);
    check(
        &status("color", "Red"),
        r#"Paragraph[Status{color="red" param:subtle="true" storage:form="color" text="OK"}]"#,
    );
    check(&status("colour", "Grey"), r#"Paragraph[Status{color="neutral" param:subtle="true" text="OK"}]"#);
}

#[test]
fn macros_are_blocks_between_blocks_and_inline_among_text() {
    let toc = "<ac:structured-macro ac:name=\"toc\" ac:schema-version=\"1\" data-layout=\"wide\" ac:local-id=\"l\" ac:macro-id=\"m\"><ac:parameter ac:name=\"b\">2</ac:parameter><ac:parameter ac:name=\"a\">1</ac:parameter></ac:structured-macro>";
    let said = r#"extensionKey="toc" extensionType="com.atlassian.confluence.macro.core" layout="wide" localId="l" parameters={"macroMetadata":{"macroId":{"value":"m"},"schemaVersion":{"value":"1"}},"macroParams":{"a":{"value":"1"},"b":{"value":"2"}}}"#;
    check(toc, &format!("Extension{{{said}}}"));
    // Inline nodes of ADF have no `layout`, so it is kept as an HTML attribute.
    let said = said.replace(" layout=", " html:data-layout=");
    check(&format!("<p>{toc}</p>"), &format!("Paragraph[InlineExtension{{{said}}}]"));
    check(&format!("x {toc}"), &format!(r#"Paragraph["x " InlineExtension{{{said}}}]"#));
    let (blocks, _) = read(toc);
    let written = part(&blocks, None, true);
    assert!(
        written.find("\"b\"").zip(written.find("\"a\"")).is_some_and(|it| it.0 < it.1),
        "order: {written}"
    );
}

#[test]
fn bodies_of_macros_are_blocks_or_text() {
    check(
        "<ac:structured-macro ac:name=\"details\"><ac:parameter ac:name=\"\">x</ac:parameter><ac:rich-text-body>a<p>b</p></ac:rich-text-body></ac:structured-macro>",
        r#"BodiedExtension{extensionKey="details" extensionType="com.atlassian.confluence.macro.core" parameters={"macroParams":{"":{"value":"x"}}}}[Paragraph["a"] Paragraph["b"]]"#,
    );
    check(
        "<ac:structured-macro ac:name=\"mathblock\"><ac:plain-text-body><![CDATA[a<b]]></ac:plain-text-body></ac:structured-macro>",
        r#"Extension{extensionKey="mathblock" extensionType="com.atlassian.confluence.macro.core" parameters={"macroParams":{"__bodyContent":{"value":"a<b"}}}}"#,
    );
}

#[test]
fn a_parameter_that_is_a_link_is_kept() {
    check(
        "<ac:structured-macro ac:name=\"include\"><ac:parameter ac:name=\"\"><ac:link><ri:page ri:content-title=\"T\" /></ac:link></ac:parameter></ac:structured-macro>",
        r#"Extension{extensionKey="include" extensionType="com.atlassian.confluence.macro.core" parameters={"macroParams":{"":{"storage":"<ac:link><ri:page ri:content-title=\"T\" /></ac:link>","value":"T"}}}}"#,
    );
}

#[test]
fn a_panel_among_text_splits_the_paragraph_into_a_group() {
    check(
        "<p>a<ac:structured-macro ac:name=\"info\"><ac:rich-text-body><p>b</p></ac:rich-text-body></ac:structured-macro>c</p>",
        r#"Group{/type="html:p"}[Paragraph["a"] Panel{panelType="info"}[Paragraph["b"]] Paragraph["c"]]"#,
    );
}

#[test]
fn links_lead_to_each_kind_of_resource() {
    let body = "<ac:plain-text-link-body><![CDATA[t]]></ac:plain-text-link-body>";
    let cases = [
        (
            r#"<ri:page ri:content-title="A b/c" ri:space-key="S" ri:version-at-save="3" />"#,
            "",
            r#"href="confluence:S/A%20b%2Fc" ri:version-at-save="3""#,
        ),
        (r#"<ri:page ri:content-title="A" />"#, " ac:anchor=\"x y\"", r#"href="confluence:/A#x%20y""#),
        (
            r#"<ri:blog-post ri:content-title="A" ri:posting-day="2012/01/30" />"#,
            "",
            r#"href="confluence:/A" ri:posting-day="2012/01/30" storage:form="ri:blog-post""#,
        ),
        (
            r#"<ri:attachment ri:filename="a.pdf"><ri:page ri:content-title="T" /></ri:attachment>"#,
            "",
            r#"href="attachment:a.pdf" storage:container="<ri:page ri:content-title=\"T\" />""#,
        ),
        (r#"<ri:space ri:space-key="ZAA" />"#, "", r#"href="confluence:ZAA/""#),
        (r#"<ri:url ri:value="http://x/" />"#, "", r#"href="http://x/" storage:form="ri:url""#),
        (r#"<ri:shortcut ri:key="jira" ri:parameter="A-1" />"#, "", r#"href="shortcut:jira/A-1""#),
        ("", " ac:anchor=\"x\"", r##"href="#x""##),
    ];
    for (resource, attributes, said) in cases {
        check(
            &format!("<p><ac:link{attributes}>{resource}{body}</ac:link></p>"),
            &format!(r#"Paragraph["t"+Link{{{said}}}]"#),
        );
        let card = said.replace("href=", "url=");
        let mut shown: Vec<&str> = vec![&card];
        if let Some((url, rest)) = card.split_once("\" ") {
            shown = vec![rest];
            let card = format!("{} {url}\"", shown.remove(0));
            check(
                &format!("<p><ac:link{attributes}>{resource}</ac:link></p>"),
                &format!("Paragraph[InlineCard{{{card}}}]"),
            );
            continue;
        }
        check(
            &format!("<p><ac:link{attributes}>{resource}</ac:link></p>"),
            &format!("Paragraph[InlineCard{{{}}}]", shown[0]),
        );
    }
}

#[test]
fn the_body_of_a_link_may_have_marks_and_pictures() {
    check(
        "<p><ac:link ac:anchor=\"x\"><ac:link-body>a <b>b</b><ac:image><ri:url ri:value=\"u\" /></ac:image></ac:link-body></ac:link></p>",
        r##"Paragraph["a "+Link{href="#x"} "b"+Link{href="#x"}+Strong{storage:form="b"} Image{url="u"}+Link{href="#x"}]"##,
    );
    check(
        "<p><ac:link ac:anchor=\"x\"><ac:link-body>a</ac:link-body></ac:link></p>",
        r##"Paragraph["a"+Link{href="#x" storage:body="ac:link-body"}]"##,
    );
}

#[test]
fn what_one_element_marks_has_its_span() {
    let source = "<p>0<b>x <i>y</i></b>&amp;1</p>";
    let (blocks, _) = read(source);
    let spans: Vec<_> =
        blocks[0].children.iter().map(|it| (it.span.of(source), it.inner.of(source))).collect();
    assert_eq!(
        spans,
        [("0", "0"), ("<b>x <i>y</i></b>", "x "), ("<b>x <i>y</i></b>", "y"), ("&amp;1", "&amp;1")]
    );
}

#[test]
fn people_are_mentions_by_each_of_their_names() {
    let link = |said: &str| format!("<p><ac:link><ri:user {said} /></ac:link></p>");
    check(&link("ri:account-id=\"1:2\""), r#"Paragraph[Mention{id="1:2"}]"#);
    check(&link("ri:userkey=\"k\""), r#"Paragraph[Mention{id="k" ri:userkey="k"}]"#);
    check(&link("ri:username=\"n\""), r#"Paragraph[Mention{id="n" ri:username="n"}]"#);
}

#[test]
fn a_link_of_html_to_an_anchor_stays_one() {
    check("<p><a href=\"#x\">a</a></p>", r##"Paragraph["a"+Link{href="#x" storage:form="a"}]"##);
    check(
        "<p><a href=\"http://x\" data-card-appearance=\"inline\">http://x</a></p>",
        r#"Paragraph[InlineCard{url="http://x"}]"#,
    );
    check("<a href=\"http://x\" data-card-appearance=\"block\">http://x</a>", r#"BlockCard{url="http://x"}"#);
}

#[test]
fn a_picture_is_a_block_alone_and_inline_among_text() {
    let image = "<ac:image ac:alt=\"A\" ac:title=\"t\"><ri:attachment ri:filename=\"a.png\" /></ac:image>";
    check(
        image,
        r#"MediaSingle{ac:title="t" layout="align-start"}[Media{alt="A" type="external" url="attachment:a.png"}]"#,
    );
    check(
        &format!("<p>{image}</p>"),
        r#"MediaSingle{ac:title="t" layout="align-start" storage:form="p"}[Media{alt="A" type="external" url="attachment:a.png"}]"#,
    );
    check(&format!("<p>x{image}</p>"), r#"Paragraph["x" Image{alt="A" title="t" url="attachment:a.png"}]"#);
}

#[test]
fn a_picture_keeps_its_size_caption_border_and_link() {
    check(
        "<ac:image ac:layout=\"wide\" ac:width=\"340.5\" ac:custom-width=\"true\" ac:original-width=\"9\" ac:href=\"http://x\"><ri:attachment ri:filename=\"a\"><ri:page ri:content-title=\"P\" /></ri:attachment><ac:adf-mark key=\"border\" size=\"2\" color=\"#091e4224\" /><ac:caption>c <b>d</b></ac:caption></ac:image>",
        r##"MediaSingle{layout="wide" width=340.5 widthType="pixel"}[Media{storage:container="<ri:page ri:content-title=\"P\" />" type="external" url="attachment:a" width=9}+Border{color="#091e4224" size=2}+Link{href="http://x"} Caption{storage:form="bare"}["c " "d"+Strong{storage:form="b"}]]"##,
    );
}

#[test]
fn layouts_have_types_or_widths() {
    let section = |kind: &str, cells: &str| {
        format!(
            "<ac:layout-section ac:type=\"{kind}\" ac:breakout-mode=\"wide\" ac:breakout-width=\"1800\">{cells}</ac:layout-section>"
        )
    };
    let cell = "<ac:layout-cell><p>a</p></ac:layout-cell>";
    let left = section("two_left_sidebar", &cell.repeat(2));
    check(
        &format!("<ac:layout>{left}</ac:layout>"),
        r#"LayoutSection+Breakout{mode="wide" width=1800}[LayoutColumn{width=33.33}[Paragraph["a"]] LayoutColumn{width=66.66}[Paragraph["a"]]]"#,
    );
    check(
        &format!("<ac:layout>{}\n{}</ac:layout>", section("single", cell), section("fixed-width", cell)),
        r#"Group{/type="ac:layout"}[LayoutSection+Breakout{mode="wide" width=1800}[LayoutColumn{width=100}[Paragraph["a"]]] LayoutSection{ac:type="fixed-width"}+Breakout{mode="wide" width=1800}[LayoutColumn{width=100}[Paragraph["a"]]]]"#,
    );
}

#[test]
fn tasks_keep_their_ids() {
    check(
        "<ac:task-list ac:task-list-id=\"L\"><ac:task><ac:task-id>7</ac:task-id><ac:task-uuid>U</ac:task-uuid><ac:task-status>complete</ac:task-status><ac:task-body><span class=\"placeholder-inline-tasks\">a <b>b</b></span></ac:task-body></ac:task></ac:task-list>",
        r#"TaskList{localId="L"}[TaskItem{ac:task-id="7" localId="U" state="DONE" storage:form="placeholder-inline-tasks"}["a " "b"+Strong{storage:form="b"}]]"#,
    );
    check(
        "<ac:task-list><ac:task><ac:task-status>incomplete</ac:task-status><ac:task-body>a<ac:task-list><ac:task><ac:task-status>incomplete</ac:task-status><ac:task-body>b</ac:task-body></ac:task></ac:task-list></ac:task-body></ac:task></ac:task-list>",
        r#"TaskList[BlockTaskItem{state="TODO"}[Paragraph["a"] TaskList[TaskItem{state="TODO"}["b"]]]]"#,
    );
}

#[test]
fn emoji_dates_and_placeholders_are_nodes() {
    check(
        "<p><ac:emoticon ac:name=\"blue-star\" ac:emoji-shortname=\":x:\" ac:emoji-id=\"1f\" ac:emoji-fallback=\"X\" /><ac:emoticon ac:name=\"smile\" /><ac:emoticon ac:name=\"nope\" /></p>",
        r#"Paragraph[Emoji{id="1f" shortName=":x:" text="X"} Emoji{ac:name="smile" id="1f642" shortName=":slight_smile:" text="🙂"} Emoji{ac:name="nope" shortName=":nope:"}]"#,
    );
    check(
        "<p><time datetime=\"2020-01-02\" /><time datetime=\"now\" /><ac:placeholder ac:type=\"mention\">a &amp; b</ac:placeholder></p>",
        r#"Paragraph[Date{timestamp="1577923200000"} RawInline{/format="storage"} "<time datetime=\"now\" />" Placeholder{ac:type="mention" text="a & b"}]"#,
    );
}

#[test]
fn comments_among_text_cross_other_marks() {
    check(
        "<p><ac:inline-comment-marker ac:ref=\"r\">a<b>b</b></ac:inline-comment-marker><b><ac:inline-comment-marker ac:ref=\"s\">c</ac:inline-comment-marker></b></p>",
        r#"Paragraph["a"+Annotation{annotationType="inlineComment" id="r"} "b"+Annotation{annotationType="inlineComment" id="r"}+Strong{storage:form="b"} "c"+Annotation{annotationType="inlineComment" id="s"}+Strong{storage:form="b"}]"#,
    );
}

#[test]
fn the_fallback_of_an_extension_is_kept_and_not_shown_twice() {
    let source = "<ac:adf-extension><ac:adf-node type=\"panel\"><ac:adf-attribute key=\"panel-type\">note</ac:adf-attribute><ac:adf-content><p>a</p></ac:adf-content></ac:adf-node><ac:adf-fallback><div><p>a</p></div></ac:adf-fallback></ac:adf-extension>";
    check(
        source,
        r#"Panel{panelType="note" storage:fallback="<div><p>a</p></div>" storage:form="ac:adf-extension"}[Paragraph["a"]]"#,
    );
    assert_eq!(part(&read(source).0, None, true), source);
    check(
        "<ac:adf-extension><ac:adf-node type=\"decision-list\"><ac:adf-attribute key=\"local-id\">L</ac:adf-attribute><ac:adf-node type=\"decision-item\"><ac:adf-attribute key=\"state\">DECIDED</ac:adf-attribute><ac:adf-content>a <b>b</b></ac:adf-content></ac:adf-node></ac:adf-node></ac:adf-extension>",
        r#"DecisionList{localId="L"}[DecisionItem{state="DECIDED"}["a " "b"+Strong{storage:form="b"}]]"#,
    );
}

#[test]
fn tables_keep_spans_widths_and_sections() {
    check(
        "<table data-layout=\"wide\" data-table-width=\"760\" class=\"c\"><colgroup><col style=\"width: 340.0px;\" /><col /></colgroup><thead><tr><th colspan=\"2\">a</th></tr></thead><tbody><tr><td data-highlight-colour=\"#fff\" class=\"d\"><p>b</p></td><td>c</td></tr></tbody></table>",
        r##"Table{html:class="c" layout="wide" width=760}[TableRow{storage:section="thead"}[TableHeader{colspan=2 colwidth=[340.0,0]}[Paragraph["a"]]] TableRow[TableCell{background="#fff" colwidth=[340.0] html:class="d"}[Paragraph["b"]] TableCell[Paragraph["c"]]]]"##,
    );
    check(
        "<table><colgroup><col style=\"width: 25%;\" /></colgroup><tbody><tr><td /></tr></tbody></table>",
        r#"Table{storage:colgroup="<colgroup><col style=\"width: 25%;\" /></colgroup>"}[TableRow[TableCell]]"#,
    );
}

#[test]
fn text_in_lists_and_cells_has_a_paragraph_and_its_place() {
    let source = "<ul><li>\n a <b>b</b>\n <ul><li>c</li></ul></li><p>d</p></ul>";
    check(
        source,
        r#"BulletList[ListItem[Paragraph["a " "b"+Strong{storage:form="b"}] BulletList[ListItem[Paragraph["c"]]]] ListItem[Paragraph["d"]]]"#,
    );
    let (blocks, _) = read(source);
    assert_eq!(blocks[0].children[0].children[0].span.of(source), "a <b>b</b>");
}

#[test]
fn unknown_elements_are_marks_and_groups_under_their_names() {
    check(
        "<div class=\"x\"><kbd data-a=\"1\">k</kbd></div><ac:future ac:a=\"1\"><p>p</p></ac:future><p><at:var at:name=\"n\" /></p>",
        r#"Group{/type="html:div" html:class="x"}[Paragraph["k"+Other{/type="html:kbd" html:data-a="1"}]] RawBlock{/format="storage"} "<ac:future ac:a=\"1\"><p>p</p></ac:future>" Paragraph[RawInline{/format="storage"} "<at:var at:name=\"n\" />"]"#,
    );
}

#[test]
fn entities_sections_and_comments_are_kept() {
    check(
        "<p>a&nbsp;b&mdash;&#228;&#xe4;<![CDATA[<c>&amp;]]>d<!-- e --></p><!-- f -->",
        r#"Paragraph["a\u{a0}b—ää<c>&amp;d" RawInline{/format="storage"} "<!-- e -->"] RawBlock{/format="storage"} "<!-- f -->""#,
    );
}

#[test]
fn malformed_text_is_kept_and_told() {
    let cases = [
        ("<p>a < b && c</p>", r#"Paragraph["a < b && c"]"#, "expected &lt; or a tag, but found <"),
        (
            "<p>&foo;</p>",
            r#"Paragraph["&foo;"]"#,
            "expected a known character reference, but found \"&foo;\"",
        ),
        (
            "<p>a</b></p>",
            r#"Paragraph["a" RawInline{/format="storage"} "</b>"]"#,
            "expected the end tag of an open element, but found </b>",
        ),
        (
            "</p><p>a</p>",
            r#"RawBlock{/format="storage"} "</p>" Paragraph["a"]"#,
            "expected the end tag of an open element, but found </p>",
        ),
        (
            "<p>a<b>b",
            r#"Paragraph["a" "b"+Strong{storage:form="b"}]"#,
            "expected </b>, but found the end of the text",
        ),
        ("<p><b>a</p>", r#"Paragraph["a"+Strong{storage:form="b"}]"#, "expected </b>, but found </p>"),
        (
            "<p x=1>a</p>",
            r#"Paragraph{html:x="1"}["a"]"#,
            "expected attributes such as name=\"value\", but found \"<p x=1>\"",
        ),
        (
            "<p x=\"1>a</p>",
            r#"Paragraph{html:x="1"}["a"]"#,
            "expected attributes such as name=\"value\", but found \"<p x=\\\"1>\"",
        ),
        ("a <!-- b", r#"Paragraph["a <!-- b"]"#, "expected &lt; or a tag, but found <"),
    ];
    for (source, expected, message) in cases {
        let (blocks, wrong) = read(source);
        assert_eq!(super::shape(&blocks), expected, "{source}");
        assert_eq!(wrong.first().map(|it| &*it.message), Some(message), "{source}");
        assert_eq!(misplaced(&blocks, source), None, "{source}");
        comes_back(&blocks);
    }
}

#[test]
fn what_stands_too_deep_is_kept_as_it_is() {
    for element in ["div", "b", "ul><li", "ac:task-list"] {
        let close = element.split_once('>').map_or(element.to_owned(), |_| "li></ul".to_owned());
        let source =
            format!("{}x{}", format!("<{element}>").repeat(10_000), format!("</{close}>").repeat(10_000));
        let (blocks, wrong) = read(&source);
        assert_eq!(misplaced(&blocks, &source), None);
        assert_eq!(wrong.len(), 1, "{element}: {wrong:?}");
        assert!(depth(&blocks) <= MAX_DEPTH + 3, "{element}");
        assert!(part(&blocks, None, true).contains('x'));
    }
}

fn depth(nodes: &[crate::tree::Node<'_>]) -> usize {
    nodes.iter().map(|it| 1 + depth(&it.children)).max().unwrap_or(0)
}

#[test]
fn what_means_nothing_takes_linear_time() {
    for part in [
        "[[[[",
        "<a b=\"",
        "<a><b></c>",
        "<!--",
        "<![CDATA[",
        "&",
        "<?",
        "]]>",
        "<<<<",
        "<a ",
        "</a>",
        "<p><b></p>",
    ] {
        let source = part.repeat(400_000 / part.len());
        let (blocks, wrong) = read(&source);
        assert_eq!(misplaced(&blocks, &source), None, "{part}");
        assert!(wrong.len() <= 101, "{part}");
    }
}

#[test]
fn an_empty_mark_is_kept() {
    check(
        "<p>a<b></b><span /></p>",
        r#"Paragraph["a" RawInline{/format="storage"} "<b></b>" RawInline{/format="storage"} "<span />"]"#,
    );
    assert_eq!(shown(""), "");
    assert_eq!(shown(" \n "), "");
    assert!(read("<p/>").0.iter().all(|it| it.kind == Kind::Paragraph));
}
