//! Contracts: the entries of a server in a file, which the first run writes and later runs compare with the
//! server.

use std::fs;

use plainwire::Error;
use plainwire::prelude::*;
use plainwire::proto::peer::EraChoice;
use plainwire::testing;
use plainwire::testing::transcript::Transcript;
use serde_json::json;

use crate::{Folder, client, server};

/// Connects a client to `server`, and compares the server with the contract at `path`.
async fn contract(server: Server, path: &std::path::Path) -> Result<()> {
    let client = testing::client(server).await?;
    testing::contract(&client, path).await
}

#[tokio::test]
async fn a_contract_is_written_once_and_fails_until_it_is_reviewed() {
    let folder = Folder::new("contract");
    let path = folder.0.join("new/contract.json");
    let error = contract(server(), &path).await.expect_err("nobody has read it");
    assert!(matches!(error, Error::Mismatch { .. }), "{error}");
    assert!(error.to_string().contains("review and commit"), "{error}");
    contract(server(), &path).await.expect("the same as before");
    contract(server().page_size(100), &path).await.expect("pages are no part of it");
    let text = fs::read_to_string(&path).expect("a file");
    // A contract whose members are in another order, or whose layout differs, is the same contract.
    let value: Value = serde_json::from_str(&text).expect("JSON");
    assert!(text.ends_with("}\n") && value["tools"]["greet"]["inputSchema"].is_object(), "{text}");
    let tools = value["tools"].as_object().expect("tools").iter().rev();
    let tools: Vec<_> = tools.map(|(name, tool)| format!("{}:{tool}", json!(name))).collect();
    let reordered = format!(r#"{{"tools":{{{}}},"protocolVersion":"2026-07-28"}}"#, tools.join(","));
    fs::write(&path, &reordered).expect("a file");
    contract(server(), &path).await.expect("the same as before");
    assert_eq!(
        fs::read_dir(folder.0.join("new")).expect("a folder").count(),
        1,
        "nothing else is left behind"
    );

    #[derive(Deserialize, JsonSchema)]
    struct Other {
        /// First addend.
        a: f64,
        /// Second addend.
        #[expect(dead_code, reason = "only its schema matters")]
        b: String,
    }
    let changed = Server::new("kit")
        .instructions("Be careful.")
        .tool(Tool::new("add", |it: Other| async move { it.a }).description("Adds a lot."))
        .tool(Tool::new("new", || async {}))
        .prompt(Prompt::new("ask", || async { "Ask." }))
        .resource(Resource::new("item://1", "data", || async { "1" }))
        .resource_template(ResourceTemplate::new("item://{a}", "items", |_: Item| async { "1" }));
    let error = contract(changed, &path).await.expect_err("much has changed").to_string();
    for line in [
        "~ instructions is new: \"Be careful.\"",
        "+ prompt `ask` is new",
        "+ resource template `item://{a}` is new",
        "~ tool `add`: description was \"Adds.\", and is \"Adds a lot.\"",
        "~ tool `add`: inputSchema.properties.b.type was \"number\", and is \"string\"",
        "- tool `greet` was removed",
        "+ tool `new` is new",
    ] {
        assert!(error.lines().any(|it| it == line), "{line} is missing in\n{error}");
    }
    assert!(error.contains("delete") && !error.contains("item://1"), "{error}");
    assert_eq!(fs::read_to_string(&path).expect("a file"), reordered, "a failed check writes nothing");

    fs::write(&path, "{").expect("a file");
    let error = contract(server(), &path).await.expect_err("no JSON").to_string();
    assert!(error.contains("but found no JSON"), "{error}");
}

#[tokio::test]
async fn two_tools_of_one_name_have_no_contract() {
    let server = Transcript::parse(
        r#"-- client --
{"jsonrpc":"2.0","id":1,"method":"initialize"}
-- server --
{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"two","version":"1"}}}
-- client --
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}
-- server --
{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"a","inputSchema":{}},{"name":"a","inputSchema":{"type":"object"}}]}}
"#,
    );
    let folder = Folder::new("two");
    let path = folder.0.join("contract.json");
    let server = server.expect("a transcript");
    let played =
        server.play_server(client(EraChoice::Legacy), async |client| testing::contract(&client, &path).await);
    let error = played.await.expect_err("there are two");
    assert_eq!(error.to_string(), "expected one tool `a`, but found two");
    assert!(!path.exists());
}

#[derive(Deserialize, JsonSchema)]
struct Item {
    /// Which one.
    #[expect(dead_code, reason = "only its name matters")]
    a: String,
}

#[tokio::test]
async fn a_contract_that_is_none_or_can_not_be_read_says_what_and_where() {
    let folder = Folder::new("none");
    let path = folder.0.join("contract.json");
    for text in ["null", "[]", r#"{"tools":5}"#, r#"{"tools":{"a":5}}"#] {
        fs::write(&path, text).expect("a file");
        let error = contract(server(), &path).await.expect_err("no contract").to_string();
        assert_eq!(error, format!("expected a contract in {}, but found {text}", path.display()));
    }
    let error = contract(server(), &folder.0).await.expect_err("a folder").to_string();
    let start = format!("expected to read the contract {}, but found: ", folder.0.display());
    assert!(error.len() > start.len() && error.starts_with(&start), "{error}");
}

#[tokio::test]
async fn a_contract_may_begin_with_a_byte_order_mark() {
    let folder = Folder::new("mark");
    let path = folder.0.join("contract.json");
    contract(server(), &path).await.expect_err("nobody has read it");
    let text = fs::read_to_string(&path).expect("a file");
    fs::write(&path, format!("\u{feff}{text}")).expect("a file");
    contract(server(), &path).await.expect("the same as before");
}
