//! Blocks and nodes that an edit moves, copies or deletes: a moved one keeps the attributes that Markdown
//! does not show, and only a deleted one is reported as a conflict.

use plainwire_richtext::{Dialect, Document, Flavor, Format, Restored, Sidecar};

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

const STATUS: &str = "<ac:structured-macro ac:name=\"status\" ac:schema-version=\"1\" ac:macro-id=\"m1\"><ac:parameter ac:name=\"title\">OK</ac:parameter>\
                      </ac:structured-macro>";

#[test]
fn a_node_moved_to_another_block_is_no_conflict_and_keeps_its_id() {
    let source = format!("<p>one {STATUS}</p><p>two words</p><p>three</p>");
    let restored = edited(Format::Storage, &source, |it| {
        it.replace(" :status[OK]", "").replace("two words", "two :status[OK] words")
    });
    assert_eq!(what(&restored), [] as [&str; 0], "{}", restored.text);
    assert_eq!(restored.text, format!("<p>one</p><p>two {STATUS} words</p><p>three</p>"));
}

#[test]
fn a_node_moved_to_a_new_block_is_no_conflict_and_keeps_its_id() {
    let source = format!("<p>one {STATUS}</p><p>two</p>");
    let restored = edited(Format::Storage, &source, |it| {
        it.replace(" :status[OK]", "").replace("two", "two\n\n## Now :status[OK]")
    });
    assert_eq!(what(&restored), [] as [&str; 0], "{}", restored.text);
    assert_eq!(restored.text, format!("<p>one</p><p>two</p><h2>Now {STATUS}</h2>"));
}

#[test]
fn a_node_that_is_there_twice_afterwards_has_its_id_once() {
    let source = format!("<p>one {STATUS}</p><p>two</p>");
    let restored = edited(Format::Storage, &source, |it| it.replace("two", "two :status[OK]"));
    assert_eq!(what(&restored), [] as [&str; 0], "{}", restored.text);
    assert_eq!(restored.text.matches("m1").count(), 1, "{}", restored.text);
}

#[test]
fn one_of_two_equal_nodes_that_is_gone_from_another_block_is_a_conflict() {
    let source = format!("<p>one {STATUS}</p><p>two {STATUS}</p><p>three</p>");
    let restored = edited(Format::Storage, &source, |it| it.replace("one :status[OK]", "one"));
    assert_eq!(what(&restored), ["status \"OK\""], "{}", restored.text);
}

#[test]
fn a_node_moved_between_items_changes_these_items_only() {
    let source = format!("<ul><li>one {STATUS}</li>\n<li  >two</li>\n<li ><p>three</p></li></ul>");
    let restored = edited(Format::Storage, &source, |it| {
        it.replace(" :status[OK]", "").replace("three", "three :status[OK]")
    });
    assert_eq!(what(&restored), [] as [&str; 0], "{}", restored.text);
    assert_eq!(
        restored.text,
        format!("<ul><li>one</li>\n<li  >two</li>\n<li ><p>three {STATUS}</p></li></ul>")
    );
}

#[test]
fn a_panel_that_is_unwrapped_is_gone_and_what_it_held_is_not() {
    let source = format!(
        "<p>one</p><ac:structured-macro ac:name=\"info\"><ac:rich-text-body><p>in {STATUS}</p>\
         </ac:rich-text-body></ac:structured-macro><p>two</p>"
    );
    let restored =
        edited(Format::Storage, &source, |it| it.replace(":::panel{type=info}\n", "").replace(":::\n", ""));
    assert_eq!(what(&restored), ["panel \"in \""], "{}", restored.text);
    assert_eq!(restored.text, format!("<p>one</p><p>in {STATUS}</p><p>two</p>"));
}

#[test]
fn a_block_that_is_moved_and_edited_keeps_its_ids() {
    let adf = r#"{"version":1,"type":"doc","content":[
 {"type":"paragraph","attrs":{"localId":"p1"},"content":[{"type":"text","text":"one two three four five six"}]},
 {"type":"heading","attrs":{"level":1,"localId":"h1"},"content":[{"type":"text","text":"Goals"}]},
 {"type":"paragraph","attrs":{"localId":"p2"},"content":[{"type":"text","text":"seven eight nine ten"}]}]}"#;
    let restored = edited(Format::Adf, adf, |_| {
        "# Goals\n\nseven eight nine ten\n\none two three four five zebra\n".to_owned()
    });
    for id in ["p1", "h1", "p2"] {
        assert_eq!(restored.text.matches(id).count(), 1, "{}", restored.text);
    }
    assert!(
        restored
            .text
            .contains(r#""localId":"p1"},"content":[{"type":"text","text":"one two three four five zebra"#)
    );
}

