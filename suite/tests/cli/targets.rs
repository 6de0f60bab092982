//! Tests of the ways to name a server: a command, a URL, or an entry of a configuration file. Tokens are
//! never in the arguments.

use std::fs;
use std::path::PathBuf;

use plainwire_suite::binary;
use plainwire_suite::program::{PATIENCE, Program};

use super::{ERAS, Ran, run};

/// Makes a folder for one test.
pub(super) fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("cli-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder of our own");
    folder
}

/// Starts the reference server over HTTP, with the further arguments `words`. Returns the process and its
/// URL.
fn serve(words: &[&str]) -> (Program, String) {
    serve_at("127.0.0.1:0", words)
}

/// Like [`serve`], at an address and a port.
pub(super) fn serve_at(address: &str, words: &[&str]) -> (Program, String) {
    let mut command = binary::command();
    command.args(["serve", "reference", "--http", address]).args(words);
    let program = Program::start(&mut command);
    let lines = program.stderr.as_ref().expect("a pipe");
    let line = lines.recv_timeout(PATIENCE).expect("a line that says where it serves");
    let (_, address) = line.split_once("http://").unwrap_or_else(|| panic!("{line:?}"));
    let address = address.split_once("/mcp").unwrap_or_else(|| panic!("{line:?}")).0;
    (program, format!("http://{address}/mcp"))
}

#[test]
fn asks_a_server_at_a_url_in_every_era() {
    let (_server, url) = serve(&[]);
    for (era, revision) in ERAS {
        let asked = |words: &[&str]| run(&[words, &["--era", era, "--url", &url]].concat()).quietly();
        assert!(asked(&["list"]).starts_with(&format!("plainwire-reference 0.1.0 ({revision})\n")), "{era}");
        assert_eq!(asked(&["call", "calculate", "expression=6*7"]), "42\n");
        assert_eq!(asked(&["read", "calculation://6*7"]), "42\n");
        assert!(asked(&["prompt", "explain_calculation", "expression=1"]).starts_with("user:\n"));
        assert!(asked(&["ping"]).contains(&format!(" speaks {revision} and answered in ")));
        assert!(asked(&["lint", "--filter=calculate"]).starts_with("0 errors"));
    }
}

#[test]
fn sends_no_token_to_another_machine_unencrypted_unless_told() {
    let ask = |words: &[&str]| {
        let mut command = binary::command();
        // Nobody is at this address, which is reserved for documentation.
        command.args(["ping", "--timeout=1", "--bearer-env=TOKEN", "--url=http://192.0.2.1/mcp"]).args(words);
        Ran::of(command.env("TOKEN", "s3cret-s3cret").output().expect("the binary starts"))
    };
    let refused = ask(&[]);
    let said = "error: expected an https URL to send the header \"authorization\" to, which holds a secret, but found";
    assert!(refused.stderr.starts_with(said) && !refused.stderr.contains("s3cret"), "{refused:?}");
    let tried = ask(&["--allow-unencrypted"]);
    assert!(tried.code != 0 && !tried.stderr.contains("expected an https URL"), "{tried:?}");
}

