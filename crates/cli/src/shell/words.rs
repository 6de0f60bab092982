//! Reads a line of `plainwire shell`.
//!
//! In: a line. Out: a command of `plainwire`, with the shell's own server in place of one on the line, or a
//! setting of the shell.

use clap::Parser as _;
use plainwire::model::LogLevel;

use crate::args::{As, Ask, Call, Cli, Command};
use crate::exit::Failure;
use crate::{meant, slips};

/// The commands that a line can begin with. Any other first word is the name of a tool.
pub(super) const COMMANDS: [&str; 6] = ["call", "describe", "list", "ping", "prompt", "read"];

/// The settings of the shell, as they are typed.
pub(super) const SETTINGS: [&str; 5] = [":help", ":json", ":log", ":quit", ":trace"];

pub(super) const HELP: &str = "\
TOOL key=text …         call a tool; call TOOL … does the same
list [--filter TEXT]    the tools, resources, templates and prompts
describe TOOL           everything about a tool
read URI                read a resource
prompt NAME key=text …  get a prompt
ping                    how fast the server answers
:json                   print JSON, or text again
:trace                  print the steps of each call, or not
:log LEVEL              show log messages of this level and above, from debug to emergency
:quit                   end, like exit, quit and Ctrl-D

Options are those of the command, such as `read URI --out FILE`. Ctrl-C cancels a call.";

/// A line that was read.
#[derive(Debug)]
pub(super) enum Typed {
    Command(Box<Command>),
    Nothing,
    Quit,
    Set(Setting),
}

/// A line that changes the shell, or asks about it.
#[derive(Debug)]
pub(super) enum Setting {
    Help,
    Json,
    Log(LogLevel),
    Trace,
}

/// The settings that hold for all commands of the shell.
#[derive(Debug, Default)]
pub(super) struct Settings {
    pub(super) json: bool,
    pub(super) log: Option<LogLevel>,
    pub(super) trace: bool,
}

impl Settings {
    /// Returns the command with these settings.
    pub(super) fn applied(&self, mut command: Command) -> Command {
        let explain = |call: &mut Call| call.explain |= self.trace;
        // A file gets the content itself.
        let is_saved = match &command {
            Command::Call(it) => it.out.is_some(),
            Command::Read(it) => it.out.is_some(),
            _ => false,
        };
        let ask = match &mut command {
            Command::Call(it) => {
                explain(&mut it.call);
                &mut it.call.ask
            }
            Command::Prompt(it) => {
                explain(it);
                &mut it.ask
            }
            Command::Describe(it) => &mut it.ask,
            Command::List(it) => &mut it.ask,
            Command::Ping(it) => it,
            Command::Read(it) => &mut it.ask,
            _ => return command,
        };
        if self.json && !is_saved {
            ask.json.get_or_insert(None);
        }
        // The shell declares what a host declares.
        ask.r#as.get_or_insert(As::Host);
        command
    }
}

/// Reads a line. The commands on it use the server of `ask`.
pub(super) fn read(line: &str, ask: &Ask) -> Result<Typed, Failure> {
    let words = shlex::split(line).ok_or_else(|| {
        let text = "expected each quote to be closed, but found one that is not";
        Failure {
            hint: Some("write a backslash before a quote that stands for itself".to_owned()),
            ..Failure::usage(text.to_owned())
        }
    })?;
    let Some((first, rest)) = words.split_first() else { return Ok(Typed::Nothing) };
    Ok(match (first.as_str(), rest) {
        ("exit" | "quit" | ":quit" | ":q" | ":exit", []) => Typed::Quit,
        ("help" | "--help" | "-h" | ":help" | "?", []) => Typed::Set(Setting::Help),
        (":json", []) => Typed::Set(Setting::Json),
        (":trace", []) => Typed::Set(Setting::Trace),
        (word, [option]) if ["--help", "-h"].contains(&option.as_str()) => {
            if COMMANDS.contains(&word) {
                Typed::Set(Setting::Help)
            } else {
                let describe = ["describe".to_owned(), word.to_owned()];
                Typed::Command(Box::new(command(&describe, ask)?))
            }
        }
        (":log", []) => return Err(Failure::usage(format!("expected :log LEVEL, with one of {}", levels()))),
        (":log", [name]) => Typed::Set(Setting::Log(LogLevel::parse(name).ok_or_else(|| {
            Failure::usage(format!("expected a level ({}), but found {name:?}", levels()))
        })?)),
        (word, [more, ..]) if SETTINGS.contains(&word) && word != ":log" => {
            return Err(with_help(format!("expected {word} without more words, but found {more:?}")));
        }
        (word, _) if word.starts_with(':') => return Err(unknown(word)),
        _ if words
            .iter()
            .any(|it| ["--", "--server", "--url"].contains(&it.split('=').next().unwrap_or(it))) =>
        {
            return Err(Failure {
                hint: Some("leave the server out, or start another shell".to_owned()),
                ..Failure::usage(
                    "expected a line for the server of this shell, but found another server".to_owned(),
                )
            });
        }
        _ => {
            if let Some(option) = of_connection(&words) {
                return Err(Failure {
                    hint: Some(format!("start the shell with it: plainwire shell {option} …")),
                    ..Failure::usage(format!(
                        "expected an option of this line, but found {option}, which is one of the connection"
                    ))
                });
            }
            Typed::Command(Box::new(command(&words, ask)?))
        }
    })
}