#[test]
fn what_vanished_without_a_text_is_told_by_its_id_address_or_key() {
    let adf = r#"{"version":1,"type":"doc","content":[{"type":"paragraph","content":[
 {"type":"text","text":"one "},
 {"type":"mention","attrs":{"id":"5b10"}},{"type":"text","text":" two "},
 {"type":"inlineCard","attrs":{"url":"https://example.com/a"}},{"type":"text","text":" three "},
 {"type":"inlineExtension","attrs":{"extensionType":"t","extensionKey":"chart"}},{"type":"text","text":" four "},
 {"type":"emoji","attrs":{"shortName":":smile:"}}]},
 {"type":"mediaSingle","attrs":{"layout":"center"},"content":[{"type":"media","attrs":{"type":"file","id":"file-1","collection":"c"}}]}]}"#;
    let restored = edited(Format::Adf, adf, |_| "one two three four\n".to_owned());
    let expected = [
        "mention \"5b10\"",
        "inlineCard \"https://example.com/a\"",
        "inlineExtension \"chart\"",
        "emoji \"😄\"",
        "mediaSingle \"file-1\"",
        "media \"file-1\"",
    ];
    assert_eq!(what(&restored), expected);
}

#[test]
fn a_node_that_was_changed_where_it_is_is_no_conflict() {
    let source = format!("<p>one {STATUS}</p><p>two</p>");
    let restored = edited(Format::Storage, &source, |it| it.replace(":status[OK]", ":status[DONE]"));
    assert_eq!(what(&restored), [] as [&str; 0], "{}", restored.text);
    assert_eq!(restored.text, source.replace(">OK<", ">DONE<"));
}

#[test]
fn a_node_that_came_from_elsewhere_does_not_stand_for_one_that_vanished() {
    let other = STATUS.replace("OK", "NO").replace("m1", "m2");
    let source = format!("<p>one {STATUS}</p><p>two {other}</p>");
    let restored = edited(Format::Storage, &source, |it| {
        it.replace("two :status[NO]", "two").replace(":status[OK]", ":status[NO]")
    });
    assert_eq!(what(&restored), ["status \"OK\""], "{}", restored.text);
}

