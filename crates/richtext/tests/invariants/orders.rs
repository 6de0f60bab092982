//! I9: whatever the order in which an edit puts things, each keeps its identifier: blocks, items, tasks, decisions, rows,
//! sections, columns of a layout, with and without another edit.

#![allow(clippy::print_stdout, reason = "the counts are what is asked for")]

use plainwire_richtext::{Document, Format, Sidecar};

/// A kind of things that have a place among their like.
struct Things {
    name: &'static str,
    format: Format,
    /// The source with these things, each an identifier and a text.
    source: fn(&[(usize, String)]) -> String,
    /// The Markdown with these texts.
    markdown: fn(&[String]) -> String,
}

const KINDS: [Things; 9] = [
    Things {
        name: "paragraphs of storage",
        format: Format::Storage,
        source: |all| joined(all, "", |id, text| format!("<p local-id=\"Q{id}\">{text}</p>")),
        markdown: |all| lines(all, |it| format!("{it}\n\n")),
    },
    Things {
        name: "paragraphs of ADF",
        format: Format::Adf,
        source: |all| adf(&joined(all, ",", paragraph)),
        markdown: |all| lines(all, |it| format!("{it}\n\n")),
    },
    Things {
        name: "panels of storage",
        format: Format::Storage,
        source: |all| {
            joined(all, "", |id, text| {
                format!(
                    "<ac:structured-macro ac:name=\"info\" ac:schema-version=\"1\" ac:macro-id=\"Q{id}\"><ac:rich-text-body>\
                     <p>{text}</p></ac:rich-text-body></ac:structured-macro>"
                )
            })
        },
        markdown: |all| lines(all, |it| format!(":::panel{{type=info}}\n{it}\n:::\n\n")),
    },
    Things {
        name: "tasks of storage",
        format: Format::Storage,
        source: |all| {
            let tasks = joined(all, "", |id, text| {
                format!(
                    "<ac:task><ac:task-id>Q{id}</ac:task-id><ac:task-status>incomplete</ac:task-status>\
                     <ac:task-body>{text}</ac:task-body></ac:task>"
                )
            });
            format!("<ac:task-list>{tasks}</ac:task-list>")
        },
        markdown: |all| lines(all, |it| format!("- [ ] {it}\n")),
    },
    Things {
        name: "tasks of ADF",
        format: Format::Adf,
        source: |all| {
            let items = joined(all, ",", |id, text| {
                format!(
                    r#"{{"type":"taskItem","attrs":{{"localId":"Q{id}","state":"TODO"}},"content":[{{"type":"text","text":"{text}"}}]}}"#
                )
            });
            adf(&format!(r#"{{"type":"taskList","attrs":{{"localId":"l"}},"content":[{items}]}}"#))
        },
        markdown: |all| lines(all, |it| format!("- [ ] {it}\n")),
    },
    Things {
        name: "decisions of ADF",
        format: Format::Adf,
        source: |all| {
            let items = joined(all, ",", |id, text| {
                format!(
                    r#"{{"type":"decisionItem","attrs":{{"localId":"Q{id}","state":"UNDECIDED"}},"content":[{{"type":"text","text":"{text}"}}]}}"#
                )
            });
            adf(&format!(r#"{{"type":"decisionList","attrs":{{"localId":"l"}},"content":[{items}]}}"#))
        },
        markdown: |all| format!(":::decisions\n{}:::\n", lines(all, |it| format!("- [ ] {it}\n"))),
    },
    Things {
        name: "items of storage",
        format: Format::Storage,
        source: |all| {
            format!(
                "<ul>{}</ul>",
                joined(all, "", |id, text| format!("<li><p local-id=\"Q{id}\">{text}</p></li>"))
            )
        },
        markdown: |all| lines(all, |it| format!("- {it}\n")),
    },
    Things {
        name: "rows of storage",
        format: Format::Storage,
        source: |all| {
            let rows = joined(all, "", |id, text| {
                format!("<tr><td><p local-id=\"Q{id}\">{text}</p></td><td><p>same</p></td></tr>")
            });
            format!("<table><tbody><tr><th><p>a</p></th><th><p>b</p></th></tr>{rows}</tbody></table>")
        },
        markdown: |all| {
            format!("| a | b |\n| --- | --- |\n{}", lines(all, |it| format!("| {it} | same |\n")))
        },
    },
    Things {
        name: "rows of ADF",
        format: Format::Adf,
        source: |all| {
            let cell = |kind: &str, content: &str| format!(r#"{{"type":"{kind}","content":[{content}]}}"#);
            let row = |cells: &str| format!(r#"{{"type":"tableRow","content":[{cells}]}}"#);
            let plain = r#"{"type":"paragraph","content":[{"type":"text","text":"same"}]}"#;
            let rows = joined(all, ",", |id, text| {
                row(&format!("{},{}", cell("tableCell", &paragraph(id, text)), cell("tableCell", plain)))
            });
            let head = row(&format!("{},{}", cell("tableHeader", plain), cell("tableHeader", plain)));
            adf(&format!(r#"{{"type":"table","content":[{head},{rows}]}}"#))
        },
        markdown: |all| {
            format!("| same | same |\n| --- | --- |\n{}", lines(all, |it| format!("| {it} | same |\n")))
        },
    },
];

fn joined(all: &[(usize, String)], between: &str, one: impl Fn(usize, &str) -> String) -> String {
    all.iter().map(|it| one(it.0, &it.1)).collect::<Vec<_>>().join(between)
}

fn lines(all: &[String], one: impl Fn(&str) -> String) -> String {
    all.iter().map(|it| one(it)).collect()
}

fn paragraph(id: usize, text: &str) -> String {
    format!(
        r#"{{"type":"paragraph","attrs":{{"localId":"Q{id}"}},"content":[{{"type":"text","text":"{text}"}}]}}"#
    )
}

fn adf(content: &str) -> String {
    format!(r#"{{"version":1,"type":"doc","content":[{content}]}}"#)
}

/// Returns all orders of the numbers below `count`.
fn orders(count: usize) -> Vec<Vec<usize>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let shorter = orders(count - 1);
    let put = |order: &Vec<usize>, at: usize| [&order[..at], &[count - 1], &order[at..]].concat();
    shorter.iter().flat_map(|it| (0..count).map(move |at| put(it, at))).collect()
}

/// Another edit beside the new order.
#[derive(Clone, Copy, Debug)]
enum Other {
    Nothing,
    Word,
    Tick,
    Add,
    Remove,
}

#[test]
fn all_orders_of_five_things_with_and_without_another_edit_keep_their_identifiers() {
    let short = ["one", "two", "three", "four", "five"].map(str::to_owned);
    let long = ["alpha", "beta", "gamma", "delta", "omega"]
        .map(|it| format!("The {it} part of the plan is done by {it}"));
    let (mut tried, mut failed) = (0, Vec::new());
    for kind in &KINDS {
        for texts in [&short, &long] {
            for other in [Other::Nothing, Other::Word, Other::Tick, Other::Add, Other::Remove] {
                let is_task = kind.name.contains("tasks") || kind.name.contains("decisions");
                if matches!(other, Other::Tick) && !is_task {
                    continue;
                }
                for order in orders(5) {
                    for at in if matches!(other, Other::Nothing) { 0..1 } else { 0..5 } {
                        tried += 1;
                        if let Err(why) = check(kind, texts, &order, other, at) {
                            failed.push(format!("{}: {order:?} with {other:?} of {at}: {why}", kind.name));
                        }
                    }
                }
            }
        }
    }
    println!("I9: {tried} orders, {} failed", failed.len());
    failed.iter().step_by(failed.len() / 20 + 1).for_each(|it| println!("{it}"));
    assert!(failed.is_empty(), "{} of {tried} failed", failed.len());
}

/// Puts the things into an order, with another edit of the thing `at`, and checks the source that comes back.
fn check(kind: &Things, texts: &[String; 5], order: &[usize], other: Other, at: usize) -> Result<(), String> {
    let source = (kind.source)(&texts.iter().cloned().enumerate().collect::<Vec<_>>());
    let (markdown, sidecar) = Sidecar::split(&Document::read(kind.format, &source));
    if markdown.trim() != (kind.markdown)(texts).trim() {
        return Err(format!("its Markdown is\n{markdown}"));
    }
    let mut after: Vec<(usize, String)> = order.iter().map(|it| (*it, texts[*it].clone())).collect();
    let place = order.iter().position(|it| *it == at).unwrap_or_default();
    match other {
        Other::Word => after[place].1 = after[place].1.replace(['h', 'o', 'f'], "x"),
        Other::Add => after.insert(place, (9, "Something new".to_owned())),
        Other::Remove => drop(after.remove(place)),
        Other::Nothing | Other::Tick => {}
    }
    let mut edited = (kind.markdown)(&after.iter().map(|it| it.1.clone()).collect::<Vec<_>>());
    if let Other::Tick = other {
        edited = edited.replace(&format!("[ ] {}\n", texts[at]), &format!("[x] {}\n", texts[at]));
    }
    let restored = sidecar.restore(&edited).map_err(|error| error.to_string())?;
    if !restored.losses.is_empty() {
        return Err(format!("{:?}", restored.losses));
    }
    let wanted: Vec<(usize, &str)> = after.iter().map(|it| (it.0, &*it.1)).collect();
    let found = identified(&restored.text, &after);
    // A new thing has no identifier, or one of its own.
    match found.iter().zip(&wanted).find(|(found, wanted)| **found != Some(wanted.0) && wanted.0 != 9) {
        None if found.iter().filter_map(|it| *it).collect::<std::collections::BTreeSet<_>>().len()
            >= wanted.len() - 1 =>
        {
            Ok(())
        }
        _ => Err(format!("found {found:?} in {}", restored.text)),
    }
}

/// Returns the identifier before each text.
fn identified(text: &str, all: &[(usize, String)]) -> Vec<Option<usize>> {
    let of = |wanted: &str| {
        let end = text.find(&format!(">{wanted}<")).or_else(|| text.find(&format!("\"{wanted}\"")))?;
        let start = [">Q", "\"Q"].iter().filter_map(|it| text[..end].rfind(it)).max()?;
        text[start + 2..].chars().next()?.to_digit(10).map(|it| it as usize)
    };
    all.iter().map(|it| of(&it.1)).collect()
}
