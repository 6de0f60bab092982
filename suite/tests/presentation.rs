//! Markdown from a value, read by a parser of CommonMark: every text of the value is there as it is, and nothing in a text
//! becomes markup.

use plainwire::presentation::Presentation;
use plainwire::{Client, Server, Tool};
use pulldown_cmark::{Event, Options, Parser, Tag};
use serde_json::{Map, Value, json};

/// Texts with signs that mean something in Markdown, in HTML or on a terminal.
const TEXTS: [&str; 46] = [
    "",
    " ",
    "plain",
    "two words",
    " padded ",
    "a  b",
    "*bold*",
    "**x**",
    "_it_ and snake_case",
    "__init__",
    "~~gone~~",
    "a ~5 b~",
    "`code`",
    "``",
    "a `b` c",
    "# heading",
    "#",
    "> quote",
    "- item",
    "+ item",
    "* item",
    "1. item",
    "1) item",
    "2026. A year",
    "---",
    "===",
    "***",
    "[x] done",
    "[a](b)",
    "[a]: b",
    "![i](u)",
    "<b>bold</b>",
    "<https://a.example>",
    "https://a.example/?q=a_b*c",
    "&amp; &#35; AT&T",
    "a | b",
    "|---|---|",
    r"C:\new\*",
    r"back\slash \* star",
    "line\nbreak",
    "para\n\ngraph",
    "    code\n  more",
    "tab\there",
    "\u{1b}[31mred",
    "ends with #",
    "```\nfence\n~~~",
];

/// A generator of numbers that are the same in each run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % sides as u64).expect("below `sides`")
    }

    fn text(&mut self) -> String {
        TEXTS[self.below(TEXTS.len())].to_owned()
    }

    fn value(&mut self, depth: usize) -> Value {
        match self.below(if depth == 0 { 6 } else { 9 }) {
            0 => Value::Null,
            1 => Value::Bool(true),
            2 => json!(self.below(1_000)),
            3..=5 => Value::String(self.text()),
            6 => (0..self.below(4)).map(|_| self.value(depth - 1)).collect(),
            7 => {
                // Like objects, which may become a table.
                let names: Vec<String> = (0..=self.below(3)).map(|_| self.text()).collect();
                let row = |dice: &mut Self| {
                    names.iter().map(|name| (name.clone(), Value::String(dice.text()))).collect::<Map<_, _>>()
                };
                (0..3).map(|_| Value::Object(row(self))).collect()
            }
            _ => {
                let mut members = Map::new();
                for _ in 0..self.below(4) {
                    let name = ["title", "name", "id", &*self.text()][self.below(4)].to_owned();
                    members.insert(name, self.value(depth - 1));
                }
                Value::Object(members)
            }
        }
    }
}

/// Returns the Markdown that a gated server makes of a value.
async fn markdown(client: &Client, value: &Value) -> String {
    let result = client.call_tool("echo", json!({ "value": value })).await.expect("a result");
    result.content[0].as_text().expect("a text").to_owned()
}

/// Returns what a reader of the Markdown sees, line by line.
fn seen(markdown: &str) -> String {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_FOOTNOTES;
    let mut seen = String::new();
    for event in Parser::new_ext(markdown, options) {
        match event {
            Event::Text(text) | Event::Code(text) => seen += &text,
            Event::SoftBreak | Event::HardBreak | Event::End(_) => seen.push('\n'),
            Event::Start(Tag::Link { dest_url, .. }) => {
                assert!(dest_url.starts_with("https://"), "{markdown}")
            }
            Event::Start(Tag::Image { .. } | Tag::Strikethrough | Tag::FootnoteDefinition(_))
            | Event::Html(_)
            | Event::InlineHtml(_)
            | Event::FootnoteReference(_)
            | Event::Rule
            | Event::TaskListMarker(_) => panic!("{event:?} in\n{markdown}"),
            _ => {}
        }
    }
    seen
}

/// Checks that a reader sees each text of a value.
fn check(value: &Value, seen: &str, markdown: &str) {
    let is_seen = |text: &str| {
        // A text that would not be seen is written as in JSON.
        let json = Value::from(text).to_string();
        let lines = |it: &str| it.lines().all(|line| seen.contains(line));
        assert!(
            seen.contains(&json) || (!text.is_empty() && lines(text)),
            "{text:?} is not in {seen:?}, from\n{markdown}"
        );
    };
    match value {
        Value::String(text) => is_seen(text),
        Value::Array(all) => all.iter().for_each(|it| check(it, seen, markdown)),
        Value::Object(members) => {
            for (name, value) in members {
                // A title stands without its name.
                if !["title", "name", "id"].contains(&&**name) {
                    is_seen(name);
                }
                check(value, seen, markdown);
            }
        }
        Value::Null => {}
        other => assert!(seen.contains(&other.to_string()), "{other} is not in {seen:?}, from\n{markdown}"),
    }
}

#[tokio::test]
async fn a_parser_of_commonmark_sees_every_text_as_it_is() {
    let echo = Tool::new("echo", |arguments: Map<String, Value>| async move { arguments["value"].clone() });
    let server = Server::new("echo").tool(echo).presentation(Presentation::gated());
    let client = plainwire::testing::client(server).await.expect("a server");
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    for text in TEXTS {
        for value in [
            json!(text),
            json!([text, text]),
            json!({ "a": text }),
            json!([{ "a": text, "b": 1 }]),
            json!({ text: { "title": text } }),
        ] {
            let shown = markdown(&client, &value).await;
            check(&value, &seen(&shown), &shown);
        }
    }
    for _ in 0..2_000 {
        let value = dice.value(3);
        let shown = markdown(&client, &value).await;
        check(&value, &seen(&shown), &shown);
    }
}
