//! A layer that does not get what comes next.

use plainwire::layer::{Request, Response};
use plainwire::prelude::*;

async fn alone(request: Request) -> Result<Response, ToolError> {
    Err(ToolError::failed(request.name()))
}

fn main() {
    let _ = plainwire::server!().layer(alone);
}
