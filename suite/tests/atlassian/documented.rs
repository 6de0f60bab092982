//! The calls in docs/atlassian/tools.md: each is run, and its answer compared with the page.
//!
//! In: the page, and a site that nobody has used. Out: the differences. The calls run in the order of the page, on one site of Cloud. The page
//! has the headings, the arguments and the prose; what a machine knows is written by
//! `UPDATE=1 cargo test -p plainwire-suite --test atlassian documented`: the table of tools, the first paragraph below the heading of a tool, and
//! the answers. An answer shows its members on lines of their own, with `[..]` for the rest of a long text and for what differs from run to run,
//! and a line `...` for lines that were left out.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::{env, fs};

use plainwire::Client;
use plainwire_atlassian::{Atlassian, Choice};
use plainwire_site::Deployment;
use plainwire_suite::root;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::page::{Shown, compare};
use crate::support::{World, tried};
use crate::trouble::client_of;

/// The longest line of an answer, and the most lines of one.
const WIDTH: usize = 118;
const MOST_LINES: usize = 12;

/// The fence above the arguments of a call, and the one above its answer.
const CALL: &str = "```json call";
const ANSWER: &str = "```json answer";

/// A call in the page, and the answer that the page shows below it.
struct Documented {
    tool: String,
    arguments: String,
    line: usize,
    answer: String,
}

/// Returns the calls of the page, in its order.
fn calls(page: &str) -> Vec<Documented> {
    let (mut found, mut tool, mut fence) = (Vec::<Documented>::new(), String::new(), "");
    for (n, line) in page.lines().enumerate() {
        match (fence, line) {
            ("", line) if line.starts_with("### ") => line[4..].clone_into(&mut tool),
            ("", CALL) => {
                fence = CALL;
                let (arguments, answer) = (String::new(), String::new());
                found.push(Documented { tool: tool.clone(), arguments, line: n + 1, answer });
            }
            ("", line) if line.starts_with("```") => fence = line,
            (_, "```") => fence = "",
            (CALL, line) => found.last_mut().expect("a call that has begun").arguments += line,
            (ANSWER, line) => {
                let last =
                    found.last_mut().unwrap_or_else(|| panic!("line {}: an answer without a call", n + 1));
                last.answer += &format!("{line}\n");
            }
            _ => {}
        }
    }
    found
}

/// Returns the value of a result as the page shows it, or the text of its error.
async fn answered(
    world: &World,
    client: &Client,
    handle: &mut String,
    call: &Documented,
) -> Result<String, String> {
    let arguments = call.arguments.replace("undo-[..]", handle);
    let arguments: Value = serde_json::from_str(&arguments)
        .unwrap_or_else(|error| panic!("docs/atlassian/tools.md:{}: {error}", call.line));
    let result = tried(client, &call.tool, arguments).await;
    let text: String = result.content.iter().filter_map(|it| it.as_text()).collect();
    if result.is_error {
        return Err(format!("{} failed: {text}", call.tool));
    }
    let value = result.structured_content.as_ref().map_or("null", |it| it.get());
    let parsed: Value = serde_json::from_str(value).expect("JSON");
    if let Some(undo) = parsed["undo"].as_str() {
        undo.clone_into(handle);
    }
    let (_, port) = world.url.rsplit_once(':').expect("an address with a port");
    Ok(short(&value.replace(&format!("127.0.0.1:{port}"), "127.0.0.1:[..]")))
}

/// Returns JSON on at most [`MOST_LINES`] lines.
fn short(json: &str) -> String {
    let raw: Box<RawValue> = serde_json::from_str(json).expect("JSON");
    let mut lines = Vec::new();
    spread(&raw, "", "", "", &mut lines);
    if lines.len() > MOST_LINES {
        // The last member and the end of the object often say how to go on.
        let end = lines.split_off(lines.len() - 2);
        lines.truncate(MOST_LINES - 3);
        lines.push("...".to_owned());
        lines.extend(end);
    }
    lines.join("\n") + "\n"
}

/// The members of an object, in their order.
struct Members(Vec<(String, Box<RawValue>)>);

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visit;
        impl<'de> Visitor<'de> for Visit {
            type Value = Members;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Visit)
    }
}

