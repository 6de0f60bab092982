//! The reference server as a program of its own, for tests that start one.

#[tokio::main]
async fn main() -> plainwire::Result<()> {
    plainwire_reference::server().stdio().await
}
