//! Arguments of a call by the schema of the tool, what the command declares, and slips in the command line.

use std::io::Write as _;
use std::process::Stdio;

use super::completion::complete;
use super::script::Step;
use super::{ask, run, script};
use plainwire_suite::binary;
use serde_json::json;

#[test]
fn the_schema_of_the_tool_gives_a_text_its_type() {
    let ran = ask(&["call", "count", "to=2", "ms=1"]);
    assert_eq!((ran.code, &*ran.stdout), (0, "counted to 2\n"), "{ran:?}");
}

#[test]
fn a_text_that_does_not_fit_is_sent_and_explained() {
    let ran = ask(&["call", "count", "to=two"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let hint = "\nhint: the tool's schema has `to: integer`; \"two\" was sent as text\n";
    assert!(ran.stderr.ends_with(hint), "{ran:?}");
}

#[test]
fn an_argument_comes_from_stdin_or_from_a_file() {
    let path = std::env::temp_dir().join(format!("plainwire-calling-{}", std::process::id()));
    std::fs::write(&path, "6*7").expect("a file of our own");
    let from_file = ask(&["call", "calculate", &format!("expression=@{}", path.display())]);
    std::fs::remove_file(&path).expect("a file of our own");
    assert_eq!(from_file.quietly(), "42\n");

    let mut command = binary::command();
    command.args(["call", "calculate", "expression=-"]).args(super::REFERENCE);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    child.stdin.take().expect("a pipe").write_all(b"2+3").expect("it reads");
    let ran = super::Ran::of(child.wait_with_output().expect("it ends"));
    assert_eq!(ran.quietly(), "5\n");
}

#[test]
fn the_same_argument_twice_is_an_error() {
    let ran = ask(&["call", "calculate", "expression=1", "expression=2"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.starts_with("error: expected `expression` once, but found it twice\n"), "{ran:?}");
}

/// A server with a tool `always`, and a tool for each capability that its client declares.
const BY_CAPABILITY: &str = r#"
tools='{"name":"always","inputSchema":{"type":"object"}}'
while IFS= read -r line; do
    id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
    case $line in
        *'"method":"server/discover"'*)
            printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"unknown method"}}\n' "$id";;
        *'"method":"initialize"'*)
            for capability in elicitation roots sampling; do
                case $line in *"\"$capability\""*)
                    tools="$tools,{\"name\":\"$capability\",\"inputSchema\":{\"type\":\"object\"}}";;
                esac
            done
            printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}\n' "$id";;
        *'"method":"tools/list"'*)
            printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[%s]}}\n' "$id" "$tools";;
        *'"method":"tools/call"'*)
            printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"unknown tool"}}\n' "$id";;
    esac
done
"#;

#[test]
fn all_commands_see_the_tools_that_a_host_sees() {
    let server = ["--era", "legacy", "--", "sh", "-c", BY_CAPABILITY];
    let of = |words: &[&str]| run(&[words, &server].concat());
    let shown = of(&["list"]).quietly();
    assert_eq!(shown, "s 1 (2025-11-25)\n\ntools:\n  always()\n  elicitation()\n  roots()\n  sampling()\n");
    assert_eq!(of(&["list", "--as", "plain"]).quietly(), "s 1 (2025-11-25)\n\ntools:\n  always()\n");
    let ran = of(&["call", "roots", "--timeout", "5"]);
    assert!(ran.code == 4 && ran.stderr.contains("hint: `plainwire list` shows the tools. Some"), "{ran:?}");
    assert!(of(&["tokens"]).quietly().contains("= 4 tools"));
    let linted = of(&["lint", "--json"]);
    assert!(linted.stdout.contains("\"tools\":4"), "{linted:?}");
    let folder = std::env::temp_dir();
    let name = format!("plainwire-capable-{}", std::process::id());
    let (script, config) = (folder.join(format!("{name}.sh")), folder.join(format!("{name}.json")));
    std::fs::write(&script, BY_CAPABILITY).expect("a file");
    let entry = json!({ "mcpServers": { "s": { "command": "sh", "args": [script] } } });
    std::fs::write(&config, entry.to_string()).expect("a file");
    let checked = run(&["servers", "--check", "--config", &config.display().to_string()]);
    let completed = complete("bash", &format!("plainwire call | -- sh {}", script.display()));
    for path in [script, config] {
        std::fs::remove_file(path).expect("a file of our own");
    }
    assert!(checked.stdout.contains("; 4 tools"), "{checked:?}");
    assert_eq!(completed, ["always", "elicitation", "roots", "sampling"]);
}

