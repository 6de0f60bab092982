//! Starts the process of a [`Program`]: its group, its pipes, and the error if it can't be started.

use std::io::{self, ErrorKind};
use std::path::Path;
use std::process::{Command, Stdio};

use plainwire_proto::json::shorten;

use super::child::Process;
use super::group::Group;
use super::last_words::LastWords;
use super::passed_to::labelled;
use super::{Program, Stderr};
use crate::error::{Error, Result};
use crate::stream::{Stream, stdio};

/// Starts the process of `program`. Returns the stream over its stdin and stdout, and the process.
///
/// # Errors
/// [`Error::Io`], which names the program.
pub(crate) fn start(program: &Program) -> Result<(Stream, Process)> {
    let started = run(program);
    started.map_err(|error| Error::Io {
        doing: "starting the server",
        source: explain(&program.command(), error),
    })
}

fn run(program: &Program) -> io::Result<(Stream, Process)> {
    let Program { environment, grace, label, stderr, stderr_file, stderr_to, .. } = program;
    let mut command = program.command();
    environment.apply(&mut command);
    Group::prepare(&mut command);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    if *stderr != Stderr::AsTheCommandSays {
        command.stderr(Stdio::piped());
    }
    let mut child = command.spawn()?;
    drop(command);
    let (stdin, stdout, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    // From here on, `process` is dropped after any error, which ends the child.
    let mut process = Process::new(child, *grace)?;
    if let (Some(errors), true) = (errors, *stderr != Stderr::AsTheCommandSays) {
        let passed_to = stderr_to.clone().or_else(|| label.as_deref().map(labelled));
        process.set_last_words(LastWords::read(errors, *stderr, stderr_file.clone(), passed_to)?);
    }
    let missing = || io::Error::other("expected the child to have both pipes");
    let (stdout, stdin) = (stdout.ok_or_else(missing)?, stdin.ok_or_else(missing)?);
    #[cfg(unix)]
    let stream = Stream {
        reader: stdio::unix::reader(stdout.into(), false)?,
        writer: stdio::unix::writer(stdin.into(), false)?,
    };
    #[cfg(not(unix))]
    let stream = Stream::new(stdio::threads::Reader::new(stdout), stdio::threads::Writer::new(stdin));
    Ok((stream, process))
}

/// Adds to an error what was expected of the program. Its arguments are not named: they may be secret.
fn explain(command: &Command, error: io::Error) -> io::Error {
    let program = command.get_program().to_string_lossy();
    let path = Path::new(command.get_program());
    // A path names one file; any other name is searched for on the PATH.
    let is_path = path.components().count() > 1;
    let name = shorten(&program);
    let expected = match (error.kind(), command.get_current_dir()) {
        (ErrorKind::NotFound | ErrorKind::NotADirectory, Some(directory)) if !directory.is_dir() => {
            format!("expected the working directory {:?} to exist", shorten(&directory.to_string_lossy()))
        }
        (ErrorKind::NotFound, _) if is_path && path.is_absolute() && path.exists() => {
            format!("expected the program that runs {name:?}, named in its first line, to exist")
        }
        (ErrorKind::NotFound, _) if is_path => format!("expected {name:?} to exist"),
        (ErrorKind::NotFound, _) => format!("expected {name:?} to be a program on the PATH"),
        (ErrorKind::PermissionDenied, _) => format!("expected {name:?} to be an executable file"),
        _ => format!("expected {name:?} to start"),
    };
    io::Error::new(error.kind(), format!("{expected}, but found: {error}"))
}
