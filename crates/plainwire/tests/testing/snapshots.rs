//! Snapshots: results and lists in a form that is easy to review as text.

use plainwire::Client;
use plainwire::prelude::*;
use plainwire::testing::{self, show};
use serde_json::json;

use crate::Add;

#[tokio::test]
async fn a_snapshot_is_the_same_in_each_era() {
    #[derive(Serialize, JsonSchema)]
    struct Sum {
        sum: f64,
        of: usize,
    }
    let sum = async |it: Add| Sum { sum: it.a + it.b, of: 2 };
    let server = || Server::new("kit").tool(Tool::new("add", sum).description("Adds."));
    testing::in_each_era(server, Client::builder(), async |client| {
        let result = client.call_tool("add", json!({ "a": 1, "b": 2 })).await?;
        assert_eq!(
            show(&result),
            "text:\n  {\"sum\":3.0,\"of\":2}\nstructured:\n  {\n    \"of\": 2,\n    \"sum\": 3.0\n  }\n"
        );
        let result = client.call_tool("add", json!({ "a": 1 })).await?;
        assert!(show(&result).starts_with("the tool failed\ntext:\n  "), "{}", show(&result));
        let tools = show(&client.list_tools().await?[..1]);
        assert!(tools.starts_with("add\n  Adds.\n"), "{tools}");
        assert!(tools.contains("\n          \"description\": \"First addend.\","), "{tools}");
        Ok(())
    })
    .await
    .expect("snapshots");
}
