//! Errors with `#[derive(ToolError)]`: the code, message and hint of a variant, with and without `thiserror`.

use plainwire::prelude::*;
use serde_json::Value;

use crate::{collected_logs, serve};

#[derive(Debug, thiserror::Error, ToolError)]
enum LibraryError {
    #[error("there is no book {title:?} on shelf {shelf}")]
    #[tool_error(
        code = "not_found",
        hint = "search_books finds titles near {title:?}; {{shelf}} is {shelf:>3}"
    )]
    NoBook { title: String, shelf: u8 },
    #[error("the index can't be read")]
    #[tool_error(retryable)]
    Index(#[source] std::io::Error),
    #[error(transparent)]
    #[tool_error(code = "lent", message = "{0} is not a number of days")]
    Days(#[from] Days),
    #[error("{0} readers wait")]
    #[tool_error(code = "timeout")]
    Busy(usize),
    #[error("the roof at {0} leaks")]
    Plain(&'static str),
    #[error("the desk failed")]
    #[tool_error(transparent)]
    Held(ToolError),
}

#[derive(Debug, thiserror::Error)]
#[error("{0:?}")]
struct Days(String);

/// An error that is one struct.
#[derive(Debug, ToolError)]
#[tool_error(code = "closed", hint = "come back at {opens}", retryable)]
struct Closed {
    opens: &'static str,
}

impl std::fmt::Display for Closed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the library is closed")
    }
}

fn fail(how: &str) -> Result<(), LibraryError> {
    match how {
        "book" => Err(LibraryError::NoBook { title: "Moss".to_owned(), shelf: 7 }),
        "index" => Err(LibraryError::Index(std::io::Error::other("/var/secret"))),
        "days" => Err(Days("soon".to_owned()))?,
        "busy" => Err(LibraryError::Busy(3)),
        "held" => Err(ToolError::new("closed", "the desk is closed").hint("come at nine"))?,
        _ => Err(LibraryError::Plain("/etc/roof")),
    }
}

/// Lends a book and returns nothing.
#[tool]
async fn lend(how: String) -> Result<(), LibraryError> {
    fail(&how)
}

/// Enters the library and returns nothing.
#[tool(blocking)]
fn enter() -> Result<(), Closed> {
    Err(Closed { opens: "nine" })
}

/// A shelf.
#[resource("shelf://{how}")]
async fn shelf(how: String) -> Result<String, LibraryError> {
    fail(&how).map(|()| String::new())
}

struct Desk;

#[server]
impl Desk {
    /// Asks at the desk and returns nothing.
    #[tool]
    async fn ask(&self, how: String) -> Result<(), LibraryError> {
        fail(&how)
    }
}

fn server() -> Server {
    plainwire::server!().tool(lend).tool(enter).resource(shelf).with(Desk)
}

async fn error_of(client: &plainwire::Client, tool: &str, arguments: Value) -> (String, Value) {
    let result = client.call_tool(tool, arguments).await.expect("a result");
    assert!(result.is_error);
    let meta: Value = serde_json::from_str(result.meta.expect("the parts of the error").get()).expect("JSON");
    (result.content[0].as_text().expect("a text").to_owned(), meta["plainwire/error"].clone())
}

#[tokio::test]
async fn a_variant_has_its_code_its_message_and_its_hint() {
    let client = serve(server()).await;
    let hint = "search_books finds titles near \"Moss\"; {shelf} is   7";
    let expected = json!({ "code": "not_found", "message": "there is no book \"Moss\" on shelf 7", "hint": hint, "retryable": false });
    for tool in ["lend", "ask"] {
        let (text, parts) = error_of(&client, tool, json!({ "how": "book" })).await;
        assert_eq!(parts, expected, "{tool}");
        assert_eq!(text, format!("there is no book \"Moss\" on shelf 7\n\nhint: {hint}"));
    }
    for (how, expected) in [
        ("index", json!({ "code": "failed", "message": "the index can't be read", "retryable": true })),
        (
            "days",
            json!({ "code": "lent", "message": "\"soon\" is not a number of days", "retryable": false }),
        ),
        ("busy", json!({ "code": "timeout", "message": "3 readers wait", "retryable": true })),
        ("roof", json!({ "code": "failed", "message": "the roof at /etc/roof leaks", "retryable": false })),
        (
            "held",
            json!({ "code": "closed", "message": "the desk is closed", "hint": "come at nine", "retryable": false }),
        ),
    ] {
        assert_eq!(error_of(&client, "lend", json!({ "how": how })).await.1, expected);
    }
    let closed = json!({ "code": "closed", "message": "the library is closed", "hint": "come back at nine", "retryable": true });
    assert_eq!(error_of(&client, "enter", json!({})).await.1, closed);
    let unknown = client.read_resource("shelf://book").await.expect_err("no such book").to_string();
    assert!(unknown.contains("there is no book \"Moss\" on shelf 7"), "{unknown}");
}

