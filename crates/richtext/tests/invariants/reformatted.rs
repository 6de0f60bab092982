//! I12: the same Markdown written in another way is no edit.

#![allow(clippy::print_stdout, reason = "the counts are what is asked for")]

use plainwire_richtext::{Document, Sidecar};

use crate::documents::{generated, sources};

/// A way to write Markdown: its name, and what it makes of a line outside of code, or of the whole text.
type Way = (&'static str, fn(&str) -> String);

const LINES: [Way; 6] = [
    ("another bullet", |it| bullet(it, "+")),
    ("blanks at line ends", |it| {
        if it.trim().is_empty() || it.ends_with('\\') { it.to_owned() } else { format!("{it} ") }
    }),
    ("padded tables", |it| if it.starts_with("| ") { it.replace(" |", "   |") } else { it.to_owned() }),
    ("no outer bars", |it| match it.strip_prefix("| ").and_then(|it| it.strip_suffix(" |")) {
        Some(cells) if cells.contains(" | ") && !cells.starts_with(' ') && !cells.ends_with(' ') => {
            cells.to_owned()
        }
        _ => it.to_owned(),
    }),
    ("longer headings", |it| {
        if it.starts_with('#') && !it.ends_with('}') { format!("{it} ##") } else { it.to_owned() }
    }),
    ("longer dashes", |it| if it.starts_with("| ---") { it.replace("---", "------") } else { it.to_owned() }),
];

const WHOLE: [Way; 5] = [
    ("CR LF", |it| it.replace('\n', "\r\n")),
    ("a byte order mark", |it| format!("\u{feff}{it}")),
    ("no final line end", |it| it.trim_end().to_owned()),
    ("many final line ends", |it| format!("{it}\n\n\n")),
    ("blank lines before the text", |it| format!("\n\n{it}")),
];

#[test]
fn the_same_markdown_in_another_way_changes_nothing() {
    let samples: Vec<_> = sources().into_iter().chain(generated(150)).collect();
    let mut failed = Vec::new();
    let mut count = 0;
    for sample in &samples {
        let (markdown, sidecar) = Sidecar::split(&Document::read(sample.format, &sample.source));
        let ways = LINES.iter().map(|it| (it.0, outside_code(&markdown, it.1)));
        for (name, text) in ways.chain(WHOLE.iter().map(|it| (it.0, it.1(&markdown)))) {
            // Code has its line ends in it, and a text that ends within a block has no line end to lose.
            let is_odd = name == "CR LF" && markdown.contains("```");
            if text == markdown || is_odd {
                continue;
            }
            count += 1;
            match sidecar.restore(&text) {
                Ok(it) if it.text == sample.source && it.losses.is_empty() && it.conflicts.is_empty() => {}
                Ok(it) => failed.push(format!("{name}: {}: {:?} {:?}", sample.name, it.losses, it.conflicts)),
                Err(error) => failed.push(format!("{name}: {}: {error}", sample.name)),
            }
        }
    }
    println!("I12: {count} documents written in another way, {} changed", failed.len());
    assert!(failed.is_empty(), "{} of {count}: {:#?}", failed.len(), &failed[..failed.len().min(20)]);
}

fn bullet(line: &str, sign: &str) -> String {
    let indent = line.len() - line.trim_start().len();
    match line[indent..].strip_prefix("- ") {
        Some(rest) if !rest.starts_with(['-', '[']) => format!("{}{sign} {rest}", &line[..indent]),
        _ => line.to_owned(),
    }
}

/// Returns `markdown` with `change` made in each line, unless it has code, HTML or lists side by side, where lines mean more.
fn outside_code(markdown: &str, change: fn(&str) -> String) -> String {
    if markdown.contains(["`", "~", "<"].map(|it| it.chars().next().unwrap_or_default()))
        || markdown.contains("\n\n* ")
    {
        return markdown.to_owned();
    }
    let lines: Vec<String> = markdown.split('\n').map(change).collect();
    lines.join("\n")
}