#[test]
fn gets_in_with_a_token_from_the_environment_from_a_file_or_in_a_header() {
    let folder = folder("tokens");
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::write(&path, text).expect("a file of our own");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("a file of our own");
        }
        path.to_str().expect("UTF-8").to_owned()
    };
    let token = "s3cret-s3cret-s3cret";
    let (_server, url) = serve(&["--token-file", &write("server", &format!("ada {token}\n"))]);
    let file = write("client", &format!("{token}\n"));
    let empty = write("empty", "\n");
    let two = write("two", "ada s3cret\n");
    let ask = |words: &[&str]| {
        let mut command = binary::command();
        command.args(["call", "calculate", "expression=6*7", "--url", &url]).args(words);
        Ran::of(command.env("TOKEN", token).output().expect("the binary starts"))
    };
    for words in [
        &["--bearer-env", "TOKEN"][..],
        &["--token-file", &file],
        &["--header", &format!("authorization:Bearer {token}")],
    ] {
        assert_eq!(ask(words).quietly(), "42\n", "{words:?}");
    }
    let mut wrong = binary::command();
    wrong.args(["ping", "--url", &url, "--bearer-env", "TOKEN"]).env("TOKEN", "wrong");
    let ran = Ran::of(wrong.output().expect("the binary starts"));
    assert!(
        ran.code == 4 && ran.stderr.ends_with("hint: check the token in the variable TOKEN\n"),
        "{ran:?}"
    );
    let ran = ask(&["--header", &format!("authorization: {token}")]);
    let hint =
        "hint: the header needs the word `Bearer` before the token: --header 'Authorization: Bearer …'\n";
    assert!(ran.code == 4 && ran.stderr.ends_with(hint) && !ran.stderr.contains(token), "{ran:?}");
    let ran = ask(&[]);
    assert!(ran.code == 4 && ran.stderr.starts_with("error: the server refused with HTTP 401"), "{ran:?}");
    assert!(
        ran.stderr.ends_with(&format!(
            "\n\nhint: `--bearer-env VARIABLE` and `--token-file FILE` send a token; `plainwire login --url {url}` signs in by OAuth, if the server offers it\n"
        )),
        "{ran:?}"
    );
    let config = write("mcp.json", &format!(r#"{{"mcpServers":{{"shelf":{{"url":"{url}"}}}}}}"#));
    let entry = ["call", "calculate", "expression=6*7", "--config", &config, "--server", "shelf"];
    let ran = run(&entry);
    let hint = "\n\nhint: `--bearer-env VARIABLE` and `--token-file FILE` send a token; ";
    assert!(ran.code == 4 && ran.stderr.contains(hint), "{ran:?}");
    assert_eq!(run(&[&entry[..], &["--token-file", &file]].concat()).quietly(), "42\n");
    let ran = run(&[&entry[..], &["--token-file", &file, "--header", "authorization: Basic x"]].concat());
    assert!(
        ran.code == 2 && ran.stderr.starts_with("error: expected one --header Authorization, "),
        "{ran:?}"
    );
    let with_token = format!(r#"{{"url":"{url}","headers":{{"Authorization":"Bearer ${{NOBODY}}"}}}}"#);
    let config = write(
        "mcp.json",
        &format!(r#"{{"mcpServers":{{"shelf":{with_token},"notes":{{"command":"notes"}}}}}}"#),
    );
    assert_eq!(run(&entry).code, 2, "NOBODY is not set");
    let header = format!("authorization: Bearer {token}");
    assert_eq!(run(&[&entry[..], &["--header", &header]].concat()).quietly(), "42\n");
    let ran = run(&[&entry[..], &["--header", &header, "--header", &header]].concat());
    assert!(ran.code == 2 && ran.stderr.contains(", but found several"), "{ran:?}");
    assert_eq!(run(&[&entry[..], &["--token-file", &file]].concat()).quietly(), "42\n");
    let ran = run(&["list", "--config", &config, "--server", "notes", "--token-file", &file]);
    let said = "error: expected --token-file with a server over HTTP, but \"notes\" is a command\n\nhint: leave it \
                out: it is for a server over HTTP; `--env` gives variables to a command\n";
    assert_eq!((ran.code, &*ran.stderr), (2, said));
    let ran = run(&["login", "--url", &url, "--no-browser"]);
    let hint = "hint: a server without OAuth takes a token: `--bearer-env VARIABLE` and `--token-file FILE` send one\n";
    assert!(ran.code == 4 && ran.stderr.ends_with(hint), "{ran:?}");
    let ran = run(&["list", "--url", &url.replace("http:", "https:")]);
    assert!(
        ran.code == 3 && ran.stderr.contains(": expected TLS (https), but found something else; "),
        "{ran:?}"
    );
    for (words, said) in [
        (
            &["--bearer-env", "NOBODY"][..],
            "--bearer-env NOBODY: expected the variable to be set, but found nothing".to_owned(),
        ),
        (&["--token-file", &empty], format!("--token-file {empty}: expected a token, but found nothing")),
        (&["--token-file", &two], format!("--token-file {two}: expected a token and nothing else")),
        (&["--header", "s3cret"], "expected --header='NAME: VALUE', but found no colon".to_owned()),
        (&["--header", "s p: s3cret"], "expected a legal name for the header \"s p\"".to_owned()),
    ] {
        let ran = ask(words);
        assert!(ran.code == 2 && ran.stderr.starts_with(&format!("error: {said}\n")), "{words:?}: {ran:?}");
        assert!(!ran.stderr.contains("s3cret"), "{ran:?}");
    }
}

#[test]
fn asks_an_entry_of_a_configuration_file() {
    let (_server, url) = serve(&[]);
    let folder = folder("entry");
    let path = folder.join(".mcp.json");
    let text = format!(
        r#"{{ // two, and one that needs more
        "mcpServers": {{
            "here": {{ "command": "${{WHICH:-plainwire}}", "args": ["serve", "reference"] }},
            "there": {{ "type": "http", "url": "{url}", }},
            "needs": {{ "command": "${{NOBODY_HAS_THIS}}" }},
            "gone": {{ "command": "/nowhere/at/all" }},
            "off": {{ "command": "plainwire", "args": ["serve", "reference"], "disabled": true }},
        }} }}"#
    );
    fs::write(&path, text).expect("a file of our own");
    let path = path.to_str().expect("UTF-8");
    let call = |name: &str| run(&["call", "calculate", "expression=6*7", "--config", path, "--server", name]);
    for name in ["here", "there"] {
        assert_eq!(call(name).quietly(), "42\n");
    }
    let off = call("off");
    let said = "warning: the file disables the server \"off\", which starts now\n";
    assert_eq!((off.code, &*off.stdout, &*off.stderr), (0, "42\n", said));
    for (name, code, said) in [
        ("needs", 2, format!("error: {path}:5: server \"needs\": expected the variable `NOBODY_HAS_THIS` to be set, but found nothing, in `command`\n")),
        ("none", 2, format!("error: expected {path} to have a server \"none\", but found \"here\", \"there\", \"needs\", \"gone\", \"off\"\n\nhint: did you mean --server gone?\n")),
        ("gone", 3, "error: starting the server: expected \"/nowhere/at/all\" to exist, but found: No such file or directory (os error 2)\n\nhint: check `command` of \"gone\"\n".to_owned()),
    ] {
        let ran = call(name);
        assert_eq!((ran.code, ran.stderr), (code, said), "{name}");
    }
}

#[test]
fn answers_inputs_of_an_editor_from_the_environment() {
    let folder = folder("inputs").join(".vscode");
    fs::create_dir_all(&folder).expect("a folder of our own");
    let path = folder.join("mcp.json");
    let text = r#"{ "inputs": [{ "type": "promptString", "id": "which", "description": "Which one?", "password": true }],
        "servers": { "it": { "type": "stdio", "command": "plainwire", "args": ["serve", "${input:which}"] } } }"#;
    fs::write(&path, text).expect("a file of our own");
    let ask = |words: &[&str]| {
        let mut command = binary::command();
        command
            .args(["call", "calculate", "expression=6*7", "--server=it", "--config"])
            .arg(&path)
            .args(words);
        Ran::of(command.env("ANSWER", "reference").output().expect("the binary starts"))
    };
    assert_eq!(ask(&["--input-env", "which=ANSWER"]).quietly(), "42\n");
    let ran = ask(&[]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("expected an answer to the input \"which\" (Which one?)"), "{ran:?}");
    assert_eq!(ask(&["--input-env", "which"]).code, 2);
    let unset = ask(&["--input-env", "which=NOBODY"]);
    let hint = "hint: the variable NOBODY of --input-env is not set\n";
    assert!(unset.code == 2 && unset.stderr.ends_with(hint), "{unset:?}");
}

