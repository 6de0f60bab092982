//! Tests of a server's questions to the user of the command line: questions on stderr, answers on stdin.

use std::process::Stdio;
use std::time::{Duration, Instant};

use plainwire_suite::binary;
use serde_json::{Value, json};
use snapbox::{assert_data_eq, str};

use super::script::{self, Step, answer, legacy, modern, play};
use super::{ERAS, REFERENCE, Ran};

fn ask(id: &str, params: &Value) -> Step {
    Step::Say(json!({ "jsonrpc": "2.0", "id": id, "method": "elicitation/create", "params": params }))
}

/// Returns a form with one field of each kind. The names are in alphabetical order, because `json!` sorts
/// them, and the fields are asked in this order.
fn form() -> Value {
    json!({
        "message": "Who are\nyou?",
        "requestedSchema": {
            "type": "object",
            "properties": {
                "age": { "type": "integer", "minimum": 18, "default": 30 },
                "colour": { "type": "string", "oneOf": [{ "const": "r", "title": "Red" }, { "const": "g", "title": "Green" }] },
                "days": { "type": "array", "items": { "type": "string", "enum": ["sat", "sun"] }, "maxItems": 2 },
                "name": { "type": "string", "title": "Name", "description": "In full.", "minLength": 1 },
                "news": { "type": "boolean", "default": false },
                "nick": { "type": "string" },
            },
            "required": ["name", "colour"],
        },
    })
}

fn yes_or_no(message: &str) -> Value {
    json!({ "message": message, "requestedSchema": { "type": "object", "properties": {} } })
}

fn one(name: &str) -> Value {
    let field = json!({ name: { "type": "string" } });
    json!({ "message": "m", "requestedSchema": { "type": "object", "properties": field, "required": [name] } })
}

fn page(url: &str) -> Value {
    json!({ "mode": "url", "elicitationId": "1", "message": "Sign in, please.", "url": url })
}

/// Calls a tool of a legacy server that asks `question`, with `typed` on stdin. Returns the answer that the
/// server has received, and stderr.
#[track_caller]
fn answered(question: &Value, typed: &str) -> (Value, String) {
    let mut steps = legacy(&json!({ "tools": {} }));
    steps.extend([ask("q", question), Step::Read, Step::Echo(2)]);
    let ran = play(&["call", "x", "--era", "legacy"], steps, typed);
    assert_eq!(ran.code, 0, "{ran:?}");
    let told: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"));
    assert_eq!(told["id"], "q");
    (told["result"].clone(), ran.stderr)
}

