//! Conflicts and losses of an edit: if it removes a node that Markdown has no syntax for, or adds content
//! that the format can't express, the result reports it.

use plainwire_richtext::{Dialect, Document, Format, Restored, Sidecar};

/// Applies `edit` to the Markdown of `source`, and returns the restored source.
fn edited(format: Format, source: &str, edit: impl Fn(&str) -> String) -> Restored {
    let (markdown, sidecar) = Sidecar::split(&Document::read(format, source));
    let edited = edit(&markdown);
    assert_ne!(edited, markdown, "the edit edits nothing");
    sidecar.restore(&edited).expect("it is the sidecar's Markdown")
}

fn what(restored: &Restored) -> Vec<&str> {
    restored.conflicts.iter().map(|it| it.what.as_str()).collect()
}

#[test]
fn one_of_two_nodes_of_a_kind_that_vanishes_is_a_conflict() {
    let source = "<p>from <ac:structured-macro ac:name=\"status\"><ac:parameter ac:name=\"title\">A</ac:parameter>\
                  </ac:structured-macro> to <ac:structured-macro ac:name=\"status\"><ac:parameter ac:name=\"title\">B</ac:parameter>\
                  </ac:structured-macro></p>";
    let first = |markdown: &str| {
        let (start, end) = (markdown.find(":status").expect("one"), markdown.find(" to ").expect("text"));
        format!("{}{}", &markdown[..start], &markdown[end..])
    };
    assert_eq!(what(&edited(Format::Storage, source, first)).len(), 1);
}

#[test]
fn each_of_equal_blocks_that_vanish_is_a_conflict() {
    let toc = "<ac:structured-macro ac:name=\"toc\" />";
    let source = format!("<p>one</p>{toc}<p>two</p>{toc}<p>three</p>");
    let without = |markdown: &str| {
        markdown.lines().filter(|it| !it.starts_with("::")).collect::<Vec<_>>().join("\n") + "\n"
    };
    let restored = edited(Format::Storage, &source, without);
    assert_eq!(restored.conflicts.iter().map(|it| it.block).collect::<Vec<_>>(), [1, 3]);
    assert_eq!(restored.text, "<p>one</p><p>two</p><p>three</p>");
}

#[test]
fn a_node_that_moves_from_one_part_of_a_block_to_another_is_no_conflict() {
    let source = "<ul><li>one <time datetime=\"2020-01-02\" /></li><li>two</li></ul>";
    let moved = |markdown: &str| {
        let date = &markdown[markdown.find(":date").expect("a date")..markdown.find('\n').expect("a line")];
        markdown.replace(&format!(" {date}"), "").replace("two", &format!("two {date}"))
    };
    let restored = edited(Format::Storage, source, moved);
    assert_eq!(what(&restored), [] as [&str; 0], "{}", restored.text);
    assert!(restored.text.contains("two <time datetime=\"2020-01-02\""), "{}", restored.text);
    assert_eq!(restored.text.matches("<time").count(), 1);
}

#[test]
fn what_a_format_has_no_word_for_in_a_new_block_is_a_loss() {
    let jira = Format::Wiki(Dialect::Jira);
    let restored = edited(jira, "one\n\ntwo", |it| it.replace("two", "a![](x.png)\n\ntwo"));
    assert!(!restored.losses.is_empty(), "{}", restored.text);
    let empty = r#"{"version":1,"type":"doc","content":[]}"#;
    let restored = edited(Format::Adf, empty, |_| "<!-- a note -->\n".to_owned());
    assert!(!restored.losses.is_empty(), "{}", restored.text);
    let restored = edited(jira, "one\n\ntwo", |it| it.replace("two", "new *words*\n\ntwo"));
    assert!(restored.losses.is_empty(), "{:?}", restored.losses);
}
