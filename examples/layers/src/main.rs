//! Code around every call: a layer of our own that refuses some calls, limits, and errors whose details stay
//! in the server.

use std::time::Duration;

use plainwire::layer::{self, Next, Request, Response};
use plainwire::prelude::*;

/// Refuses calls for a Sunday.
async fn closed_on_sundays(request: Request, next: Next) -> Result<Response, ToolError> {
    #[data]
    struct Day {
        day: String,
    }
    let Day { day } = request.read_arguments()?;
    if day == "Sunday" {
        return Err(ToolError::new("closed", format!("`{}` is closed on Sundays", request.name())));
    }
    next.run(request).await
}

/// Returns a loaf for a day. Use it when somebody is hungry.
#[tool(additive, layer = closed_on_sundays)]
async fn bake(
    /// Such as `Monday`.
    day: String,
) -> Result<String, std::io::Error> {
    match &*day {
        "Monday" => Err(std::io::Error::other("/var/lib/oven: no such device")),
        day => Ok(format!("a loaf, baked on {day}")),
    }
}

fn server() -> Server {
    plainwire::server!()
        .layer(layer::trace())
        .layer(layer::mask_errors())
        .layer(layer::concurrency(8))
        .layer(layer::timeout(Duration::from_secs(5)))
        .tool(bake)
}

#[tokio::main]
async fn main() -> Result<()> {
    server().stdio().await
}

#[tokio::test]
async fn layers_answer_and_keep_secrets() -> Result<()> {
    let client = plainwire::testing::client(server()).await?;
    for (day, expected) in [("Sunday", "closed on Sundays"), ("Friday", "a loaf, baked on Friday")] {
        let result = client.call_tool("bake", json!({ "day": day })).await?;
        assert!(result.content[0].as_text().is_some_and(|text| text.contains(expected)), "{day}");
    }
    let result = client.call_tool("bake", json!({ "day": "Monday" })).await?;
    assert!(result.is_error && !format!("{:?}", result.content).contains("/var"), "{result:?}");
    Ok(())
}
