//! Sources that repeat one construct. The tests in this directory measure the memory for some KiB of each
//! source; the benchmark `suite/bench/richtext` uses many MiB.

/// A source in which one text is repeated.
pub(crate) struct Source {
    /// The file extension of the format (`md`, `wiki`, `xml`, `json`), a space, and a description.
    pub(crate) name: &'static str,
    /// The text before the repetitions.
    begin: &'static str,
    /// The text that is repeated.
    middle: &'static str,
    /// The text after the repetitions.
    end: &'static str,
}

impl Source {
    /// Returns the source with so many repetitions that it has about `bytes` bytes.
    pub(crate) fn text(&self, bytes: usize) -> String {
        let middle = self.middle.repeat(bytes / self.middle.len());
        let middle = if self.format() == "json" { middle.trim_end_matches(',') } else { &middle };
        format!("{}{middle}{}", self.begin, self.end)
    }

    /// Returns the file extension of the source's format.
    pub(crate) fn format(&self) -> &'static str {
        self.name.split(' ').next().unwrap_or_default()
    }
}

const fn source(name: &'static str, begin: &'static str, middle: &'static str, end: &'static str) -> Source {
    Source { name, begin, middle, end }
}

/// The sources of all formats.
pub(crate) const SOURCES: [Source; 65] = [
    source("md brackets", "", "[", ""),
    source("md pictures", "", "![[", ""),
    source("md closed brackets", "", "[", "]"),
    source("md stars", "", "*", ""),
    source("md stars before words", "", "*a **b ", ""),
    source("md stars and underscores", "", "*a _", ""),
    source("md backticks", "", "`a``b```c", ""),
    source("md less-than signs", "", "<", ""),
    source("md comments that never end", "", "<!-- ", ""),
    source("md elements that never end", "", "<u>", ""),
    source("md directives that never end", "", ":a[", ""),
    source("md containers that never end", "", ":::panel\n", ""),
    source("md colons", "", ":", ""),
    source("md words with colons", "", "a:: ", ""),
    source("md braces", "", "a{b ", ""),
    source("md quotes in quotes", "", "> ", "a"),
    source("md lists in lists", "", "- ", "a"),
    source("md a list", "", "- an *item*\n", ""),
    source("md a table", "| a | b |\n| - | - |\n", "| c | d |\n", ""),
    source("md one paragraph", "", "some words and *more* of them, ", ""),
    source("md lines", "", "a line\n", ""),
    source("md paragraphs", "", "a short paragraph\n\n", ""),
    source("md references", "[a]: b\n\n", "[a] [c] ", ""),
    source("md definitions", "", "[a]: b\n", ""),
    source("md definitions between paragraphs", "", "[a]\n\n[a]: b\n\n", ""),
    source("md escapes", "", "\\[\\*", ""),
    source("wiki brackets", "", "[", ""),
    source("wiki braces", "", "{", ""),
    source("wiki code that never ends", "", "{{a ", ""),
    source("wiki macros that never end", "", "{panel}", ""),
    source("wiki pictures that never end", "", "!a ", ""),
    source("wiki stars", "", "*", ""),
    source("wiki stars before words", "", " *a _b", ""),
    source("wiki cells", "", "|a", ""),
    source("wiki rows", "", "|a|b|\n", ""),
    source("wiki colours", "", "{color:red}a", ""),
    source("wiki lists in lists", "", "* a\n** b\n*** c\n", ""),
    source("wiki a list", "", "* an item\n", ""),
    source("wiki one paragraph", "", "some words and *more* of them, ", ""),
    source("wiki lines", "", "a line\n", ""),
    source("wiki paragraphs", "", "a short paragraph\n\n", ""),
    source("wiki backslashes", "", "\\\\a", ""),
    source("xml less-than signs", "", "<", ""),
    source("xml brackets", "", "[", ""),
    source("xml elements that never end", "", "<b>", ""),
    source("xml blocks that never end", "", "<div>", ""),
    source("xml end tags", "", "</b>", ""),
    source("xml crossed elements", "", "<b><i></b></i>", ""),
    source("xml ampersands", "<p>", "&", "</p>"),
    source("xml sections that never end", "", "<![CDATA[", ""),
    source("xml attributes", "<p ", "a='b' ", ">c</p>"),
    source("xml quotes", "", "<p a=\"", ""),
    source("xml one paragraph", "<p>", "some words and <b>more</b> of them, ", "</p>"),
    source("xml paragraphs", "", "<p>a short paragraph</p>", ""),
    source("xml a list", "<ul>", "<li>an item</li>", "</ul>"),
    source("xml cells", "<table><tr>", "<td>a</td>", "</tr></table>"),
    source("xml macros", "", "<ac:structured-macro ac:name=\"toc\" />", ""),
    source("json brackets", "", "[", ""),
    source("json objects", "", "{\"type\":", ""),
    source("json nodes in nodes", "", r#"{"type":"blockquote","content":["#, ""),
    source("json escapes", r#"{"type":"doc","content":[{"type":"text","text":""#, "\\ud83d", "\"}]}"),
    source(
        "json one paragraph",
        r#"{"type":"doc","content":[{"type":"paragraph","content":["#,
        r#"{"type":"text","text":"a "},{"type":"text","text":"b","marks":[{"type":"em"}]},"#,
        "]}]}",
    ),
    source(
        "json paragraphs",
        r#"{"type":"doc","content":["#,
        r#"{"type":"paragraph","content":[{"type":"text","text":"a short paragraph"}]},"#,
        "]}",
    ),
    source("json rules", r#"{"type":"doc","content":["#, r#"{"type":"rule"},"#, "]}"),
    source("json unknown nodes", r#"{"type":"doc","content":["#, r#"{"type":"a"},"#, "]}"),
];
