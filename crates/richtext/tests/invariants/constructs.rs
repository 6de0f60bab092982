//! I13: what an edit puts into any place is written there or told, and changes nothing beside it.

#![allow(clippy::print_stdout, reason = "the counts are what is asked for")]

use plainwire_richtext::{Dialect, Document, Flavor, Format, Sidecar, adf};

use crate::said::{meant, said_by, shown};

const MARKDOWN: Format = Format::Markdown(Flavor::Extended);

/// Markdown of 46 constructs.
const CONSTRUCTS: [&str; 46] = [
    "plain words",
    "**bold** and *slanted* and ~~gone~~",
    "`code` and **`bold code`**",
    "a [link](https://example.com \"title\")",
    "<https://example.com/auto>",
    "a [page](confluence:OPS/Home) and a [file](attachment:a.png)",
    "<u>under</u>, H<sub>2</sub>O, x<sup>2</sup>",
    ":color[red]{fg=#ff5630} and :color[back]{bg=#deebff}",
    "one\\\ntwo",
    "## A heading",
    "- one\n- two",
    "- one\n  - deeper\n    - deepest",
    "1. one\n2. two",
    "3. three\n4. four",
    "- one\n\n  second paragraph",
    "- one\n\n  ```sh\n  make\n  ```",
    "- [ ] open\n- [x] done",
    "- [ ] open\n  - [x] below it",
    "> a quote",
    "> a quote\n>\n> - with a list",
    "---",
    "```rust\nlet a = 1;\n\nlet b = 2;\n```",
    "```\n{code}\n```",
    "    indented code",
    "| a | b |\n| --- | --- |\n| c | d |",
    "|  |  |\n| --- | --- |\n| c | d |",
    "| a | b |\n| :-: | --: |\n| c \\| e | `d` |",
    "<table>\n<tr>\n<td colspan=\"2\">wide</td>\n</tr>\n<tr>\n<td>a</td>\n<td>b</td>\n</tr>\n</table>",
    ":status[Done]{color=green}",
    ":mention[@Jane]{id=5b10}",
    ":date[2026-02-28]",
    ":tada: and \u{1f389} and :warning:",
    ":card[https://example.com/x]",
    "::card{url=https://example.com/x}",
    "::embed{url=https://example.com/x layout=center}",
    "![a picture](https://example.com/a.png)",
    "words ![a picture](https://example.com/a.png) words",
    ":::media{type=external url=https://example.com/a.png layout=center}\nA caption\n:::",
    ":::panel{type=warning}\nMind the gap\n:::",
    "> [!NOTE]\n> An alert",
    ":::expand{title=\"More\"}\nHidden\n:::",
    ":::decisions\n- [x] We go\n:::",
    "::macro{name=toc maxLevel=3}",
    "```plantuml {macro title=x}\n@startuml\n@enduml\n```",
    ":comment[about this]{id=c-1}",
    ":placeholder[Type here]",
];

/// Storage format with a word in each kind of place, and the same for the other formats.
const STORAGE: &str = r#"<p>TOP &ndash; a</p><ac:structured-macro ac:name="info" ac:macro-id="m-1"><ac:rich-text-body><p>PANEL &ndash; b</p></ac:rich-text-body></ac:structured-macro><ac:structured-macro ac:name="expand" ac:macro-id="m-2"><ac:rich-text-body><p>EXPAND &ndash; c</p></ac:rich-text-body></ac:structured-macro><ul><li><p local-id="l-1">ITEM &ndash; d</p></li><li><p>other</p></li></ul><blockquote><p>QUOTE &ndash; e</p></blockquote><ac:layout><ac:layout-section ac:type="two_equal"><ac:layout-cell><p>COLUMN &ndash; f</p></ac:layout-cell><ac:layout-cell><p>g</p></ac:layout-cell></ac:layout-section></ac:layout><table><tbody><tr><td><p local-id="l-3">CELL &ndash; i</p><ul><li>x &ndash; y</li></ul></td><td><p>next</p></td></tr></tbody></table><p local-id="l-2">END &ndash; h</p>"#;
const WIKI: &str = "TOP - a\n\n{quote}\nQUOTE - e\n{quote}\n\n* ITEM - d\n* other\n\nEND -- h\n";
const ADF: &str = r#"{"version":1,"type":"doc","content":[{"type":"paragraph","attrs":{"localId":"l-0"},"content":[{"type":"text","text":"TOP a"}]}, {"type":"panel","attrs":{"panelType":"info"},"content":[{"type":"paragraph","content":[{"type":"text","text":"PANEL b"}]}]}, {"type":"expand","attrs":{"title":"t"},"content":[{"type":"paragraph","content":[{"type":"text","text":"EXPAND c"}]}]}, {"type":"bulletList","content":[{"type":"listItem","content":[{"type":"paragraph","attrs":{"localId":"l-1"},"content":[{"type":"text","text":"ITEM d"}]}]},{"type":"listItem","content":[{"type":"paragraph","content":[{"type":"text","text":"other"}]}]}]}, {"type":"blockquote","content":[{"type":"paragraph","content":[{"type":"text","text":"QUOTE e"}]}]}, {"type":"layoutSection","content":[{"type":"layoutColumn","attrs":{"width":50},"content":[{"type":"paragraph","content":[{"type":"text","text":"COLUMN f"}]}]},{"type":"layoutColumn","attrs":{"width":50},"content":[{"type":"paragraph","content":[{"type":"text","text":"g"}]}]}]}, {"type":"table","content":[{"type":"tableRow","content":[{"type":"tableCell","content":[{"type":"paragraph","attrs":{"localId":"l-3"},"content":[{"type":"text","text":"CELL i"}]},{"type":"bulletList","content":[{"type":"listItem","content":[{"type":"paragraph","content":[{"type":"text","text":"x"}]}]}]}]},{"type":"tableCell","content":[{"type":"paragraph","content":[{"type":"text","text":"next"}]}]}]}]}, {"type":"paragraph","attrs":{"localId":"l-2"},"content":[{"type":"text","text":"END h"}]}]}"#;
const PLACES: [&str; 8] = ["TOP", "PANEL", "EXPAND", "ITEM", "QUOTE", "COLUMN", "CELL", "END"];

