//! `#[data]`: the schemas and checks of types, as clients see them.

use plainwire::prelude::*;
use serde_json::Value;

/// A search for books.
#[data]
#[derive(Clone, Debug, PartialEq)]
struct Query {
    /// Words of the title.
    #[length(1..=20)]
    words: String,
    #[default(10)]
    #[range(1..=50)]
    limit: u32,
    #[default("en")]
    #[serde(rename = "in")]
    language: String,
    kind: Kind,
    not: Option<Vec<Kind>>,
}

#[data]
#[derive(Clone, Debug, PartialEq)]
#[serde(tag = "is", rename_all = "snake_case")]
enum Kind {
    Book {
        #[default(true)]
        printed: bool,
    },
    SheetMusic {
        #[range(..=9)]
        difficulty: u8,
    },
    Anything,
}

/// Returns what it was asked for.
#[tool]
async fn echo(query: Query) -> Query {
    query
}

async fn schemas() -> (Value, Value) {
    let client = plainwire::testing::client(plainwire::server!().tool(echo)).await.expect("a right tool");
    let tool = client.list_tools().await.expect("a list").remove(0);
    let output = tool.output_schema.expect("a schema");
    let parse = |json: &str| serde_json::from_str(json).expect("JSON");
    (parse(tool.input_schema.get()), parse(output.get()))
}

#[tokio::test]
async fn a_type_is_an_argument_and_a_result() {
    let client = plainwire::testing::client(plainwire::server!().tool(echo)).await.expect("a right tool");
    let arguments = json!({ "query": { "words": "moss", "kind": { "is": "book" } } });
    let found: Query = client.call("echo", arguments).await.expect("a query");
    let kind = Kind::Book { printed: true };
    let expected = Query { words: "moss".into(), limit: 10, language: "en".into(), kind, not: None };
    assert_eq!(found, expected);
}

#[tokio::test]
async fn attributes_of_fields_are_in_the_schema() {
    let (input, _) = schemas().await;
    let text = input.to_string();
    assert!(text.contains(r#""description":"Words of the title.""#), "{text}");
    for (keyword, count) in [
        (r#""maxLength":20"#, 1),
        (r#""maximum":50"#, 1),
        (r#""maximum":9"#, 1),
        (r#""default":10"#, 1),
        (r#""default":"en""#, 1),
        (r#""default":true"#, 1),
        (r#""in":{"#, 1),
    ] {
        assert!(text.matches(keyword).count() >= count, "{keyword}: {text}");
    }
}

#[tokio::test]
async fn bounds_of_fields_are_enforced() {
    let client = plainwire::testing::client(plainwire::server!().tool(echo)).await.expect("a right tool");
    for (query, expected) in [
        (json!({ "words": "", "kind": { "is": "anything" } }), "`arguments.query.words` to have at least 1"),
        (json!({ "words": "a", "kind": { "is": "anything" }, "limit": 51 }), "`arguments.query.limit`"),
        (json!({ "words": "a", "kind": { "is": "sheet_music" } }), "`arguments.query.kind.difficulty`"),
    ] {
        let error = client.call::<Query>("echo", json!({ "query": query })).await.expect_err("out of bounds");
        assert!(error.to_string().contains(expected), "{error}");
    }
}

/// Two fields without names, and a type parameter.
#[data]
struct Pair<T>(T, #[default(7)] u8);

/// Adds.
#[tool]
async fn add(pair: Pair<u8>) -> u8 {
    pair.0 + pair.1
}

#[tokio::test]
async fn fields_need_no_names_and_types_may_have_parameters() {
    let client = plainwire::testing::client(plainwire::server!().tool(add)).await.expect("a right tool");
    assert_eq!(client.call::<u8>("add", json!({ "pair": [1, 2] })).await.expect("a sum"), 3);
}

#[tokio::test]
async fn a_type_can_hold_all_arguments() {
    /// Says how often.
    #[tool]
    async fn repeat(#[arguments] it: Repeat) -> String {
        it.text.repeat(it.times)
    }

    #[data]
    struct Repeat {
        text: String,
        #[default(2)]
        times: usize,
    }

    let client = plainwire::testing::client(plainwire::server!().tool(repeat)).await.expect("a right tool");
    assert_eq!(client.call::<String>("repeat", json!({ "text": "a" })).await.expect("text"), "aa");
}

/// Takes numbers beyond those of `i32`.
#[tool]
async fn far(
    #[range(0..=3_000_000_000)] n: u32,
    #[range(-3_000_000_000..)] m: i64,
    #[range(..10_000_000_000_000_000_000)] k: u64,
) -> String {
    format!("{n} {m} {k}")
}

#[tokio::test]
async fn a_bound_may_be_beyond_the_numbers_of_i32() {
    let client = plainwire::testing::client(plainwire::server!("far").tool(far)).await.expect("a connection");
    let fits = json!({ "n": 3_000_000_000_u32, "m": -3_000_000_000_i64, "k": 1 });
    assert_eq!(client.call::<String>("far", &fits).await.expect("a text"), "3000000000 -3000000000 1");
    let refused =
        client.call_tool("far", json!({ "n": 3_000_000_001_u32, "m": 0, "k": 0 })).await.expect("a result");
    assert!(refused.is_error, "{refused:?}");
}
