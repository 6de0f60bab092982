//! Tests of `plainwire watch`: its output, and the ways in which it ends.

use serde_json::{Value, json};
use snapbox::{assert_data_eq, str};

use super::script::{Step, answer, legacy, modern, notify, play};
use super::{ERAS, ask, run};

fn updated(uri: &str) -> Step {
    notify("notifications/resources/updated", &json!({ "uri": uri }))
}

fn list_changed(list: &str) -> Step {
    notify(&format!("notifications/{list}/list_changed"), &json!({}))
}

fn all() -> Value {
    json!({ "tools": { "listChanged": true }, "resources": { "subscribe": true, "listChanged": true }, "prompts": {} })
}

/// Returns the step in which a scripted modern server sends a notification for the subscription with the id
/// 2.
fn heard(method: &str, mut params: Value) -> Step {
    params["_meta"] = json!({ "io.modelcontextprotocol/subscriptionId": 2 });
    notify(method, &params)
}

const WATCH: [&str; 5] = ["watch", "a:b", "--lists", "--era", "legacy"];

#[test]
fn tells_each_change_on_a_line_of_its_own() {
    let steps = || {
        let mut steps = legacy(&all());
        steps.extend([
            answer(2, &json!({})),
            updated("a:b"),
            updated("x:y"),
            list_changed("tools"),
            list_changed("resources"),
        ]);
        steps.push(updated("a:b"));
        steps
    };
    let ran = play(&[&WATCH[..], &["--count", "3"]].concat(), steps(), "");
    assert_eq!((ran.code, &*ran.stdout), (0, "resource a:b changed\ntools changed\nresources changed\n"));
    assert_data_eq!(
        ran.stderr,
        str![[r#"
watching `a:b`, tools, resources
not watching prompts: the server does not report changes

"#]]
    );
    let ran = play(&[&WATCH[..], &["--count", "2", "--json"]].concat(), steps(), "");
    assert_eq!(
        (ran.code, &*ran.stdout),
        (0, "{\"changed\":\"resource\",\"uri\":\"a:b\"}\n{\"changed\":\"tools\"}\n")
    );
}

#[test]
fn hears_the_stream_of_a_modern_server() {
    let mut steps = modern(&all());
    let agreed = json!({ "notifications": { "toolsListChanged": true, "resourceSubscriptions": ["a:b"] } });
    steps.push(heard("notifications/subscriptions/acknowledged", agreed));
    steps.push(heard("notifications/resources/updated", json!({ "uri": "a:b" })));
    steps.push(heard("notifications/tools/list_changed", json!({})));
    let ran = play(&["watch", "a:b", "--lists", "--count", "2"], steps, "");
    assert_eq!((ran.code, &*ran.stdout), (0, "resource a:b changed\ntools changed\n"), "{ran:?}");
    assert_eq!(
        ran.stderr,
        "watching `a:b`, tools\nnot watching resources, prompts: the server does not report changes\n"
    );
}

#[test]
fn shows_what_is_in_a_resource_after_each_change() {
    let text = json!({ "contents": [{ "uri": "a:b", "text": "new\ntools changed\u{1b}[2J" }] });
    let missing = json!({ "jsonrpc": "2.0", "id": 4, "error": { "code": -32002, "message": "it is gone" } });
    let steps = || {
        let mut steps = legacy(&all());
        steps.extend([answer(2, &json!({})), updated("a:b"), Step::Read, answer(3, &text)]);
        steps.extend([updated("a:b"), Step::Read, Step::Say(missing.clone())]);
        steps
    };
    let words = ["watch", "a:b", "--read", "--count", "2", "--era", "legacy"];
    let ran = play(&words, steps(), "");
    assert_eq!(
        (ran.code, &*ran.stdout),
        (0, "resource a:b changed\n  new\n  tools changed\\u{1b}[2J\nresource a:b changed\n")
    );
    assert_eq!(ran.stderr, "watching `a:b`\nerror: it is gone (code -32002)\n");
    let ran = play(&[&words[..], &["--json"]].concat(), steps(), "");
    let lines: Vec<Value> =
        ran.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let change = json!({ "changed": "resource", "uri": "a:b" });
    let mut with_contents = change.clone();
    with_contents["contents"] = text["contents"].clone();
    assert_eq!((ran.code, lines), (0, vec![with_contents, change]));
}

#[test]
fn says_a_change_at_once_and_exits_with_3_when_the_server_goes() {
    let mut steps = legacy(&all());
    steps.extend([answer(2, &json!({})), updated("a:b"), Step::Shell("exit")]);
    let ran = play(&["watch", "a:b", "--era", "legacy"], steps, "");
    assert_eq!((ran.code, &*ran.stdout), (3, "resource a:b changed\n"));
    assert_data_eq!(
        ran.stderr,
        str![[r#"
watching `a:b`
error: the server has ended and reports no more changes

hint: `--trace` shows every frame

"#]]
    );
}

#[test]
fn exits_with_4_and_names_what_can_not_be_watched() {
    let refused = |capabilities: Value, words: &[&str], said: &str| {
        let ran = play(&[words, &["--era", "legacy"]].concat(), legacy(&capabilities), "");
        assert_eq!(
            (ran.code, &*ran.stdout, &*ran.stderr),
            (4, "", &*format!("error: {said}\n")),
            "{words:?}"
        );
    };
    let words = ["watch", "a:b", "c:d\u{1b}"];
    let neither = "expected the server to watch `a:b`, `c:d\\u{1b}`, but it does not\n\nhint: the server reports no changes of it; `plainwire read` reads it once";
    refused(json!({ "resources": {} }), &words, neither);
    let lists = "expected the server to report changes of tools, resources, but it does not";
    refused(json!({ "resources": {}, "tools": {} }), &["watch", "--lists"], lists);
    refused(json!({}), &["watch", "--lists"], "expected a server with lists, but found that it has none");
    let mut steps = legacy(&all());
    let error = json!({ "jsonrpc": "2.0", "id": 2, "error": { "code": -32002, "message": "no such thing" } });
    steps.push(Step::Say(error));
    let ran = play(&["watch", "a:b", "--era", "legacy"], steps, "");
    assert_eq!((ran.code, &*ran.stderr), (4, "error: watching `a:b`: no such thing (code -32002)\n"));
    let mut steps = modern(&all());
    let agreed = json!({ "notifications": { "resourceSubscriptions": ["a:b"] } });
    steps.push(heard("notifications/subscriptions/acknowledged", agreed));
    let ran = play(&["watch", "a:b", "c:d"], steps, "");
    let said =
        "error: expected the server to watch `c:d`, but it does not\n\nhint: the server reports no changes";
    assert!(ran.code == 4 && ran.stderr.starts_with(said), "{ran:?}");
}

#[test]
fn says_a_change_even_if_the_server_goes_before_it_is_read() {
    for (words, expected) in [
        (&["watch", "a:b", "--read", "--era", "legacy"][..], "resource a:b changed\n"),
        (
            &["watch", "a:b", "--read", "--json", "--era", "legacy"],
            "{\"changed\":\"resource\",\"uri\":\"a:b\"}\n",
        ),
    ] {
        let mut steps = legacy(&all());
        steps.extend([answer(2, &json!({})), updated("a:b"), Step::Read, Step::Shell("exit 0")]);
        let ran = play(words, steps, "");
        assert_eq!((ran.code, &*ran.stdout), (3, expected), "{ran:?}");
    }
}

#[test]
fn lets_no_uri_forge_a_line() {
    let mut steps = legacy(&all());
    steps.extend([answer(2, &json!({})), updated("a:b/\ntools changed\u{1b}[A")]);
    let ran = play(&["watch", "a:b", "--count", "1", "--era", "legacy"], steps, "");
    assert_eq!(ran.stdout, "resource a:b/\\ntools changed\\u{1b}[A changed\n", "{ran:?}");
}

#[test]
fn watches_what_the_reference_server_lets_it_watch() {
    for (era, _) in ERAS {
        // Only a call on the same connection changes the resource. `watch` makes no calls, so the shell sends
        // one to the server.
        let call = r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"calculate","arguments":{"expression":"1"}META}}"#;
        let meta = r#","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
        let call = call.replace("META", if era == "legacy" { "" } else { meta });
        let lines = if era == "legacy" { 3 } else { 2 };
        let server = format!(
            "{{ n=0; while [ $n -lt {lines} ] && IFS= read -r line; do printf '%s\\n' \"$line\"; n=$((n + 1)); done; \
             printf '%s\\n' '{call}'; sleep 0.3; }} | plainwire serve reference"
        );
        let ran = run(&["watch", "server://calculations", "--era", era, "--", "sh", "-c", &server]);
        assert_eq!(
            (ran.code, &*ran.stdout),
            (3, "resource server://calculations changed\n"),
            "{era}: {ran:?}"
        );
        assert!(ran.stderr.starts_with("watching `server://calculations`\n"), "{era}: {ran:?}");
        assert!(ran.stderr.contains("error: the server has ended"), "{era}: {ran:?}");
        let ran = ask(&["watch", "server://calculation", "--era", era]);
        let near = "hint: did you mean \"server://calculations\"?";
        assert!(ran.code == 4 && ran.stderr.contains(near), "{era}: {ran:?}");
        let ran = ask(&["watch", "calculation://1", "--era", era]);
        assert!(ran.code == 4 && !ran.stderr.contains("does the value fit"), "{era}: {ran:?}");
        let ran = ask(&["watch", "server://info", "--era", era]);
        assert!(ran.code == 4 && ran.stderr.contains("`server://info`"), "{era}: {ran:?}");
    }
}

#[test]
fn needs_something_to_watch() {
    assert_eq!(ask(&["watch"]).code, 2);
    assert_eq!(ask(&["watch", "a:b", "--count", "0"]).code, 2);
    assert_eq!(run(&["watch", "a:b"]).code, 2);
}
