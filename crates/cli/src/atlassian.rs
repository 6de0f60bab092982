//! `plainwire atlassian`, and the settings of `plainwire serve atlassian`: from files, the environment, the command line and the keychain.
//!
//! In: a file, its local sibling, variables, flags; each wins over those before it. Out: a [`Config`], or what the doctor says about the
//! site that it leads to. Files are JSON with comments: the names of the variables, in any case, with their values. No file of the current
//! folder is read unless the command line names it: it could send the token elsewhere.

mod file;
mod secrets;
mod sign_in;

use std::io;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};
use plainwire_atlassian::doctor::{Check, Outcome, examine};
use plainwire_atlassian::settings::{Config, KEYCHAIN, Layers, Shown, Source, is_ours, is_secret, variables};
use serde_json::{Value, json};

use crate::exit::{Exit, Failure};
use crate::{output, paths, visible};

/// The file of the user's settings, in the folder of this command.
const FILE: &str = "atlassian.json";

#[derive(Debug, Args)]
pub(crate) struct AtlassianCommand {
    #[command(subcommand)]
    command: AtlassianDo,
}

#[derive(Debug, Subcommand)]
enum AtlassianDo {
    /// Ask the site step by step, and say what to change where a step fails. Nothing on the site is changed.
    Doctor {
        #[command(flatten)]
        config: ConfigOptions,
        /// Print JSON instead of text.
        #[arg(long)]
        json: bool,
    },
    /// Sign in by OAuth with your browser, so that the server can use the tokens and renew them.
    #[command(after_help = SIGN_IN)]
    Login(LoginOptions),
    /// Delete the tokens of the sign-in.
    Logout(LogoutOptions),
    /// Keep a secret from stdin in the keychain, so that `keychain:NAME` can stand in its place in the settings.
    #[command(
        after_help = "In place of a secret, each variable may have keychain:NAME, as in JIRA_API_TOKEN=keychain:NAME. Without a \
                            keychain, the secret is kept in a file that only you can read, as tokens are."
    )]
    Secret(SecretOptions),
    /// List the variables, which may also be set in a file, and what they mean.
    Variables,
}

const SIGN_IN: &str = "The variables are those of mcp-atlassian: JIRA_URL, ATLASSIAN_OAUTH_CLIENT_ID, ATLASSIAN_OAUTH_CLIENT_SECRET, \
                       ATLASSIAN_OAUTH_REDIRECT_URI, ATLASSIAN_OAUTH_SCOPE. Tokens are stored in the system's keychain, or in \
                       files that only you can read if there is none.";

#[derive(Debug, Args)]
struct LoginOptions {
    #[command(flatten)]
    config: ConfigOptions,
    /// Print JSON instead of text.
    #[arg(long)]
    json: bool,
    /// Do not open a browser: print the URL of the page on stderr.
    #[arg(long)]
    no_browser: bool,
    /// Seconds to wait for you to sign in.
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,
}

#[derive(Debug, Args)]
struct LogoutOptions {
    #[command(flatten)]
    config: ConfigOptions,
}

#[derive(Debug, Args)]
struct SecretOptions {
    /// The name of the secret, which you choose.
    name: String,
    /// Remove the secret.
    #[arg(long)]
    remove: bool,
}

/// The options that say where settings come from.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ConfigOptions {
    /// Read the settings for Jira from FILE, and from its sibling for this machine, such as atlassian.local.json; by default from
    /// atlassian.json in the folder of this command's settings. The environment wins over both.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
    /// Set a variable for Jira, as in `JIRA_URL=https://example.atlassian.net`; can be given more than once. Not for secrets.
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub(crate) set: Vec<String>,
}

/// Returns the settings of all sources. `flags` are options of the command line by the names of variables; blank ones are left out.
/// Warnings go to stderr.
pub(crate) async fn config<'a>(
    options: &ConfigOptions,
    flags: impl IntoIterator<Item = (&'a str, String)>,
) -> Result<Config, Failure> {
    let flags = flags.into_iter().map(|(name, value)| (name.to_owned(), value));
    let layers = secrets::resolved(layers(options)?.with(Source::Flags, flags)).await?;
    let config = sign_in::with_tokens(read(&layers)?)?;
    config.warnings.iter().for_each(|it| output::note(&format!("warning: {it}")));
    Ok(config)
}

/// Returns the settings of a sign-in by OAuth, whatever other credentials there are.
async fn sign_in_config(options: &ConfigOptions) -> Result<Config, Failure> {
    let flags = [("JIRA_AUTH_TYPE".to_owned(), "oauth".to_owned())];
    read(&secrets::resolved(layers(options)?.with(Source::Flags, flags)).await?)
}

/// Asks the site for its cloud id, if the settings need it.
pub(crate) async fn located(config: Config) -> Result<Config, Failure> {
    config.located().await.map_err(|error| Failure {
        exit: Exit::Unreachable,
        hint: Some(DOCTOR.to_owned()),
        text: error.0,
    })
}

/// Runs `plainwire atlassian`.
pub(crate) async fn run(it: AtlassianCommand) -> Result<Exit, Failure> {
    match it.command {
        AtlassianDo::Doctor { config, json } => {
            doctor(&secrets::resolved(layers(&config)?).await?, json).await
        }
        AtlassianDo::Login(it) => sign_in::login(&it).await,
        AtlassianDo::Logout(it) => sign_in::logout(&it).await,
        AtlassianDo::Secret(it) => secrets::run(&it).await,
        AtlassianDo::Variables => {
            for it in variables() {
                output::wrapped(&format!("{:<34}", it.name), &" ".repeat(34), it.meaning)?;
            }
            Ok(Exit::Done)
        }
    }
}

