//! Connects to the server that the command line names, runs a command on it and closes the connection.

use std::time::{Duration, Instant};

use plainwire::Client;
use plainwire::client::{ClientBuilder, Sampling};
use plainwire::model::ElicitResult;
use plainwire::proto::peer::{EraChoice, RequestOptions};
use plainwire::proto::revision::Era;
use plainwire::stream::Tap;
use tokio::time::{sleep, timeout_at};

use crate::args::{self, As, Ask};
use crate::elicit::Person;
use crate::exit::{self, Exit, Failure, ServerChoice};
use crate::progress::with_bar;
use crate::quote::quoted;
use crate::{output, roots, serve, target, token_store, warnings};

/// The time that a server in a session has to ask for the roots of --root, before it is called.
const FOR_ROOTS: Duration = Duration::from_millis(500);

/// Connects to the server that the command line names, runs `work` and closes the connection, also if `work`
/// failed. Connecting and `work` together take at most the time of `--timeout`.
pub(crate) async fn with_client(
    ask: &Ask,
    work: impl AsyncFnOnce(&Client) -> Result<Exit, Failure>,
) -> Result<Exit, Failure> {
    let until = Instant::now() + Duration::from_secs(ask.timeout);
    let client = connect(builder(ask)?, ask).await?;
    let in_time = async |client: &Client| {
        let work = with_bar("waiting for the server", work(client));
        timeout_at(until.into(), work).await.unwrap_or_else(|_| Err(Failure::too_late(ask.timeout)))
    };
    finish(client, ask, in_time).await
}

/// Like [`with_client`], but without a time limit for `work`.
pub(crate) async fn with_client_for_long(
    ask: &Ask,
    work: impl AsyncFnOnce(&Client) -> Result<Exit, Failure>,
) -> Result<Exit, Failure> {
    let client = connect(builder(ask)?, ask).await?;
    finish(client, ask, work).await
}

/// Like [`with_client_for_long`], but the user answers questions of the server, unless `no_input` is set.
pub(crate) async fn with_client_and_user(
    ask: &Ask,
    no_input: bool,
    work: impl AsyncFnOnce(&Client) -> Result<Exit, Failure>,
) -> Result<Exit, Failure> {
    // A tool may do without a model if none is declared, so one is declared only on request.
    let declared = match ask.r#as {
        Some(As::Host) => with_roots(like_a_host(plain(ask)?), ask),
        Some(As::Plain) => return finish(connect(plain(ask)?, ask).await?, ask, work).await,
        None => plain(ask)?,
    };
    if no_input {
        return finish(connect(declared, ask).await?, ask, work).await;
    }
    asking(declared, ask, Person::default(), work).await
}

/// Like [`with_client_and_user`], but declares what a host declares unless `--as plain` is given, and `person`
/// answers the questions.
pub(crate) async fn with_client_and_person(
    ask: &Ask,
    person: Person,
    work: impl AsyncFnOnce(&Client) -> Result<Exit, Failure>,
) -> Result<Exit, Failure> {
    match ask.r#as {
        Some(As::Plain) => finish(connect(plain(ask)?, ask).await?, ask, work).await,
        Some(As::Host) | None => asking(builder(ask)?, ask, person, work).await,
    }
}

