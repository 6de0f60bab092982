//! Results outlive the call.
use plainwire::prelude::*;

struct Library(String);

#[server]
impl Library {
    /// Returns the name.
    #[tool]
    async fn name(&self) -> &str {
        &self.0
    }

    /// Returns the name, or why there is none.
    #[tool]
    async fn perhaps(&self) -> Result<&str, ToolError> {
        Ok(&self.0)
    }
}

fn main() {
    drop(plainwire::server!("wrong").with(Library(String::new())));
}
