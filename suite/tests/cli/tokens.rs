//! Tests of `plainwire tokens`: the counts, the budget, and the comparison of two servers.

use serde_json::{Value, json};
use snapbox::{assert_data_eq, str};

use super::script::{Step, answer, modern, play};
use super::{Ran, ask, run};

/// Runs `plainwire` with the arguments `words` and a server called `shop` that has these tools and nothing
/// else.
pub(crate) fn shop(words: &[&str], tools: &Value) -> Ran {
    let mut steps: Vec<Step> = modern(&json!({ "tools": {} }));
    let list = json!({ "resultType": "complete", "tools": tools, "ttlMs": 0, "cacheScope": "private" });
    steps.push(answer(2, &list));
    play(words, steps, "")
}

fn menu() -> Value {
    json!([
        {
            "name": "find_dishes",
            "title": "Find dishes",
            "description": "Finds dishes by a word and returns name and price of each.",
            "inputSchema": {
                "type": "object",
                "properties": { "word": { "type": "string", "description": "Such as `soup`." } },
                "required": ["word"],
            },
            "outputSchema": { "type": "object", "properties": { "dishes": { "type": "array" } } },
        },
        { "name": "close\u{1b}[2J", "inputSchema": { "type": "object", "properties": {} } },
    ])
}

#[test]
fn shows_each_tool_and_all_of_them() {
    assert_data_eq!(
        shop(&["tokens"], &menu()).quietly(),
        str![[r#"
tokens  bytes  tool
   ~44    317  find_dishes
   ~13     73  close/u{1b}[2J
   ~57    390  = 2 tools

~15 more in output schemas, which most hosts do not show to a model

"#]]
    );
}

#[test]
fn shows_each_field() {
    assert_data_eq!(
        shop(&["tokens", "--by=field", "--filter=DISH", "--turns=1000"], &menu()).quietly(),
        str![[r#"
tokens  bytes  tool
   ~44    317  find_dishes
    ~2     13    name
   ~14     60    description
   ~15     57    inputSchema.properties.word
   ~13     52    inputSchema
   ~15     58    outputSchema (not in the sum)
     -     13    title
   ~44    317  = 1 tool

~15 more in output schemas, which most hosts do not show to a model

~44,000 tokens in 1000 turns: the tools are sent on every turn

"#]]
    );
}

#[test]
fn counts_the_same_in_json() {
    let report = ask(&["tokens", "--json", "--turns=3"]).json();
    let tools = report["tools"].as_array().expect("tools");
    let sum: u64 = tools.iter().filter_map(|it| it["total"].as_u64()).sum();
    assert!(tools.len() >= 2 && sum > 100, "{report}");
    assert_eq!((&report["total"], &report["totalInTurns"]), (&sum.into(), &(3 * sum).into()));
    assert_eq!((&report["tokenizer"], &tools[0]["fields"][0]["name"]), (&"estimate".into(), &"name".into()));
    assert_eq!(report.get("against"), None);
}

#[test]
fn exits_with_1_over_the_budget_only() {
    let ran = shop(&["tokens", "--budget=56"], &menu());
    assert_eq!((ran.code, ran.stdout.lines().count()), (1, 6), "{ran:?}");
    assert_data_eq!(
        ran.stderr,
        str![[r#"
error: expected at most 56 tokens in the tools of the server, but found ~57

hint: `--by field` shows where they are

"#]]
    );
    shop(&["tokens", "--budget=57"], &menu()).quietly();
    let ran = shop(&["tokens", "--budget=1", "--json"], &menu());
    assert_eq!((ran.code, ran.stdout.lines().count()), (1, 1), "the report comes all the same: {ran:?}");
}

#[test]
fn prints_what_a_model_reads() {
    assert_data_eq!(
        shop(&["tokens", "--render"], &menu()).quietly(),
        str![[r#"
<tool>
<name>find_dishes</name>
<description>Finds dishes by a word and returns name and price of each.</description>
<parameters>
word (string, required): Such as `soup`.
</parameters>
</tool>
<tool>
<name>close/u{1b}[2J</name>
</tool>

"#]]
    );
}

#[test]
fn shows_the_difference_between_two_servers() {
    let reference = "plainwire serve 'reference'";
    let against = ask(&["tokens", "--against", reference]).quietly();
    assert_eq!(against.lines().count(), 2, "nothing but the sum: {against}");
    let words = ["tokens", "--against", reference, "--filter=s"];
    let against = shop(&words, &menu()).quietly();
    let changes: Vec<_> = against.lines().filter_map(|line| line.split_whitespace().nth(2)).collect();
    assert_eq!(
        (changes[0], changes[1], changes[2], changes[3]),
        ("change", "added", "added", "removed"),
        "{against}"
    );
    let json = shop(&[&words[..], &["--json"]].concat(), &menu()).json();
    let first = &json["against"]["tools"][0];
    assert_eq!((&first["name"], &first["change"]), (&"find_dishes".into(), &"added".into()));
    assert_eq!((&first["before"], &first["now"]), (&0.into(), &44.into()));
    assert_eq!(json["against"]["total"], ask(&["tokens", "--json", "--filter=s"]).json()["total"]);
}

#[test]
fn traces_the_server_behind_the_dashes_and_no_other() {
    let ran = ask(&["tokens", "--trace", "--against", "plainwire serve reference"]);
    assert_eq!((ran.code, ran.stderr.matches(r#""method":"tools/list""#).count()), (0, 1), "{}", ran.stderr);
}

#[test]
fn refuses_what_makes_no_sense() {
    for against in ["", "plainwire 'serve"] {
        let ran = ask(&["tokens", "--against", against]);
        assert_eq!((ran.code, &*ran.stdout), (2, ""), "{against:?}: {ran:?}");
        assert!(ran.stderr.starts_with("error: expected --against='COMMAND'"), "{ran:?}");
    }
    for words in [&["tokens", "--render", "--json"][..], &["tokens", "--turns=0"], &["tokens", "--budget=x"]]
    {
        assert_eq!(ask(words).code, 2, "{words:?}");
    }
    assert_eq!(run(&["tokens", "--against", "/nowhere/at/all", "--", "/nowhere"]).code, 3);
}

#[test]
fn takes_a_server_without_tools() {
    let steps = {
        let mut steps = modern(&json!({}));
        steps.truncate(2);
        steps
    };
    let shown = play(&["tokens", "--budget=0"], steps, "").quietly();
    assert_eq!(shown, "tokens  bytes  tool\n     0      0  = 0 tools\n");
}
