//! Patches of sections: an edit that changes nothing, and edits beside a part that can't be read alone.

use plainwire_richtext::{Dialect, Document, Format, Sidecar};

const WIKI: Format = Format::Wiki(Dialect::Confluence);

#[test]
fn a_section_that_was_not_edited_leaves_every_byte() {
    for (format, source, address) in [
        (WIKI, "{section}\n{column}\nleft\n{column}\nstray\n{section}", "[0]"),
        (WIKI, "{noformat}\n*x*\n{noformat}||Name||Size||", "[1]"),
        (Format::Storage, r#"<p>a <a href="x="y">z</a> b</p>"#, "[0]"),
    ] {
        let document = Document::read(format, source);
        let section = document.section(&address.parse().expect("an address")).expect("there is one");
        let markdown = section.markdown();
        for unedited in [markdown.clone(), markdown.replace('\n', "\r\n"), format!("{markdown}\n")] {
            let patched = section.patch(&unedited);
            assert_eq!(patched.text, source);
            assert!(patched.losses.is_empty() && patched.conflicts.is_empty(), "{source}: {patched:?}");
            assert_eq!(patched.copied, document.blocks.len() - 1);
        }
    }
}

#[test]
fn an_edit_beside_an_attribute_that_markdown_can_not_show_leaves_it() {
    let source = r#"<p>a <a href="x="y">z</a> b</p>"#;
    let document = Document::read(Format::Storage, source);
    let expected = source.replace(" b", " c");
    let (markdown, sidecar) = Sidecar::split(&document);
    let section = document.section(&"[0]".parse().expect("an address")).expect("there is one");
    let edited = markdown.replace(" b", " c");
    for restored in [sidecar.restore(&edited).expect("its own"), section.patch(&edited)] {
        assert_eq!(restored.text, expected);
        assert!(restored.losses.is_empty(), "{restored:?}");
    }
}