/// Adds the lines of a value: one if it is short enough, otherwise one for each member or element.
fn spread(value: &RawValue, indent: &str, before: &str, after: &str, lines: &mut Vec<String>) {
    let text = value.get();
    let width = indent.len() + before.len() + text.len() + after.len();
    let inner = format!("{indent}  ");
    let parts: Vec<(String, Box<RawValue>)> = match text.as_bytes().first() {
        // The members of the answer itself are always on lines of their own.
        Some(b'{') if width > WIDTH || indent.is_empty() => {
            let Members(members) = serde_json::from_str(text).expect("an object");
            members
                .into_iter()
                .map(|(name, value)| (format!("{}: ", quoted(&name)), varying(&name, value)))
                .collect()
        }
        Some(b'[') if width > WIDTH => {
            let elements: Vec<Box<RawValue>> = serde_json::from_str(text).expect("an array");
            elements.into_iter().map(|it| (String::new(), it)).collect()
        }
        Some(b'"') if width > WIDTH => {
            let room = WIDTH - indent.len() - before.len() - after.len() - "[..]\"".len();
            let cut = (0..=room).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
            // Not within an escape.
            let kept = text[..cut].trim_end_matches('\\');
            lines.push(format!("{indent}{before}{kept}[..]\"{after}"));
            return;
        }
        _ => Vec::new(),
    };
    if parts.is_empty() {
        lines.push(format!("{indent}{before}{text}{after}"));
        return;
    }
    let (open, close) = (&text[..1], &text[text.len() - 1..]);
    lines.push(format!("{indent}{before}{open}"));
    let last = parts.len() - 1;
    for (n, (name, value)) in parts.iter().enumerate() {
        spread(value, &inner, name, if n == last { "" } else { "," }, lines);
    }
    lines.push(format!("{indent}{close}{after}"));
}

