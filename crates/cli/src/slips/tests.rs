//! The commonest slips, each with the line that answers it.

use clap::Parser as _;

use super::*;

#[track_caller]
fn check(line: &str, said: &str, hint: &str) {
    let words = shlex::split(line).expect("words");
    let error =
        Cli::try_parse_from(std::iter::once(&"plainwire".to_owned()).chain(&words)).expect_err("a slip");
    let failure = known(&error, &words).unwrap_or_else(|| panic!("{line}: {error}"));
    assert_eq!((failure.text.as_str(), failure.hint.as_deref()), (said, Some(hint)), "{line}");
}

#[test]
fn a_server_without_its_mark_is_answered_with_the_whole_line() {
    let server = "expected the command of a server after `--`, but found \"./server\"";
    check("list ./server --verbose", server, "plainwire list -- ./server --verbose");
    check("call add a=1 ./server", server, "plainwire call add a=1 -- ./server");
    check("call sh a=1 ./server", server, "plainwire call sh a=1 -- ./server");
    let url = "expected a URL after `--url`, but found \"http://a/mcp?x=1\"";
    check("list 'http://a/mcp?x=1'", url, "plainwire list --url 'http://a/mcp?x=1'");
    let local = "expected a URL after `--url`, but found \"localhost:8000/mcp\"";
    check("ping localhost:8000/mcp", local, "plainwire ping --url http://localhost:8000/mcp");
    let windows = "expected the command of a server after `--`, but found \"C:\\\\server.exe\"";
    check("list 'C:\\server.exe'", windows, "plainwire list -- \"C:\\\\server.exe\"");
}

#[test]
fn an_option_for_a_tool_is_answered_with_an_argument() {
    let said = "expected an argument as `key=text`, but found \"--query\"";
    check("call find --query 'two words' -- x", said, "plainwire call find 'query=two words' -- x");
    check(
        "call find --query=x -- x",
        "expected an argument as `key=text`, but found \"--query=x\"",
        "plainwire call find query=x -- x",
    );
    check(
        "describe ./server",
        "expected the command of a server after `--`, but found \"./server\"",
        "plainwire describe -- ./server",
    );
    check("call find --query -- x", said, "plainwire call find query=true -- x");
}

#[test]
fn a_url_gets_what_its_beginning_lacks() {
    for (url, expected) in [
        ("a:1/mcp", "http://a:1/mcp"),
        ("http:/a/mcp", "http://a/mcp"),
        ("https:a/mcp", "https://a/mcp"),
        ("ws://a", "ws://a"),
    ] {
        assert_eq!(with_scheme(url), expected);
    }
}

#[test]
fn the_habits_of_other_clients_are_answered_with_the_line() {
    let said = "expected an argument as `key=text`, but found \"--tool-arg\"";
    check("call find --tool-arg limit=3 -- x", said, "plainwire call find limit=3 -- x");
    let server = |found: &str| format!("expected the command of a server after `--`, but found {found:?}");
    check("dev ./server --port 80", &server("./server"), "plainwire dev -- ./server --port 80");
    let line = "plainwire servers add NAME -- COMMAND";
    check("servers add sh", "expected the name and the command of a server", line);
    check(
        "search_notes limit=3 -- notes",
        "expected a command of `plainwire`, but found \"search_notes\"",
        "a tool is called by: plainwire call search_notes limit=3 -- notes",
    );
    let said = "expected a command of `plainwire`, but found \"lst\"";
    check("help lst", said, "plainwire help list");
    check("servers ls", "expected a command of `plainwire servers`, but found \"ls\"", "plainwire servers");
    let said = "expected an option of `plainwire list`, but found \"--timeot\"";
    check("list --timeot 3 -- x", said, "did you mean --timeout?");
    let said = "expected an option of `plainwire call`, but found \"-id=2\"";
    check("call close -id=2 -- x", said, "an argument has no `-`: id=2");
    check(
        "list --trace t.txt -- x",
        "expected --trace and its file in one word, but found \"t.txt\"",
        "--trace=t.txt",
    );
    check(
        "install cursor notes -- sh",
        "expected an option, but found \"notes\"",
        "--name notes is the name",
    );
    check("read a://b c://d -- x", "expected an option, but found \"c://d\"", "one URI at a time");
    let said = "expected a name and a server, but found neither";
    let hint = "plainwire call NAME -- COMMAND; `--url URL` or `--server NAME` in place of `-- COMMAND`";
    check("call", said, hint);
    check(
        "install cursor",
        "expected a server, but found none",
        "plainwire install CLIENT -- COMMAND; `--url URL` in place of `-- COMMAND`",
    );
    let hint = "plainwire login --url URL; `--server NAME` for one of a configuration file";
    check("login", "expected a server, but found none", hint);
    let said = |found: &str| format!("expected a command of `plainwire`, but found {found:?}");
    let called = "a tool is called by: plainwire call serch query=x -- notes";
    check("serch query=x -- notes", &said("serch"), called);
    check("tools list", &said("tools"), "plainwire list");
    check("version", &said("version"), "plainwire --version");
    check(
        "serve",
        "expected the name of a built-in server, but found none",
        "`plainwire serve atlassian`, `plainwire serve inventory`, `plainwire serve learning`, `plainwire serve patterns`, `plainwire serve reference`, `plainwire serve site`",
    );
    let twice = "the server follows `--` already: leave out sh";
    check("list sh -- notes", "expected an option, but found \"sh\"", twice);
    check(
        "list --bearer-env T -- notes",
        "expected --bearer-env with a server over HTTP, but found a command",
        "leave it out: it is for a server over HTTP; `--env` gives variables to a command",
    );
    check(
        "servers add x --token-file T --url http://a/mcp",
        "expected an option of `plainwire servers add`, but found \"--token-file\"",
        "`--bearer-env VARIABLE` names the variable with the token",
    );
    check("servers add mine nowhere -v", &server("nowhere"), "plainwire servers add mine -- nowhere -v");
    check(
        "watch -- x",
        "expected the URI of a resource, but found none",
        "`--lists` watches the lists of tools, resources and prompts",
    );
}

#[test]
fn an_unknown_option_is_named_and_so_is_a_missing_command() {
    check(
        "list --nonsense -- x",
        "expected an option of `plainwire list`, but found \"--nonsense\"",
        "`plainwire list --help` lists them",
    );
    check(
        "call find --bearer s3cret --url http://x",
        "expected an option of `plainwire call`, but found \"--bearer\"",
        "`--bearer-env VARIABLE` and `--token-file FILE` send a token",
    );
    let said = "expected a command of `plainwire` before `--`, but found none";
    check("-- ./server 'a b'", said, "plainwire list -- ./server 'a b'");
}

#[test]
fn other_errors_are_left_to_clap() {
    for line in ["convert", "convert ./a"] {
        let words = shlex::split(line).expect("words");
        let error =
            Cli::try_parse_from(std::iter::once(&"plainwire".to_owned()).chain(&words)).expect_err("a slip");
        assert!(known(&error, &words).is_none(), "{line}");
    }
}
