//! Documents of many MiB that are nothing but one thing, to see that time and memory grow with the size and no faster.

use plainwire_richtext::{Document, Format, Sidecar, convert};

use crate::ours;

/// Each by its name, the ending of its format, how it begins, what is repeated, and how it ends.
const DOCUMENTS: [(&str, &str, &str, &str, &str); 17] = [
    ("brackets", "md", "", "[", ""),
    ("paragraph", "md", "", "some words and *more* of them, ", ""),
    ("list", "md", "", "- an item\n", ""),
    ("blocks", "md", "", "a short paragraph\n\n", ""),
    ("deep", "md", "", "> ", ""),
    ("brackets", "wiki", "", "[", ""),
    ("paragraph", "wiki", "", "some words and *more* of them, ", ""),
    ("list", "wiki", "", "* an item\n", ""),
    ("blocks", "wiki", "", "a short paragraph\n\n", ""),
    ("brackets", "xml", "", "[", ""),
    ("paragraph", "xml", "<p>", "some words and <b>more</b> of them, ", "</p>"),
    ("list", "xml", "<ul>", "<li>an item</li>", "</ul>"),
    ("blocks", "xml", "", "<p>a short paragraph</p>", ""),
    ("brackets", "json", "", "[", ""),
    ("paragraph", "json", "", "", ""),
    ("list", "json", "", "", ""),
    ("blocks", "json", "", "", ""),
];

fn text(name: &str, extension: &str, mib: usize) -> Option<String> {
    let enough = mib << 20;
    let (_, _, begin, middle, end) = DOCUMENTS.iter().find(|it| it.0 == name && it.1 == extension)?;
    let word = r#"{"type":"text","text":"some words and more of them, "},{"type":"text","text":"bold","marks":[{"type":"strong"}]}"#;
    let paragraph = r#"{"type":"paragraph","content":[{"type":"text","text":"a short paragraph"}]}"#;
    let item = format!(r#"{{"type":"listItem","content":[{paragraph}]}}"#);
    let many = |it: &str| vec![it; enough / (it.len() + 1)].join(",");
    let inner = match (name, extension) {
        ("paragraph", "json") => format!(r#"{{"type":"paragraph","content":[{}]}}"#, many(word)),
        ("list", "json") => format!(r#"{{"type":"bulletList","content":[{}]}}"#, many(&item)),
        ("blocks", "json") => many(paragraph),
        _ => return Some(format!("{begin}{}{end}", middle.repeat(enough / middle.len()))),
    };
    Some(format!(r#"{{"version":1,"type":"doc","content":[{inner}]}}"#))
}

/// Each at a quarter of `mib` and at `mib`: the rows say how much longer the second took, per byte.
pub fn all(mib: usize) -> Result<(), String> {
    println!("{:<44}{:>10}{:>10}{:>12}{:>10}", format!("{mib} MiB"), "s", "MB/s", "peak/input", "growth");
    for (name, extension, ..) in DOCUMENTS {
        for work in ["convert", "split", "restore"] {
            if extension == "md" && work != "convert" {
                continue;
            }
            let measure =
                |mib: usize| crate::child(&["nasty", &format!("{name}.{extension}"), work, &mib.to_string()]);
            let row = format!("{name}.{extension} {work}");
            match (measure(mib / 4), measure(mib)) {
                (Ok(small), Ok(large)) => println!(
                    "{row:<44}{:>10.2}{:>10.1}{:>12.1}{:>10.2}",
                    large.seconds,
                    large.bytes / 1e6 / large.seconds,
                    large.peak_kib * 1024.0 / large.bytes,
                    large.seconds / large.bytes / (small.seconds / small.bytes)
                ),
                (Err(error), _) | (_, Err(error)) => println!("{row:<44} {error}"),
            }
        }
    }
    Ok(())
}

/// One of them, once.
pub fn one(document: &str, work: &str, mib: usize) -> Result<(), String> {
    let (name, extension) = document.split_once('.').ok_or("expected NAME.EXTENSION")?;
    let text = text(name, extension, mib).ok_or("expected the name of a document")?;
    let from = ours::format(extension)?;
    let to = ours::format(if extension == "md" { "json" } else { "md" })?;
    let seconds = once(from, to, work, &text)?;
    ours::report(text.len(), seconds);
    Ok(())
}

fn once(from: Format, to: Format, work: &str, text: &str) -> Result<f64, String> {
    let began = ours::cpu();
    match work {
        "read" => drop(Document::read(from, text)),
        "to" => drop(Document::read(from, text).write(to)),
        "convert" => drop(convert(from, to, text)),
        "split" => drop(Sidecar::split(&Document::read(from, text))),
        "restore" => {
            let (markdown, sidecar) = Sidecar::split(&Document::read(from, text));
            let edited = ours::edited(&markdown);
            let began = ours::cpu();
            drop(sidecar.restore(&edited));
            return Ok(ours::cpu() - began);
        }
        _ => return Err(format!("expected read, to, convert, split or restore, but found {work}")),
    }
    Ok(ours::cpu() - began)
}
