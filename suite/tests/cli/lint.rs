//! Tests of `plainwire lint`: its output, the options that leave findings out, and the exit code 1. The rules
//! are tested in `crates/inspect`.

use plainwire::schema::Preset;
use plainwire_inspect::lint::RULES;
use plainwire_suite::{binary, root};
use serde_json::{Value, json};
use snapbox::{assert_data_eq, str};

use super::Ran;
use super::tokens::shop;

/// Returns two tools. The first one breaks rules: it has an error, a warning for Gemini, a warning for all
/// clients, and a note. The second one breaks none.
fn menu() -> Value {
    let price = json!({ "type": ["number", "null"], "description": "In cents." });
    let dish = json!({ "type": "object", "properties": { "with": { "$ref": "#/$defs/Dish" } } });
    json!([
        {
            "name": "find_dishes",
            "description": "This tool finds dishes and returns each with its name.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "filter[price]": price,
                    "like": { "$ref": "#/$defs/Dish", "description": "What it goes with." },
                },
                "$defs": { "Dish": dish },
            },
        },
        {
            "name": "close",
            "description": "Closes the kitchen and returns when it opens again.",
            "inputSchema": { "type": "object", "properties": {} },
        },
    ])
}

fn lint(words: &[&str]) -> Ran {
    shop(&[&["lint"], words].concat(), &menu())
}

fn rules(ran: &Ran) -> Vec<String> {
    let report: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let findings = report["findings"].as_array().expect("findings").iter();
    findings.map(|it| it["rule"].as_str().expect("a rule").to_owned()).collect()
}

#[test]
fn shows_what_where_for_whom_and_what_to_do() {
    let ran = lint(&[]);
    assert_eq!((ran.code, &*ran.stderr), (1, ""));
    assert_data_eq!(
        ran.stdout,
        str![[r##"
find_dishes
  warning narrating-description in description
      expected a verb first, but found "this tool …"
      hint: begin with the verb, and say when to use it: `Use it when …`
  error property-name (claude) in inputSchema.properties.filter[price]
      expected 1 to 64 letters, digits, `_`, `.` and `-`, but found "filter[price]"
      hint: letters, digits, `_`, `.` and `-` only, at most 64 of them
  note recursive-reference (copilot, gemini) in inputSchema.$defs.Dish.properties.with
      expected a schema without recursion, but found "#/$defs/Dish" inside itself (and in one more place)
      hint: [..]
  warning type-list (gemini) in inputSchema.properties.filter[price]
      expected one type, but found ["number","null"]
      hint: leave an optional parameter out of `required` instead of allowing `null`

1 error, 2 warnings, 1 note in 2 tools

a server made with Plainwire adapts its schemas to Gemini or OpenAI: `Server::schema_preset`

"##]]
    );
}

#[test]
fn speaks_json() {
    let ran = lint(&["--json"]);
    let report: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let counts = ["tools", "errors", "warnings", "notes"].map(|it| report[it].as_u64());
    assert_eq!((ran.code, counts), (1, [Some(2), Some(1), Some(2), Some(1)]));
    assert_eq!(report["findings"][1]["where"], "inputSchema.properties.filter[price]");
    assert_eq!(report["findings"][1]["clients"], json!(["claude"]));
}

#[test]
fn leaves_out_what_is_not_wanted() {
    for (words, left) in [
        (&["--client=claude"][..], &["narrating-description", "property-name"][..]),
        (&["--client=gemini"], &["narrating-description", "recursive-reference", "type-list"]),
        (&["--client=cursor"], &["narrating-description"]),
        (&["--client=cursor", "--client=claude"], &["narrating-description", "property-name"]),
        (&["--client=claude", "--allow=property-name"], &["narrating-description"]),
        (&["--filter=KITCHEN"], &[]),
    ] {
        assert_eq!(rules(&lint(&[words, &["--json"]].concat())), left, "{words:?}");
    }
    for words in [&["--client=nobody"], &["--allow=nothing"]] {
        assert_eq!(lint(words).code, 2, "{words:?}");
    }
}

#[test]
fn exits_with_1_from_what_is_denied_on() {
    for (words, code) in [
        (&[][..], 1),
        (&["--allow=property-name"], 0),
        (&["--allow=property-name", "--deny=warnings"], 1),
        (&["--filter=kitchen", "--deny=notes"], 0),
        (&["--client=copilot", "--allow=narrating-description", "--deny=warnings"], 0),
        (&["--client=copilot", "--allow=narrating-description", "--deny=notes"], 1),
    ] {
        assert_eq!(lint(words).code, code, "{words:?}");
    }
}

/// Returns the commands of the servers that readers may copy: the examples and the reference server.
fn shown() -> Vec<Vec<String>> {
    let folder = binary::path().parent().expect("a file lies in a folder");
    let example = |name| vec![folder.join(name).to_string_lossy().into_owned()];
    let reference = [binary::path().to_string_lossy().into_owned(), "serve".into(), "reference".into()];
    binary::EXAMPLES.map(example).into_iter().chain([reference.to_vec()]).collect()
}

#[test]
fn finds_no_errors_in_the_servers_that_people_learn_from() {
    for server in shown() {
        let ran = binary::command().args(["lint", "--"]).args(&server).output().expect("it starts");
        assert_eq!(ran.status.code(), Some(0), "{server:?}: {}", String::from_utf8_lossy(&ran.stdout));
    }
}

#[test]
fn no_schema_of_theirs_refers_to_another_one_in_any_preset() {
    let mut seen = 0;
    for server in shown() {
        let ran = binary::command().args(["list", "--json", "--"]).args(&server).output().expect("it starts");
        let list: Value = serde_json::from_slice(&ran.stdout).expect("JSON");
        for tool in list["tools"].as_array().into_iter().flatten() {
            for preset in Preset::ALL {
                let mut schema = tool["inputSchema"].clone();
                preset.apply(&mut schema);
                assert!(!schema.to_string().contains("\"$ref\""), "{preset}: {schema}");
                seen += 1;
            }
        }
    }
    assert!(seen > 30, "expected more tools than {seen}");
}

#[test]
fn the_page_has_a_row_for_each_rule() {
    let page = std::fs::read_to_string(root().join("docs/tokens.md")).expect("docs/tokens.md");
    for rule in RULES {
        let clients: Vec<_> = rule.clients.iter().map(|it| it.name()).collect();
        let whom = if clients.is_empty() { "all".into() } else { clients.join(", ") };
        let row = format!("| `{}` | {} | {whom} |", rule.name, rule.severity.name());
        let row = page.lines().find(|line| line.starts_with(&row)).unwrap_or_else(|| panic!("no row {row}"));
        assert!(clients.is_empty() || row.contains("](https://"), "a rule about clients has a source: {row}");
    }
}
