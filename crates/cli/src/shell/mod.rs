//! `plainwire shell`: one connection, and a line to type commands for it.
//!
//! In: lines, which are the commands of `plainwire` without the server, or the name of a tool and its arguments.
//! Out: what these commands print. What the server sends on its own is printed above the line.

mod complete;
mod editor;
mod words;

use std::io::{self, IsTerminal as _};
use std::sync::Arc;

use plainwire::Client;
use plainwire::model::LogLevel;
use tokio::runtime::Handle;
use tokio::sync::Mutex;

use crate::args::{Command, Session};
use crate::connect::{is_gone, with_client_and_person, with_client_for_long};
use crate::elicit::Person;
use crate::exit::{Exit, Failure};
use crate::terminal::{Terminal, TerminalInput};
use crate::{ask, describe, notices, output, visible};
use complete::Names;
use words::{Setting, Settings, Typed};

/// The maximal number of characters of the server's name before the line.
const MAX_NAME: usize = 30;

/// Runs `plainwire shell`.
pub(crate) async fn run(session: Session) -> Result<Exit, Failure> {
    let terminal = Arc::new(Mutex::new(Terminal::default()));
    let person = Person::at(Arc::clone(&terminal));
    let work = async |client: &Client| {
        let is_terminal = io::stdin().is_terminal() && io::stderr().is_terminal();
        if is_terminal {
            let names = Names::new(client.clone(), Handle::current(), &session.ask);
            *terminal.lock().await = Terminal::edited(editor::start(names));
            greet(client);
        }
        let mut own = client.notices();
        notices::ask_for(client, None).await?;
        tokio::select! {
            // The messages that came before an answer stand before it.
            biased;
            never = notices::each(own.as_mut(), notices::show) => match never {},
            never = notices::changes(client) => match never {},
            done = lines(client, &terminal, &session, is_terminal) => done,
        }
    };
    match session.no_input {
        true => with_client_for_long(&session.ask, work).await,
        false => with_client_and_person(&session.ask, person, work).await,
    }
}

fn greet(client: &Client) {
    let server = client.server_info().cloned().unwrap_or_default();
    output::note(&format!(
        "{} {} ({}); Tab completes, :help shows the commands, Ctrl-D ends",
        visible::short_line(&server.name, MAX_NAME),
        visible::short_line(&server.version, MAX_NAME),
        client.revision()
    ));
}

/// Runs line after line until the input ends. The exit code of a script is that of the last line that failed.
async fn lines(
    client: &Client,
    terminal: &Mutex<Terminal>,
    session: &Session,
    is_terminal: bool,
) -> Result<Exit, Failure> {
    let name = client.server_info().map(|it| visible::short_line(&it.name, MAX_NAME)).unwrap_or_default();
    let prompt = format!("{name}> ");
    let mut settings = Settings { json: session.ask.json.is_some(), ..Settings::default() };
    let mut exit = Exit::Done;
    loop {
        let input = match is_terminal {
            true => terminal.lock().await.command(&prompt).await,
            false => terminal.lock().await.line().await,
        };
        let line = match input {
            TerminalInput::Line(line) => line,
            TerminalInput::Interrupted => continue,
            TerminalInput::End => break,
            TerminalInput::Unreadable(why) => {
                output::note(&format!("error: {why}"));
                continue;
            }
        };
        match words::read(&line, &session.ask) {
            Ok(Typed::Nothing) => {}
            Ok(Typed::Quit) => break,
            Ok(Typed::Set(setting)) => {
                if let Err(failure) = set(client, &mut settings, setting).await {
                    exit = failure.exit;
                    output::failure(&failure);
                }
            }
            Ok(Typed::Command(command)) => {
                if !is_terminal && let Err(failure) = words::check_stdin(&command) {
                    exit = failure.exit;
                    output::failure(&failure);
                    continue;
                }
                let level = own_level(&command);
                let work = async {
                    if level.is_some() {
                        notices::ask_for(client, level).await?;
                    }
                    one(client, settings.applied(*command), session).await
                };
                let done = tokio::select! {
                    done = work => Some(done),
                    _ = tokio::signal::ctrl_c() => None,
                };
                if level.is_some() {
                    // An error would only repeat that of the line.
                    let _ = notices::ask_for(client, settings.log.or(Some(LogLevel::Info))).await;
                }
                let Some(done) = done else {
                    output::note("\n(cancelled)");
                    continue;
                };
                match done {
                    Ok(Exit::Done) => {}
                    Ok(failed) => exit = failed,
                    // Nobody reads the results: further calls would have their effects unseen.
                    Err(failure) if failure.is_of_stdout() => {
                        output::failure(&failure);
                        return Ok(failure.exit);
                    }
                    Err(failure) => {
                        exit = failure.exit;
                        let failure = words::in_shell(failure);
                        output::failure(&failure);
                        if failure.exit == Exit::Unreachable && is_gone(client, is_terminal).await {
                            return Ok(exit);
                        }
                    }
                }
            }
            Err(failure) => {
                exit = failure.exit;
                output::failure(&failure);
            }
        }
    }
    Ok(if is_terminal { Exit::Done } else { exit })
}

/// Returns the level of the log messages that a command asks for itself.
fn own_level(command: &Command) -> Option<LogLevel> {
    match command {
        Command::Call(it) => it.call.meanwhile.log,
        Command::Prompt(it) => it.meanwhile.log,
        Command::Read(it) => it.meanwhile.log,
        _ => None,
    }
}

/// Runs one command with the connected server.
async fn one(client: &Client, command: Command, session: &Session) -> Result<Exit, Failure> {
    match command {
        Command::List(it) => ask::list_on(client, &it).await,
        Command::Describe(it) => describe::on(client, &it, &session.ask.choice).await,
        Command::Call(it) => ask::call_on(client, &it).await,
        Command::Read(it) => ask::read_on(client, &it).await,
        Command::Prompt(it) => ask::prompt_on(client, &it).await,
        Command::Ping(it) => ask::ping_on(client, &it).await,
        // `words` makes no other command.
        other => Err(words::unknown(&format!("{other:?}"))),
    }
}

async fn set(client: &Client, settings: &mut Settings, setting: Setting) -> Result<(), Failure> {
    let state = |is_on: bool| if is_on { "on" } else { "off" };
    match setting {
        Setting::Help => output::note(words::HELP),
        Setting::Json => {
            settings.json = !settings.json;
            output::note(&format!("JSON is {}", state(settings.json)));
        }
        Setting::Trace => {
            settings.trace = !settings.trace;
            output::note(&format!("the steps of calls are {}", state(settings.trace)));
        }
        Setting::Log(level) => {
            client.set_log_level(level).await?;
            notices::show_from(level);
            settings.log = Some(level);
            output::note(&format!("log messages from {} on", level.as_str()));
        }
    }
    Ok(())
}
