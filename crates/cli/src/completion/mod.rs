//! Completion for shells: the scripts, and the candidates that the scripts request.
//!
//! In: an unfinished command line. Out: candidates for the word at the cursor. A script runs `plainwire` with
//! [`VARIABLE`] set. clap completes commands and options; [`server`] completes the names of tools, prompts,
//! arguments and resources.

mod line;
mod server;

use std::env;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;

use clap::ValueEnum as _;
use clap_complete::CompletionCandidate;
use clap_complete::env::{Elvish, EnvCompleter as _};

use crate::args::Shell;
use crate::exit::{Exit, Failure};
use crate::{output, visible};
pub(crate) use line::Line;
pub(crate) use server::{Suggestion, fits, suggestions};

/// The environment variable with the name of the shell that requests candidates. If it is set, `plainwire`
/// only completes.
const VARIABLE: &str = "PLAINWIRE_COMPLETE";

/// The options whose value may be left out.
const OPTIONAL: [&str; 3] = ["--json", "--server-log", "--trace"];

const BASH: &str = r#"_plainwire() {
    COMPREPLY=()
    local reply
    while IFS= read -r reply; do
        COMPREPLY+=("$reply")
    done < <(PLAINWIRE_COMPLETE=bash PLAINWIRE_BREAKS="$COMP_WORDBREAKS" COMPLETER -- "$COMP_LINE" "$COMP_POINT" 2>/dev/null)
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[=:/] ]]; then
        compopt -o nospace 2>/dev/null
    fi
}
complete -o bashdefault -o default -F _plainwire plainwire"#;

const FISH: &str = r"complete --command plainwire --exclusive --arguments '(PLAINWIRE_COMPLETE=fish COMPLETER -- (commandline --current-process | string collect) (commandline --current-process --cursor) 2>/dev/null)'";

/// The script for `PowerShell`. It passes the line in an environment variable, because `PowerShell` would
/// evaluate it in an argument.
const POWERSHELL: &str = r#"Register-ArgumentCompleter -Native -CommandName plainwire -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $env:PLAINWIRE_LINE = $commandAst.Extent.Text
    $env:PLAINWIRE_COMPLETE = 'powershell'
    try {
        & 'COMPLETER' -- ($cursorPosition - $commandAst.Extent.StartOffset) 2>$null | ForEach-Object {
            [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
        }
    } finally {
        Remove-Item Env:PLAINWIRE_COMPLETE, Env:PLAINWIRE_LINE
    }
}"#;

