//! Tests of `plainwire install`, which adds a server to a client's configuration file and changes nothing
//! else in it.

use std::fs;
use std::path::{Path, PathBuf};

use plainwire_suite::binary;
use snapbox::{assert_data_eq, str};

use super::targets::folder;
use super::{Ran, run};

const REFERENCE: [&str; 4] = ["--", "plainwire", "serve", "reference"];

fn install(home: &Path, words: &[&str]) -> Ran {
    let mut command = binary::command();
    command.arg("install").args(words).current_dir(home);
    command.env("HOME", home).env_remove("XDG_CONFIG_HOME").env_remove("CLAUDE_CONFIG_DIR");
    Ran::of(command.output().expect("the binary starts"))
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).expect("a file")
}

/// Returns the paths of all files below a folder, sorted.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = plainwire_suite::files_below(folder, "");
    found.sort();
    found
}

#[test]
fn writes_the_file_of_each_client_in_its_form() {
    for (client, scope, file, list, kind) in [
        ("claude-code", &[][..], ".claude.json", "mcpServers", Some("stdio")),
        ("claude-code", &["--project"], ".mcp.json", "mcpServers", Some("stdio")),
        ("claude-desktop", &[], ".config/Claude/claude_desktop_config.json", "mcpServers", None),
        ("cursor", &[], ".cursor/mcp.json", "mcpServers", None),
        ("vscode", &[], ".config/Code/User/mcp.json", "servers", Some("stdio")),
        ("vscode", &["--project"], ".vscode/mcp.json", "servers", Some("stdio")),
        ("windsurf", &[], ".codeium/windsurf/mcp_config.json", "mcpServers", None),
    ] {
        let home = folder(&format!("install-{client}-{}", scope.len()));
        let words = [&[client][..], scope, &["--name", "it"], &REFERENCE].concat();
        let path = home.join(file);
        let said = install(&home, &words).quietly();
        assert!(said.starts_with("wrote \"it\" into ") && said.contains(file), "{said}");
        assert!(said.lines().last().is_some_and(|it| it.starts_with("restart ")), "{said}");
        assert_eq!(files(&home), std::slice::from_ref(&path), "{client}");
        let first = read(&path);
        let written: serde_json::Value = serde_json::from_str(&first).expect("JSON");
        let entry = &written[list]["it"];
        assert_eq!(entry["type"].as_str(), kind, "{client}");
        assert_eq!((&entry["command"], &entry["args"][1]), (&"plainwire".into(), &"reference".into()));
        let again = install(&home, &words).quietly();
        assert!(again.ends_with("already, nothing to change\n"), "{again}");
        assert_eq!((read(&path), files(&home)), (first, vec![path.clone()]), "twice is once");
        // The entry that was written can be used to call the server.
        let path = path.to_str().expect("UTF-8");
        let ran = run(&["call", "calculate", "expression=6*7", "--config", path, "--server", "it"]);
        assert_eq!(ran.quietly(), "42\n");
    }
}

