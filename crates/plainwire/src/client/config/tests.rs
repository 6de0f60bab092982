//! Tests of configuration files as clients write them, and of the errors in them.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::*;
use crate::client::Target;
use crate::client::Transport;

/// Returns variables with the environment of these tests: `HOME`, `TOKEN`, and `ODD`, whose value `${TOKEN}`
/// looks like a reference to another variable.
fn variables() -> Variables {
    Variables::new(|name| match name {
        "HOME" => Some("/home/ada".to_owned()),
        "TOKEN" => Some("s3cret".to_owned()),
        "ODD" => Some("${TOKEN}".to_owned()),
        _ => None,
    })
}

fn entry(path: &str, json: &str) -> Result<Target> {
    Config::parse(json, path)?.entry("it")?.target(&variables())
}

/// Returns the command of the server `it` in the configuration file `path` with the content `json`.
#[track_caller]
fn command(path: &str, json: &str) -> Command {
    match entry(path, json).expect("an entry that is right") {
        Target::Command(program) => program.into_command(),
        other => panic!("expected a command, but found {other:?}"),
    }
}

/// Returns the program of `command`, its arguments, and its environment as `NAME=value`, or `NAME` if the
/// variable is removed.
fn words(command: &Command) -> Vec<String> {
    let text = |it: &OsStr| it.to_string_lossy().into_owned();
    let env = command.get_envs().map(|(name, value)| match value {
        Some(value) => format!("{}={}", text(name), text(value)),
        None => text(name),
    });
    let words = [command.get_program()].into_iter().chain(command.get_args()).map(text);
    words.chain(env).collect()
}

#[track_caller]
fn refused(path: &str, json: &str, expected: &str) {
    let error = entry(path, json).expect_err("an entry that is wrong").to_string();
    assert_eq!(error, expected);
}

#[test]
fn reads_commands_of_every_client() {
    let claude =
        r#"{ "mcpServers": { "it": { "command": "npx", "args": ["-y", "it"], "env": { "A": "1" } } } }"#;
    let code = r#"{ "mcpServers": { "it": { "type": "stdio", "command": "npx", "args": ["-y", "it"], "env": { "A": "1" } } } }"#;
    let vscode = r#"{ "servers": { "it": { "type": "stdio", "command": "npx", "args": ["-y", "it"], "env": { "A": 1 } } } }"#;
    for (path, json) in [
        ("/a/claude_desktop_config.json", claude),
        ("/a/.mcp.json", code),
        ("/a/.claude.json", code),
        ("/a/.vscode/mcp.json", vscode),
        ("/a/.cursor/mcp.json", claude),
        ("/a/mcp_config.json", claude),
        ("/a/other.json", claude),
    ] {
        assert_eq!(words(&command(path, json)), ["npx", "-y", "it", "A=1"], "{path}");
        let config = Config::parse(json, path).expect("a file that is right");
        assert_eq!(config.entries()[0].transport().expect("right"), Transport::Stdio);
    }
}