#[test]
fn a_node_that_becomes_bold_where_it_comes_to_stand_is_the_same() {
    let adf = r#"{"version":1,"type":"doc","content":[
 {"type":"paragraph","content":[{"type":"text","text":"one "},{"type":"inlineExtension","attrs":{"extensionType":"t","extensionKey":"k","localId":"i"}}]},
 {"type":"paragraph","content":[{"type":"text","text":"two"}]}]}"#;
    let restored = edited(Format::Adf, adf, |it| {
        let node = ":ext[]{type=t key=k}";
        let node = if it.contains(node) {
            node.to_owned()
        } else {
            it[it.find(":ext").expect("one")..it.find("}").expect("its end") + 1].to_owned()
        };
        it.replace(&node, "three").replace("two", &format!("**two {node}**"))
    });
    assert_eq!(what(&restored), [] as [&str; 0], "{}", restored.text);
    assert!(restored.text.contains(r#""localId":"i""#), "{}", restored.text);
}

#[test]
fn of_equal_nodes_none_takes_the_id_of_another() {
    let other = STATUS.replace("m1", "m2");
    let source = format!("<p>one {STATUS}</p><p>two {other}</p><p>three</p>");
    let status = ":status[OK]";
    let restored = edited(Format::Storage, &source, |it| {
        it.replace(&format!("one {status}"), "one").replace("three", &format!("three {status}"))
    });
    assert_eq!(what(&restored), [] as [&str; 0], "{}", restored.text);
    for id in ["m1", "m2"] {
        assert!(restored.text.matches(id).count() <= 1, "{}", restored.text);
    }
}

#[test]
fn a_moved_entry_of_several_blocks_brings_back_nothing_that_was_deleted_of_it() {
    let wiki = Format::Wiki(Dialect::Confluence);
    let source = "h1. A\n\n{color:red}one two\n\nthree four\n\nfive six{color}\n\nseven";
    let restored = edited(wiki, source, |it| {
        let blocks: Vec<&str> = it.trim_end().split("\n\n").collect();
        // Of the three coloured blocks, the first one moves to the end, and the other two are deleted.
        format!("{}\n\n{}\n\n{}\n", blocks[0], blocks[4], blocks[1])
    });
    assert!(restored.text.contains("one two"), "{}", restored.text);
    assert!(
        !restored.text.contains("three four") && !restored.text.contains("five six"),
        "{}",
        restored.text
    );
}

#[test]
fn a_node_that_is_copied_to_another_block_that_was_edited_has_its_id_once() {
    let source = format!("<p>one {STATUS}</p><p>two</p>");
    let restored =
        edited(Format::Storage, &source, |it| it.replace("one", "ones").replace("two", "two :status[OK]"));
    assert_eq!(restored.text.matches("m1").count(), 1, "{}", restored.text);
}

#[test]
fn a_macro_without_a_body_keeps_its_id_and_version_when_a_parameter_changes() {
    let toc = |level: u8| {
        format!(
            "<ac:structured-macro ac:name=\"toc\" ac:schema-version=\"1\" ac:macro-id=\"m1\">\
             <ac:parameter ac:name=\"maxLevel\">{level}</ac:parameter></ac:structured-macro>"
        )
    };
    let within = |level: u8| format!("<p>See {} here</p>", toc(level).replace("toc", "jira"));
    for (format, before, after) in
        [(Format::Storage, toc(3), toc(4)), (Format::Storage, within(3), within(4))]
    {
        let restored = edited(format, &before, |it| it.replace("maxLevel=3", "maxLevel=4"));
        assert_eq!(restored.text, after);
    }
}

#[test]
fn a_macro_within_text_of_wiki_markup_stays_a_macro_when_a_parameter_changes() {
    let format = Format::Wiki(Dialect::default());
    for (before, after) in
        [("See {jira:key=AB-1} ok", "See {jira:key=AB-2} ok"), ("See {foo:AB-1} ok", "See {foo:AB-2} ok")]
    {
        assert_eq!(edited(format, before, |it| it.replace("AB-1", "AB-2")).text, after);
    }
}

#[test]
fn the_columns_of_a_table_are_aligned_by_an_edit_and_come_back() {
    let table = "<table><tbody><tr><th><p>a</p></th></tr><tr><td><p>1</p></td></tr></tbody></table>";
    let restored = edited(Format::Storage, table, |it| it.replace(" --- ", " --: "));
    assert_eq!(restored.text, table.replace("<p>", "<p style=\"text-align: right;\">"));
    let (markdown, _) = Sidecar::split(&Document::read(Format::Storage, &restored.text));
    assert_eq!(markdown.trim_end(), "| a |\n| --: |\n| 1 |");
}

#[test]
fn in_wiki_markup_an_aligned_table_is_a_table() {
    let table = "| a | b |\n| --- | --: |\n| 1 |  |\n";
    let converted = plainwire_richtext::convert(
        Format::Markdown(Flavor::default()),
        Format::Wiki(Dialect::default()),
        table,
    );
    assert_eq!(converted.text.trim_end(), "||a||b||\n|1| |");
    assert_eq!(converted.losses.len(), 2, "the alignment of each cell of the column: {:?}", converted.losses);
}

#[test]
fn a_copy_has_all_of_its_original_but_its_ids() {
    let include = r#"<ac:structured-macro ac:name="include" ac:schema-version="2" ac:macro-id="m1"><ac:parameter ac:name=""><ac:link><ri:page ri:space-key="OPS" ri:content-title="Run" /></ac:link></ac:parameter></ac:structured-macro>"#;
    let copied = include.replace(r#" ac:macro-id="m1""#, "");
    let source = format!("<p>a</p>{include}<p>b</p>");
    let text = edited(Format::Storage, &source, |it| format!("{it}\n::macro{{name=include _=Run}}\n"));
    assert_eq!(text.text, format!("{source}{copied}"));
    let table =
        r#"<table data-layout="wide"><tbody><tr><th><p local-id="l1">a</p></th></tr></tbody></table>"#;
    let source = format!("{table}<p>b</p>");
    let text = edited(Format::Storage, &source, |it| format!("{it}\n| a |\n| --- |\n"));
    assert_eq!(text.text, format!("{source}{}", table.replace(r#" local-id="l1""#, "")));
}