#[test]
fn writes_urls_in_the_words_of_each_client() {
    for (client, list, expected) in [
        (
            "claude-code",
            "mcpServers",
            r#"{"headers":{"X":"${X}"},"type":"http","url":"https://a.example/mcp"}"#,
        ),
        ("cursor", "mcpServers", r#"{"headers":{"X":"${X}"},"url":"https://a.example/mcp"}"#),
        ("vscode", "servers", r#"{"headers":{"X":"${X}"},"type":"http","url":"https://a.example/mcp"}"#),
        ("windsurf", "mcpServers", r#"{"headers":{"X":"${X}"},"serverUrl":"https://a.example/mcp"}"#),
    ] {
        let home = folder(&format!("install-url-{client}"));
        let words = [client, "--file=f.json", "--url=https://a.example/mcp", "--header", "X: ${X}"];
        install(&home, &words).quietly();
        let written: serde_json::Value = serde_json::from_str(&read(&home.join("f.json"))).expect("JSON");
        assert_eq!(written[list]["a.example"].to_string(), expected, "{client}");
        assert!(install(&home, &words).quietly().contains("nothing to change"), "{client}");
    }
    for (client, list, expected) in [
        ("claude-code", "mcpServers", "Bearer ${TOKEN}"),
        ("cursor", "mcpServers", "Bearer ${env:TOKEN}"),
        ("vscode", "servers", "Bearer ${env:TOKEN}"),
        ("windsurf", "mcpServers", "Bearer ${env:TOKEN}"),
    ] {
        let home = folder(&format!("install-token-{client}"));
        install(&home, &[client, "--file=f.json", "--url=https://a.example/mcp", "--bearer-env=TOKEN"])
            .quietly();
        let written: serde_json::Value = serde_json::from_str(&read(&home.join("f.json"))).expect("JSON");
        assert_eq!(written[list]["a.example"]["headers"]["Authorization"], expected, "{client}");
    }
    let ran = install(
        &folder("install-nowhere"),
        &["cursor", "--file=no/such/f.json", "--url=https://a.example/mcp"],
    );
    let said = "error: --file no/such/f.json: expected the folder no/such to exist, but found none\n";
    assert!(ran.code == 2 && ran.stderr == said, "{ran:?}");
    let ran = install(&folder("install-url-desktop"), &["claude-desktop", "--url=https://a.example/mcp"]);
    assert!(ran.code == 2 && ran.stderr.contains("hint: add the URL in Claude Desktop"), "{ran:?}");
}

#[test]
fn shows_the_difference_without_secrets_and_writes_nothing() {
    let home = folder("install-dry");
    let path = home.join("f.json");
    let before = "{\n  // s3cret\n  \"mcpServers\": {\n    \"b\": { \"command\": \"x\", \"env\": { \"T\": \"s3cret\" } }\n  }\n}\n";
    fs::write(&path, before).expect("a file of our own");
    let words =
        [&["cursor", "--dry-run", "--file=f.json", "--env=TOKEN=s3cret", "--env=U=${env:U}"][..], &REFERENCE]
            .concat();
    assert_data_eq!(
        install(&home, &words).quietly(),
        str![[r#"
f.json would change:
  {
    // …
    "mcpServers": {
-     "b": { "command": "…", "env": { "T": "…" } }
+     "b": { "command": "…", "env": { "T": "…" } },
+     "plainwire": {
+       "command": "plainwire",
+       "args": ["serve", "reference"],
+       "env": {
+         "TOKEN": "…",
+         "U": "${env:U}"
+       }
+     }
    }
  }

"#]]
    );
    assert_eq!((read(&path), files(&home)), (before.to_owned(), vec![path]));
}

#[test]
fn an_option_after_the_server_is_told_to_be_an_argument_of_the_server() {
    let home = folder("install-late-option");
    let ran = install(&home, &[&["cursor", "--file=f.json"][..], &REFERENCE, &["--dry-run"]].concat());
    let said = "warning: `--dry-run` became an argument of the server: the options of `plainwire install` go before `--`\n";
    assert_eq!((ran.code, &*ran.stderr), (0, said));
}

#[test]
fn refuses_another_server_of_the_same_name_unless_it_is_forced_to() {
    let home = folder("install-force");
    let path = home.join("f.json");
    let before =
        "{\"mcpServers\": {\"plainwire\": {\"command\": \"other\", \"env\": {\"T\": \"s3cret\"}}}}\n";
    fs::write(&path, before).expect("a file of our own");
    let words = [&["cursor", "--file=f.json"][..], &REFERENCE].concat();
    let ran = install(&home, &words);
    assert_eq!(
        (ran.code, &*ran.stderr),
        (
            2,
            "error: expected no other server \"plainwire\" in f.json, but found one that differs in `command`, `args`\n\n\
             hint: --force overwrites it, --name NAME picks another name\n"
        )
    );
    assert_eq!((read(&path), files(&home).len()), (before.to_owned(), 1));
    let forced = [&["--force"], &words[..]].concat();
    let said = install(&home, &forced).quietly();
    assert_eq!(said, "wrote \"plainwire\" into f.json\nthe previous file is f.json.backup\n");
    assert_eq!(read(&home.join("f.json.backup")), before);
    let written: serde_json::Value = serde_json::from_str(&read(&path)).expect("JSON");
    assert_eq!(written["mcpServers"]["plainwire"]["command"], "plainwire");
    assert_eq!(written["mcpServers"]["plainwire"]["env"]["T"], "s3cret");
}

#[cfg(unix)]
#[test]
fn keeps_links_and_modes_and_makes_new_files_private() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let mode = |path: &Path| fs::metadata(path).expect("a file").permissions().mode() & 0o777;
    let home = folder("install-links");
    fs::create_dir_all(home.join("dotfiles")).expect("a folder of our own");
    fs::create_dir_all(home.join(".cursor")).expect("a folder of our own");
    let real = home.join("dotfiles/cursor.json");
    let link = home.join(".cursor/mcp.json");
    fs::write(&real, "{}\n").expect("a file of our own");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).expect("a file of our own");
    symlink("../dotfiles/cursor.json", &link).expect("a link");
    let words = [&["cursor"][..], &REFERENCE].concat();
    install(&home, &words).quietly();
    assert!(fs::symlink_metadata(&link).expect("a link").is_symlink());
    assert!(read(&real).contains("\"plainwire\""));
    let backup = home.join("dotfiles/cursor.json.backup");
    assert_eq!((mode(&real), mode(&backup), read(&backup)), (0o640, 0o640, "{}\n".to_owned()));
    // The configuration file may be a link to a file that does not exist yet.
    fs::remove_file(&real).expect("a file of our own");
    install(&home, &words).quietly();
    assert!(fs::symlink_metadata(&link).expect("a link").is_symlink());
    assert_eq!(mode(&real), 0o600);
    install(&home, &[&["vscode", "--project"][..], &REFERENCE].concat()).quietly();
    assert_ne!(mode(&home.join(".vscode/mcp.json")), 0o600, "a project's file is for its group");
    symlink("a", home.join("b")).expect("a link");
    symlink("b", home.join("a")).expect("a link");
    let ran = install(&home, &[&["cursor", "--file=a"][..], &REFERENCE].concat());
    assert!(ran.code == 2 && !ran.stderr.is_empty(), "{ran:?}");
}

#[test]
fn says_what_is_wrong_and_leaves_the_file_alone() {
    let home = folder("install-wrong");
    let write = |name: &str, text: &str| fs::write(home.join(name), text).expect("a file of our own");
    write("broken.json", "{ \"mcpServers\": { s3cret");
    write("list.json", "[]");
    fs::create_dir(home.join("folder")).expect("a folder of our own");
    let before = files(&home);
    for (words, said) in [
        (
            &["cursor", "--file=broken.json", "--", "plainwire"][..],
            "broken.json: expected JSON, but found in line 1: ",
        ),
        (
            &["cursor", "--file=list.json", "--", "plainwire"],
            "list.json: expected an object, but found another value",
        ),
        (
            &["cursor", "--", "npx", "-y", "it"],
            "expected --name=NAME, since `npx` does not identify the server, but found none",
        ),
        (
            &["cursor", "--name=a b", "--", "plainwire"],
            "expected --name=NAME with 1 to 64 letters, digits, `-`, `_` and `.`, but found \"a b\"",
        ),
        (
            &["cursor", "--env=s3cret", "--", "plainwire"],
            "expected --env=NAME=VALUE, but found no name or no `=`",
        ),
        (
            &["cursor", "--url=a.example"],
            "expected --url with `http://` or `https://`, but found \"a.example\"\n\nhint: --url http://a.example\n",
        ),
        (
            &["cursor", "--url=nourl"],
            "expected --url with `http://` or `https://`, but found \"nourl\"\n\nhint: --url http://nourl\n",
        ),
        (
            &["cursor", "--header=A: s3cret", "--", "plainwire"],
            "expected --header with a server over HTTP, but found a command",
        ),
        (
            &["cursor", "--env=A=1", "--env=A=2", "--", "plainwire"],
            "expected --env A once, but found it twice",
        ),
        (
            &["cursor", "--name=x", "--url=http://a", "--header=A: 1", "--header=a: 2"],
            "expected --header a once, but found it twice",
        ),
        (
            &["cursor", "--name=x", "--url=http://a", "--bearer-env=s3cret-s3cret"],
            "expected --bearer-env with the name of an environment variable, but found no such name\n\nhint: `--bearer-env TOKEN`",
        ),
        (
            &["cursor", "--name=x", "--url=http://a", "--bearer-env=A", "--header=authorization: s3cret"],
            "expected --header Authorization once, but found it twice",
        ),
        (&["windsurf", "--project", "--", "plainwire"], "Windsurf has no file for projects"),
        (
            &["cursor", "--name=x", "--url=http://a", "--header=: s3cret"],
            "expected --header with a name before the colon, but found none",
        ),
        (
            &["cursor", "--name=x", "--url=http://a", "--header=A B: s3cret"],
            "expected --header with letters, digits and `-` before the colon, but found another character",
        ),
        (
            &["cursor", "--name=x", "--url=http://a", "--header=A: s3cret\nB: s3cret"],
            "expected --header A with a value on one line, but found a control character",
        ),
        (
            &["cursor", "--name=x", "--url=http://"],
            "expected a URL with `http://` or `https://`, but found \"http://\": ",
        ),
        (
            &["cursor", "--name=x", "--url=http://x:99999/"],
            "expected a URL with `http://` or `https://`, but found \"http://x:99999/\": ",
        ),
        (
            &["cursor", "--name=x", "--url=http://a", "--file=folder"],
            "folder: expected a regular file, but found a folder",
        ),
    ] {
        let ran = install(&home, words);
        assert!(ran.code == 2 && ran.stderr.starts_with(&format!("error: {said}")), "{words:?}: {ran:?}");
        assert!(!ran.stderr.contains("s3cret"), "{ran:?}");
    }
    assert_eq!(files(&home), before);
    let ran = install(&home, &["cursor", "--file=new.json", "--", "no-such-program"]);
    assert_eq!((ran.code, &*ran.stderr), (0, "warning: the program \"no-such-program\" was not found\n"));
}

/// A pipe without a writer would be waited for, and a rename would replace it.
#[cfg(unix)]
#[test]
fn a_pipe_in_place_of_a_file_is_refused() {
    let home = folder("install-pipe");
    let made = std::process::Command::new("mkfifo").arg(home.join("pipe")).status().expect("`mkfifo`");
    assert!(made.success());
    let ran = install(&home, &[&["cursor", "--file=pipe"][..], &REFERENCE].concat());
    let said = "error: pipe: expected a regular file, but found a device or a pipe\n";
    assert_eq!((ran.code, &*ran.stderr), (2, said));
    assert_eq!(fs::read_dir(&home).expect("a folder").count(), 1, "nothing was written");
}

#[test]
fn of_servers_that_are_added_at_the_same_time_none_is_lost() {
    let home = folder("install-parallel");
    let adding: Vec<_> = (0..12)
        .map(|n| {
            let mut command = binary::command();
            command.args(["servers", "add", &format!("n{n}")]).args(REFERENCE).current_dir(&home);
            command.env("HOME", &home).env_remove("XDG_CONFIG_HOME").stdout(std::process::Stdio::null());
            command.spawn().expect("the binary starts")
        })
        .collect();
    for mut adding in adding {
        assert!(adding.wait().expect("it ends").success());
    }
    let file = home.join(".config/plainwire/servers.json");
    let written: serde_json::Value = serde_json::from_str(&read(&file)).expect("JSON");
    assert_eq!(written["mcpServers"].as_object().map(serde_json::Map::len), Some(12), "{written}");
    assert_eq!(files(&home), [file.clone(), file.with_extension("json.backup")], "no lock is left behind");
}

#[test]
fn writes_paths_that_mean_the_same_from_everywhere() {
    let home = folder("install-paths");
    let home = fs::canonicalize(home).expect("a folder");
    install(&home, &["cursor", "--file=f.json", "--", "./bin/shelf", "./menu.txt"]);
    let written: serde_json::Value = serde_json::from_str(&read(&home.join("f.json"))).expect("JSON");
    let entry = &written["mcpServers"]["shelf"];
    assert_eq!(entry["command"], home.join("bin/shelf").to_str().expect("UTF-8"));
    assert_eq!(entry["args"][0], "./menu.txt");
    install(&home, &["cursor", "--project", "--", "bin/shelf"]);
    let written: serde_json::Value =
        serde_json::from_str(&read(&home.join(".cursor/mcp.json"))).expect("JSON");
    assert_eq!(written["mcpServers"]["shelf"]["command"], "bin/shelf");
}

#[test]
fn an_uninstalled_server_is_gone_and_the_rest_stays() {
    let home = folder("uninstall");
    let path = home.join("f.json");
    let before = "{\n  \"mcpServers\": {\n    \"b\": { \"command\": \"x\" } // mine\n  }\n}\n";
    fs::write(&path, before).expect("a file of our own");
    let words = ["cursor", "--file=f.json"];
    install(&home, &[&words[..], &REFERENCE].concat()).quietly();
    let uninstall = |more: &[&str]| {
        let mut command = binary::command();
        command.current_dir(&home).args(["uninstall", "cursor", "--file=f.json"]).args(more);
        Ran::of(command.output().expect("the binary starts"))
    };
    let shown = uninstall(&["plainwire", "--dry-run"]).quietly();
    assert!(shown.contains("-     \"plainwire\": {"), "{shown}");
    let said = uninstall(&["plainwire"]).quietly();
    assert!(said.starts_with("removed \"plainwire\" from f.json\n"), "{said}");
    assert_eq!(read(&path), before);
    let ran = uninstall(&["plainwire"]);
    assert_eq!((ran.code, &*ran.stdout), (2, ""), "{ran:?}");
}

#[test]
fn a_file_of_another_client_is_not_mixed() {
    let home = folder("other-client");
    let before = r#"{"mcpServers":{"a":{"command":"x"}}}"#;
    fs::write(home.join("m.json"), before).expect("a file of our own");
    let ran = install(&home, &[&["vscode", "--file=m.json"][..], &REFERENCE].concat());
    let said =
        "error: expected a file with `servers`, as VS Code names its servers, but m.json has `mcpServers`\n";
    assert!(ran.code == 2 && ran.stderr.starts_with(said), "{ran:?}");
    assert_eq!(read(&home.join("m.json")), before);
}

#[test]
fn a_server_gets_a_name_of_its_own() {
    let home = folder("alias");
    let plainwire = |words: &[&str]| {
        let mut command = binary::command();
        command.current_dir(&home).env("HOME", &home).env_remove("XDG_CONFIG_HOME").args(words);
        Ran::of(command.output().expect("the binary starts"))
    };
    let said = plainwire(&[&["servers", "add", "sums"][..], &REFERENCE].concat()).quietly();
    assert_eq!(
        said,
        format!("wrote \"sums\" into {}\n", home.join(".config/plainwire/servers.json").display())
    );
    let ran = plainwire(&[&["servers", "add", "sums"][..], &REFERENCE, &["--trace"]].concat());
    assert!(ran.stderr.ends_with("hint: --force overwrites it, NAME picks another name\n"), "{ran:?}");
    let ran = plainwire(&["servers", "add", "my server", "--", "x"]);
    assert!(ran.stderr.starts_with("error: expected NAME with 1 to 64 letters"), "{ran:?}");
    let ran = plainwire(&["servers", "add", "empty", "--", ""]);
    assert_eq!(ran.stderr, "error: expected a command after `--`, but found an empty word\n");
    fs::write(home.join("server.py"), "").expect("a file of our own");
    let ran = plainwire(&["servers", "add", "py", "--", "python3", "server.py", "--flag"]);
    let warning = "warning: the file \"server.py\" is found only from this folder: write its whole path\n";
    assert!(ran.code == 0 && ran.stderr.contains(warning), "{ran:?}");
    let url = |url: &str| plainwire(&["install", "cursor", "--file", "c.json", "--dry-run", "--url", url]);
    assert!(url("http://user:s3cret@h.example:80/mcp").stdout.contains("\"h.example\": {"));
    let refused = url("http://s3cret@[::1]:80/mcp");
    assert!(refused.code == 2 && !refused.stderr.contains("s3cret"), "{refused:?}");
    let shown = plainwire(&["call", "calculate", "expression=6*7", "--server", "sums"]).quietly();
    assert_eq!(shown, "42\n");
    assert!(plainwire(&["servers"]).quietly().contains("(plainwire)\n  sums"));
    let ran = plainwire(&["list", "--server", "sum"]);
    assert!(ran.code == 2 && ran.stderr.contains("hint: did you mean --server sums?"), "{ran:?}");
    let ran = plainwire(&["servers", "remove", "sum"]);
    assert!(ran.code == 2 && ran.stderr.ends_with("hint: did you mean sums?\n"), "{ran:?}");
    let said = plainwire(&["servers", "remove", "sums"]).quietly();
    assert!(said.starts_with("removed \"sums\" from "), "{said}");
    assert_eq!(plainwire(&["list", "--server", "sums"]).code, 2);
    // What lists and checks is not mixed with what changes.
    assert_eq!(plainwire(&["servers", "--check", "remove", "sums"]).code, 2);
}