/// Replaces a value that differs from run to run.
fn varying(name: &str, value: Box<RawValue>) -> Box<RawValue> {
    let text = match name {
        "undo" => "\"undo-[..]\"",
        "undo_expires" => "\"[..]\"",
        _ => return value,
    };
    RawValue::from_string(text.to_owned()).expect("JSON")
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// The tools of a server, as the page describes them.
struct Tools {
    /// Their names, in the order of the toolsets.
    names: Vec<&'static str>,
    toolsets: BTreeMap<&'static str, &'static str>,
    writes: BTreeSet<&'static str>,
    defaults: BTreeSet<&'static str>,
    cloud_only: BTreeSet<&'static str>,
    /// The descriptions that models read.
    described: BTreeMap<String, String>,
}

impl Tools {
    async fn new(cloud: &Client, data_center: &Client) -> Self {
        let every = Atlassian::tools(&Choice { toolsets: vec!["all".to_owned()], ..Choice::default() });
        let offered: BTreeSet<String> = listed(data_center).await.into_keys().collect();
        Self {
            names: every.iter().map(|it| it.0).collect(),
            toolsets: every.iter().map(|it| (it.0, it.1)).collect(),
            writes: every.iter().filter(|it| it.2).map(|it| it.0).collect(),
            defaults: Atlassian::tools(&Choice::default()).into_iter().map(|it| it.0).collect(),
            cloud_only: every.iter().map(|it| it.0).filter(|it| !offered.contains(*it)).collect(),
            described: listed(cloud).await,
        }
    }

    /// Returns the first paragraph of a tool in the page.
    fn sentence(&self, name: &str) -> String {
        let text = self.described.get(name).map_or("", String::as_str);
        let only = if self.cloud_only.contains(name) { " *Cloud only.*" } else { "" };
        format!("{text}{only}")
    }

    /// Returns the table of the page: a row for each toolset.
    fn table(&self) -> String {
        let mut rows: Vec<(&str, [Vec<String>; 2])> = Vec::new();
        for name in &self.names {
            let toolset = self.toolsets[name];
            if rows.iter().all(|it| it.0 != toolset) {
                rows.push((toolset, [vec![], vec![]]));
            }
            let row = rows.iter_mut().find(|it| it.0 == toolset).expect("the row of before");
            let link = format!("[{name}](#{name})");
            let link = if self.defaults.contains(name) { format!("**{link}**") } else { link };
            let only = if self.cloud_only.contains(name) { " (Cloud only)" } else { "" };
            row.1[usize::from(self.writes.contains(name))].push(format!("{link}{only}"));
        }
        let mut table = "| Toolset | Tools that read | Tools that change |\n|---|---|---|\n".to_owned();
        for (toolset, [reads, writes]) in rows {
            let _ = writeln!(table, "| `{toolset}` | {} | {} |", reads.join(", "), writes.join(", "));
        }
        table
    }
}

async fn listed(client: &Client) -> BTreeMap<String, String> {
    let tools = client.list_tools().await.expect("a list");
    tools
        .into_iter()
        .map(|it| (it.name.to_string(), it.description.unwrap_or_default().to_string()))
        .collect()
}

/// Returns the page with what a machine knows of it written anew.
fn written(page: &str, tools: &Tools, answers: &[String]) -> String {
    let (mut made, mut answers) = (String::new(), answers.iter());
    let mut lines = page.lines().peekable();
    while let Some(line) = lines.next() {
        made += &format!("{line}\n");
        if line.starts_with("| Toolset ") {
            made.truncate(made.len() - line.len() - 1);
            made += &tools.table();
            while lines.next_if(|it| it.starts_with('|')).is_some() {}
        } else if let Some(name) = line.strip_prefix("### ") {
            while lines.next_if(|it| it.is_empty()).is_some() {}
            while lines.next_if(|it| !it.is_empty() && !it.starts_with(['`', '#'])).is_some() {}
            made += &format!("\n{}\n", tools.sentence(name));
            if lines.peek().is_some_and(|it| !it.is_empty()) {
                made += "\n";
            }
        } else if line == CALL {
            for line in lines.by_ref() {
                made += &format!("{line}\n");
                if line == "```" {
                    break;
                }
            }
            while lines.next_if(|it| it.is_empty()).is_some() {}
            if lines.next_if_eq(&ANSWER).is_some() {
                lines.by_ref().find(|it| *it == "```");
            }
            made += &format!("\n{ANSWER}\n{}```\n", answers.next().expect("an answer of each call"));
            if lines.peek().is_some_and(|it| !it.is_empty()) {
                made += "\n";
            }
        }
    }
    made
}

/// Returns a message for each tool that has no call in the page, is in the section of another toolset, or is no tool.
fn misplaced(page: &str, calls: &[Documented], tools: &Tools) -> Vec<String> {
    let called: BTreeSet<&str> = calls.iter().map(|it| it.tool.as_str()).collect();
    let missing = tools.names.iter().filter(|it| !called.contains(*it));
    let mut wrong: Vec<String> = missing.map(|it| format!("{it} has no call in the page")).collect();
    let mut section = "";
    for line in page.lines() {
        if let Some(name) = line.strip_prefix("## ") {
            section = name;
        } else if let Some(name) = line.strip_prefix("### ") {
            match tools.toolsets.get(name) {
                None => wrong.push(format!("the server has no tool {name}")),
                Some(toolset) if *toolset != section => {
                    wrong.push(format!("{name} is in {toolset}, and not in {section}"))
                }
                Some(_) => {}
            }
        }
    }
    wrong
}

async fn on_cloud() -> (World, Client) {
    let world = World::new(Deployment::Cloud).await;
    let mut settings = world.settings();
    settings.gateway = world.url.parse().expect("a URL");
    let client = client_of(settings).await;
    (world, client)
}

#[tokio::test]
async fn each_tool_has_a_call_in_the_page_that_is_answered_as_the_page_shows() {
    let path = root().join("docs/atlassian/tools.md");
    let page = fs::read_to_string(&path).expect("docs/atlassian/tools.md");
    let (world, client) = on_cloud().await;
    let other = World::new(Deployment::DataCenter).await;
    let tools = Tools::new(&client, &other.client().await).await;
    let calls = calls(&page);
    let wrong = misplaced(&page, &calls, &tools);
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));

    let (mut handle, mut answers) = (String::new(), Vec::new());
    let (mut failures, mut differences) = (String::new(), String::new());
    for it in &calls {
        let command = format!("{} {}", it.tool, it.arguments);
        let shown = Shown { block: 0, code: 0, command, line: it.line, output: it.answer.clone() };
        match answered(&world, &client, &mut handle, it).await {
            Err(why) => failures += &format!("docs/atlassian/tools.md:{}: {why}\n", it.line),
            Ok(answer) => {
                if let Err(difference) = compare(&shown, (0, &answer)) {
                    differences += &format!("docs/atlassian/tools.md:{}\n{difference}\n", it.line);
                }
                answers.push(answer);
            }
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
    world.assert_contract();
    let now = written(&page, &tools, &answers);
    if env::var_os("UPDATE").is_some_and(|it| it == "1") {
        fs::write(&path, &now).expect("a writable file");
        return;
    }
    assert!(differences.is_empty(), "\n{differences}UPDATE=1 writes down what is answered now");
    // The answers of the page may have wildcards of their own.
    let shown: Vec<String> = calls.into_iter().map(|it| it.answer).collect();
    let expected = written(&page, &tools, &shown);
    let differs = page.lines().zip(expected.lines()).enumerate().find(|(_, (then, now))| then != now);
    if let Some((at, (then, now))) = differs {
        panic!(
            "docs/atlassian/tools.md:{}\nexpected {now}\nbut found {then}\nUPDATE=1 writes it down",
            at + 1
        );
    }
    assert_eq!(page.len(), expected.len(), "UPDATE=1 writes docs/atlassian/tools.md down as it is now");
}

#[test]
fn an_answer_is_shown_on_few_lines_and_matches_itself() {
    let long = "x".repeat(300);
    let many: Vec<String> = (0..40).map(|n| format!("element {n}")).collect();
    let value = format!(
        r#"{{"b":1,"a":"{long}","undo":"undo-77","list":{},"next_page_token":"t"}}"#,
        serde_json::to_string(&many).expect("JSON")
    );
    let shown = short(&value);
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines.len(), MOST_LINES, "{shown}");
    assert!(lines.iter().all(|it| it.len() <= WIDTH), "{shown}");
    assert_eq!(lines[..2], ["{", "  \"b\": 1,"]);
    assert!(lines[2].ends_with("[..]\",") && lines[3] == "  \"undo\": \"undo-[..]\",", "{shown}");
    assert_eq!(lines[9..], ["...", "  \"next_page_token\": \"t\"", "}"]);
}

