//! A server over HTTP whose tool is described by a file, for tests of `plainwire dev`.
//!
//! Arguments: the address, and a folder. The file `description` in the folder is read at the start; a call takes as many
//! milliseconds as the file `pause` says. The tool `t` reports progress first, `quiet` does not, and `asks` asks the user. The
//! file `pid` in
//! the current folder gets the id of the process.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use plainwire::Tool;
use plainwire::prelude::*;

#[tokio::main]
async fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [address, folder] = &words[..] else {
        panic!("expected an address and a folder, but found {words:?}")
    };
    let folder = PathBuf::from(folder);
    // For a test that kills this server.
    fs::write("pid", std::process::id().to_string()).expect("a folder of the test");
    let read = |name: &str| fs::read_to_string(folder.join(name)).expect("a file of the test");
    let description = read("description");
    let pause = Duration::from_millis(read("pause").parse().expect("a number"));
    let answer = description.clone();
    let tool = Tool::new("t", move |ctx: Context| {
        let answer = answer.clone();
        async move {
            ctx.progress(1.0, None, None);
            tokio::time::sleep(pause).await;
            answer
        }
    });
    let quiet = Tool::new("quiet", move || tokio::time::sleep(pause));
    let server =
        plainwire::server!().tool(tool.description(description)).tool(quiet).tool(asks).resource(notes);
    // Calls that run when the server is asked to end are lost.
    server.drain(Duration::ZERO).http(address.as_str()).await
}

/// Asks the user.
#[tool]
async fn asks(ctx: &Context) -> Result<&'static str, ToolError> {
    ctx.elicit::<Confirm>("sure", "Sure?").await?.accepted()?;
    Ok("agreed")
}

/// Notes of a test.
#[resource("notes://all")]
async fn notes() -> String {
    "notes".to_owned()
}