const DOCTOR: &str = "`plainwire atlassian doctor` asks the site step by step, and says what to change";

fn read(layers: &Layers) -> Result<Config, Failure> {
    Config::read(layers, &|path| file::read_bytes(path)).map_err(|problems| Failure {
        hint: Some(
            "`plainwire atlassian variables` lists all variables; a file may have them, too".to_owned(),
        ),
        ..Failure::usage(format!("the settings for Jira can't be used\n{problems}"))
    })
}

async fn doctor(layers: &Layers, is_json: bool) -> Result<Exit, Failure> {
    let config = sign_in::with_tokens(read(layers)?)?;
    let mut checks = Vec::new();
    let config = match config.clone().located().await {
        Ok(it) => it,
        // The other checks say why.
        Err(error) => {
            checks.push(Check { name: "cloud id", outcome: Outcome::Failed, found: error.0, advice: None });
            config
        }
    };
    checks.extend(examine(&config.jira).await);
    if is_json {
        output::json(&report(&layers.shown(), &config.warnings, &checks))?;
    } else {
        print(&layers.shown(), &config.warnings, &checks)?;
    }
    let has_failed = checks.iter().any(|it| it.outcome == Outcome::Failed);
    Ok(if has_failed { Exit::CheckFailed } else { Exit::Done })
}

fn report(shown: &[Shown], warnings: &[String], checks: &[Check]) -> Value {
    let settings =
        shown.iter().map(|it| json!({ "name": it.name, "value": it.value, "source": it.source.to_string() }));
    let checks = checks.iter().map(
        |it| json!({ "name": it.name, "outcome": word(it.outcome), "found": it.found, "advice": it.advice }),
    );
    json!({ "settings": settings.collect::<Value>(), "warnings": warnings, "checks": checks.collect::<Value>() })
}

fn print(shown: &[Shown], warnings: &[String], checks: &[Check]) -> io::Result<()> {
    for it in shown {
        output::line(&format!("{} = {} ({})", it.name, visible::line(&it.value), it.source))?;
    }
    warnings.iter().try_for_each(|it| output::line(&format!("warning: {}", visible::line(it))))?;
    output::line("")?;
    let indent = " ".repeat(24);
    for it in checks {
        let first = format!("{:<9}{:<15}", word(it.outcome), it.name);
        output::wrapped(&first, &indent, &visible::line(&it.found))?;
        if let Some(advice) = &it.advice {
            output::wrapped(&format!("{indent}to do: "), &indent, &visible::line(advice))?;
        }
    }
    Ok(())
}

fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Failed => "FAILED",
        Outcome::Passed => "passed",
        Outcome::Skipped => "skipped",
    }
}

fn layers(options: &ConfigOptions) -> Result<Layers, Failure> {
    let mut layers = Layers::default();
    let file = options.config.clone().or_else(|| Some(paths::settings()?.join(FILE)));
    if let Some(file) = file {
        let values = file::read(&file)?;
        if values.is_none() && options.config.is_some() {
            return Err(Failure::usage(format!("--config {}: there is no such file", file.display())));
        }
        let local = file::local(&file);
        layers = layers.with(Source::File, values.unwrap_or_default());
        layers = layers.with(Source::LocalFile, file::read(&local)?.unwrap_or_default());
    }
    let flags: Vec<_> = options.set.iter().map(|it| of_flag(it)).collect::<Result<_, _>>()?;
    Ok(layers.with(Source::Environment, environment()?).with(Source::Flags, flags))
}

fn of_flag(text: &str) -> Result<(String, String), Failure> {
    match text.split_once('=') {
        // Other users of the machine see the command line.
        Some((name, value)) if is_secret(name.trim()) && !value.starts_with(KEYCHAIN) => Err(Failure {
            hint: Some("the environment may have it, or a file that only you can read".to_owned()),
            ..Failure::usage(format!(
                "--set: expected a known variable without a secret, but found {:?}",
                visible::short_line(name, 80)
            ))
        }),
        Some((name, value)) => Ok((name.to_owned(), value.to_owned())),
        None => Err(Failure::usage("expected --set NAME=VALUE, but found no `=`".to_owned())),
    }
}

/// Returns the variables of the environment that may be ours.
fn environment() -> Result<Vec<(String, String)>, Failure> {
    let ours = std::env::vars_os().filter_map(|(name, value)| {
        let name = name.into_string().ok().filter(|it| is_ours(it))?;
        Some((name, value))
    });
    ours.map(|(name, value)| match value.into_string() {
        Ok(value) => Ok((name, value)),
        Err(_) => Err(Failure::usage(format!(
            "expected text in the variable {name}, but found bytes that are none"
        ))),
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_no_flags() {
        assert_eq!(of_flag("JIRA_URL=a=b").expect("a pair"), ("JIRA_URL".to_owned(), "a=b".to_owned()));
        assert!(of_flag("JIRA_API_TOKEN=keychain:jira").is_ok());
        for text in ["JIRA_API_TOKEN=s3cr3t", "jira_personal_token=s3cr3t", "JIRA_TOKN=s3cr3t", "s3cr3t"] {
            let failure = of_flag(text).expect_err("an error");
            assert!(!failure.text.contains("s3cr3t"), "{}", failure.text);
        }
    }
}
