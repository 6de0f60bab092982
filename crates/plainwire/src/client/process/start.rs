//! From a description to a process that runs: the group, the pipes, and what to say if there is none.

use std::io::{self, ErrorKind};
use std::path::Path;
use std::process::{Command, Stdio};

use plainwire_proto::json::shorten;

use super::child::Process;
use super::group::Group;
use super::last_words::LastWords;
use super::{Program, Stderr};
use crate::error::{Error, Result};
use crate::stream::{Stream, stdio};

/// Starts `program`.
///
/// # Errors
/// [`Error::Io`] that names it.
pub(crate) fn start(program: &Program) -> Result<(Stream, Process)> {
    let started = run(program);
    started.map_err(|error| Error::Io {
        doing: "starting the server",
        source: explain(&program.command(), error),
    })
}

fn run(program: &Program) -> io::Result<(Stream, Process)> {
    let Program { grace, stderr, .. } = program;
    let mut command = program.command();
    Group::prepare(&mut command);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    if *stderr != Stderr::AsTheCommandSays {
        command.stderr(Stdio::piped());
    }
    let mut child = command.spawn()?;
    drop(command);
    let (stdin, stdout, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    // From here on whatever fails ends the child.
    let mut process = Process::new(child, *grace)?;
    if let (Some(errors), true) = (errors, *stderr != Stderr::AsTheCommandSays) {
        process.set_last_words(LastWords::read(errors, *stderr)?);
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

/// Says what was expected of a program that did not start. Its arguments may be secret and are not named.
fn explain(command: &Command, error: io::Error) -> io::Error {
    let program = command.get_program().to_string_lossy();
    let path = Path::new(command.get_program());
    // Only a path says where to look; anything else is searched for.
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