#[cfg(feature = "http-client")]
#[test]
fn reads_urls_of_every_client() {
    for (path, json) in [
        (
            "/a/.mcp.json",
            r#"{"mcpServers":{"it":{"type":"http","url":"https://a.example/mcp?${TOKEN}","headers":{"Authorization":"Bearer ${TOKEN}"}}}}"#,
        ),
        ("/a/.mcp.json", r#"{"mcpServers":{"it":{"type":"sse","url":"https://a.example/mcp?${TOKEN}"}}}"#),
        (
            "/a/.vscode/mcp.json",
            r#"{"servers":{"it":{"type":"http","url":"https://a.example/mcp?${env:TOKEN}"}}}"#,
        ),
        ("/a/.cursor/mcp.json", r#"{"mcpServers":{"it":{"url":"https://a.example/mcp?${env:TOKEN}"}}}"#),
        ("/a/mcp_config.json", r#"{"mcpServers":{"it":{"serverUrl":"https://a.example/mcp?${env:TOKEN}"}}}"#),
        (
            "/a/x.json",
            r#"{"mcpServers":{"it":{"type":"streamable-http","url":"https://a.example/mcp?${TOKEN}"}}}"#,
        ),
    ] {
        let config = Config::parse(json, path).expect("a file that is right");
        assert_eq!(config.entries()[0].transport().expect("right"), Transport::Http);
        assert_eq!(config.entries()[0].summary().expect("right"), "https://a.example", "{path}");
        let target = entry(path, json).expect("an entry that is right");
        let Target::Remote(remote) = target else { panic!("expected a URL, but found {target:?}") };
        assert_eq!(remote.url_text(), "https://a.example/mcp?s3cret", "{path}");
        let expected = json.contains("headers").then_some(("Authorization", "Bearer s3cret"));
        assert_eq!(remote.header_texts().next(), expected, "{path}");
    }
}

#[test]
fn reads_comments_commas_and_byte_order_marks() {
    let json = "\u{feff}// for \"all\" of us, }\n{\n  /* { \n } é */ \"mcpServers\": {\n    \"it\": { // ]\n      \
                \"command\": \"http://x/*y*/\", \"args\": [\"a,]\", \"\\\"//\", ], },\n  },\n}\n";
    let config = Config::parse(json, "x.json").expect("JSON with comments");
    assert_eq!(words(&command("x.json", json)), ["http://x/*y*/", "a,]", "\"//"]);
    assert_eq!(config.entries()[0].line(), 5);
    for text in
        ["", "  \n", "// nothing yet\n", "\u{feff}", "{}", r#"{"theme":"dark"}"#, r#"{"mcpServers":{}}"#]
    {
        assert_eq!(Config::parse(text, "x.json").expect("no servers").entries().len(), 0, "{text:?}");
    }
}

#[test]
fn json_keeps_its_places_without_comments() {
    for (text, expected) in [
        ("[1,/**/]", "[1     ]"),
        ("[1 , // x\n ]", "[1       \n ]"),
        ("{\"a\":[],}", "{\"a\":[] }"),
        ("[1,,]", "[1, ]"),
        ("\"a//b\" /* é", "\"a//b\"      "),
        ("1 / 2 /", "1 / 2 /"),
        ("\"open \\", "\"open \\"),
        ("/**/{}", "    {}"),
        ("/*/ {}", "      "),
    ] {
        let json = to_json(text);
        assert_eq!((json.as_str(), json.len()), (expected, text.len()), "{text:?}");
    }
}

#[test]
fn keeps_what_it_does_not_know_from_mattering() {
    let json = r#"{ "theme": { "x": [1] }, "mcpServers": { "it": { "command": "a", "alwaysAllow": ["b"], "icon": null,
        "timeout": 5, "env": null, "args": null, "disabled": true }, "other": 7 } }"#;
    assert_eq!(words(&command("x.json", json)), ["a"]);
    let config = Config::parse(json, "x.json").expect("right");
    let entries: Vec<_> =
        config.entries().iter().map(|it| (it.name(), it.is_disabled(), it.line())).collect();
    assert_eq!(entries, [("it", true, 1), ("other", false, 2)]);
}

#[test]
fn puts_in_variables_where_their_client_has_them() {
    let name = r#"{"mcpServers":{"it":{"command":"${HOME}/a","args":["${NONE:-b:-c}","$HOME","${env:HOME}","${}","${x y}","${"]}}}"#;
    assert_eq!(
        words(&command("/p/.claude.json", name)),
        ["/home/ada/a", "b:-c", "$HOME", "${env:HOME}", "${}", "${x y}", "${"]
    );
    assert_eq!(
        words(&command("/p/claude_desktop_config.json", name)),
        ["${HOME}/a", "${NONE:-b:-c}", "$HOME", "${env:HOME}", "${}", "${x y}", "${"]
    );
    let editor = r#"{"mcpServers":{"it":{"command":"a","args":["${env:HOME}","${userHome}","${workspaceFolder}","${workspaceFolderBasename}","${/}","${pathSeparator}","${HOME}"]}}}"#;
    let slash = std::path::MAIN_SEPARATOR_STR;
    assert_eq!(
        words(&command("/p/.cursor/mcp.json", editor)),
        ["a", "/home/ada", "/home/ada", "/p", "p", slash, slash, "${HOME}"]
    );
    assert_eq!(
        words(&command(
            "/p/x.json",
            r#"{"mcpServers":{"it":{"command":"${HOME}${env:HOME}${userHome}${/}"}}}"#
        )),
        [format!("/home/ada/home/ada/home/ada{slash}")]
    );
    // The value of a variable is not expanded: the value of `ODD` is `${TOKEN}`.
    assert_eq!(words(&command(".mcp.json", r#"{"mcpServers":{"it":{"command":"${ODD}"}}}"#)), ["${TOKEN}"]);
}

#[test]
fn asks_for_inputs_and_shows_no_password_by_itself() {
    let json = r#"{ "inputs": [ { "type": "promptString", "id": "key", "description": "API key", "password": true, "default": "x" },
        { "id": "place", "default": "Ghent" }, 7 ],
        "servers": { "it": { "command": "a", "args": ["${input:place}"], "env": { "KEY": "${input:key}" } } } }"#;
    let config = Config::parse(json, "/p/.vscode/mcp.json").expect("right");
    assert_eq!(config.inputs().len(), 2);
    let asked = variables().inputs(|input| (input.id == "key").then(|| "k3y".to_owned()));
    let Target::Command(program) = config.entry("it").and_then(|it| it.target(&asked)).expect("answers")
    else {
        panic!("expected a command")
    };
    assert_eq!(words(&program.into_command()), ["a", "Ghent", "KEY=k3y"]);
    let error = config.entry("it").and_then(|it| it.target(&variables())).expect_err("no answer").to_string();
    assert_eq!(
        error,
        "/p/.vscode/mcp.json:3: server \"it\": expected an answer to the input \"key\" (API key), but found none, in `env`"
    );
    refused(
        "/p/.vscode/mcp.json",
        r#"{"servers":{"it":{"command":"${input:x}"}}}"#,
        "/p/.vscode/mcp.json:1: server \"it\": expected `inputs` to describe \"x\", but found no such input, in `command`",
    );
}

#[test]
fn runs_commands_where_their_project_is() {
    let json = |more: &str| format!(r#"{{"mcpServers":{{"it":{{"command":"bin/a"{more}}}}}}}"#);
    let folder = |command: &Command| command.get_current_dir().map(Path::to_path_buf);
    for (path, more, program, expected) in [
        ("/p/.mcp.json", "", "/p/bin/a", Some("/p")),
        ("/p/.cursor/mcp.json", r#","cwd":"sub""#, "/p/sub/bin/a", Some("/p/sub")),
        ("/p/.vscode/mcp.json", r#","cwd":"${workspaceFolder}/s""#, "/p/s/bin/a", Some("/p/s")),
        ("/p/x.json", r#","cwd":"/q""#, "/q/bin/a", Some("/q")),
        ("/p/x.json", "", "bin/a", None),
    ] {
        let command = command(path, &json(more));
        assert_eq!(words(&command)[0], program, "{path}");
        assert_eq!(folder(&command).as_deref(), expected.map(Path::new), "{path}");
    }
    let config = Config::parse(&json(""), "/p/x.json").expect("right");
    let Ok(Target::Command(program)) = config.entries()[0].target(&variables().workspace("/w")) else {
        panic!("expected a command")
    };
    assert_eq!(folder(&program.into_command()).as_deref(), Some(Path::new("/w")));
}

#[test]
fn reads_env_files_below_env() {
    let folder = std::env::temp_dir().join(format!("plainwire-config-{}", std::process::id()));
    fs::create_dir_all(folder.join(".vscode")).expect("a folder of our own");
    let text = "# note\n\nA=1\nexport B = \"two\\nlines\" # x\nC='a # b'\nD=x # y\nE=\n";
    fs::write(folder.join(".env"), text).expect("a file of our own");
    let path = folder.join(".vscode/mcp.json");
    let json = |file: &str| {
        format!(r#"{{"servers":{{"it":{{"command":"a","envFile":"{file}","env":{{"A":"9","F":null}}}}}}}}"#)
    };
    for file in ["${workspaceFolder}/.env", ".env"] {
        let command = command(path.to_str().expect("UTF-8"), &json(file));
        assert_eq!(words(&command), ["a", "A=9", "B=two\nlines", "C=a # b", "D=x", "E=", "F"]);
    }
    fs::write(folder.join(".env"), "A=1\nnothing here\n").expect("a file of our own");
    let error =
        entry(path.to_str().expect("UTF-8"), &json(".env")).expect_err("no line of an envFile").to_string();
    assert!(
        error.ends_with(&format!("expected NAME=value in line 2 of {}", folder.join(".env").display())),
        "{error}"
    );
    let error = entry(path.to_str().expect("UTF-8"), &json("none")).expect_err("no envFile").to_string();
    assert!(
        error.contains("/none to be readable, but found: ") && error.ends_with(", in `envFile`"),
        "{error}"
    );
    fs::write(folder.join("value"), " s3cret\n").expect("a file of our own");
    let windsurf =
        format!(r#"{{"mcpServers":{{"it":{{"command":"${{file:{}}}"}}}}}}"#, folder.join("value").display());
    assert_eq!(words(&command("mcp_config.json", &windsurf)), ["s3cret"]);
    fs::remove_dir_all(&folder).expect("a folder of our own");
}

#[test]
fn says_what_is_wrong_and_where() {
    let at = |text: &str| format!("x.json:2: server \"it\": {text}");
    let server = |json: &str| format!("{{ \"mcpServers\": {{\n\"it\": {json} }} }}");
    for (json, why) in [
        ("7", "expected an object, but found a number"),
        ("{}", "expected `command`, `url` or `serverUrl`, but found none of them"),
        (r#"{"command":""}"#, "expected `command`, `url` or `serverUrl`, but found none of them"),
        (r#"{"command":["a"]}"#, "expected `command` to be a string, but found a list"),
        (r#"{"command":"a","args":"b"}"#, "expected `args` to be a list of strings, but found a string"),
        (r#"{"command":"a","args":["b",1]}"#, "expected `args` to be a list of strings, but found a number"),
        (r#"{"command":"a","env":["b"]}"#, "expected `env` to be an object of strings, but found a list"),
        (r#"{"command":"a","env":{"B":{}}}"#, "expected `env.B` to be a string, but found an object"),
        (
            r#"{"type":"ws","url":"wss://a"}"#,
            "expected `type` to be `stdio`, `http` or `sse`, but found \"ws\"",
        ),
        (r#"{"type":"http","command":"a"}"#, "expected `url`, but found none"),
        (r#"{"type":"stdio","url":"https://a"}"#, "expected `command`, but found none"),
        (
            r#"{"url":"https://a","headers":["b"]}"#,
            "expected `headers` to be an object of strings, but found a list",
        ),
        (
            r#"{"command":"${NONE}"}"#,
            "expected the variable `NONE` to be set, but found nothing, in `command`",
        ),
        (
            r#"{"command":"a","env":{"B":"${env:NONE}"}}"#,
            "expected the variable `NONE` to be set, but found nothing, in `env`",
        ),
        (
            r#"{"command":"${NONE:-${X}"}"#,
            "expected text after `${NONE:-`, but found another variable, in `command`",
        ),
        (
            r#"{"command":"${HOME:-${X}}"}"#,
            "expected text after `${HOME:-`, but found another variable, in `command`",
        ),
        (
            r#"{"command":"${env:\u001b[2J}"}"#,
            r"expected the variable `\u{1b}[2J` to be set, but found nothing, in `command`",
        ),
        (
            r#"{"command":"${command:\u001b[2J}"}"#,
            "expected a known variable, but found `${command:…}`, in `command`",
        ),
        (
            r#"{"command":"${workspaceFolder}"}"#,
            "expected a folder for `${workspaceFolder}` (the file belongs to no project), but found none, in `command`",
        ),
        #[cfg(feature = "http-client")]
        (
            r#"{"url":"localhost:1/mcp"}"#,
            "expected a URL with `http://` or `https://`, but found \"localhost:1/mcp\"",
        ),
    ] {
        refused("x.json", &server(json), &at(why));
    }
    for (json, why) in [
        ("[]", "x.json:1: expected the file to be an object, but found a list"),
        ("{\n\"mcpServers\":\n 7}", "x.json:3: expected `mcpServers` to be an object, but found a number"),
        ("{\n\"servers\": []}", "x.json:2: expected `servers` to be an object, but found a list"),
        (
            "{\"mcpServers\":{\n\"a\":{},\n\"a\":{}}}",
            "x.json:3: expected each server once, but found \"a\" again",
        ),
        (
            "{\"mcpServers\":{\"a\":{},\"b\":{}}}",
            "expected x.json to have a server \"it\", but found \"a\", \"b\"",
        ),
        ("{}", "expected x.json to have a server \"it\", but found no server at all"),
        (
            "{\"theme\":1,\n\"McpServers\":{\"it\":{}}}",
            "x.json:2: expected `mcpServers`, but found `McpServers`",
        ),
        ("{\n\n\"a\" 1}", "x.json:3: expected JSON, but found: expected `:` at line 3 column 5"),
    ] {
        refused("x.json", json, why);
    }
    // Claude Code's default for a variable, in a file of another client: it may be a secret.
    let json = server(r#"{"command":"a","env":{"T":"${TOKEN:-s3cret}"}}"#);
    let why = "expected a known variable, but found `${TOKEN:…}`, in `env`";
    refused("/p/.cursor/mcp.json", &json, &at(why).replace("x.json", "/p/.cursor/mcp.json"));
    let error = Config::read("/nowhere/at/all.json").expect_err("no file").to_string();
    assert!(error.starts_with("expected /nowhere/at/all.json to be readable, but found: "), "{error}");
}

#[test]
fn shows_no_secret_in_errors_and_debug() {
    let secret = r#"{"mcpServers":{"it":{"command":"a","args":["s3cret"],"env":{"T":"s3cret"}},
        "web":{"url":"https://u:s3cret@a.example:8443/s3cret?t=s3cret#s3cret","headers":{"X":"s3cret"}},"odd":{"env":["s3cret"]},"text":"s3cret"}}"#;
    let config = Config::parse(secret, "x.json").expect("right");
    let summaries: Vec<_> = config.entries().iter().take(2).map(|it| it.summary().expect("right")).collect();
    assert_eq!(summaries, ["a", "https://a.example:8443"]);
    let wrong =
        config.entries().iter().skip(2).map(|it| it.target(&variables()).expect_err("wrong").to_string());
    let mut said: Vec<String> = wrong.collect();
    said.extend([format!("{config:?}"), format!("{:?}", variables()), format!("{:?}", summaries)]);
    for broken in [
        "{\"mcpServers\":{\"s3cret\n",
        "{\"mcpServers\":\"s3cret\"}",
        "\"s3cret\"",
        "{\"mcpServers\":{\"a\":s3cret}}",
    ] {
        said.push(Config::parse(broken, "x.json").expect_err("wrong").to_string());
    }
    assert_eq!(said.iter().find(|it| it.contains("s3cret")), None);
}

#[test]
fn refuses_files_that_are_too_long() {
    let path = std::env::temp_dir().join(format!("plainwire-long-{}", std::process::id()));
    fs::write(&path, "12345").expect("a file of our own");
    assert_eq!(file::read(&path, 5).as_deref(), Ok("12345"));
    let expected = format!("expected {} to have at most 4 bytes, but found more", path.display());
    assert_eq!(file::read(&path, 4), Err(expected));
    fs::remove_file(&path).expect("a file of our own");
}

#[test]
fn reads_what_claude_code_keeps_for_one_project() {
    let text = r#"{
        "mcpServers": { "everywhere": { "command": "a" } },
        "projects": {
            "/p/one": { "history": [], "mcpServers": { "here": { "command": "${NAME:-b}" } } },
            "/p/two": { "mcpServers": {} },
            "/p/wrong": []
        }
    }"#;
    let read = |folder: &str| Config::parse_part(text, Path::new("/h/.claude.json"), Some(Path::new(folder)));
    let names = |folder: &str| {
        let config = read(folder).expect("right");
        config.entries().iter().map(|it| (it.name().to_owned(), it.line())).collect::<Vec<_>>()
    };
    assert_eq!(names("/p/one"), [("here".to_owned(), 4)]);
    assert_eq!(names("/p/one/"), names("/p/one"));
    assert_eq!(names("/p/two"), []);
    assert_eq!(names("/p"), [], "what is above is another project");
    let config = read("/p/one").expect("right");
    let Ok(Target::Command(program)) = config.entries()[0].target(&variables()) else { panic!("a command") };
    assert_eq!(words(&program.into_command()), ["b"], "its variables are those of the client");
    let error = read("/p/wrong").expect_err("no object").to_string();
    assert_eq!(error, "/h/.claude.json:6: expected the project /p/wrong to be an object, but found a list");
    let config = Config::parse(text, "/h/.claude.json").expect("right");
    assert_eq!(config.entries()[0].name(), "everywhere");
}

#[cfg(feature = "http-client")]
#[test]
fn an_entry_may_allow_secrets_without_encryption() {
    let entry_with = |more: &str| {
        let json = format!(r#"{{"mcpServers": {{"it": {{"url": "http://mcp.example/mcp"{more}}}}}}}"#);
        entry("mcp.json", &json).map(|target| format!("{target:?}")).map_err(|error| error.to_string())
    };
    assert!(entry_with("").expect("a target").contains("unencrypted: false"));
    assert!(entry_with(r#", "allowUnencrypted": true"#).expect("a target").contains("unencrypted: true"));
    let why = entry_with(r#", "allowUnencrypted": "yes""#).expect_err("no boolean");
    assert!(why.ends_with("expected `allowUnencrypted` to be true or false, but found a string"), "{why}");
}
