//! Connects to the server that the command line names, runs a command on it and closes the connection.

use std::time::Duration;

use plainwire::Client;
use plainwire::client::ClientBuilder;
use plainwire::proto::peer::{EraChoice, RequestOptions};

use crate::args::{Ask, Era};
use crate::elicit::Person;
use crate::exit::{Exit, Failure};
use crate::{roots, serve, target, token_store};

/// Connects to the server that the command line names, runs `work` and closes the connection, also if `work`
/// failed.
pub(crate) async fn with_client(
    ask: &Ask,
    work: impl AsyncFnOnce(&Client) -> Result<Exit, Failure>,
) -> Result<Exit, Failure> {
    let client = connect(builder(ask)?, ask).await?;
    finish(client, ask, work).await
}

/// Like [`with_client`], but the user answers questions of the server, unless `no_input` is set.
pub(crate) async fn with_client_and_user(
    ask: &Ask,
    no_input: bool,
    work: impl AsyncFnOnce(&Client) -> Result<Exit, Failure>,
) -> Result<Exit, Failure> {
    if no_input {
        return with_client(ask, work).await;
    }
    let person = Person::default();
    let asked = person.clone();
    let builder = builder(ask)?.on_elicit(move |question| {
        let person = asked.clone();
        async move { person.answer(question).await }
    });
    let client = connect(builder, ask).await?;
    if let Some(server) = &client.hello().server_info {
        person.set_server(&server.name);
    }
    finish(client, ask, work).await
}

/// Connects to the server, with the tokens stored for it. If that fails, the hint to sign in, or to check
/// `command` in a configuration file, names the server.
async fn connect(builder: ClientBuilder, ask: &Ask) -> Result<Client, Failure> {
    let target = token_store::with_tokens(target::of(&ask.choice)?).await?;
    builder.connect(target).await.map_err(|error| {
        let failed = matches!(error, plainwire::Error::Io { .. });
        let failure = Failure::from(error).with_server(&ask.choice);
        match &ask.choice.server {
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
    done.map_err(|failure| failure.with_server(&ask.choice))
}

/// Returns the builder of a client with the era, timeout, roots and trace of the command line.
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