const ZSH: &str = r#"#compdef plainwire
_plainwire() {
    local reply
    local -a closed open
    for reply in "${(@f)$(PLAINWIRE_COMPLETE=zsh COMPLETER -- $((CURRENT - 1)) "${words[@]}" 2>/dev/null)}"; do
        case $reply in
            '') ;;
            *[=:/]) open+=("$reply") ;;
            *) closed+=("$reply") ;;
        esac
    done
    (( $#closed )) && compadd -a closed
    (( $#open )) && compadd -S '' -a open
    (( $#closed + $#open )) || _default
}
compdef _plainwire plainwire"#;

/// Runs `plainwire completion`: prints the completion script for a shell.
pub(crate) fn script(shell: Shell) -> Result<Exit, Failure> {
    let program = program();
    let text = match shell {
        Shell::Bash => BASH.replace("COMPLETER", &quote(&program)),
        Shell::Elvish => {
            let mut out = Vec::new();
            Elvish.write_registration(VARIABLE, "plainwire", "plainwire", &program, &mut out)?;
            String::from_utf8_lossy(&out).trim().to_owned()
        }
        // The script puts the command inside single quotes already.
        Shell::Fish => FISH.replace("COMPLETER", &quote(&program).replace('\\', r"\\").replace('\'', r"\'")),
        Shell::Powershell => POWERSHELL.replace("COMPLETER", &program.replace('\'', "''")),
        Shell::Zsh => ZSH.replace("COMPLETER", &quote(&program)),
    };
    output::line(&text)?;
    Ok(Exit::Done)
}

/// Returns the command with which a completion script runs this program: the bare name if this process was
/// started by a bare name, else the absolute path.
fn program() -> String {
    let called = env::args_os().next().unwrap_or_else(|| "plainwire".into());
    let path = Path::new(&called);
    let path = if path.components().count() > 1 { std::path::absolute(path).ok() } else { None };
    path.map_or_else(|| called.to_string_lossy().into_owned(), |path| path.to_string_lossy().into_owned())
}

fn quote(text: &str) -> String {
    if text.chars().all(is_safe) { text.to_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// If a shell's completion script runs this program, prints the candidates and returns the exit code; else
/// returns `None`. It reports no errors, which would disturb the shell's prompt.
pub(crate) fn answer() -> Option<ExitCode> {
    let shell = env::var(VARIABLE).ok().filter(|shell| !shell.is_empty())?;
    if let Some((shell, line)) = Shell::from_str(&shell, false).ok().and_then(|it| Some((it, asked(it)?))) {
        let text = show(shell, &line, candidates(shell, &line));
        let _ = io::stdout().write_all(text.as_bytes());
    }
    Some(Exit::Done.into())
}

/// Reads the line and the cursor from the arguments and the environment that the script of `shell` sets.
fn asked(shell: Shell) -> Option<Line> {
    let words: Vec<String> = env::args_os().skip(2).map(|word| word.to_string_lossy().into_owned()).collect();
    let first = || words.first()?.parse().ok();
    match shell {
        Shell::Bash | Shell::Fish => Some(Line::split(words.first()?, words.get(1)?.parse().ok()?)),
        Shell::Elvish => Some(Line::of_plain(words)),
        Shell::Powershell => Some(Line::split(&env::var("PLAINWIRE_LINE").ok()?, first()?)),
        Shell::Zsh => Some(Line::of_quoted(words.get(1..)?, first()?)),
    }
}

fn candidates(shell: Shell, line: &Line) -> Vec<CompletionCandidate> {
    // Before a word, such an option stands without its value, which it takes only behind `=`.
    let is_alone = |at: usize, text: &str| at < line.index && OPTIONAL.contains(&text);
    let whole = |(at, word): (usize, &line::Word)| match is_alone(at, &word.text) {
        true => format!("{}=", word.text).into(),
        false => word.text.clone().into(),
    };
    let mut words: Vec<_> = line.words.iter().enumerate().map(whole).collect();
    if line.index >= words.len() {
        words.push("".into());
    }
    // Only these shells pass the text after the cursor as the user has written it.
    let is_exact = matches!(shell, Shell::Bash | Shell::Fish | Shell::Zsh);
    let mut command = server::command(is_exact.then_some(line));
    let here = env::current_dir().ok();
    let found = clap_complete::engine::complete(&mut command, words, line.index, here.as_deref());
    let mut found = found.unwrap_or_default();
    if line.current().is_empty() {
        found.retain(|it| !it.get_value().as_encoded_bytes().starts_with(b"-"));
    }
    found
}

/// Returns the candidates, one per line, in the form that the script of `shell` expects.
fn show(shell: Shell, line: &Line, candidates: Vec<CompletionCandidate>) -> String {
    let mut out = String::new();
    let breaks = env::var("PLAINWIRE_BREAKS").unwrap_or_default();
    for candidate in candidates {
        let Some(value) = candidate.get_value().to_str() else { continue };
        let shown = match shell {
            Shell::Bash => in_bash(value, line, &breaks),
            Shell::Fish => {
                let help = candidate.get_help().map(ToString::to_string).unwrap_or_default();
                let help = visible::short_line(help.lines().next().unwrap_or_default(), 80);
                Some(if help.is_empty() { value.to_owned() } else { format!("{value}\t{help}") })
            }
            // These shells quote a candidate if necessary.
            Shell::Elvish | Shell::Zsh => Some(value.to_owned()),
            Shell::Powershell => Some(value.to_owned()).filter(|value| value.chars().all(is_safe)),
        };
        if let Some(shown) = shown {
            out += &shown;
            out.push('\n');
        }
    }
    out
}

/// Returns the text that bash inserts for the candidate `value`. Bash replaces only the part of the word
/// after its last character that is one of `breaks` (`COMP_WORDBREAKS`), and adds no escapes: they are added
/// here. Inside quotes a candidate that needs escapes is left out.
fn in_bash(value: &str, line: &Line, breaks: &str) -> Option<String> {
    if line.quoted {
        return Some(value.to_owned()).filter(|value| value.chars().all(is_safe));
    }
    let typed = line.current();
    let from = typed.rfind(|c| breaks.contains(c)).map_or(0, |at| at + 1);
    let mut out = String::new();
    for c in value.get(from..)?.chars() {
        if !is_safe(c) {
            out.push('\\');
        }
        out.push(c);
    }
    Some(out)
}

/// Returns whether the character is written into completions and scripts without quotes and escapes.
fn is_safe(c: char) -> bool {
    c.is_alphanumeric() || "%+,-./:=@_".contains(c)
}
