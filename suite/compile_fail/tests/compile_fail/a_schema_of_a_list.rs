//! A hand-written schema whose root is no object.

use plainwire::prelude::*;

#[tool(input_schema = concat!(r#"{"type":"array","#, r#""items":{}}"#))]
async fn list(#[arguments] all: plainwire::serde_json::Map<String, plainwire::serde_json::Value>) -> usize {
    all.len()
}

fn main() {
    let _ = plainwire::server!().tool(list);
}