#[test]
fn the_commonest_slips_are_answered_with_the_line_to_type() {
    for (words, said, hint) in [
        (
            &["list", "./server"][..],
            "expected the command of a server after `--`, but found \"./server\"",
            "plainwire list -- ./server",
        ),
        (
            &["call", "find", "--query", "x", "--", "server"],
            "expected an argument as `key=text`, but found \"--query\"",
            "plainwire call find query=x -- server",
        ),
        (
            &["call", "find", "--expression", "1", "--", "server"],
            "expected an argument as `key=text`, but found \"--expression\"",
            "plainwire call find expression=1 -- server",
        ),
        (
            &["list"],
            "expected a server, but found none",
            "name the server by `plainwire list … -- COMMAND`, `--url URL` or `--server NAME`",
        ),
        (
            &["list", "--url", "127.0.0.1:8123/mcp"],
            "expected a URL with `http://` or `https://`, but found \"127.0.0.1:8123/mcp\"",
            "--url http://127.0.0.1:8123/mcp",
        ),
    ] {
        let ran = run(words);
        assert_eq!((ran.code, &*ran.stdout), (2, ""), "{ran:?}");
        assert_eq!(ran.stderr, format!("error: {said}\n\nhint: {hint}\n"));
    }
}

#[test]
fn a_configuration_file_without_a_name_is_answered_with_the_names_in_it() {
    let path = std::env::temp_dir().join(format!("plainwire-named-{}.json", std::process::id()));
    std::fs::write(&path, r#"{"mcpServers":{"one":{"command":"a"},"two":{"command":"b"}}}"#).expect("a file");
    let shown = path.display().to_string();
    let ran = run(&["list", "--config", &shown]);
    std::fs::remove_file(&path).expect("a file of our own");
    let said = format!(
        "error: expected --server NAME with --config, but found none\n\nhint: {shown} has one, two\n"
    );
    assert_eq!((ran.code, ran.stderr), (2, said));
}

#[test]
fn the_timeout_is_the_whole_time_of_a_silent_server() {
    let began = std::time::Instant::now();
    let ran = run(&["list", "--timeout", "1", "--", "sh", "-c", "cat > /dev/null"]);
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(ran.stderr.starts_with("error: expected a connection within 1s, but found none"), "{ran:?}");
    // Discovery and the handshake share the second; a second each would be more.
    assert!(began.elapsed() < std::time::Duration::from_millis(1_900), "{:?}", began.elapsed());
}

#[test]
fn describes_everything_about_a_tool() {
    let shown = ask(&["describe", "count"]).quietly();
    assert!(shown.starts_with("count("), "{shown}");
    assert!(shown.ends_with("\nplainwire call count to=0 -- plainwire serve reference\n"), "{shown}");
    assert_eq!(ask(&["describe", "count", "--json"]).json()["name"], "count");
    let ran = ask(&["describe", "cuont"]);
    assert_eq!((ran.code, &*ran.stdout), (4, ""), "{ran:?}");
}

/// The call that `describe` prints can be pasted: with the members that objects require, and the options of the connection.
#[test]
fn describes_objects_and_keeps_the_options_of_the_connection() {
    let edit = json!({
        "type": "object", "required": ["new", "old"],
        "properties": { "new": { "type": "string" }, "old": { "type": "string", "description": "The old text" },
            "times": { "type": "integer", "minimum": 1 } },
    });
    let schema = json!({
        "type": "object", "required": ["edits"],
        "properties": { "edits": { "type": "array", "items": { "$ref": "#/$defs/Edit" } } },
        "$defs": { "Edit": edit },
    });
    let mut steps = script::legacy(&json!({ "tools": {} }));
    steps.push(script::answer(2, &json!({ "tools": [{ "name": "edit", "inputSchema": schema }] })));
    let words = ["describe", "edit", "--era", "legacy", "--env", "TOKEN=secret", "--env", "HOME"];
    let shown = script::play(&words, steps, "").quietly();
    assert!(shown.contains("  edits: object[], required\n      new: string, required\n"), "{shown}");
    assert!(
        shown.contains("          The old text\n      times: integer, optional, at least 1\n"),
        "{shown}"
    );
    let call = r#"plainwire call edit 'edits:=[{"new":"text","old":"text"}]' --era legacy --env TOKEN --env HOME -- sh -c "#;
    assert!(shown.contains(call) && !shown.contains("secret"), "{shown}");
}

#[test]
fn the_texts_that_the_error_names_are_hinted_at() {
    let schema = json!({ "type": "object", "properties": { "pages": { "type": "integer" }, "rate": { "type": "number" } } });
    let tools = json!({ "tools": [{ "name": "add", "inputSchema": schema }] });
    for (said, hints) in
        [("rate: not a number", &["`rate: number`"][..]), ("no", &["`pages: integer`", "`rate: number`"])]
    {
        let mut steps = script::legacy(&json!({ "tools": {} }));
        let failed = json!({ "content": [{ "type": "text", "text": said }], "isError": true });
        steps.extend([script::answer(2, &tools), Step::Read, script::answer(3, &failed)]);
        let ran = script::play(&["call", "add", "pages=x", "rate=y", "--era", "legacy"], steps, "");
        let hint = ran.stderr.split_once("hint: ").expect("a hint").1;
        assert_eq!(hint.matches("was sent as text").count(), hints.len(), "{hint}");
        assert!(hints.iter().all(|it| hint.contains(it)), "{hint}");
    }
}

#[test]
fn a_text_without_its_quotes_is_answered_with_them() {
    let ran = ask(&["call", "get_book", "title=Moss", "and", "stone"]);
    let hint = "hint: quotes keep blanks together: 'title=Moss and'\n";
    assert!(ran.code == 2 && ran.stderr.ends_with(hint), "{ran:?}");
}

/// The call that `describe` prints sends what the server wrote, never a file that the server names.
#[test]
fn describes_a_call_that_reads_no_file() {
    for (name, default, call) in [
        ("a", "@/etc/hostname", r#"plainwire call t 'a:="@/etc/hostname"' --era legacy "#),
        ("a", "-", r#"plainwire call t 'a:="-"' --era legacy "#),
        ("k=v", "w", r#"plainwire call t '--json={"k=v":"w"}' --era legacy "#),
        ("a:", "w", r#"plainwire call t 'a::="w"' --era legacy "#),
    ] {
        let schema = json!({
            "type": "object", "required": [name], "properties": { name: { "type": "string", "default": default } },
        });
        let mut steps = script::legacy(&json!({ "tools": {} }));
        steps.push(script::answer(2, &json!({ "tools": [{ "name": "t", "inputSchema": schema }] })));
        let shown = script::play(&["describe", "t", "--era", "legacy"], steps, "").quietly();
        assert!(shown.contains(call), "{call}: {shown}");
    }
}

#[test]
fn describes_each_alternative_of_a_value_and_an_example_within_its_bounds() {
    let form = |kind: &str, text: &str, member: &str| {
        json!({ "type": "object", "description": text, "required": ["kind", member],
            "properties": { "kind": { "const": kind }, member: { "type": "number" } } })
    };
    let schema = json!({
        "type": "object", "required": ["shape", "state", "code", "day", "items", "pair"],
        "properties": {
            "shape": { "oneOf": [form("circle", "A round one.", "radius"), form("square", "An even one.", "side")] },
            "state": { "oneOf": [{ "const": "open", "description": "Not begun." }, { "const": "done" }] },
            "code": { "type": "string", "minLength": 8, "maxLength": 12 },
            "day": { "type": "string", "format": "date" }, "note": { "type": "string", "minLength": 1 },
            "items": { "type": "array", "minItems": 2, "items": { "type": "string", "minLength": 1 } },
            "pair": { "type": "array", "minItems": 2, "prefixItems": [{ "type": "integer" }, { "type": "boolean" }] },
        },
    });
    let mut steps = script::legacy(&json!({ "tools": {} }));
    let tool = json!({ "name": "draw", "title": "Draws it", "inputSchema": schema });
    steps.push(script::answer(2, &json!({ "tools": [tool] })));
    let shown = script::play(&["describe", "draw", "--era", "legacy"], steps, "").quietly();
    for part in [
        "\ntitle: Draws it\n",
        "      either: A round one.\n          kind: circle, required\n          radius: number, required\n",
        "      or: An even one.\n          kind: square, required\n          side: number, required\n",
        "  state: open|done, required\n      open: Not begun.\n",
        "at least 1 character\n",
        " code=texttext day=2026-",
        "'items:=[\"text\",\"text\"]' 'pair:=[1,false]' ",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
}

/// A schema may contain itself: fifty members, each of which has the same fifty.
#[test]
fn describes_at_most_200_members_of_objects_that_contain_themselves() {
    let names: Vec<String> = (0..50).map(|n| format!("m{n}")).collect();
    let member = json!({ "$ref": "#/$defs/Node", "description": "d".repeat(1_000) });
    let properties: serde_json::Map<_, _> = names.iter().map(|name| (name.clone(), member.clone())).collect();
    let schema = json!({
        "type": "object", "required": ["node"], "properties": { "node": { "$ref": "#/$defs/Node" } },
        "$defs": { "Node": { "type": "object", "required": names, "properties": properties } },
    });
    let mut steps = script::legacy(&json!({ "tools": {} }));
    steps.push(script::answer(2, &json!({ "tools": [{ "name": "edit", "inputSchema": schema }] })));
    let shown = script::play(&["describe", "edit", "--era", "legacy"], steps, "").quietly();
    let (shown, call) = shown.split_once("\nplainwire call").expect("a call");
    // The server's command is behind the example.
    let example = call.split(" --era legacy").next().unwrap_or_default();
    assert_eq!(shown.matches(", required\n").count(), 200, "the parameter and 199 members");
    assert!(shown.contains("… (more members)\n") && shown.len() < 200_000, "{}", shown.len());
    assert!(example.matches("\"m").count() < 100 && example.starts_with(" edit 'node:={"), "{example}");
}

#[test]
fn describes_at_most_200_values_and_alternatives() {
    let values: Vec<_> = (0..900).map(|n| json!({ "const": n, "description": "d" })).collect();
    let forms: Vec<_> = (0..900).map(|_| json!({ "type": "object", "properties": {} })).collect();
    let schema =
        json!({ "type": "object", "properties": { "a": { "oneOf": values }, "b": { "oneOf": forms } } });
    let mut steps = script::legacy(&json!({ "tools": {} }));
    steps.push(script::answer(2, &json!({ "tools": [{ "name": "edit", "inputSchema": schema }] })));
    let shown = script::play(&["describe", "edit", "--era", "legacy"], steps, "").quietly();
    assert_eq!((shown.matches(": d\n").count(), shown.matches("or:\n").count()), (199, 0), "{shown}");
}

#[test]
fn speaks_the_one_revision_that_is_named() {
    for revision in plainwire::proto::revision::Revision::ALL {
        let shown = ask(&["ping", "--revision", revision.as_str()]).quietly();
        assert!(shown.contains(&format!(" speaks {revision} and answered in ")), "{shown}");
    }
    let ran = ask(&["ping", "--revision", "2025-06-19"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains("2025-06-18"), "the revisions are listed: {ran:?}");
}

#[test]
fn a_server_that_writes_something_else_to_its_output_is_named_with_the_line() {
    let server = format!("echo 'Listening on \u{1b}[31m8000'; {BY_CAPABILITY}");
    let ran = run(&["list", "--era", "legacy", "--", "sh", "-c", &server]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let said = "warning: the server wrote a line that is not a message to its output: \"Listening on \\u{1b}[31m8000\"";
    assert!(ran.stderr.starts_with(said), "{ran:?}");
    assert_eq!(ran.stderr.lines().count(), 1, "{ran:?}");
}

/// A server whose tool returns a text and a picture, and whose resource is three bytes.
const PICTURE: &str = r#"
while IFS= read -r line; do
    id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
    case $line in
        *'"method":"initialize"'*)
            printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"resources":{}},"serverInfo":{"name":"s","version":"1"}}}\n' "$id";;
        *'"method":"tools/call"'*)
            printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"a dot"},{"type":"image","mimeType":"image/png","data":"AAH/"}]}}\n' "$id";;
        *'"method":"resources/read"'*)
            printf '{"jsonrpc":"2.0","id":%s,"result":{"contents":[{"uri":"a:b","blob":"AAH/"}]}}\n' "$id";;
    esac