#[test]
fn each_construct_is_put_into_each_place_or_told() {
    let sources = [
        (Format::Adf, ADF),
        (Format::Storage, STORAGE),
        (Format::Wiki(Dialect::Jira), WIKI),
        (Format::Wiki(Dialect::Confluence), WIKI),
    ];
    let (mut made, mut told, mut failed) = (0, 0, Vec::new());
    for (format, source) in sources {
        let (markdown, sidecar) = Sidecar::split(&Document::read(format, source));
        for (place, construct) in PLACES.iter().flat_map(|it| CONSTRUCTS.iter().map(move |one| (*it, *one))) {
            let Some(edited) = with(&markdown, place, construct) else { continue };
            let name = format!("{construct:?} after {place} in {format:?}");
            let restored = sidecar.restore(&edited).expect("it is the same document");
            let lost =
                !restored.losses.is_empty() || !restored.conflicts.is_empty() || !restored.invalid.is_empty();
            if format == Format::Adf && restored.invalid.is_empty() && !adf::check(&restored.text).is_empty()
            {
                failed.push(format!("{name}: not valid: {:?}", adf::check(&restored.text)[0].message));
            } else if lost {
                told += 1;
            } else if let Some(why) =
                wrong(format, source, place, &edited, &restored.text, &restored.diagnostics)
            {
                failed.push(format!("{name}: {why}: {}", restored.text));
            } else {
                made += 1;
            }
        }
    }
    let count = made + told + failed.len();
    println!("I13: {count} constructs put into places, {made} made, {told} told, {} failed", failed.len());
    assert!(failed.is_empty(), "{} failed: {:#?}", failed.len(), &failed[..failed.len().min(12)]);
    assert!(count > 800 && made > 500, "{made} of {count}");
}

/// Returns the Markdown with `construct` as a block after the line with `place`, in the same quote, item or container.
fn with(markdown: &str, place: &str, construct: &str) -> Option<String> {
    let at = markdown.find(place)?;
    let start = markdown[..at].rfind('\n').map_or(0, |it| it + 1);
    let end = markdown[at..].find('\n').map_or(markdown.len(), |it| at + it);
    let prefix: String = markdown[start..at].chars().map(|it| if it == '>' { '>' } else { ' ' }).collect();
    let prefix = if prefix.trim().is_empty() { "  ".repeat(prefix.len() / 2) } else { prefix };
    let lines: Vec<String> =
        construct.lines().map(|it| format!("{prefix}{it}").trim_end().to_owned()).collect();
    Some(format!("{}\n{}\n{}\n{}", &markdown[..end], prefix.trim_end(), lines.join("\n"), &markdown[end..]))
}

/// Returns what is wrong with `text`, the source after the edit, of which nothing was told.
fn wrong(
    format: Format,
    source: &str,
    place: &str,
    edited: &str,
    text: &str,
    diagnostics: &[plainwire_richtext::Diagnostic],
) -> Option<String> {
    let means = |markdown: &str| meant(said_by(MARKDOWN, &shown(&Document::read(MARKDOWN, markdown))));
    let again = meant(said_by(MARKDOWN, &shown(&Document::read(format, text))));
    if again != means(edited) && diagnostics.is_empty() {
        return Some("reads back otherwise".to_owned());
    }
    let private = ["plainwire-raw", "com.plainwire.raw", "data-plainwire"];
    if private.iter().any(|it| text.contains(it))
        || format == Format::Wiki(Dialect::Confluence) && text.contains("{adf")
    {
        return Some("has what no product knows".to_owned());
    }
    let kept = |it: &&str| it.len() > 3 && !it.contains(place);
    let gone = source.split([',', '>', '\n']).filter(kept).find(|it| !text.contains(it.trim()));
    gone.map(|it| format!("lost {it:?} of the source"))
}