#[test]
fn what_the_page_lacks_and_what_it_has_too_much_is_found() {
    let tools = Tools {
        names: vec!["jira_a", "jira_b"],
        toolsets: [("jira_a", "one"), ("jira_b", "two")].into(),
        writes: ["jira_b"].into(),
        defaults: ["jira_a"].into(),
        cloud_only: ["jira_b"].into(),
        described: [
            ("jira_a".to_owned(), "Reads it.".to_owned()),
            ("jira_b".to_owned(), "Writes it.".to_owned()),
        ]
        .into(),
    };
    let page = "| Toolset |\n\n## one\n\n### jira_a\n\n### jira_b\nOld.\n\n```json call\n{\"x\": 1}\n```\n\n### jira_c\n";
    let found = calls(page);
    assert_eq!(
        (found.len(), found[0].tool.as_str(), found[0].arguments.as_str()),
        (1, "jira_b", "{\"x\": 1}")
    );
    let wrong = misplaced(page, &found, &tools);
    let expected = [
        "jira_a has no call in the page",
        "jira_b is in two, and not in one",
        "the server has no tool jira_c",
    ];
    assert_eq!(wrong, expected);
    let made = written(page, &tools, &["{}\n".to_owned()]);
    assert!(made.contains("| `two` |  | [jira_b](#jira_b) (Cloud only) |\n"), "{made}");
    assert!(made.contains("### jira_b\n\nWrites it. *Cloud only.*\n\n```json call\n"), "{made}");
    assert!(made.contains("```\n\n```json answer\n{}\n```\n"), "{made}");
    let again = written(&made, &tools, &["{}\n".to_owned()]);
    assert_eq!(made, again);
}
