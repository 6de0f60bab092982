//! From the command line to a server that was spoken to, and its farewell.

use std::time::Duration;

use plainwire::proto::peer::{EraChoice, RequestOptions};
use plainwire::{Client, ClientBuilder};

use crate::args::{Ask, Era};
use crate::elicit::Person;
use crate::exit::{Exit, Failure};
use crate::{keep, roots, serve, target};

/// Connects, asks, and sees the server off, whatever came of it.
pub(crate) async fn asking(
    ask: &Ask,
    work: impl AsyncFnOnce(&Client) -> Result<Exit, Failure>,
) -> Result<Exit, Failure> {
    let client = connect(builder(ask)?, ask).await?;
    finish(client, ask, work).await
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
    let client = connect(builder, ask).await?;
    if let Some(server) = &client.hello().server_info {
        person.meet(&server.name);
    }
    finish(client, ask, work).await
}

async fn connect(builder: ClientBuilder, ask: &Ask) -> Result<Client, Failure> {
    let target = keep::with_tokens(target::of(&ask.whom)?).await?;
    builder.connect(target).await.map_err(|error| {
        let failed = matches!(error, plainwire::Error::Io { .. });
        let failure = Failure::from(error).at(&ask.whom);
        match &ask.whom.server {
            Some(name) if failed => Failure { hint: Some(format!("check `command` of {name:?}")), ..failure },
            _ => failure,
        }
    })
}

async fn finish(
    client: Client,
    ask: &Ask,
    work: impl AsyncFnOnce(&Client) -> Result<Exit, Failure>,
) -> Result<Exit, Failure> {
    let done = work(&client).await;
    client.close().await;
    done.map_err(|failure| failure.at(&ask.whom))
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
