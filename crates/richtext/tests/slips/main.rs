//! Edits as people and models make them, with their slips: for each the exact document that it becomes, or the exact words
//! that tell what is wrong. The cases are in `cases.txt`; UPDATE=1 writes what they become, to be read as text.
//!
//! A case has a name after `===`, a source after `--- FORMAT`, and then one of three: Markdown that the source is edited to
//! (`--- edit`), Markdown that one section becomes (`--- patch ADDRESS`), or a format that it is converted to (`--- to FORMAT`).
//! The result after it begins with `--- becomes`, or with `--- told` if the edit is refused. A line ends with `⏎` where it ends
//! with CR LF.

use std::fmt::Write as _;
use std::fs;

use plainwire_richtext::{
    Diagnostic, Dialect, Document, Flavor, Format, LossKind, Position, Restored, Sidecar, convert,
};

const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/slips/cases.txt");

/// A case, with the lines that it should become.
struct Case<'c> {
    name: &'c str,
    /// The parts: what follows `---` on its first line, and the text after that line.
    parts: Vec<(&'c str, String)>,
}

fn cases(text: &str) -> Vec<Case<'_>> {
    let mut cases: Vec<Case<'_>> = Vec::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("=== ") {
            cases.push(Case { name, parts: Vec::new() });
        } else if let (Some(title), Some(case)) = (line.strip_prefix("--- "), cases.last_mut()) {
            case.parts.push((title, String::new()));
        } else if let Some((_, text)) = cases.last_mut().and_then(|it| it.parts.last_mut()) {
            text.push_str(&line.replace('⏎', "\r"));
            text.push('\n');
        }
    }
    for (_, text) in cases.iter_mut().flat_map(|it| &mut it.parts) {
        text.truncate(text.trim_end_matches('\n').len());
    }
    cases
}

fn format(name: &str) -> Format {
    match name {
        "jira" => Format::Wiki(Dialect::Jira),
        "confluence" => Format::Wiki(Dialect::Confluence),
        "plain" => Format::Markdown(Flavor::Plain),
        "markdown" => Format::Markdown(Flavor::Extended),
        other => other.parse().expect("a format"),
    }
}

/// Returns what the case becomes: the title of the part, and its text.
fn outcome(case: &Case<'_>) -> (&'static str, String) {
    let [(from, source), (how, edit), ..] = &case.parts[..] else { panic!("{}: two parts", case.name) };
    let document = Document::read(format(from), source);
    if *how == "edit" {
        let (_, sidecar) = Sidecar::split(&document);
        return match sidecar.restore(edit) {
            Ok(restored) => edited(&restored, edit),
            Err(error) => ("told", error.to_string()),
        };
    }
    if let Some(address) = how.strip_prefix("patch ") {
        return match document.section(&address.parse().expect("an address")) {
            Ok(section) => edited(&section.patch(edit), edit),
            Err(error) => ("told", error.to_string()),
        };
    }
    let to = how.strip_prefix("to ").expect("an edit, a patch, or a format");
    let conversion = convert(format(from), format(to), source);
    let mut text = conversion.text.trim_end().to_owned();
    told(&mut text, &conversion.diagnostics, "", source);
    for it in conversion.losses.iter().filter(|it| it.kind != LossKind::Identity) {
        let _ = write!(text, "\n{}: lost: {}", Position::of(source, it.span.start as usize), it.message);
    }
    told(&mut text, &conversion.invalid, "not valid: ", source);
    ("becomes", text)
}

fn edited(restored: &Restored, edit: &str) -> (&'static str, String) {
    let mut report = String::new();
    for it in restored.losses.iter().filter(|it| it.kind != LossKind::Identity) {
        let _ = write!(report, "\n{}: lost: {}", Position::of(edit, it.span.start as usize), it.message);
    }
    for it in &restored.conflicts {
        let _ = write!(report, "\nconflict: {it}");
    }
    told(&mut report, &restored.invalid, "not valid: ", edit);
    if !report.is_empty() {
        return ("told", report.trim_start().to_owned());
    }
    let mut text = restored.text.clone();
    told(&mut text, &restored.diagnostics, "", edit);
    ("becomes", text)
}

fn told(text: &mut String, all: &[Diagnostic], what: &str, source: &str) {
    for it in all {
        let _ = write!(text, "\n{}: {what}{}", Position::of(source, it.span.start as usize), it.message);
    }
}

#[test]
fn edits_with_slips_become_what_was_meant_or_are_told() {
    let file = fs::read_to_string(CASES).expect("the cases");
    let mut written = String::new();
    let (head, _) = file.split_once("===").expect("cases");
    written.push_str(head);
    let cases = cases(&file);
    for case in &cases {
        let (title, text) = outcome(case);
        let _ = writeln!(written, "=== {}", case.name);
        for (title, text) in &case.parts[..2] {
            let _ = writeln!(written, "--- {title}\n{}", text.replace('\r', "⏎"));
        }
        let _ = writeln!(written, "--- {title}\n{}\n", text.trim_end_matches('\n').replace('\r', "⏎"));
    }
    if std::env::var_os("UPDATE").is_some() {
        return fs::write(CASES, written).expect("written");
    }
    let is = |text: &str| text.split("=== ").map(|it| it.trim().to_owned()).collect::<Vec<_>>();
    for (found, expected) in is(&written).iter().zip(&is(&file)) {
        assert_eq!(found, expected);
    }
    assert!(cases.len() >= 60, "{} cases", cases.len());
}