/// The options that choose how to connect, and so hold for the whole shell.
const OF_CONNECTION: [&str; 15] = [
    "--allow-unencrypted",
    "--as",
    "--bearer-env",
    "--config",
    "--env",
    "--era",
    "--header",
    "--input-env",
    "--no-input",
    "--revision",
    "--root",
    "--server-log",
    "--timeout",
    "--token-file",
    "--trace",
];

fn of_connection(words: &[String]) -> Option<&'static str> {
    let name = |word: &String| OF_CONNECTION.into_iter().find(|it| word.split('=').next() == Some(it));
    words.iter().find_map(name)
}

/// Refuses an argument from stdin if stdin has the lines of the shell.
pub(super) fn check_stdin(command: &Command) -> Result<(), Failure> {
    let words = match command {
        Command::Call(it) => &it.call.arguments,
        Command::Prompt(it) => &it.arguments,
        _ => return Ok(()),
    };
    let key = words
        .iter()
        .find_map(|word| word.split_once('=').filter(|(key, text)| *text == "-" && !key.ends_with(':')));
    match key {
        None => Ok(()),
        Some((key, _)) => Err(Failure {
            hint: Some(format!("`{key}=@FILE` reads a file; `{key}:='\"-\"'` gives the text itself")),
            ..Failure::usage(format!(
                "expected a text for `{key}`, but found `-`: stdin has the lines of this shell"
            ))
        }),
    }
}

fn levels() -> String {
    LogLevel::ALL.map(LogLevel::as_str).join(", ")
}

/// Returns the failure for a word that is no command of the shell.
pub(super) fn unknown(word: &str) -> Failure {
    let failure = with_help(format!("expected a command of the shell, but found {word:?}"));
    match meant::nearest(word, SETTINGS) {
        Some(near) => Failure { hint: Some(format!("did you mean {near}?")), ..failure },
        None => failure,
    }
}

fn with_help(text: String) -> Failure {
    Failure { hint: Some("`:help` shows the commands".to_owned()), ..Failure::usage(text) }
}

/// Parses the words of a command as those of `plainwire`, with the server of `ask`.
pub(super) fn command(words: &[String], ask: &Ask) -> Result<Command, Failure> {
    let with_verb = with_verb(words);
    let parsed = Cli::try_parse_from(with_server(&with_verb, ask));
    parsed.map(|cli| cli.command).map_err(|error| match slips::known(&error, &with_verb) {
        Some(slip) => in_shell(slip),
        None => with_help(first_sentence(&error.to_string())),
    })
}

/// Returns the failure with the commands in its hint as they are typed here.
pub(super) fn in_shell(failure: Failure) -> Failure {
    let typed = |hint: String| {
        COMMANDS.iter().fold(hint, |hint, command| hint.replace(&format!("plainwire {command}"), command))
    };
    Failure { hint: failure.hint.map(typed), ..failure }
}

/// Returns the first paragraph of an error of clap, in one line.
fn first_sentence(error: &str) -> String {
    let lines: Vec<_> = error.lines().take_while(|line| !line.is_empty()).map(str::trim).collect();
    lines.join(" ").trim_start_matches("error: ").to_owned()
}