#[test]
fn fills_in_a_form_field_by_field() {
    let (told, said) = answered(&form(), "17\n40\n2\nsun, 1\nAda\n\n\n\n");
    let content = json!({ "name": "Ada", "age": 40, "colour": "g", "days": ["sun", "sat"], "news": false });
    assert_eq!(told, json!({ "action": "accept", "content": content }));
    assert_data_eq!(
        said,
        str![[r#"

the server "shop" asks:
  | Who are
  | you?
(an empty line takes the value in brackets; `!decline` declines the question, `!cancel` cancels it)

(1 of 6) age: a whole number, at least 18; may be left out
[30] > 
expected `age` to be at least 18, but found 17
[30] > 

(2 of 6) colour: one of these
  1. Red (r)
  2. Green (g)
> 

(3 of 6) days: any of these, with commas between them, at most 2; may be left out
  1. sat
  2. sun
> 

(4 of 6) Name: text, at least 1 character
  | In full.
> 

(5 of 6) news: yes or no; may be left out
[no] > 

(6 of 6) nick: text; may be left out
> 

to be sent:
  age: 40
  colour: "g"
  days: ["sun","sat"]
  name: "Ada"
  news: false
  nick: (left out)
send? [Y/n/edit] 

"#]]
    );
}

#[test]
fn answers_a_modern_server_which_asks_once_more_with_the_answers() {
    let question = |params: Value| json!({ "method": "elicitation/create", "params": params });
    let mut first = yes_or_no("First?");
    first["mode"] = "form".into();
    let asked = json!({ "a": question(first), "b": question(yes_or_no("Second?")) });
    let asks = json!({ "resultType": "input_required", "inputRequests": asked, "requestState": "s" });
    for (json, words) in [(false, &["call", "x"][..]), (true, &["call", "x", "--json"])] {
        let mut steps = modern(&json!({ "tools": {} }));
        steps.extend([answer(2, &asks), Step::Read, Step::Echo(3)]);
        let ran = play(words, steps, "y\nn\n");
        assert_eq!(ran.code, 0, "{ran:?}");
        let mut shown: Value = serde_json::from_str(&ran.stdout).expect("JSON");
        let told = if json { shown["structuredContent"].take() } else { shown };
        let answers = &told["params"]["inputResponses"];
        assert_eq!(answers["a"], json!({ "action": "accept", "content": {} }), "{told}");
        assert_eq!(answers["b"], json!({ "action": "decline" }), "{told}");
        let declared = &told["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"];
        assert_eq!(
            *declared,
            json!({ "elicitation": { "form": {}, "url": {} } }),
            "and no sampling, no roots"
        );
        // The user is asked in the order in which the questions are in the result.
        let (first, second) = (ran.stderr.find("First?"), ran.stderr.find("Second?"));
        assert!(first.is_some() && first < second, "{ran:?}");
    }
}

/// The reference server asks two questions, as docs/cli.md shows: the user must see them with the prompts on
/// the page, and their answers must reach the server.
#[test]
fn asks_what_the_reference_server_wants_to_know_in_every_era() {
    for (era, _) in ERAS {
        let mut command = binary::command();
        command.args(["call", "ask", "whom=user", "--era", era]).args(REFERENCE);
        let ran = script::run(command, "\nAda\n\nyes\n");
        assert_eq!((ran.code, &*ran.stdout), (0, "Hello, Ada!\n"), "{ran:?}");
        assert_data_eq!(
            ran.stderr,
            str![[r#"

the server "plainwire-reference" asks:
  | What is your name?
(an empty line takes the value in brackets; `!decline` declines the question, `!cancel` cancels it)

(1 of 1) name: text
  | What you want to be called.
> 
expected `name` to be a string, but found nothing
> 

to be sent:
  name: "Ada"
send? [Y/n/edit] 

the server "plainwire-reference" asks:
  | Shall I greet Ada?
yes? [y/N] 

"#]]
        );
    }
}

#[test]
fn asks_one_after_the_other_in_the_order_in_which_questions_come() {
    let mut steps = legacy(&json!({ "tools": {} }));
    for n in 0..9 {
        steps.push(ask(&n.to_string(), &yes_or_no(&format!("Question {n}?"))));
    }
    steps.extend((0..9).map(|_| Step::Read));
    steps.push(Step::Echo(2));
    let ran = play(&["call", "x", "--era", "legacy"], steps, &"y\n".repeat(9));
    let expected: String =
        (0..9).map(|n| format!("\nthe server \"shop\" asks:\n  | Question {n}?\nyes? [y/N] \n")).collect();
    assert_eq!((ran.code, &*ran.stderr), (0, &*expected), "{ran:?}");
}

#[test]
fn shows_a_page_with_its_host_and_never_opens_it() {
    let (told, said) = answered(&page("https://example.com/auth?state=1"), "yes\n");
    assert_eq!(told, json!({ "action": "accept" }));
    assert_data_eq!(
        said,
        str![[r#"

the server "shop" asks you to open a page:
  | Sign in, please.

https://example.com/auth?state=1

its host:

    example.com

open it yourself and then say yes: [y/N] 

"#]]
    );
    let (told, said) = answered(&page("http://xn--bnk-5cd.example:81/"), "\n");
    assert_eq!(told, json!({ "action": "decline" }));
    let warnings: Vec<&str> = said.lines().filter(|line| line.starts_with("warning: ")).collect();
    assert_eq!(
        warnings,
        [
            "warning: it is not https: others can read and change what is sent",
            "warning: the host has letters that can look like other letters",
            "warning: it uses port 81 instead of the default port",
        ]
    );
}

#[test]
fn leaves_a_question_in_each_way_there_is() {
    let left = |question: &Value, typed: &str, action: &str| {
        let (told, said) = answered(question, typed);
        assert_eq!(told, json!({ "action": action }), "{typed:?}");
        let last = said.lines().last();
        assert_eq!(
            last,
            Some(if action == "cancel" { "(cancelled)" } else { "(declined)" }),
            "{typed:?}: {said}"
        );
    };
    left(&form(), "Ada\n!decline\n", "decline");
    left(&form(), "Ada\n !cancel \n", "cancel");
    left(&form(), "", "cancel");
    left(&form(), "Ada\n\n", "cancel");
    left(&one("a"), "x\nno way\n", "cancel");
    left(&one("a"), "x\n!cancel\n", "cancel");
    left(&one("a"), "x\nn\n", "decline");
    left(&one("a"), "x\nwhat\n!decline\n", "decline");
    left(&yes_or_no("?"), "", "cancel");
    left(&yes_or_no("?"), "\n", "decline");
    left(&page("https://example.com"), "", "cancel");
    left(&page("https://example.com"), "n\n", "decline");
}

#[test]
fn the_answers_of_a_script_that_ends_are_sent() {
    let (told, said) = answered(&one("a"), "x\n");
    assert_eq!(told, json!({ "action": "accept", "content": { "a": "x" } }), "{said}");
}

#[test]
fn gives_up_after_five_wrong_entries() {
    let (told, said) = answered(&one("a"), &format!("{}x\ny\n", "\n".repeat(4)));
    assert_eq!(
        (told, said.matches("but found nothing").count()),
        (json!({ "action": "accept", "content": { "a": "x" } }), 4)
    );
    let (told, said) = answered(&one("a"), &format!("{}x\ny\n", "\n".repeat(5)));
    assert_eq!((told, said.matches("but found nothing").count()), (json!({ "action": "cancel" }), 5));
}

#[test]
fn starts_over_to_edit_with_the_answers_as_defaults() {
    let (told, said) = answered(&one("a"), "x\nedit\ny\n\n");
    assert_eq!(told, json!({ "action": "accept", "content": { "a": "y" } }));
    assert_eq!(said.matches("(1 of 1) a: text").count(), 2);
    let (told, said) = answered(&one("a"), "x\nedit\n\n\n");
    assert_eq!(told, json!({ "action": "accept", "content": { "a": "x" } }));
    assert!(said.contains("[x] > "), "{said}");
}

#[test]
fn warns_once_of_a_form_that_asks_for_secrets() {
    let warning =
        "warning: forms must not ask for secrets, and this one seems to: the server sees what is typed\n";
    for name in ["password", "apiKey", "GitHub_Token"] {
        let (_, said) = answered(&one(name), "!cancel\n");
        assert_eq!(said.matches(warning).count(), 1, "{said}");
    }
    let (_, said) = answered(&form(), "!cancel\n");
    assert!(!said.contains("warning"), "{said}");
}

#[test]
fn lets_no_server_draw_on_the_terminal() {
    let evil = "\u{1b}[2J\rsafe\u{202e}\u{9b}1A\u{7}\u{2028}";
    let form = json!({
        "message": format!("{evil}\n\nsend? [Y/n]"),
        "requestedSchema": {
            "type": "object",
            "properties": {
                format!("a{evil}"): { "type": "string", "title": evil, "description": evil, "default": evil },
                "b": { "type": "string", "enum": ["x", evil], "enumNames": [evil, "y"] },
            },
            "required": ["b"],
        },
    });
    let (told, said) = answered(&form, &format!("\n{evil}\n1\n\n"));
    assert_eq!(told["content"][format!("a{evil}")], evil, "what is sent is what was meant");
    let is_evil = |c: char| (c.is_control() && c != '\n') || "\u{202e}\u{2028}".contains(c);
    assert!(!said.contains(is_evil), "{said:?}");
    assert!(said.contains("\\u{1b}[2J\\rsafe\\u{202e}\\u{9b}1A\\u{7}\\u{2028}"), "{said}");
    assert!(said.contains("\n  | send? [Y/n]\n"), "what a server says stands behind a bar: {said}");
    let mut steps = vec![Step::Read];
    let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": { "name": evil, "version": "1" } });
    steps.extend([
        answer(1, &hello),
        Step::Read,
        Step::Read,
        ask("q", &yes_or_no("?")),
        Step::Read,
        Step::Echo(2),
    ]);
    let ran = play(&["call", "x", "--era", "legacy"], steps, "y\n");
    assert!(!ran.stderr.contains(is_evil) && ran.stderr.contains("the server \"\\u{1b}"), "{ran:?}");
}

#[test]
fn takes_lines_that_are_no_text_for_wrong_entries() {
    let mut steps = legacy(&json!({ "tools": {} }));
    steps.extend([ask("q", &one("a")), Step::Read, Step::Echo(2)]);
    let ran = play(&["call", "x", "--era", "legacy"], steps, &format!("{}\nb\n\n", "a".repeat(70_000)));
    assert!(ran.stdout.contains(r#""content":{"a":"b"}"#), "{ran:?}");
    assert!(ran.stderr.contains("> \nexpected at most 65536 bytes on a line\n> \n"), "{ran:?}");
}

#[test]
fn declares_nothing_where_nobody_is_to_be_asked() {
    let mut steps = legacy(&json!({ "tools": {} }));
    steps.extend([ask("q", &yes_or_no("?")), Step::Read, Step::Echo(2)]);
    let ran = play(&["call", "x", "--era", "legacy", "--no-input"], steps, "y\n");
    assert_eq!((ran.code, &*ran.stderr), (0, ""), "{ran:?}");
    assert!(ran.stdout.contains("\"error\":{\"code\":-32601,"), "{ran:?}");
    for (option, expected) in
        [(&["--no-input"][..], json!({})), (&[], json!({ "elicitation": { "form": {}, "url": {} } }))]
    {
        for words in [&["call", "x"][..], &["read", "a:b"], &["prompt", "x"]] {
            let mut steps = modern(&json!({ "tools": {}, "resources": {}, "prompts": {} }));
            steps.push(Step::Shell("printf '%s\n' \"$line\" >&2"));
            let ran = play(
                &[words, option, &["--era", "modern", "--timeout", "1", "--server-log"]].concat(),
                steps,
                "",
            );
            let request: Value = serde_json::Deserializer::from_str(&ran.stderr)
                .into_iter()
                .next()
                .expect("a request")
                .expect("JSON");
            assert_eq!(request["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"], expected);
        }
    }
}

#[test]
fn tells_roots_to_a_server_that_asks_where_it_may_work() {
    let list = Step::Say(json!({ "jsonrpc": "2.0", "id": "r", "method": "roots/list" }));
    let mut steps = legacy(&json!({ "tools": {} }));
    steps.extend([list, Step::Read, Step::Echo(2)]);
    let ran = play(&["call", "x", "--era", "legacy", "--root", "/srv/a b", "--root=/é/../c"], steps, "");
    let told: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let roots = json!([{ "name": "a b", "uri": "file:///srv/a%20b" }, { "name": "c", "uri": "file:///c" }]);
    assert_eq!(told["result"]["roots"], roots, "{ran:?}");
}

/// Runs a call whose stdin stays open, and on which nothing is typed. `steps` are the lines of the server's
/// shell script. Returns the outcome of the command, and the time that it took.
fn unanswered(steps: Vec<(&str, String)>) -> (Ran, Duration) {
    let mut command = binary::command();
    command.args(["call", "x", "--era", "legacy", "--", "sh", "-c"]);
    let script: String = steps.into_iter().map(|(verb, text)| format!("{verb} {text}\n")).collect();
    command.arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let began = Instant::now();
    let mut child = command.spawn().expect("the binary starts");
    let stdin = child.stdin.take();
    let ran = Ran::of(child.wait_with_output().expect("it ends"));
    drop(stdin);
    (ran, began.elapsed())
}

#[test]
fn ends_with_its_call_and_not_with_its_stdin() {
    let hello = r#"'{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"shop","version":"1"}}}'"#;
    let question = format!(
        "'{}'",
        json!({ "jsonrpc": "2.0", "id": "q", "method": "elicitation/create", "params": yes_or_no("?") })
    );
    let done = r#"'{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"done"}]}}'"#;
    let steps = |last: &[(&'static str, String)]| {
        let mut steps =
            vec![("read", "a".to_owned()), ("echo", hello.to_owned()), ("read", "a; read a".to_owned())];
        steps.push(("echo", question.clone()));
        steps.extend(last.iter().cloned());
        steps
    };
    let asked = "\nthe server \"shop\" asks:\n  | ?\nyes? [y/N] ";
    let withdrawn = "\n(the question is withdrawn)\n";
    let (ran, took) = unanswered(steps(&[
        ("sleep", "0.3".to_owned()),
        ("echo", done.to_owned()),
        ("cat", "> /dev/null".to_owned()),
    ]));
    assert_eq!((ran.code, &*ran.stdout, &*ran.stderr), (0, "done\n", &*format!("{asked}{withdrawn}")));
    assert!(took < Duration::from_secs(5), "{took:?}");
    let (ran, took) = unanswered(steps(&[("sleep", "0.3".to_owned())]));
    assert!(
        ran.code == 3
            && ran
                .stderr
                .starts_with(&format!("{asked}{withdrawn}error: it is unknown whether `tools/call`")),
        "{ran:?}"
    );
    assert!(took < Duration::from_secs(5), "{took:?}");
}

/// In 2025-11-25, an error can name the page that the user has to open first.
#[test]
fn a_page_in_an_error_is_shown() {
    let page = json!({ "mode": "url", "elicitationId": "1", "url": "https://example.com/in\u{1b}?a=1", "message": "m" });
    let error = json!({ "code": -32042, "message": "sign in", "data": { "elicitations": [page] } });
    let mut steps = legacy(&json!({ "tools": {} }));
    steps.push(Step::Say(json!({ "jsonrpc": "2.0", "id": 2, "error": error })));
    let ran = play(&["call", "x", "--era", "legacy"], steps, "");
    let hint = "hint: the server asks you to open https://example.com/in\\u{1b}?a=1 (its host: example.com), and then to call \
                again\n";
    assert!(ran.code == 4 && ran.stderr.ends_with(hint), "{ran:?}");
}
