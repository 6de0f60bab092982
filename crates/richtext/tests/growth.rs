//! Whether the time of a conversion, with its account of losses, grows as the source does, whatever the source is made of.
//!
//! A source twice as long may take eight times as long and a fifth of a second: that is far from linear, and still every quadratic
//! search in a source of half a MiB is found. What takes longer than `LIMIT` ends the test at a size where one can wait for it.

use std::time::{Duration, Instant};

use plainwire_richtext::{Dialect, Flavor, Format, Sidecar, convert};

const ADF: Format = Format::Adf;
const STORAGE: Format = Format::Storage;
const JIRA: Format = Format::Wiki(Dialect::Jira);
const WIKI: Format = Format::Wiki(Dialect::Confluence);
const MARKDOWN: Format = Format::Markdown(Flavor::Extended);
const LIMIT: Duration = Duration::from_secs(60);

/// What a source is made of: how it begins, what is repeated, and how it ends.
struct Source(&'static str, &'static str, &'static str);

impl Source {
    fn text(&self, bytes: usize) -> String {
        format!("{}{}{}", self.0, self.1.repeat(bytes / self.1.len()), self.2)
    }
}

/// The shortest of the times it takes, tried until one is within `enough`, at most three times: others use the machine too.
fn shortest(enough: Duration, mut work: impl FnMut()) -> Duration {
    let mut shortest = Duration::MAX;
    for _ in 0..3 {
        let (began, used) = (Instant::now(), cpu());
        work();
        let clock = began.elapsed();
        shortest = shortest.min(used.and_then(|it| cpu()?.checked_sub(it)).unwrap_or(clock));
        if shortest <= enough {
            break;
        }
    }
    shortest
}

/// What this thread has used of the CPU, where /proc says so: the clock also counts what others do.
fn cpu() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(text.split(' ').next()?.parse().ok()?))
}

fn grows_as_its_source(name: &str, from: Format, to: Format, source: &Source) {
    grows(&format!("{name}, {from} to {to}"), source, |text| drop(convert(from, to, text)));
}

fn grows(name: &str, source: &Source, work: impl Fn(&str)) {
    let mut before = LIMIT;
    for kib in [64, 256, 512] {
        let text = source.text(kib << 10);
        let enough = if kib == 512 { before * 8 + Duration::from_millis(200) } else { LIMIT };
        before = shortest(enough.min(LIMIT), || work(&text));
        assert!(before <= enough, "{name}: expected {kib} KiB within {enough:?}, but it took {before:?}");
        if kib == 256 {
            // The first time counts what the allocator has to ask for; twice the same is what is compared.
            before = before.min(shortest(LIMIT, || work(&text)));
        }
    }
}

#[test]
fn markdown_is_converted_in_linear_time() {
    let sources = [
        ("brackets", Source("", "[", "")),
        ("pictures", Source("", "![[", "")),
        ("closed brackets", Source("", "[", "]")),
        ("stars", Source("", "*", "")),
        ("stars before words", Source("", "*a **b ", "")),
        ("stars and underscores", Source("", "*a _", "")),
        ("backticks", Source("", "`a``b```c", "")),
        ("less-than signs", Source("", "<", "")),
        ("comments that never end", Source("", "<!-- ", "")),
        ("elements that never end", Source("", "<u>", "")),
        ("directives that never end", Source("", ":a[", "")),
        ("containers that never end", Source("", ":::panel\n", "")),
        ("braces", Source("", "a{b ", "")),
        ("quotes in quotes", Source("", "> ", "a")),
        ("lists in lists", Source("", "- ", "a")),
        ("a list", Source("", "- an item\n", "")),
        ("a table", Source("| a | b |\n| - | - |\n", "| c | d |\n", "")),
        ("one paragraph", Source("", "some words and *more* of them, ", "")),
        ("paragraphs", Source("", "a short paragraph\n\n", "")),
        ("references", Source("[a]: b\n\n", "[a] [c] ", "")),
        ("definitions", Source("", "[a]: b\n", "")),
        ("escapes", Source("", "\\[\\*", "")),
    ];
    for (name, source) in &sources {
        grows_as_its_source(name, MARKDOWN, ADF, source);
    }
}

#[test]
fn markdown_is_written_as_wiki_markup_in_linear_time() {
    grows_as_its_source("one paragraph", MARKDOWN, WIKI, &Source("", "some words *and* more. ", ""));
    grows_as_its_source("a list", MARKDOWN, WIKI, &Source("", "- an *item*\n", ""));
    grows_as_its_source("escapes", MARKDOWN, WIKI, &Source("", "\\{ \\* ", ""));
}

