//! Questions that can't be answered get an error that says what is expected, and cost little.

use std::time::Duration;

use plainwire::Server;

use super::*;

fn server(settings: Settings) -> Server {
    Server::new("numbers")
        .tool(Tool::new("text", || async { "äöü\n".repeat(500) }))
        .tool(Tool::new("value", || async { json!({ "items": vec!["x".repeat(100); 50] }) }))
        .outputs(settings)
}

/// Calls a tool, and returns the text of its error.
async fn error(client: &Client, tool: &str, arguments: Value) -> String {
    match client.call_tool(tool, arguments).await {
        Ok(result) if result.is_error => result.content[0].as_text().expect("a text").to_owned(),
        Ok(result) => panic!("an error, but found {result:?}"),
        Err(error) => error.to_string(),
    }
}

#[tokio::test]
async fn ids_that_are_guessed_foreign_or_expired_are_refused() {
    let client = plainwire::testing::client(server(settings())).await.expect("a client");
    let unknown = "output://ffffffffffff00000000000000000000000000000000";
    for tool in ["output_page", "output_json"] {
        let said = error(&client, tool, json!({ "id": unknown })).await;
        assert_eq!(
            said,
            "there is no such output\n\nhint: the oldest are dropped when room is needed: call again the tool that made it"
        );
        for id in ["", "output://../../etc/passwd", "output://x\u{1b}[31m", &unknown.to_uppercase()] {
            let said = error(&client, tool, json!({ "id": id })).await;
            let expected =
                "expected the id of an output, `output://` and 44 hexadecimal digits, but found \"";
            assert!(said.starts_with(expected) && !said.contains('\u{1b}'), "{said}");
        }
    }
    let short = Settings::new(Folder::open(path()).expect("a folder")).threshold(1_024).ttl(Duration::ZERO);
    let client = plainwire::testing::client(server(short)).await.expect("a client");
    let result = client.call_tool("text", json!({})).await.expect("a result");
    let said = error(&client, "output_page", json!({ "id": links(&result)[0] })).await;
    assert_eq!(
        said,
        "the output has expired\n\nhint: call again the tool that made it, and use the new link"
    );
}

#[tokio::test]
async fn ranges_patterns_and_paths_that_make_no_sense_are_refused() {
    let client = plainwire::testing::client(server(settings())).await.expect("a client");
    let text = links(&client.call_tool("text", json!({})).await.expect("a result")).remove(0);
    let value = links(&client.call_tool("value", json!({})).await.expect("a result")).remove(0);
    for (tool, id, arguments, expected) in [
        (
            "output_page",
            &text,
            json!({ "offset": 3_501 }),
            "expected `offset` to be at most 3500, the number of bytes by now, but found 3501",
        ),
        ("output_page", &text, json!({ "offset": -1 }), "expected `arguments.offset`"),
        ("output_page", &text, json!({ "length": 0 }), "expected `arguments.length`"),
        ("output_page", &text, json!({ "length": -5 }), "expected `arguments.length`"),
        (
            "output_grep",
            &text,
            json!({ "pattern": "a(" }),
            "expected `pattern` to be a regular expression, but found: unclosed group",
        ),
        (
            "output_grep",
            &text,
            json!({ "pattern": "(?=a)" }),
            "expected `pattern` to be a regular expression, but found: look-around",
        ),
        (
            "output_grep",
            &text,
            json!({ "pattern": r"(\w{1,100}){1,100}" }),
            "expected a `pattern` that takes at most 262144 bytes when it is compiled",
        ),
        ("output_grep", &text, json!({ "pattern": "x".repeat(1_001) }), "expected `arguments.pattern`"),
        (
            "output_grep",
            &text,
            json!({ "pattern": "x", "offset": 9_000 }),
            "expected `offset` to be at most 3500",
        ),
        (
            "output_json",
            &text,
            json!({ "pointer": "/a" }),
            "expected an output that is JSON, but found text/plain that can't be read",
        ),
        (
            "output_json",
            &value,
            json!({ "pointer": "items" }),
            "expected `pointer` to be empty or to begin with `/`, but found \"items\"",
        ),
        (
            "output_json",
            &value,
            json!({ "pointer": "/items/50" }),
            "there is no value at `/items/50`, but there is one at `/items`",
        ),
        (
            "output_json",
            &value,
            json!({ "select": ["x"] }),
            "expected `select` to be empty or to begin with `/`",
        ),
    ] {
        let mut with = arguments.clone();
        with["id"] = id.as_str().into();
        let said = error(&client, tool, with).await;
        assert!(said.starts_with(expected), "{tool} {arguments}: {said}");
    }
    // Inside of a character: its beginning.
    let page =
        call(&client, "output_page", json!({ "id": text, "offset": 1, "length": 1 })).await.expect("a page");
    assert_eq!((&page["offset"], &page["text"], &page["nextOffset"]), (&json!(0), &json!("ä"), &json!(2)));
    let page = call(&client, "output_page", json!({ "id": text, "offset": 3_500 })).await.expect("a page");
    assert_eq!((&page["text"], page.get("nextOffset")), (&json!(""), None));
}

#[tokio::test]
async fn an_expression_made_to_blow_up_takes_linear_time() {
    let long = || async { format!("{}\n", "a".repeat(30_000)).repeat(30) };
    let server = Server::new("numbers").tool(Tool::new("text", long)).outputs(settings());
    let client = plainwire::testing::client(server).await.expect("a client");
    let id = links(&client.call_tool("text", json!({})).await.expect("a result")).remove(0);
    for pattern in ["(a+)+b", "(a|aa)+$b", "a*a*a*a*a*a*b", "(?:a?){30}a{30}b"] {
        let found =
            call(&client, "output_grep", json!({ "id": id, "pattern": pattern })).await.expect("an answer");
        assert_eq!((&found["matches"], found.get("nextOffset")), (&json!([]), None), "{pattern}");
    }
}

#[tokio::test]
async fn json_over_the_limit_is_refused_by_output_json() {
    let write = |outputs: State<plainwire::outputs::Keeper>, ctx: Context| async move {
        let mut output = outputs.create(&ctx, "write", "application/json").await?;
        for _ in 0..17 {
            output.write(vec![b' '; 1 << 20]).await?;
        }
        output.finish().await
    };
    let server = Server::new("numbers").tool(Tool::new("write", write)).outputs(settings());
    let client = plainwire::testing::client(server).await.expect("a client");
    let id = links(&client.call_tool("write", json!({})).await.expect("a result")).remove(0);
    let said = error(&client, "output_json", json!({ "id": id })).await;
    let expected = "expected an output of at most 16777216 bytes, but found 17825792";
    assert_eq!(said, format!("{expected}\n\nhint: read it by output_page or output_grep"));
    assert!(client.read_resource(id.as_str()).await.is_err());
}