#[tokio::test]
async fn the_log_has_what_the_model_does_not_get() {
    collected_logs::install();
    let client = serve(server()).await;
    for (how, expected) in [
        ("book", ""),
        ("index", "the index can't be read: /var/secret\n"),
        ("days", "\"soon\"\n"),
        ("roof", ""),
    ] {
        collected_logs::logged();
        error_of(&client, "lend", json!({ "how": how })).await;
        assert_eq!(collected_logs::logged(), expected, "{how}");
    }
}

#[tokio::test]
async fn masked_errors_keep_what_was_worded_for_the_model() {
    let client = serve(server().mask_errors()).await;
    for (how, expected) in [
        ("book", "there is no book \"Moss\" on shelf 7"),
        ("days", "\"soon\" is not a number of days"),
        ("index", "the call failed; the log of the server says why"),
        ("roof", "the call failed; the log of the server says why"),
    ] {
        assert_eq!(error_of(&client, "lend", json!({ "how": how })).await.1["message"], expected, "{how}");
    }
}

/// An error whose texts stand in `#[tool_error]`, without another derive.
#[derive(Debug, ToolError)]
enum DeskError {
    #[tool_error("there is no desk {0}", code = "not_found")]
    NoDesk(u8),
    #[tool_error("the desk is wet", message = "come back later")]
    Wet { source: std::io::Error },
    #[tool_error("{0} is no number", code = "number", message = "expected a number")]
    Number(#[from] std::num::ParseIntError),
    #[tool_error("the desk is full", retryable)]
    Full(#[source] Box<dyn std::error::Error + Send + Sync>),
    #[tool_error(transparent)]
    Asked(ToolError),
}

/// An error with a type parameter.
#[derive(Debug, ToolError)]
#[tool_error("{what} is lost", code = "lost")]
struct Lost<T: std::fmt::Display> {
    what: T,
}

#[tokio::test]
async fn a_text_of_its_own_is_what_display_shows() {
    #[tool]
    async fn sit(how: String) -> Result<(), DeskError> {
        Err(match &*how {
            "none" => DeskError::NoDesk(3),
            "wet" => DeskError::Wet { source: std::io::Error::other("rain") },
            "x" => DeskError::from(how.parse::<u8>().expect_err("no number")),
            _ => DeskError::from(ToolError::new("closed", "the room is closed")),
        })
    }

    assert_eq!(DeskError::NoDesk(3).to_string(), "there is no desk 3");
    assert_eq!(Lost { what: "the key" }.into_tool_error().message(), "the key is lost");
    let full = DeskError::Full("no chair".into());
    assert_eq!(std::error::Error::source(&full).expect("a source").to_string(), "no chair");
    assert_eq!(DeskError::Asked(ToolError::failed("no")).to_string(), "no");
    let wet = DeskError::Wet { source: std::io::Error::other("rain") };
    assert_eq!(std::error::Error::source(&wet).expect("a source").to_string(), "rain");
    collected_logs::install();
    let client = serve(plainwire::server!().tool(sit)).await;
    for (how, expected) in [
        ("none", json!({ "code": "not_found", "message": "there is no desk 3", "retryable": false })),
        ("wet", json!({ "code": "failed", "message": "come back later", "retryable": false })),
        ("x", json!({ "code": "number", "message": "expected a number", "retryable": false })),
        ("closed", json!({ "code": "closed", "message": "the room is closed", "retryable": false })),
    ] {
        assert_eq!(error_of(&client, "sit", json!({ "how": how })).await.1, expected);
    }
}