done
"#;

#[test]
fn a_picture_is_written_to_a_file_byte_for_byte() {
    let path = std::env::temp_dir().join(format!("plainwire-picture-{}", std::process::id()));
    let file = path.display().to_string();
    let server = ["--era", "legacy", "--", "sh", "-c", PICTURE];
    for (words, shown) in [(&["call", "dot"][..], "a dot\n"), (&["read", "a:b"], "")] {
        let ran = run(&[words, &["--out", &file], &server].concat());
        assert_eq!((ran.code, &*ran.stdout), (0, shown), "{ran:?}");
        assert_eq!(ran.stderr, format!("wrote 3 bytes into {file}\n"));
        assert_eq!(std::fs::read(&path).expect("a file"), [0, 1, 255]);
        std::fs::remove_file(&path).expect("a file of our own");
    }
}

#[test]
fn one_element_in_json_is_a_list_of_objects_or_of_lists() {
    let schema = json!({
        "type": "object",
        "properties": {
            "edits": { "type": "array", "items": { "type": "object" } },
            "rows": { "type": "array", "items": { "type": "array", "items": { "type": "integer" } } }
        }
    });
    let tools = json!({ "tools": [{ "name": "add", "inputSchema": schema }] });
    for (word, expected) in [
        (r#"edits={"x":1,"y":2}"#, r#""edits":[{"x":1,"y":2}]"#),
        (r#"edits=[{"x":1},{"y":2}]"#, r#""edits":[{"x":1},{"y":2}]"#),
        ("rows=[1,2]", r#""rows":[[1,2]]"#),
        ("rows=[[1],[2]]", r#""rows":[[1],[2]]"#),
        ("rows=1,2", r#""rows":[[1],[2]]"#),
    ] {
        let mut steps = script::legacy(&json!({ "tools": {} }));
        steps.extend([script::answer(2, &tools), Step::Read, Step::Echo(3)]);
        let ran = script::play(&["call", "add", word, "--era", "legacy"], steps, "");
        assert!(ran.stdout.contains(expected), "{word}: {ran:?}");
    }
}

#[test]
fn log_messages_below_the_level_are_not_shown_whatever_the_server_sends() {
    let mut steps = script::legacy(&json!({ "tools": {}, "logging": {} }));
    steps.extend([script::answer(2, &json!({})), Step::Read]);
    for level in ["debug", "error"] {
        steps.push(script::notify("notifications/message", &json!({ "level": level, "data": level })));
    }
    steps.push(script::answer(3, &json!({ "content": [] })));
    let ran = script::play(&["call", "t", "--log", "error", "--era", "legacy"], steps, "");
    assert_eq!((ran.code, &*ran.stderr), (0, "[error] error\n"));
}

#[test]
fn what_is_written_to_stdout_as_a_file_goes_where_the_rest_goes() {
    let ran = ask(&["read", "server://info", "--out", "/dev/stdout"]);
    assert!(ran.code == 0 && ran.stdout.contains("plainwire-reference"), "{ran:?}");
}

#[test]
fn the_cost_of_a_result_is_told_block_by_block() {
    let ran = ask(&["call", "calculate", "expression=6*7", "--cost"]);
    let said = "cost: about 1 token for a model that gets the blocks\n       1  block 1: text\n";
    assert_eq!((ran.code, &*ran.stdout, &*ran.stderr), (0, "42\n", said));
}

#[test]
fn a_list_is_given_by_several_words_of_json_too() {
    let schema = json!({ "type": "object", "properties": { "l": { "type": "array", "items": { "type": "integer" } } } });
    let mut steps = script::legacy(&json!({ "tools": {} }));
    let tools = json!({ "tools": [{ "name": "add", "inputSchema": schema }] });
    steps.extend([script::answer(2, &tools), Step::Read, Step::Echo(3)]);
    let ran = script::play(&["call", "add", "l:=1", "l:=2", "--era", "legacy"], steps, "");
    assert!(ran.stdout.contains(r#""l":[1,2]"#), "{ran:?}");
}