#[test]
fn finds_a_server_by_its_name_in_the_files_of_this_user_only() {
    let home = folder("home");
    let entry = r#"{ "mcpServers": { "it": { "command": "plainwire", "args": ["serve", "reference"] } } }"#;
    let ask = |words: &[&str]| {
        let mut command = binary::command();
        command.args(["call", "calculate", "expression=6*7"]).args(words).current_dir(&home);
        command.env("HOME", &home).env_remove("XDG_CONFIG_HOME").env_remove("CLAUDE_CONFIG_DIR");
        Ran::of(command.output().expect("the binary starts"))
    };
    // `--server` does not search the file of a project, because others may have written it.
    fs::write(home.join(".mcp.json"), entry).expect("a file of our own");
    let ran = ask(&["--server", "it"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("expected a server \"it\" in one of your configuration files, but found none"),
        "{ran:?}"
    );
    assert!(ran.stderr.ends_with("hint: it is in .mcp.json: add `--config .mcp.json`\n"), "{ran:?}");
    fs::write(home.join(".claude.json"), entry).expect("a file of our own");
    assert_eq!(ask(&["--server", "it"]).quietly(), "42\n");
    fs::create_dir_all(home.join(".codeium/windsurf")).expect("a folder of our own");
    fs::write(home.join(".codeium/windsurf/mcp_config.json"), entry).expect("a file of our own");
    let ran = ask(&["--server", "it"]);
    assert!(ran.code == 2 && ran.stderr.contains("but found one in each of "), "{ran:?}");
    assert_eq!(ask(&["--server", "it", "--config", ".mcp.json"]).quietly(), "42\n");
}

#[test]
fn takes_one_server_and_says_how_it_is_written() {
    for words in [
        &["list", "--url", "http://localhost:1/mcp", "--", "plainwire"][..],
        &["list", "--server", "a", "--", "plainwire"],
        &["list", "--server", "a", "--url", "http://localhost:1/mcp"],
        &["list", "--config", "a.json"],
        &["list", "--config", "a.json", "--", "plainwire"],
        &["list", "--bearer-env", "A", "--", "plainwire"],
        &["list", "--token-file", "A", "--", "plainwire"],
        &["list", "--header", "A: B", "--server", "plainwire"],
        &["list", "--input-env", "A=B", "--", "plainwire"],
        &["list"],
    ] {
        let ran = run(words);
        assert_eq!((ran.code, &*ran.stdout), (2, ""), "{words:?}: {ran:?}");
    }
    let ran = run(&["list", "--", "https://ada:s3cret@a.example/mcp?token=s3cret"]);
    assert_eq!(
        (ran.code, &*ran.stderr),
        (
            2,
            "error: expected a command after `--`, but found https://a.example/mcp\n\nhint: write a URL after `--url`, without `--`\n"
        )
    );
    let names = folder("unnamed").join("v.json");
    fs::write(
        &names,
        r#"{ "mcpServers": { "a\nb\u001b[1m": { "command": "x" }, "c": { "command": "x" } } }"#,
    )
    .expect("a file of our own");
    let ran = run(&["ping", "--config", names.to_str().expect("UTF-8")]);
    assert!(ran.code == 2 && ran.stderr.ends_with("v.json has a\\nb\\u{1b}[1m, c\n"), "{ran:?}");
    let ran = run(&["list", "--url", "a.example/mcp"]);
    assert!(ran.code == 2 && ran.stderr.ends_with("hint: --url http://a.example/mcp\n"), "{ran:?}");
    let ran = run(&["list", "--url", "a.example/mcp?token=s3cret"]);
    assert!(ran.code == 2 && !ran.stderr.contains("s3cret"), "{ran:?}");
    // No program listens on port 1.
    let ran = run(&["list", "--url", "http://127.0.0.1:1/mcp"]);
    assert!(ran.code == 3 && ran.stderr.contains("http://127.0.0.1:1 can't be reached"), "{ran:?}");
}

#[cfg(unix)]
#[test]
fn cargo_as_a_server_gets_the_variables_of_cargo_and_of_rustup() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = folder("cargo");
    for program in ["cargo", "other"] {
        let path = folder.join(program);
        fs::write(&path, "#!/bin/sh\nenv > \"$0.env\"\n").expect("a file of our own");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a file of our own");
    }
    let mut path = folder.clone().into_os_string();
    path.push(":");
    path.push(binary::search_path());
    let found = |program: &str| {
        let mut command = binary::command();
        command.args(["ping", "--timeout", "5", "--", program]).env("PATH", &path).env("SECRET", "s3cret");
        for name in ["CARGO_HOME", "CARGO_TARGET_DIR", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN"] {
            command.env(name, "here");
        }
        Ran::of(command.output().expect("the binary starts"));
        let text = fs::read_to_string(folder.join(format!("{program}.env"))).expect("the server has started");
        assert!(!text.contains("s3cret"), "{text}");
        text.lines().filter(|line| line.ends_with("=here")).count()
    };
    assert_eq!((found("cargo"), found("other")), (4, 0));
}
