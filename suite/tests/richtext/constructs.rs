//! The constructs of docs/richtext-gallery.md: a document for each, in the format in which the construct is
//! most common.

use plainwire_richtext::{Dialect, Flavor, Format};

/// A document that shows one construct.
pub(super) struct Construct {
    pub(super) name: &'static str,
    /// A note about the construct for readers of the page; may be empty.
    pub(super) note: &'static str,
    pub(super) from: Format,
    pub(super) source: &'static str,
}

const fn adf(name: &'static str, note: &'static str, source: &'static str) -> Construct {
    Construct { name, note, from: Format::Adf, source }
}

const fn storage(name: &'static str, note: &'static str, source: &'static str) -> Construct {
    Construct { name, note, from: Format::Storage, source }
}

const fn wiki(name: &'static str, note: &'static str, source: &'static str) -> Construct {
    Construct { name, note, from: Format::Wiki(Dialect::Confluence), source }
}

const fn markdown(name: &'static str, note: &'static str, source: &'static str) -> Construct {
    Construct { name, note, from: Format::Markdown(Flavor::Extended), source }
}

pub(super) const CONSTRUCTS: &[Construct] = &[
    markdown(
        "Text and marks",
        "",
        "Plain, **strong**, *emphasis*, ***both***, ~~gone~~, `code`, <u>under</u>, H<sub>2</sub>O, x<sup>2</sup>.\n",
    ),
    storage(
        "Colours",
        "",
        r#"<p><span style="color: rgb(255,0,0);">red</span> and <span style="background-color: #ffff00;">marked</span></p>"#,
    ),
    wiki("Citation", "ADF has no such mark.", "??The Art of War?? says so."),
    storage(
        "Inline comment",
        "The mark shows where the comment is; the comment itself is elsewhere.",
        r#"<p>We <ac:inline-comment-marker ac:ref="7f1c">ship on Friday</ac:inline-comment-marker>.</p>"#,
    ),
    storage(
        "Alignment and indentation",
        "",
        r#"<p style="text-align: center;">middle</p><p style="margin-left: 60.0px;">further in</p>"#,
    ),
    storage("Hard break", "", "<p>one<br />two</p>"),
    adf(
        "Empty paragraph",
        "Authors use them as space.",
        r#"{"version":1,"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"above"}]},{"type":"paragraph"},{"type":"paragraph","content":[{"type":"text","text":"below"}]}]}"#,
    ),
    storage(
        "Characters that mean something",
        "",
        "<p>*not bold*, [not a link], {not a macro}, 2 &lt; 3 &amp;&nbsp;| C:\\dir _x_</p>",
    ),
    wiki("Headings", "", "h1. Goals\n\nh2. This year"),
    wiki("Lists", "", "* one\n** inner\n* two\n*# first\n*# second"),
    markdown("Ordered list that begins later", "", "7. seven\n8. eight\n"),
    storage(
        "Tasks",
        "The identifiers come back with a sidecar. Reminders of tasks depend on them.",
        "<ac:task-list><ac:task><ac:task-id>1</ac:task-id><ac:task-status>complete</ac:task-status><ac:task-body>Write</ac:task-body></ac:task><ac:task><ac:task-id>2</ac:task-id><ac:task-status>incomplete</ac:task-status><ac:task-body>Review</ac:task-body></ac:task></ac:task-list>",
    ),
    adf(
        "Decisions",
        "",
        r#"{"version":1,"type":"doc","content":[{"type":"decisionList","attrs":{"localId":"d"},"content":[{"type":"decisionItem","attrs":{"localId":"d1","state":"DECIDED"},"content":[{"type":"text","text":"Rust it is"}]}]}]}"#,
    ),
    wiki("Quote in one line", "", "bq. Less is more."),
    wiki("Quote", "", "{quote}\nFirst.\n\nSecond.\n{quote}"),
    wiki("Code", "", "{code:java|title=Main.java}\nint a = b || c;\n{code}"),
    storage(
        "Code with a fence in it",
        "",
        r#"<ac:structured-macro ac:name="code"><ac:parameter ac:name="language">text</ac:parameter><ac:plain-text-body><![CDATA[```
]]]]><![CDATA[>
```]]></ac:plain-text-body></ac:structured-macro>"#,
    ),
    wiki("Preformatted", "", "{noformat}\n*as it is*\n{noformat}"),
    markdown("Rule", "", "above\n\n---\n\nbelow\n"),
    markdown("Alert", "", "> [!WARNING]\n> Hot.\n"),
    storage(
        "Panel",
        "Storage format's `note` is ADF's `warning`, its `warning` ADF's `error`, its `tip` ADF's `success`.",
        r#"<ac:structured-macro ac:name="note" ac:macro-id="41c2"><ac:parameter ac:name="title">Mind</ac:parameter><ac:rich-text-body><p>the <strong>gap</strong></p></ac:rich-text-body></ac:structured-macro>"#,
    ),
    adf(
        "Custom panel",
        "",
        r##"{"version":1,"type":"doc","content":[{"type":"panel","attrs":{"panelType":"custom","panelColor":"#e6fcff","panelIcon":":rocket:","panelIconId":"1f680","panelIconText":"🚀"},"content":[{"type":"paragraph","content":[{"type":"text","text":"Launch"}]}]}]}"##,
    ),
    storage(
        "Expand",
        "",
        r#"<ac:structured-macro ac:name="expand"><ac:parameter ac:name="title">More</ac:parameter><ac:rich-text-body><ul><li>inside</li></ul></ac:rich-text-body></ac:structured-macro>"#,
    ),
    storage(
        "Layout",
        "",
        r#"<ac:layout><ac:layout-section ac:type="two_left_sidebar"><ac:layout-cell><p>left</p></ac:layout-cell><ac:layout-cell><p>right</p></ac:layout-cell></ac:layout-section></ac:layout>"#,
    ),
    wiki(
        "Section and column",
        "Confluence's older layout.",
        "{section}\n{column:width=30%}\nleft\n{column}\n{column}\nright\n{column}\n{section}",
    ),
    wiki("Table", "", "||Name||Size||\n|a|1|\n|b|2 \\| 3|"),
    storage(
        "Table with blocks and spans",
        "",
        r##"<table><tbody><tr><th colspan="2"><p>Both</p></th></tr><tr><td data-highlight-colour="#deebff"><ul><li>list</li></ul></td><td><p>one</p><p>two</p></td></tr></tbody></table>"##,
    ),
    adf(
        "Table with widths",
        "",
        r#"{"version":1,"type":"doc","content":[{"type":"table","attrs":{"isNumberColumnEnabled":true,"layout":"wide","width":960,"localId":"t"},"content":[{"type":"tableRow","content":[{"type":"tableHeader","attrs":{"colwidth":[120]},"content":[{"type":"paragraph","content":[{"type":"text","text":"Name"}]}]}]},{"type":"tableRow","content":[{"type":"tableCell","attrs":{"colwidth":[120]},"content":[{"type":"paragraph","content":[{"type":"text","text":"a"}]}]}]}]}]}"#,
    ),
    adf(
        "Media",
        "The `id` belongs to Atlassian's media service. The other formats have no place for it.",
        r#"{"version":1,"type":"doc","content":[{"type":"mediaSingle","attrs":{"layout":"wide","width":66.67},"content":[{"type":"media","attrs":{"type":"file","id":"6e7c7f2c","collection":"contentId-1","alt":"a plan","width":800,"height":600}},{"type":"caption","content":[{"type":"text","text":"The plan"}]}]}]}"#,
    ),
    adf(
        "Group of media",
        "",
        r#"{"version":1,"type":"doc","content":[{"type":"mediaGroup","content":[{"type":"media","attrs":{"type":"file","id":"a1","collection":"c"}},{"type":"media","attrs":{"type":"file","id":"b2","collection":"c"}}]}]}"#,
    ),
    adf(
        "Media among text",
        "",
        r#"{"version":1,"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"see "},{"type":"mediaInline","attrs":{"id":"a1","collection":"c","alt":"report.pdf"}}]}]}"#,
    ),
    storage(
        "Picture",
        "",
        r#"<ac:image ac:align="center" ac:width="300" ac:alt="a plan"><ri:attachment ri:filename="plan.png" /></ac:image>"#,
    ),
    wiki("Picture among text", "", "Press !https://example.com/go.png|width=16,alt=go! now."),
    adf(
        "Cards",
        "",
        r#"{"version":1,"type":"doc","content":[{"type":"paragraph","content":[{"type":"inlineCard","attrs":{"url":"https://example.com/a"}},{"type":"text","text":" "}]},{"type":"blockCard","attrs":{"url":"https://example.com/b"}},{"type":"embedCard","attrs":{"url":"https://example.com/c","layout":"center"}}]}"#,
    ),
    adf(
        "Mention",
        "",
        r#"{"version":1,"type":"doc","content":[{"type":"paragraph","content":[{"type":"mention","attrs":{"id":"5b10a2844c20165700ede21g","text":"@Ada","accessLevel":""}},{"type":"text","text":" asked"}]}]}"#,
    ),
    wiki("Mention by name", "", "[~ada] asked"),
    adf(
        "Emoji",
        "",
        r#"{"version":1,"type":"doc","content":[{"type":"paragraph","content":[{"type":"emoji","attrs":{"shortName":":smile:","id":"1f604","text":"😄"}},{"type":"emoji","attrs":{"shortName":":our-logo:","id":"atlassian-logo"}}]}]}"#,
    ),
    wiki("Emoticons", "", "done (/), not done (x) :)"),
    storage("Date", "", r#"<p>until <time datetime="2026-02-28" /></p>"#),
    storage(
        "Status",
        "",
        r#"<p><ac:structured-macro ac:name="status"><ac:parameter ac:name="colour">Green</ac:parameter><ac:parameter ac:name="title">On track</ac:parameter></ac:structured-macro></p>"#,
    ),
    storage("Placeholder", "", "<p><ac:placeholder>Who decides?</ac:placeholder></p>"),
    storage(
        "Links",
        "",
        r#"<p><a href="https://example.com">site</a>, <a href="mailto:a@example.com">mail</a>, <ac:link><ri:page ri:space-key="DEV" ri:content-title="Release notes" /><ac:plain-text-link-body><![CDATA[page]]></ac:plain-text-link-body></ac:link>, <ac:link ac:anchor="end"><ac:plain-text-link-body><![CDATA[anchor]]></ac:plain-text-link-body></ac:link>, <ac:link><ri:attachment ri:filename="a b.pdf" /><ac:link-body><strong>file</strong></ac:link-body></ac:link></p>"#,
    ),
    storage(
        "Link that shows a title",
        "",
        r#"<p><ac:link><ri:page ri:content-title="Release notes" /></ac:link></p>"#,
    ),
    wiki(
        "Links of wiki markup",
        "",
        "[site|https://example.com], [https://example.com], [page|DEV:Release notes#end], [^file.pdf], [#end]",
    ),
    markdown("Link with a title", "", "[site](https://example.com \"An example\")\n"),
    storage(
        "Macro without a body",
        "",
        r#"<ac:structured-macro ac:name="toc" ac:schema-version="1" ac:macro-id="77aa"><ac:parameter ac:name="maxLevel">3</ac:parameter></ac:structured-macro>"#,
    ),
    storage(
        "Macro with a body",
        "",
        r#"<ac:structured-macro ac:name="excerpt"><ac:parameter ac:name="hidden">true</ac:parameter><ac:rich-text-body><p>In short.</p></ac:rich-text-body></ac:structured-macro>"#,
    ),
    storage(
        "Macro with a text",
        "",
        r#"<ac:structured-macro ac:name="plantuml"><ac:plain-text-body><![CDATA[A -> B : hi]]></ac:plain-text-body></ac:structured-macro>"#,
    ),
    wiki("Macro among text", "", "See {jira:key=DEV-1} first.{anchor:here}"),
    adf(
        "Extension",
        "",
        r#"{"version":1,"type":"doc","content":[{"type":"extension","attrs":{"extensionType":"com.example.charts","extensionKey":"pie","parameters":{"data":[1,2.50,{"deep":null}]},"layout":"default"}},{"type":"paragraph","content":[{"type":"inlineExtension","attrs":{"extensionType":"com.example.charts","extensionKey":"spark","text":"▁▃▇"}}]}]}"#,
    ),
    adf(
        "Sync blocks",
        "",
        r#"{"version":1,"type":"doc","content":[{"type":"syncBlock","attrs":{"resourceId":"r1","localId":"s1"}},{"type":"bodiedSyncBlock","attrs":{"resourceId":"r2","localId":"s2"},"content":[{"type":"paragraph","content":[{"type":"text","text":"shared"}]}]}]}"#,
    ),
    adf(
        "Node of tomorrow",
        "A type that nobody knows yet is kept as it is.",
        r#"{"version":1,"type":"doc","content":[{"type":"hologram","attrs":{"depth":3},"content":[{"type":"text","text":"hi"}]}]}"#,
    ),
    storage("Element without a meaning", "", r#"<div class="note"><p>inside</p></div>"#),
    storage("Raw storage format", "", r#"<p>before</p><at:var at:name="owner" />"#),
    markdown("HTML in Markdown", "A comment is not shown in any format.", "<!-- a remark -->\n\ntext\n"),
    wiki("Wiki markup that is malformed", "", "{panel}\nno end"),
    storage("Storage format that is malformed", "", "<p>one <strong>two</p>"),
];
