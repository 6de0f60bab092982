//! A layer needs a second parameter, the next layer.

use plainwire::layer::{Request, Response};
use plainwire::prelude::*;

async fn alone(request: Request) -> Result<Response, ToolError> {
    Err(ToolError::failed(request.name()))
}

fn main() {
    let _ = plainwire::server!().layer(alone);
}
