//! I8: no character changes its meaning in another format. Texts with each punctuation character, in many
//! kinds of block, are converted from ADF to the other formats and back, and must be unchanged.

#![allow(clippy::print_stdout, reason = "the counts are what is asked for")]

use plainwire_richtext::{Dialect, Document, Flavor, Format, convert, convert_with};

use crate::generator::{HAZARDS, hazard, json};
use crate::said::{first_difference, said_by};

const TO: [Format; 4] = [
    Format::Storage,
    Format::Wiki(Dialect::Confluence),
    Format::Wiki(Dialect::Jira),
    Format::Markdown(Flavor::Extended),
];

/// Returns an ADF document with this text in many kinds of block. In two of the paragraphs the text also
/// occurs with marks, beside other texts.
fn document(text: &str) -> String {
    let spelled = json(text);
    let bare = format!(r#"{{"type":"text","text":{spelled}}}"#);
    let marked = |marks: &str| format!(r#"{{"type":"text","text":{spelled},"marks":[{marks}]}}"#);
    let em = marked(r#"{"type":"em"}"#);
    let strong = marked(r#"{"type":"strong"},{"type":"strike"}"#);
    let link = marked(r#"{"type":"link","attrs":{"href":"https://example.org/a_(b)"}}"#);
    let code = marked(r#"{"type":"code"}"#);
    let brk = r#"{"type":"hardBreak"}"#;
    let word = r#"{"type":"text","text":"word"}"#;
    let paragraph = |inlines: &str| format!(r#"{{"type":"paragraph","content":[{inlines}]}}"#);
    let holder = |name: &str, inside: &str| format!(r#"{{"type":"{name}","content":[{inside}]}}"#);
    let plain = paragraph(&bare);
    let cell = |name: &str| format!(r#"{{"type":"{name}","attrs":{{}},"content":[{plain}]}}"#);
    let row = holder("tableRow", &[cell("tableHeader"), cell("tableCell")].join(","));
    let item = holder("listItem", &plain);
    let id = r#""localId":"i""#;
    let blocks = [
        plain.clone(),
        paragraph(&[&em, word, &strong, brk, &bare].map(ToString::to_string).join(",")),
        paragraph(&[word, &link, &code, word, &bare].map(ToString::to_string).join(",")),
        format!(r#"{{"type":"heading","attrs":{{"level":2}},"content":[{bare}]}}"#),
        holder("bulletList", &format!("{item},{item}")),
        holder("orderedList", &item),
        format!(
            r#"{{"type":"taskList","attrs":{{{id}}},"content":[{{"type":"taskItem","attrs":{{{id},"state":"TODO"}},"content":[{bare}]}}]}}"#
        ),
        holder("blockquote", &plain),
        holder("codeBlock", &bare),
        format!(r#"{{"type":"panel","attrs":{{"panelType":"info"}},"content":[{plain}]}}"#),
        format!(r#"{{"type":"expand","attrs":{{"title":{spelled}}},"content":[{plain}]}}"#),
        format!(r#"{{"type":"table","content":[{row},{row}]}}"#),
        format!(
            r#"{{"type":"decisionList","attrs":{{{id}}},"content":[{{"type":"decisionItem","attrs":{{{id},"state":"DECIDED"}},"content":[{bare}]}}]}}"#
        ),
        format!(
            r#"{{"type":"paragraph","content":[{{"type":"status","attrs":{{"text":{spelled},"color":"green"}}}},{{"type":"mention","attrs":{{"id":{spelled}}}}},{{"type":"placeholder","attrs":{{"text":{spelled}}}}}]}}"#
        ),
    ];
    format!(r#"{{"version":1,"type":"doc","content":[{}]}}"#, blocks.join(","))
}

#[test]
fn no_character_means_something_else_in_another_format() {
    let (mut probes, mut failed) = (0, Vec::new());
    for index in 0..HAZARDS {
        let source = document(&hazard(index));
        let (mut chain, mut from) = (source.clone(), Format::Adf);
        let first = said_by(Format::Adf, &source);
        for to in TO {
            let direct = convert_with(Format::Adf, to, &source, |it| it.keep_raw = true);
            let back = convert(to, Format::Adf, &direct.text).text;
            probes += 1;
            let found = said_by(Format::Adf, &back);
            if found != first || !direct.is_lossless() {
                let losses: Vec<_> = direct.losses.iter().map(|it| it.message.as_str()).take(2).collect();
                failed.push(format!(
                    "{:?} by {to:?}: {losses:?} {}",
                    hazard(index),
                    first_difference(&first, &found)
                ));
            }
            let next = Document { keep_raw: true, ..Document::read(from, &chain) }.write(to);
            chain = next;
            from = to;
        }
        probes += 1;
        let last = said_by(Format::Adf, &Document::read(from, &chain).write(Format::Adf));
        if last != first {
            failed.push(format!("{:?} through all: {}", hazard(index), first_difference(&first, &last)));
        }
    }
    println!("I8: {probes} probes, {} come back otherwise", failed.len());
    assert!(failed.is_empty(), "{} failed\n{}", failed.len(), failed[..failed.len().min(40)].join("\n"));
}
