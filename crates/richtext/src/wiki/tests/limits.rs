//! Tests of markup that is made to be slow to read or deeply nested.

use super::{BOTH, read};
use crate::tree::Kind;

/// The length of the repeated input in bytes. A reader that looks back through all of the input at each piece
/// of markup would take hours.
const MANY: usize = 200_000;

#[test]
fn repeated_signs_are_read_in_one_pass() {
    let signs = [
        "[",
        "*",
        "{{",
        "{",
        "!",
        "|",
        "||",
        "{code}",
        "{code:a}",
        "{panel:a}",
        "{quote}",
        "{color:red}",
        "*a",
        "_*",
        "[a|",
        "!a",
        "\\",
        "\\\\",
        "{color}",
        "{{a",
        "http://",
        ":",
        "(",
        "&",
        "[~",
        "{a:",
        "* a\n",
        "a\n",
        "|a\n",
        "|a|\n",
        "{a}",
        "{quote}{panel}",
        "\\\\a",
        "h1. a\n",
        "??",
        "-- ",
        "\r",
        "\n",
        "[!",
        "*a ",
        "{*}",
        "!a|",
        "# {code}\n",
        "{section}{column}",
    ];
    for sign in signs {
        let source = sign.repeat(MANY / sign.len());
        for dialect in BOTH {
            read(&source, dialect);
        }
    }
}

#[test]
fn lists_and_macros_deeper_than_the_limit_are_kept_as_they_are() {
    let deep = format!("{} x", "*".repeat(10_000));
    for dialect in BOTH {
        assert_eq!(read(&deep, dialect)[0].plain_text(), deep);
    }
    let nested = format!("{}x{}", "{panel:a=b}".repeat(10_000), "{panel}".repeat(10_000));
    for dialect in BOTH {
        let mut node = &read(&nested, dialect)[0];
        while let Some(child) = node.children.first() {
            node = child;
        }
        assert_eq!(node.kind, Kind::RawBlock);
        assert!(node.text.contains("{panel:a=b}x{panel}"));
    }
}

#[test]
fn a_cell_of_thousands_of_nested_panels_and_lists_does_not_overflow() {
    let cells = "{panel:a=b}\n|*".repeat(5000);
    let lists: String = (0..200).map(|it| format!("{} {{quote:x}}\n", "*#".repeat(it % 40))).collect();
    for dialect in BOTH {
        read(&cells, dialect);
        read(&lists, dialect);
        read(&lists.repeat(50), dialect);
    }
}
