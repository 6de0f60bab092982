//! Names of entries in a host: with the prefix of their server, without it, in conflict with each other, and
//! misspelled.

use plainwire::client::host::{Host, Member};
use plainwire::proto::cursor::List;
use plainwire::{Error, Server, Tool};
use serde_json::{Value, json};

use crate::support::{Mode, member, names, scripted, server};

#[tokio::test]
async fn another_server_renames_nothing_and_a_bare_name_does_while_it_is_the_only_one() {
    let one = Host::start([member("jira", server(&["search", "issue"]))]).expect("a host");
    assert_eq!(names(&one.tools().await), ["jira__search", "jira__issue"]);
    assert_eq!(one.call::<String>("search", json!({})).await.expect("text"), "search");

    let two = [member("jira", server(&["search", "issue"])), member("wiki", server(&["search"])).prefix("w")];
    let two = Host::start(two).expect("a host");
    assert_eq!(names(&two.tools().await), ["jira__search", "jira__issue", "w__search"]);
    assert_eq!(two.call::<String>("issue", json!({})).await.expect("text"), "issue");
    assert_eq!(two.call::<String>("w__search", json!({})).await.expect("text"), "search");
    let error = two.call_tool("search", json!({})).await.expect_err("two of them");
    assert!(matches!(&error, Error::Ambiguous { servers, .. } if *servers == ["jira", "wiki"]), "{error}");
    assert_eq!(
        error.to_string(),
        r#"expected the tool of one server, but found "search" at several: jira, wiki"#
    );
    let error = two.call_tool("jira_serch", json!({})).await.expect_err("nobody's");
    let expected = r#"expected a known tool, but found "jira_serch"; did you mean `jira__search`?"#;
    assert_eq!(error.to_string(), expected);
    let error = two.client("jura").await.expect_err("nobody");
    assert!(matches!(&error, Error::Unknown { meant: Some(meant), .. } if meant == "jira"), "{error}");
}

#[tokio::test]
async fn a_server_without_a_prefix_owns_its_names_even_those_that_the_host_changes() {
    let says = |who: &'static str| Server::new(who).tool(Tool::new("books.find", move || async move { who }));
    let host = Host::start([member("a", says("a")), member("b", says("b")).prefix("")]).expect("a host");
    assert_eq!(names(&host.tools().await), ["a__books_find_d2157426", "books_find_bb06f8d3"]);
    assert_eq!(host.call::<String>("books.find", json!({})).await.expect("text"), "b");
    let error = host.call_tool("a__books.find", json!({})).await.expect_err("not a name of the host");
    let expected =
        r#"expected a known tool, but found "a__books.find"; did you mean `a__books_find_d2157426`?"#;
    assert_eq!(error.to_string(), expected);
}

#[tokio::test]
async fn prefixes_that_clash_or_are_none_are_refused() {
    let two = |one: Member, other: Member| match Host::start([one, other]) {
        Err(Error::Target { message }) => message,
        other => panic!("{other:?}"),
    };
    let some = |name| member(name, server(&[]));
    assert!(two(some("a"), some("a").prefix("b")).contains("another name and another prefix"));
    assert!(two(some("a"), some("b").prefix("a")).contains("another name and another prefix"));
    assert!(two(some("a"), some("b c")).contains("expected a prefix of at most 32 characters"));
    Host::start([some("a"), some("b c").prefix("")]).expect("a server without a prefix is allowed");
}

#[tokio::test]
async fn a_name_that_two_would_have_is_nobodys() {
    let members = [member("plain", server(&["b__x", "y"])).prefix(""), member("b", server(&["x"]))];
    let host = Host::start(members).expect("a host");
    let listing = host.tools().await;
    assert_eq!(names(&listing), ["y"]);
    assert_eq!((listing.collisions[0].name.as_str(), listing.collisions[0].servers.len()), ("b__x", 2));
    let error = host.call_tool("b__x", json!({})).await.expect_err("two of them");
    assert!(matches!(error, Error::Ambiguous { .. }), "{error}");
}

#[tokio::test]
async fn an_entry_is_as_it_was_sent_but_for_its_name() {
    let sent = r#"{"x-mine":1.0e2,"name":"a.b","inputSchema":{"type":"object","zz":1,"aa":2},"annotations":{"readOnlyHint":true}}"#;
    let mode = Mode { tools: json!([serde_json::from_str::<Value>(sent).expect("JSON")]), ..Mode::default() };
    let (client, _script) = scripted(mode).await;
    let raw = client.list_raw(List::Tools).await.expect("tools")[0].get().to_owned();
    let host = Host::start([Member::connected("s", client)]).expect("a host");
    let listing = host.tools().await;
    let entry = &listing.entries[0];
    assert_eq!((entry.own_name.as_str(), entry.server.as_str()), ("a.b", "s"));
    assert!(entry.name.starts_with("s__a_b_"), "{}", entry.name);
    assert_eq!(entry.raw.get(), raw.replace("a.b", &entry.name));
    assert_eq!(
        host.call::<String>(&entry.name, json!({})).await.expect("text"),
        "a.b",
        "called by its own name"
    );
}

#[tokio::test]
async fn a_name_that_is_near_draws_nothing_on_a_terminal() {
    let tools = json!([{ "name": "hello\u{1b}[2J", "inputSchema": { "type": "object" } }]);
    let (client, _script) = scripted(Mode { tools, ..Mode::default() }).await;
    let host = Host::start([Member::connected("a", client)]).expect("a host");
    let error = host.call_tool("hello[2J", json!({})).await.expect_err("no such name").to_string();
    assert!(error.ends_with("did you mean `a__hello__2J_cd34125c`?"), "{error}");
    // A URI is no name of the host: it is shown as the server wrote it, escaped.
    let meant = Some("a://\u{1b}[2J".to_owned());
    let error = Error::Unknown { meant, name: "a://2J".to_owned(), what: "resource" }.to_string();
    assert!(error.ends_with(r"did you mean `a://\u{1b}[2J`?"), "{error}");
}
