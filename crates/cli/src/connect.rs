//! From the command line to a server that was spoken to, and its farewell.

use std::process::Command;
use std::time::Duration;

use plainwire::process::{Program, Stderr};
use plainwire::proto::peer::{EraChoice, RequestOptions};
use plainwire::{Client, ClientBuilder};

use crate::args::{Ask, Era};
use crate::elicit::Person;
use crate::exit::{Exit, Failure};
use crate::{roots, serve};

/// Connects, asks, and sees the server off, whatever came of it.
pub(crate) async fn asking(
    ask: &Ask,
    work: impl AsyncFnOnce(&Client) -> Result<Exit, Failure>,
) -> Result<Exit, Failure> {
    let client = builder(ask)?.command(command(ask)?).await?;
    finish(client, work).await
}

/// As [`asking`]; the server may ask as well, unless that is not wanted.
pub(crate) async fn asking_back(
    ask: &Ask,
    no_input: bool,
    work: impl AsyncFnOnce(&Client) -> Result<Exit, Failure>,
) -> Result<Exit, Failure> {
    if no_input {
        return asking(ask, work).await;
    }
    let person = Person::default();
    let asked = person.clone();
    let builder = builder(ask)?.on_elicit(move |question| {
        let person = asked.clone();
        async move { person.answer(question).await }
    });
    let client = builder.command(command(ask)?).await?;
    if let Some(server) = &client.hello().server_info {
        person.meet(&server.name);
    }
    finish(client, work).await
}

async fn finish(
    client: Client,
    work: impl AsyncFnOnce(&Client) -> Result<Exit, Failure>,
) -> Result<Exit, Failure> {
    let done = work(&client).await;
    client.close().await;
    done
}

pub(crate) fn builder(ask: &Ask) -> Result<ClientBuilder, Failure> {
    let timeout = Duration::from_secs(ask.timeout);
    let mut client = Client::builder()
        .era(match ask.era {
            Era::Auto => EraChoice::Auto,
            Era::Legacy => EraChoice::Legacy,
            Era::Modern => EraChoice::Modern,
        })
        .deadlines(RequestOptions { idle: timeout, ..RequestOptions::default() });
    if !ask.root.is_empty() {
        client = client.roots(roots::roots(&ask.root)?);
    }
    if let Some(tap) = serve::tap(ask.trace.clone())? {
        client = client.tap(tap);
    }
    Ok(client)
}

/// Its stderr is ours: what it says stands above what we say, and is not said twice.
fn command(ask: &Ask) -> Result<Program, Failure> {
    let mut words = ask.command.iter();
    let program = words.next().ok_or_else(|| Failure::usage("expected a command behind `--`".into()))?;
    let mut command = Command::new(program);
    command.args(words);
    Ok(Program::new(command).stderr(Stderr::AsTheCommandSays))
}