async fn asking(
    declared: ClientBuilder,
    ask: &Ask,
    person: Person,
    work: impl AsyncFnOnce(&Client) -> Result<Exit, Failure>,
) -> Result<Exit, Failure> {
    let asked = person.clone();
    let builder = declared.on_elicit(move |question| {
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
    let client = with_bar("connecting to the server", builder.connect(target)).await.map_err(|error| {
        let failed = matches!(error, plainwire::Error::Io { .. });
        let mut failure = Failure::from(error).with_server(&ask.choice);
        if ask.revision.is_none() && matches!(ask.era, args::Era::Auto) {
            // The server has none of all the revisions.
            failure.hint.take_if(|hint| hint == exit::REVISION);
        }
        let only = match &ask.choice.command[..] {
            [only] => only.to_string_lossy().into_owned(),
            _ => String::new(),
        };
        match &ask.choice.server {
            None if failed && only.contains(['|', '&', ';', '<', '>']) => Failure {
                hint: Some(format!("a shell runs such a line: -- sh -c {}", quoted(&only))),
                ..failure
            },
            None if failed && only.contains(' ') => Failure {
                hint: Some(format!("without quotes, the words are a command: -- {only}")),
                ..failure
            },
            None if failed && let Some(hint) = assignment(&ask.choice) => {
                Failure { hint: Some(hint.to_owned()), ..failure }
            }
            Some(name) if failed => Failure { hint: Some(format!("check `command` of {name:?}")), ..failure },
            // A server that answers with an error, such as `plainwire dev` whose build failed, may have said more.
            _ if failure.hint.is_none() && failure.exit == Exit::Refused && ask.choice.url.is_none() => {
                Failure { hint: Some(exit::LOG.to_owned()), ..failure }
            }
            _ if failure.hint.as_deref() == Some(exit::LOG)
                && failure.text.contains("the server exited")
                && !failure.text.contains("last words on stderr") =>
            {
                Failure { hint: Some(exit::NO_WORDS.to_owned()), ..failure }
            }
            _ if failure.exit == Exit::Unreachable && warnings::named_a_line() => {
                Failure { hint: Some(exit::STDOUT.to_owned()), ..failure }
            }
            _ => failure,
        }
    })?;
    // A server in a session asks for the roots when the handshake is over. A call at the same time would not find them.
    if !ask.root.is_empty() && client.revision().era() == Era::Legacy {
        sleep(FOR_ROOTS).await;
    }
    Ok(client)
}

/// Returns the hint for a command that begins with a variable or with an argument of a tool.
fn assignment(choice: &ServerChoice) -> Option<&'static str> {
    let word = choice.command.first()?.to_string_lossy().into_owned();
    let (name, _) = word.split_once('=')?;
    Some(match target::is_variable(name) {
        true => "`--env NAME=VALUE`, before `--`, gives the server a variable",
        false => "the arguments of a tool stand before `--`, and the server's command after it",
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

/// Returns the builder of a client with the settings of the command line. The client declares what a host declares
/// unless `--as plain` is given.
pub(crate) fn builder(ask: &Ask) -> Result<ClientBuilder, Failure> {
    match ask.r#as {
        Some(As::Plain) => plain(ask),
        Some(As::Host) | None => Ok(with_roots(like_a_host(plain(ask)?), ask)),
    }
}

/// Lets servers ask for roots, even if there are none.
fn with_roots(builder: ClientBuilder, ask: &Ask) -> ClientBuilder {
    if ask.root.is_empty() { builder.roots(Vec::new()) } else { builder }
}

/// Declares that the client answers questions and has a model, as hosts do: servers offer some of their entries
/// only then. Every question is declined, and there is no model.
pub(crate) fn like_a_host(builder: ClientBuilder) -> ClientBuilder {
    let model = Sampling::new(|_| async { Err("the command `plainwire` has no model".to_owned()) });
    builder.on_elicit(|_| async { ElicitResult::decline() }).on_sample(model.consent(|_| async { true }))
}

/// Returns the builder of a client with the era, timeout, roots and trace of the command line. The client declares
/// nothing but these roots.
fn plain(ask: &Ask) -> Result<ClientBuilder, Failure> {
    let timeout = Duration::from_secs(ask.timeout);
    let mut client = Client::builder()
        .era(match ask.era {
            args::Era::Auto => EraChoice::Auto,
            args::Era::Legacy => EraChoice::Legacy,
            args::Era::Modern => EraChoice::Modern,
        })
        .deadlines(RequestOptions { idle: timeout, ..RequestOptions::default() })
        .connect_deadline(timeout);
    if let Some(revision) = ask.revision {
        client = client.revisions(&[revision]);
    }
    if !ask.root.is_empty() {
        client = client.roots(roots::roots(&ask.root)?);
    }
    let tap = match &ask.trace {
        Some(None) => Some(Tap::lines(output::Frames)),
        trace => serve::served::tap(trace.clone())?,
    };
    if let Some(tap) = tap {
        client = client.tap(tap);
    }
    Ok(client)
}

/// Returns whether no further request can succeed. If `may_return`, a server over HTTP that can't be reached may be started
/// again.
pub(crate) async fn is_gone(client: &Client, may_return: bool) -> bool {
    match client.ping().await {
        Ok(()) => false,
        Err(plainwire::Error::Unreachable { .. }) => !may_return,
        Err(_) => true,
    }
}