#[test]
fn wiki_markup_is_converted_in_linear_time() {
    let sources = [
        ("brackets", Source("", "[", "")),
        ("braces", Source("", "{", "")),
        ("code that never ends", Source("", "{{a ", "")),
        ("macros that never end", Source("", "{panel}", "")),
        ("pictures that never end", Source("", "!a ", "")),
        ("stars", Source("", "*", "")),
        ("stars before words", Source("", " *a _b", "")),
        ("cells", Source("", "|a", "")),
        ("rows", Source("", "|a|b|\n", "")),
        ("colours", Source("", "{color:red}a", "")),
        ("lists in lists", Source("", "* a\n** b\n*** c\n", "")),
        ("one paragraph", Source("", "some words and *more* of them, ", "")),
        ("lines", Source("", "a line\n", "")),
        ("backslashes", Source("", "\\\\a", "")),
    ];
    for (name, source) in &sources {
        grows_as_its_source(name, WIKI, MARKDOWN, source);
        grows_as_its_source(name, JIRA, ADF, source);
    }
}

#[test]
fn storage_format_is_converted_in_linear_time() {
    let sources = [
        ("less-than signs", Source("", "<", "")),
        ("elements that never end", Source("", "<b>", "")),
        ("blocks that never end", Source("", "<div>", "")),
        ("end tags", Source("", "</b>", "")),
        ("crossed elements", Source("", "<b><i></b></i>", "")),
        ("ampersands", Source("<p>", "&", "</p>")),
        ("sections that never end", Source("", "<![CDATA[", "")),
        ("attributes", Source("<p ", "a='b' ", ">c</p>")),
        ("quotes", Source("", "<p a=\"", "")),
        ("one paragraph", Source("<p>", "some words and <b>more</b> of them, ", "</p>")),
        ("a list", Source("<ul>", "<li>an item</li>", "</ul>")),
        ("cells", Source("<table><tr>", "<td>a</td>", "</tr></table>")),
        ("macros", Source("", "<ac:structured-macro ac:name=\"toc\" />", "")),
    ];
    for (name, source) in &sources {
        grows_as_its_source(name, STORAGE, MARKDOWN, source);
    }
}

#[test]
fn adf_is_converted_in_linear_time() {
    let paragraph = r#"{"type":"doc","content":[{"type":"paragraph","content":["#;
    let sources = [
        ("brackets", Source("", "[", "")),
        ("objects", Source("", "{\"type\":", "")),
        ("nodes in nodes", Source("", r#"{"type":"blockquote","content":["#, "")),
        ("escapes", Source(r#"{"type":"doc","content":[{"type":"text","text":""#, "\\ud83d", "\"}]}")),
        (
            "one paragraph",
            Source(
                paragraph,
                r#"{"type":"text","text":"a "},{"type":"text","text":"b","marks":[{"type":"em"}]},"#,
                "]}]}",
            ),
        ),
        ("rules", Source(r#"{"type":"doc","content":["#, r#"{"type":"rule"},"#, "]}")),
        ("unknown nodes", Source(r#"{"type":"doc","content":["#, r#"{"type":"a"},"#, "]}")),
    ];
    for (name, source) in &sources {
        grows_as_its_source(name, ADF, MARKDOWN, source);
    }
}

#[test]
fn an_edit_is_put_back_in_linear_time() {
    let edits = |from: Format| {
        move |text: &str| {
            let (markdown, sidecar) = Sidecar::split(&plainwire_richtext::Document::read(from, text));
            let edited = markdown.replacen("words", "other words", 1);
            assert!(sidecar.restore(&edited).is_ok(), "it is the Markdown of this sidecar");
        }
    };
    let sources = [
        ("wiki, one paragraph", WIKI, Source("", "some words and *more* of them, ", "")),
        ("wiki, paragraphs", WIKI, Source("", "some words\n\n", "")),
        ("wiki, a list", WIKI, Source("* some words\n", "* an item\n", "")),
        ("storage, paragraphs", STORAGE, Source("", "<p>some words</p>", "")),
        ("storage, one paragraph", STORAGE, Source("<p>some words", "and <b>more</b> of them, ", "</p>")),
    ];
    for (name, from, source) in &sources {
        grows(name, source, edits(*from));
    }
}
