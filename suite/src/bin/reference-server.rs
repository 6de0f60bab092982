//! The reference server of `servers/reference` as a program, for tests that start a server as a process. It
//! serves stdio, or HTTP with `--http ADDRESS`.

#[tokio::main]
async fn main() -> plainwire::Result<()> {
    plainwire_reference::server().run().await
}
