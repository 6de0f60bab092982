//! `#[data(kind = "…")]` and `#[data(kinds)]`: what is on the wire, in the schemas, and what a client reads.

use plainwire::kind::{self, Kinds as _};
use plainwire::model::{CallToolResult, Content};
use plainwire::prelude::*;
use plainwire::proto::revision::Revision;

#[data(kind = "bookDetails:v1")]
#[derive(Debug, PartialEq)]
struct Book {
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    year: Option<u16>,
}

#[data(kind = "noBook:v2")]
#[derive(Debug, PartialEq)]
struct NoBook {
    similar: Vec<String>,
}

/// The result of a search.
#[data(kinds)]
#[derive(Debug, PartialEq)]
enum Found {
    Book(Book),
    None(NoBook),
}

#[tool(read_only)]
async fn find(title: String) -> Found {
    match &*title {
        "Moss" => Found::Book(Book { title, year: None }),
        _ => Found::None(NoBook { similar: vec!["Moss".to_owned()] }),
    }
}

#[tool(read_only)]
async fn book() -> Book {
    Book { title: "Moss".to_owned(), year: Some(1999) }
}

fn moss() -> Found {
    Found::Book(Book { title: "Moss".to_owned(), year: None })
}

#[tokio::test]
async fn a_value_says_its_kind_in_every_revision_and_in_either_channel() {
    for revision in Revision::ALL {
        let builder = plainwire::Client::builder().revisions(&[revision]);
        let client = builder.connect(plainwire::server!("library").tool(find)).await.expect("a connection");
        let result = client.call_tool("find", json!({ "title": "Moss" })).await.expect("a result");
        assert_eq!(result.content[0].as_text(), Some(r#"{"kind":"bookDetails:v1","title":"Moss"}"#));
        let without_text = CallToolResult { content: Vec::new(), ..result.clone() };
        let without_structure = CallToolResult { structured_content: None, ..result };
        assert_eq!(kind::payload::<Found>(&without_structure).expect("a payload"), moss(), "{revision}");
        if without_text.structured_content.is_some() {
            assert_eq!(kind::payload::<Found>(&without_text).expect("a payload"), moss(), "{revision}");
        }
        let none: Found = client.call("find", json!({ "title": "x" })).await.expect("a value");
        assert_eq!(none, Found::None(NoBook { similar: vec!["Moss".to_owned()] }));
    }
}

#[tokio::test]
async fn the_schema_names_the_kind_and_an_enum_is_an_object_with_alternatives() {
    let server = plainwire::server!("library").tool(find).tool(book);
    let client = plainwire::testing::client(server).await.expect("a connection");
    let tools = client.list_tools().await.expect("tools");
    let schema = |name: &str| {
        let tool = tools.iter().find(|it| it.name == name).expect("the tool");
        serde_json::from_str::<Value>(tool.output_schema.as_ref().expect("a schema").get()).expect("JSON")
    };
    assert_eq!(schema("book")["properties"]["kind"]["const"], "bookDetails:v1", "{}", schema("book"));
    assert!(schema("book")["required"].as_array().expect("a list").contains(&json!("kind")));
    let found = schema("find");
    assert_eq!(
        (&found["type"], found["anyOf"].as_array().expect("alternatives").len()),
        (&json!("object"), 2)
    );
    assert!(found.to_string().contains("\"noBook:v2\""), "{found}");
}

#[test]
fn a_payload_is_the_last_text_with_a_kind_and_another_kind_is_refused() {
    let book = r#"{"kind":"bookDetails:v1","title":"Moss"}"#;
    let texts = |texts: &[&str]| CallToolResult {
        content: texts.iter().map(|it| Content::text(*it)).collect(),
        ..CallToolResult::default()
    };
    let read = |result: &CallToolResult| kind::payload::<Found>(result).map_err(|it| it.to_string());
    assert_eq!(read(&texts(&["# Moss", r#"{"kind":"other:v1"}"#, book, "[1]"])), Ok(moss()));
    let expected = r#"expected `kind` to be "bookDetails:v1" or "noBook:v2", but found "other:v1""#;
    assert_eq!(read(&texts(&[book, r#"{"kind":"other:v1"}"#])), Err(expected.to_owned()));
    let none =
        r#"expected a result with the kind "bookDetails:v1" or "noBook:v2", but found none with a kind"#;
    assert_eq!(read(&texts(&["Moss", r#"{"title":"Moss"}"#])), Err(none.to_owned()));
    let bent = read(&texts(&[r#"{"kind":"noBook:v2"}"#])).expect_err("no list");
    assert!(bent.contains("missing field `similar`"), "{bent}");
    assert_eq!(Found::kinds(), ["bookDetails:v1", "noBook:v2"]);
}

#[test]
fn a_payload_has_at_most_262_144_values() {
    let read = |similar: usize| {
        let similar = vec!["m"; similar];
        let text = json!({ "kind": "noBook:v2", "similar": similar }).to_string();
        let result = CallToolResult { content: vec![Content::text(text)], ..CallToolResult::default() };
        kind::payload::<NoBook>(&result).map(|it| it.similar.len()).map_err(|it| it.to_string())
    };
    assert_eq!(read(262_000), Ok(262_000));
    assert!(read(262_145).expect_err("too many").contains("at most 262144 values"));
}

#[tool(read_only)]
async fn shelve(book: Book, #[range(1..=5)] row: u8) -> String {
    format!("{} {row}", book.title)
}

#[tool(read_only)]
async fn lend(books: Vec<Book>) -> usize {
    books.len()
}

#[tokio::test]
async fn a_value_with_a_kind_is_an_argument_too() {
    let server = plainwire::server!("library").tool(shelve).tool(lend);
    let client = plainwire::testing::client(server).await.expect("a connection");
    let book = json!({ "kind": "bookDetails:v1", "title": "Moss" });
    let shelved: String = client.call("shelve", json!({ "book": book, "row": "3" })).await.expect("a text");
    assert_eq!(shelved, "Moss 3");
    let lent: usize = client.call("lend", json!({ "books": [book, book] })).await.expect("a number");
    assert_eq!(lent, 2);
    let mut other = book.clone();
    other["shelf"] = json!(1);
    let error = client.call_tool("lend", json!({ "books": [other] })).await.expect("a result");
    assert!(error.is_error && error.content[0].as_text().is_some_and(|it| it.contains("shelf")), "{error:?}");
}
