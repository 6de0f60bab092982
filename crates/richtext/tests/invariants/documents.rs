//! The documents with which the invariants are tested.

use plainwire_richtext::{Dialect, Format};

use crate::{corpus, generator};

/// A document, with its name and format.
pub(crate) struct Sample {
    pub(crate) name: String,
    pub(crate) format: Format,
    pub(crate) source: String,
}

/// Returns all documents in ADF, storage format and wiki markup: those of the corpora (malformed ones
/// included), those in the directory that `PLAINWIRE_RICHTEXT_CORPUS` names, and the small ones of this file.
/// The wiki markup of the corpora and of that directory is returned once for each dialect.
pub(crate) fn sources() -> Vec<Sample> {
    let mut all = own();
    let mut add = |format, files: Vec<(String, String)>| {
        all.extend(files.into_iter().map(|(name, source)| Sample { name, format, source }));
    };
    for folder in ["adf", "adf-invalid"] {
        let mut files = corpus::files(folder, "json");
        files.retain(|it| !it.0.ends_with("INDEX.json"));
        add(Format::Adf, files);
    }
    add(Format::Storage, corpus::files("storage", "xml"));
    for dialect in [Dialect::Jira, Dialect::Confluence] {
        for extension in ["wiki", "conf", "confluence", "txt"] {
            add(Format::Wiki(dialect), corpus::files("wiki", extension));
        }
        add(Format::Wiki(dialect), pairs());
        add(Format::Wiki(dialect), corpus::outside("wiki", &["wiki", "conf", "confluence", "jira", "txt"]));
    }
    add(Format::Adf, corpus::outside("adf", &["json"]));
    add(Format::Storage, corpus::outside("storage", &["xml", "xhtml", "html"]));
    all
}

/// Returns the wiki markup of each pair in a corpus file that pairs wiki markup with Markdown.
fn pairs() -> Vec<(String, String)> {
    let Some(text) = corpus::file("wiki/jira2markdown-pairs.json") else { return Vec::new() };
    let pairs: Vec<serde_json::Value> = serde_json::from_str(&text).expect("JSON");
    let wiki = |(at, pair): (usize, &serde_json::Value)| {
        let text = pair.get("wiki").or_else(|| pair.get(0)).and_then(serde_json::Value::as_str)?;
        Some((format!("jira2markdown-{at}"), text.to_owned()))
    };
    pairs.iter().enumerate().filter_map(wiki).collect()
}

/// Returns the small documents of this file, so that the tests check something without the corpora.
fn own() -> Vec<Sample> {
    let adf = r#"{"version": 1, "type":"doc", "content": [
  {"type":"heading","attrs":{"level":2,"localId":"h"},"content":[{"type":"text","text":"Goals"}]},
  {"type":"paragraph","content":[{"text":"one ","type":"text"},{"type":"text","text":"two","marks":[{"type":"strong"}]},
    {"type":"status","attrs":{"text":"OK","color":"green","localId":"s","style":""}}]},
  {"type":"panel","attrs":{"panelType":"info"},"content":[{"type":"paragraph","content":[{"type":"text","text":"in a panel \u00e9"}]}]},
  {"type":"orderedList","attrs":{"order":33.0},"content":[{"type":"listItem","content":[{"type":"paragraph","content":[{"type":"text","text":"item"}]}]}]}
]}
"#;
    let storage = "<h2>Goals</h2>\n<p>one <b>two</b> &mdash; three<br /></p>\n<ac:structured-macro ac:name=\"info\" ac:macro-id='x'>\
                   <ac:rich-text-body><p class=\"k\">in a panel</p></ac:rich-text-body></ac:structured-macro>\n<ul><li>item</li></ul>";
    let wiki = "h2. Goals\n\none *two* -- three\n\n{info}\nin a panel\n{info}\n\n* item\n** deeper\n\n||a||b||\n|c|d|\n";
    let sample =
        |name: &str, format, source: &str| Sample { name: name.into(), format, source: source.into() };
    vec![
        sample("own.json", Format::Adf, adf),
        sample("own.xml", Format::Storage, storage),
        sample("own.wiki", Format::Wiki(Dialect::Confluence), wiki),
    ]
}

/// Returns `count` ADF documents of the generator. All are valid; in a large number of them every kind of
/// node and mark occurs.
pub(crate) fn generated(count: u64) -> Vec<Sample> {
    let sample = |seed| Sample {
        name: format!("generated {seed}"),
        format: Format::Adf,
        source: generator::generate(seed, 5),
    };
    (0..count).map(sample).collect()
}

/// Returns every `step`th of many documents, which takes as much less time. Returns all of them if there are few, or if
/// [all are wanted](is_whole).
pub(crate) fn some(step: usize, samples: Vec<Sample>) -> Vec<Sample> {
    let step = if is_whole() || samples.len() < 50 { 1 } else { step };
    samples.into_iter().step_by(step).collect()
}

/// Returns the least number of cases that [`some`] documents must have, of the least number that all of them have.
pub(crate) fn least(step: usize, of_all: usize) -> usize {
    if is_whole() { of_all } else { of_all / step }
}

/// Returns whether all documents are wanted: `.ci/nightly` sets `PLAINWIRE_WHOLE`.
fn is_whole() -> bool {
    std::env::var_os("PLAINWIRE_WHOLE").is_some()
}

/// Returns documents in Markdown: a small one, each example of CommonMark and of GitHub's extensions, and
/// whole files of the corpora and of the directory that `PLAINWIRE_RICHTEXT_CORPUS` names.
pub(crate) fn markdown() -> Vec<Sample> {
    let mut all = Vec::new();
    let mut add = |name: String, source: &str| {
        let format = Format::Markdown(plainwire_richtext::Flavor::Extended);
        all.push(Sample { name, format, source: source.to_owned() });
    };
    add(
        "own.md".into(),
        "# A *b*\n\n- [x] c\n- d\n\n> e `f`\n\n| g | h |\n| - | - |\n| i | ~~j~~ |\n\n![k](l.png) [m](n)\n",
    );
    if let Some(text) = corpus::file("markdown/commonmark-0.31.2-spec.json") {
        let examples: Vec<serde_json::Value> = serde_json::from_str(&text).expect("JSON");
        for (at, example) in examples.iter().enumerate() {
            add(format!("example {}", at + 1), example["markdown"].as_str().expect("each has one"));
        }
    }
    for extension in ["md", "txt"] {
        for (name, text) in corpus::files("markdown", extension) {
            if name.contains("gfm-") {
                let parts = text.split("````````````````````````````````").enumerate();
                parts.for_each(|(at, it)| add(format!("{name} part {at}"), it));
            }
            add(name, &text);
        }
    }
    corpus::outside("markdown", &["md", "markdown", "txt"])
        .iter()
        .for_each(|(name, text)| add(name.clone(), text));
    all
}
