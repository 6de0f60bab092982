//! Results of calls, read as types of the caller.

use plainwire::prelude::*;
use serde_json::json;

/// A tool returns `{"result": 42}`, as FastMCP and the official Python SDK wrap a number: the client must
/// read it as the number, or as the struct.
#[tokio::test]
async fn a_value_that_was_wrapped_as_a_result_is_the_value() {
    #[data]
    struct Wrapped {
        result: i64,
    }

    #[tool]
    async fn answer() -> Wrapped {
        Wrapped { result: 42 }
    }

    let client =
        plainwire::testing::client(plainwire::server!("wraps").tool(answer)).await.expect("a server");
    assert_eq!(client.call::<i64>("answer", json!({})).await.expect("a number"), 42);
    assert_eq!(client.call::<Wrapped>("answer", json!({})).await.expect("a struct").result, 42);
    let error = client.call::<Vec<u8>>("answer", json!({})).await.expect_err("no list");
    assert!(error.to_string().contains("invalid type: map"), "{error}");
}