/// Returns the words with the command `call` first if they begin with the name of a tool.
pub(super) fn with_verb(words: &[String]) -> Vec<String> {
    let is_command = words.first().is_some_and(|first| COMMANDS.contains(&first.as_str()));
    let verb = (!is_command).then(|| "call".to_owned());
    verb.into_iter().chain(words.iter().cloned()).collect()
}

/// Returns the command line that means the same outside of the shell. It names a server only because the parser
/// requires one.
fn with_server(words: &[String], ask: &Ask) -> Vec<std::ffi::OsString> {
    let mut line = vec!["plainwire".into()];
    line.extend(words.iter().map(Into::into));
    let choice = &ask.choice;
    match (&choice.url, &choice.server) {
        (Some(url), _) => line.extend(["--url".into(), url.into()]),
        (_, Some(name)) => line.extend(["--server".into(), name.into()]),
        _ => {
            line.push("--".into());
            line.extend(choice.command.iter().cloned());
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask() -> Ask {
        match Cli::try_parse_from(["plainwire", "ping", "--", "server"]).expect("a command").command {
            Command::Ping(ask) => ask,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn each_option_of_the_connection_is_known_as_one() {
        use clap::Args as _;
        let ask = Ask::augment_args(clap::Command::new("ask"));
        let options: Vec<String> =
            ask.get_arguments().filter_map(|it| Some(format!("--{}", it.get_long()?))).collect();
        assert!(options.len() > 10, "{options:?}");
        for option in options {
            let is_of_line = ["--json", "--server", "--url"].contains(&option.as_str());
            assert!(is_of_line || OF_CONNECTION.contains(&option.as_str()), "{option}");
        }
    }

    #[test]
    fn a_line_is_a_command_or_the_call_of_a_tool() {
        for (line, name, arguments) in [
            ("call add a=1", "add", vec!["a=1"]),
            ("add a=1 'text=two words'", "add", vec!["a=1", "text=two words"]),
            ("  add  ", "add", vec![]),
            ("call list", "list", vec![]),
        ] {
            let Ok(Typed::Command(command)) = read(line, &ask()) else { panic!("{line}") };
            let Command::Call(call) = *command else { panic!("{line}") };
            assert_eq!(
                (call.call.name.as_str(), call.call.arguments),
                (name, arguments.into_iter().map(String::from).collect())
            );
        }
        for line in ["list --filter x", "describe add", "read a://b --out f", "prompt p a=b", "ping"] {
            assert!(matches!(read(line, &ask()), Ok(Typed::Command(_))), "{line}");
        }
        assert!(matches!(read("  ", &ask()), Ok(Typed::Nothing)));
        assert!(matches!(read(":quit", &ask()), Ok(Typed::Quit)));
    }

    #[test]
    fn a_wrong_line_says_what_was_expected() {
        for (line, expected) in [
            (":json on", "expected :json without more words, but found \"on\""),
            ("add a=1 -- other", "expected a line for the server of this shell, but found another server"),
            ("list --url http://x", "expected a line for the server of this shell, but found another server"),
            (
                "add a=1 --no-input",
                "expected an option of this line, but found --no-input, which is one of the connection",
            ),
            (
                ":log",
                "expected :log LEVEL, with one of debug, info, notice, warning, error, critical, alert, emergency",
            ),
            ("add 'a", "expected each quote to be closed, but found one that is not"),
            (
                ":log loud",
                "expected a level (debug, info, notice, warning, error, critical, alert, emergency), but found \"loud\"",
            ),
            (":loud", "expected a command of the shell, but found \":loud\""),
            ("read", "the following required arguments were not provided: <URI>"),
        ] {
            assert_eq!(read(line, &ask()).expect_err(line).text, expected);
        }
        let hint = |line| read(line, &ask()).expect_err(line).hint.expect("a hint");
        assert_eq!(hint(":trac"), "did you mean :trace?");
        assert_eq!(hint(":nothing"), "`:help` shows the commands");
        let slip = read("add --number 1", &ask()).expect_err("an option");
        assert_eq!(slip.hint.as_deref(), Some("call add number=1"));
    }

    #[test]
    fn settings_hold_for_each_command() {
        let settings = Settings { json: true, log: None, trace: true };
        let Ok(Typed::Command(command)) = read("add a=1", &ask()) else { panic!("a command") };
        let Command::Call(call) = settings.applied(*command) else { panic!("a call") };
        assert!(call.call.explain && call.call.ask.json == Some(None));
    }
}
